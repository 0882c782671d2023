/** The transparency log of a service: inclusion of receipts and consistency of its history. */
export * from "../../../protocol/tlog/index.ts";
