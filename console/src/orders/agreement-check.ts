import type { Agreement, Order } from "earnest-client";
import { readAgreed } from "earnest-client/buying/agreement-check";
import { i18n } from "../text/i18n.ts";

/**
 * Recomputes an order from its agreement. Returns the first difference as a sentence, or null. An agreement whose words are erased
 * gives no hash to compare; nothing can be signed for its order, which has ended.
 */
export function agreementProblem(order: Order, agreement: Agreement): string | null {
  if (order.erased_at) return null;
  try {
    readAgreed(order.id, order, agreement);
    return null;
  } catch (error) {
    return i18n.t("This order does not match its signed agreement: {message}", {
      message: (error as Error).message,
    });
  }
}
