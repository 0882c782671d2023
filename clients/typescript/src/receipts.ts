/** The service's own verifier: what is signed, by whom, and what the chain says. */
export * from "../../../receipts/index.ts";
