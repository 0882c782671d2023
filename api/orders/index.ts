import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addDeliveryRecord } from "./delivery-record.ts";
import { addOrderApproval } from "./order-approval.ts";
import { addExecutions } from "./order-executions.ts";
import { addOrderRevision } from "./order-revision.ts";
import { addOrderStages } from "./order-stages.ts";
import { addOrderRoutes } from "./orders.ts";
import { addPaymentInstructions } from "./payment-instructions.ts";
import { addReconcile } from "./reconcile.ts";
import { addOrderActs } from "./release-refund.ts";
import { addSessionOrder } from "./session-order.ts";
import { addSettlementOptions } from "./settlement-options.ts";
import { addOrderWork } from "./start-and-deliver.ts";
import { addOrderTrail } from "./trail.ts";

export function addOrders(api: App, context: Context): void {
  addOrderRoutes(api, context);
  addSessionOrder(api, context);
  addOrderApproval(api, context);
  addPaymentInstructions(api, context);
  addOrderWork(api, context);
  addOrderStages(api, context);
  addDeliveryRecord(api, context);
  addOrderActs(api, context);
  addOrderRevision(api, context);
  addSettlementOptions(api, context);
  addOrderTrail(api, context);
  addExecutions(api, context);
  addReconcile(api, context);
}
