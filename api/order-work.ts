import { createRoute, z } from "@hono/zod-openapi";
import { eq } from "drizzle-orm";
import { readFacts, recordFacts } from "../db/ledger.ts";
import { type JsonObject, order } from "../db/schema.ts";
import { checkPayload } from "../settlement/payloads.ts";
import { digestOf } from "../settlement/terms.ts";
import { callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { checkDeliverySignature, relayRecord } from "./delivery-record.ts";
import { ApiError } from "./errors.ts";
import { nullableJsonObjectField } from "./fields.ts";
import { answer, guarded, refusals } from "./openapi.ts";
import {
  lockOwnOrder,
  orderParams,
  orderSchema,
  presentOrder,
  readOwnOrder,
  requireProvider,
  requireStep,
} from "./order.ts";
import { presentRelay, relaySchema, signatureSchema } from "./relay.ts";

const deliveryRequest = z
  .strictObject({
    output_payload: nullableJsonObjectField.optional(),
    note: z.string().max(2000).optional().openapi({ description: "a word to the buyer, kept in the trail" }),
    signature: signatureSchema.optional().openapi({
      description:
        "the provider's signature of this delivery's record, relayed at once; see `delivery-record`",
    }),
  })
  .openapi("DeliveryRequest");

const deliveredSchema = orderSchema
  .extend({
    relay: z
      .union([relaySchema, z.null()])
      .openapi({ description: "the record on its way, if it was signed" }),
  })
  .openapi("DeliveredOrder");

/** The provider's steps: starting and delivering. Neither moves money. */
export function addOrderWork(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/start",
      operationId: "startOrder",
      tags: ["orders"],
      summary: "Begin work on a funded order",
      ...guarded(context, "orders:write"),
      request: { params: orderParams },
      responses: { 200: answer("The order", orderSchema), ...refusals("invalid_state") },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      await db.transaction(async (tx) => {
        const { row, role } = await lockOwnOrder(tx, caller, id);
        requireProvider(role, "start the order");
        requireStep(await readFacts(tx, id), "order.started");
        await recordFacts(tx, row, [
          { type: "order.started", actor: "provider", key: `${id}:started`, occurredAt: new Date() },
        ]);
      });
      const { row, escrow } = await readOwnOrder(db, caller, id);
      return c.json(presentOrder(row, escrow), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/deliver",
      operationId: "deliverOrder",
      tags: ["orders"],
      summary: "Deliver the output",
      description:
        "Refused, with the order as it was, if the output does not satisfy the schema that was frozen with the order. Auto-release needs the delivery on the chain as well: sign `delivery-record`, or send the signature along.",
      ...guarded(context, "orders:write"),
      request: {
        params: orderParams,
        body: { required: true, content: { "application/json": { schema: deliveryRequest } } },
      },
      responses: {
        200: answer("The order", deliveredSchema),
        ...refusals("invalid_state", "conflict", "output_schema_violation", "rate_limited"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      const { output_payload, note, signature } = c.req.valid("json");
      const output = output_payload ?? null;
      const outputHash = digestOf(output);

      // All that takes time comes before the lock: the schema, and perhaps a question to a contract wallet.
      const before = await readOwnOrder(db, caller, id);
      requireProvider(before.role, "deliver");
      requireStep(await readFacts(db, id), "order.delivered");
      checkOutput(before.row.outputSchema, output);
      const signed =
        signature && (await checkDeliverySignature(context, { ...before, outputHash }, signature));

      const relay = await db.transaction(async (tx) => {
        const { row } = await lockOwnOrder(tx, caller, id);
        const facts = await readFacts(tx, id);
        requireStep(facts, "order.delivered");
        const earlier = facts.filter((fact) => fact.type === "order.delivered").length;
        await tx.update(order).set({ outputPayload: output }).where(eq(order.id, id));
        await recordFacts(tx, row, [
          {
            type: "order.delivered",
            actor: "provider",
            key: `${id}:delivered:${earlier + 1}`,
            occurredAt: new Date(),
            data: { output_hash: outputHash, ...(note === undefined ? {} : { note }) },
          },
        ]);
        return signed ? relayRecord(context, tx, caller, row, signed) : null;
      });
      const { row, escrow } = await readOwnOrder(db, caller, id);
      return c.json({ ...presentOrder(row, escrow), relay: relay && presentRelay(relay) }, 200);
    },
  );
}

function checkOutput(schema: JsonObject | null, output: JsonObject | null): void {
  const violations = schema ? checkPayload(schema, output) : [];
  if (violations.length === 0) return;
  throw new ApiError(
    "output_schema_violation",
    "The output_payload does not satisfy the output_schema of this order. The order is unchanged.",
    violations,
  );
}
