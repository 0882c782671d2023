import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { createCheckSlots } from "./check-slots.ts";
import { addFacilitator } from "./facilitator.ts";
import { addPaymentRoutes } from "./payment.ts";
import { addPaymentHistory } from "./payment-history.ts";
import { addPaymentSums } from "./payment-sums.ts";
import { createPaymentWaits } from "./payment-waits.ts";
import { addPurchase } from "./purchase.ts";

export function addPayments(api: App, app: App, context: Context): void {
  const checks = createCheckSlots(context);
  const waits = createPaymentWaits(context);
  addPaymentRoutes(api, context);
  addPaymentHistory(api, context);
  addPaymentSums(api, context);
  addPurchase(api, context, checks, waits);
  addFacilitator(app, context, checks, waits);
}
