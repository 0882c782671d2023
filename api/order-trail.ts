import { createRoute, z } from "@hono/zod-openapi";
import canonicalize from "canonicalize";
import type { Database } from "../db/client.ts";
import { type OrderRow, readFacts, readUnrecorded } from "../db/ledger.ts";
import { presentFact, presentPending, type TrailEntry } from "../settlement/trail.ts";
import { callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { timeField } from "./fields.ts";
import { answer, guarded } from "./openapi.ts";
import { orderParams, readSharedOrder } from "./order.ts";

export const transactionSchema = z.object({
  chain_id: z.int(),
  hash: z.string(),
  block_number: z.int(),
  log_index: z.int(),
});

export const entrySchema = z
  .object({
    id: z.string(),
    type: z.string().openapi({ example: "order.funded" }),
    actor: z.enum(["buyer", "provider", "arbiter", "service", "chain"]),
    occurred_at: timeField,
    confirmed: z.boolean().openapi({
      description: "false for what the chain said too recently to count; its id changes once it does",
    }),
    transaction: transactionSchema.nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .openapi("TrailEntry");

export const agreementSchema = z
  .record(z.string(), z.unknown())
  .openapi("Agreement", { description: "the frozen document; see docs/orders.md for its fields" });

/** What happened to an order, and what was agreed about it. */
export function addOrderTrail(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/events",
      operationId: "listOrderEvents",
      tags: ["orders"],
      summary: "The order's trail, oldest first",
      ...guarded(context, "orders:read"),
      request: { params: orderParams },
      responses: { 200: answer("Every step", z.object({ items: z.array(entrySchema) })) },
    }),
    async (c) => {
      const { row } = await readSharedOrder(db, callerOf(c), c.req.valid("param").id);
      return c.json({ items: await readTrail(db, row) }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/agreement",
      operationId: "readAgreement",
      tags: ["orders"],
      summary: "What was agreed when the order was placed",
      description:
        "The body is the canonical JSON (RFC 8785) of the document: the SHA-256 of its bytes is the escrow's `orderHash`, which the header `X-Order-Hash` repeats.",
      ...guarded(context, "orders:read"),
      request: { params: orderParams },
      responses: {
        200: {
          ...answer("The document", agreementSchema),
          headers: z.object({
            "X-Order-Hash": z.string().openapi({ description: "SHA-256 of the body, 0x-hex" }),
          }),
        },
      },
    }),
    async (c) => {
      const { row } = await readSharedOrder(db, callerOf(c), c.req.valid("param").id);
      // An object read from canonical text is written as that text again: its bytes are what was hashed.
      const document = JSON.parse(canonicalize(row.agreement) ?? "") as Record<string, unknown>;
      return c.json(document, 200, { "X-Order-Hash": row.orderHash });
    },
  );
}

/** An order's trail: the ledger, and after it what the chain said too recently to be in there. */
export async function readTrail(db: Database, row: OrderRow): Promise<TrailEntry[]> {
  // In this order: an event that becomes a fact between the two reads is then among the facts, and shown once.
  const pending = await readUnrecorded(db, row);
  const facts = await readFacts(db, row.id);
  const recorded = new Set(facts.map(({ key }) => key));
  return [...facts.map(presentFact), ...pending.filter(({ key }) => !recorded.has(key)).map(presentPending)];
}
