/** The service's own verifier of receipts and signed records. */
export * from "../../../receipts/index.ts";
