import type { Agreement, Order } from "earnest-client";
import { readAgreed } from "earnest-client/buying/agreed";

/** Recomputes an order from its agreement. Returns what differs, in a sentence; null where nothing does. */
export function agreementProblem(order: Order, agreement: Agreement): string | null {
  try {
    readAgreed(order.id, order, agreement);
    return null;
  } catch (error) {
    return `What the service shows of this order is not what its agreement says: ${(error as Error).message}`;
  }
}
