/** Verification of the requests by which the service calls a provider's endpoint. */
export * from "../../../protocol/execution/index.ts";
