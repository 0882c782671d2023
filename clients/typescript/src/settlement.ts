/** The protocol, to recompute where an order's money goes. */
export * from "../../../protocol/settlement/index.ts";
