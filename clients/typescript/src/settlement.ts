/** What anyone needs to recompute where an order's money goes. */
export * from "../../../protocol/settlement/index.ts";
