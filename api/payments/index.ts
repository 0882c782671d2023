import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addPaymentRoutes } from "./payment.ts";
import { addPaymentHistory } from "./payment-history.ts";
import { addPaymentSums } from "./payment-sums.ts";
import { addPurchase } from "./purchase.ts";

export function addPayments(api: App, context: Context): void {
  addPaymentRoutes(api, context);
  addPaymentHistory(api, context);
  addPaymentSums(api, context);
  addPurchase(api, context);
}
