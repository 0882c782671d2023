import { createRoute, z } from "@hono/zod-openapi";
import { readFacts, recordFacts } from "../db/ledger.ts";
import { callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { textField } from "./fields.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import { lockOwnOrder, orderParams, orderSchema, presentOrder, readOwnOrder, requireStep } from "./order.ts";

const disputeIntentRequest = z
  .strictObject({
    reason: textField(2000).openapi({ description: "what is wrong, kept in the trail for both parties" }),
  })
  .openapi("DisputeIntentRequest");

/** A party's word, before any dispute on the chain, that it means to dispute. */
export function addDisputeIntent(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/dispute-intent",
      operationId: "signalDispute",
      tags: ["disputes"],
      summary: "Tell the other party that you mean to dispute, and why",
      description:
        "Once for each party. It is a word only: the status stays, and no clock stops, auto-release included. Only `dispute`, on the chain, holds the money.",
      ...guarded(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(disputeIntentRequest) },
      responses: { 200: answer("The order", orderSchema), ...refusals("invalid_state", "conflict") },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      const { reason } = c.req.valid("json");
      await db.transaction(async (tx) => {
        const { row, role } = await lockOwnOrder(tx, caller, id);
        const facts = await readFacts(tx, id);
        const key = `${id}:dispute_intent:${role}`;
        const earlier = facts.find((fact) => fact.key === key);
        if (earlier?.data.reason === reason) return;
        if (earlier) {
          throw new ApiError(
            "conflict",
            "You signalled a dispute of this order already, with another reason; that one stands.",
          );
        }
        requireStep(facts, "order.dispute_intent");
        await recordFacts(tx, row, [
          { type: "order.dispute_intent", actor: role, key, occurredAt: new Date(), data: { reason } },
        ]);
      });
      const { row, escrow } = await readOwnOrder(db, caller, id);
      return c.json(presentOrder(row, escrow), 200);
    },
  );
}
