import { createRoute, z } from "@hono/zod-openapi";
import { readFacts, recordFacts } from "../db/ledger.ts";
import { callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { textField } from "./fields.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import {
  lockOwnOrder,
  orderParams,
  orderSchema,
  presentOrder,
  readOwnOrder,
  requireBuyer,
  requireStep,
} from "./order.ts";

const revisionRequest = z
  .strictObject({
    reason: textField(2000).openapi({ description: "what is to change, kept in the trail" }),
  })
  .openapi("RevisionRequest");

/** The buyer's one request for changes after a delivery. It moves no money and no deadline. */
export function addOrderRevision(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/revision",
      operationId: "requestRevision",
      tags: ["orders"],
      summary: "Ask once for changes after a delivery",
      description:
        "The order is started again and the provider delivers again. `auto_release_at` and `delivery_deadline` stay as they are.",
      ...guarded(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(revisionRequest) },
      responses: { 200: answer("The order", orderSchema), ...refusals("invalid_state") },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      const { reason } = c.req.valid("json");
      await db.transaction(async (tx) => {
        const { row, role } = await lockOwnOrder(tx, caller, id);
        requireBuyer(role, "ask for a revision");
        requireStep(await readFacts(tx, id), "order.revision_requested");
        await recordFacts(tx, row, [
          {
            type: "order.revision_requested",
            actor: "buyer",
            key: `${id}:revision`,
            occurredAt: new Date(),
            data: { reason },
          },
        ]);
      });
      const { row, escrow } = await readOwnOrder(db, caller, id);
      return c.json(presentOrder(row, escrow), 200);
    },
  );
}
