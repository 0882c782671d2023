import { createRoute, z } from "@hono/zod-openapi";
import { inTransaction } from "../../db/transaction.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { readOwnOrder } from "../../trade/orders/order-access.ts";
import { requestRevision } from "../../trade/orders/revision-request.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { textField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { orderParams, orderSchema, presentOrder } from "./order.ts";

const revisionRequest = z
  .strictObject({
    reason: textField(longest.reason).openapi({ description: "the changes to make, stored in the trail" }),
  })
  .openapi("RevisionRequest");

/** Adds the route of the buyer's one revision. It moves neither money nor deadlines. */
export function addOrderRevision(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/revision",
      operationId: "requestRevision",
      tags: ["orders"],
      summary: "Request a revision of a delivery",
      description:
        "Possible once. The order returns to the status `started`, and the provider delivers again. `auto_release_at` and `delivery_deadline` do not change.",
      ...accessRule(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(revisionRequest) },
      responses: { 200: jsonResponse("The order", orderSchema), ...errorResponses("invalid_state") },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      const { reason } = c.req.valid("json");
      await inTransaction(db, (tx) => requestRevision(tx, caller, id, reason));
      const { row, escrow, unreadMessages } = await readOwnOrder(db, caller, id);
      return c.json(presentOrder(row, escrow, caller, unreadMessages), 200);
    },
  );
}
