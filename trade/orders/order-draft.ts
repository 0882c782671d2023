import type { NewOrder } from "../../db/new-order.ts";

/** An unwritten order, without a buyer's account. */
export type Draft = Omit<NewOrder, "buyerAccountId" | "reference" | "createdAt">;
