import type { NewOrder } from "../../db/new-order.ts";

/** An order as its terms have it, before it has a buyer's account and is written. */
export type Draft = Omit<NewOrder, "buyerAccountId" | "reference" | "createdAt">;
