import type { App, Context } from "../context.ts";
import { addPaymentHistory } from "./history.ts";
import { addPaymentRoutes } from "./payment.ts";
import { addPurchase } from "./purchase.ts";
import { addPaymentSums } from "./sums.ts";

/** Payments of orders, the history of settlements, and its sums. */
export function addPayments(api: App, context: Context): void {
  addPaymentRoutes(api, context);
  addPaymentHistory(api, context);
  addPaymentSums(api, context);
  addPurchase(api, context);
}
