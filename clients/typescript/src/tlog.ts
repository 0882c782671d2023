/** The log of a service: whether a receipt is in it, and whether it shows everybody the same history. */
export * from "../../../protocol/tlog/index.ts";
