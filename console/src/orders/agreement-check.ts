import type { Agreement, Order } from "earnest-client";
import { readAgreed } from "earnest-client/buying/agreement-check";
import { i18n } from "../text/i18n.ts";

/** Recomputes an order from its agreement. Returns the first difference as a sentence, or null. */
export function agreementProblem(order: Order, agreement: Agreement): string | null {
  try {
    readAgreed(order.id, order, agreement);
    return null;
  } catch (error) {
    return i18n.t("This order does not match its signed agreement: {message}", {
      message: (error as Error).message,
    });
  }
}
