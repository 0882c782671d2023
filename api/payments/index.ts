import type { App, Context } from "../context.ts";
import { addPaymentHistory } from "./history.ts";
import { addPaymentRoutes } from "./payment.ts";

/** Payments of orders, and the history of settlements. */
export function addPayments(api: App, context: Context): void {
  addPaymentRoutes(api, context);
  addPaymentHistory(api, context);
}
