/** What anyone needs to recompute where an order's money goes. */
export * from "../../../settlement/index.ts";
