import { createRoute, z } from "@hono/zod-openapi";
import { inTransaction } from "../../db/transaction.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { signalDispute } from "../../trade/disputes/dispute-intent.ts";
import { readOwnOrder } from "../../trade/orders/order-access.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { textField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { orderParams, orderSchema, presentOrder } from "../orders/order.ts";
import type { App } from "../variables.ts";

const disputeIntentRequest = z
  .strictObject({
    reason: textField(longest.reason).openapi({
      description: "what is wrong, stored in the trail for both parties",
    }),
  })
  .openapi("DisputeIntentRequest");

/** Adds the route of a dispute intent: a party announces a dispute before it opens one on the chain. */
export function addDisputeIntent(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/dispute-intent",
      operationId: "signalDispute",
      tags: ["disputes"],
      summary: "Announce a dispute and its reason to the other party",
      description:
        "Each party can announce once. The announcement changes neither the status nor any deadline, auto-release included. Only `dispute`, on the chain, holds the money.",
      ...accessRule(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(disputeIntentRequest) },
      responses: {
        200: jsonResponse("The order", orderSchema),
        ...errorResponses("invalid_state", "conflict"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      const { reason } = c.req.valid("json");
      await inTransaction(db, (tx) => signalDispute(tx, caller, id, reason));
      const { row, escrow, unreadMessages } = await readOwnOrder(db, caller, id);
      return c.json(presentOrder(row, escrow, caller, unreadMessages), 200);
    },
  );
}
