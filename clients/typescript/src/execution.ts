/** What a provider's endpoint checks of a request by which the service has an order executed. */
export * from "../../../protocol/execution/index.ts";
