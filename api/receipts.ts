import { createRoute, z } from "@hono/zod-openapi";
import { and, asc, eq, isNull, type SQL } from "drizzle-orm";
import { accepts } from "hono/accepts";
import type { Database } from "../db/client.ts";
import { fact, order, receipt } from "../db/schema.ts";
import { callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { isId, jsonObjectField, timeField } from "./fields.ts";
import { answer, guarded, refusals } from "./openapi.ts";
import { orderParams, readSharedOrder } from "./order.ts";
import { answerReceiptPage } from "./receipt-page.ts";

const documentSchema = jsonObjectField.openapi("SettlementDocument", {
  type: "object",
  additionalProperties: true,
  description: "the signed settlement document; see docs/receipts.md",
});

export const receiptSchema = z
  .object({
    id: z.string(),
    claim: z.enum(["funded", "released", "refunded"]),
    document: documentSchema,
    x402_receipt: z
      .string()
      .nullable()
      .openapi({ description: "a compact JWS; for a release of delivered work only" }),
    transaction: z.object({
      chain_id: z.int(),
      hash: z.string(),
      block_number: z.int(),
      log_index: z.int(),
    }),
    revoked: z.boolean().openapi({ description: "true if its block left the chain after it was confirmed" }),
    created_at: timeField,
  })
  .openapi("Receipt");

/** Signed statements about an order's money. Checking them is docs/receipts.md's. */
export function addReceipts(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/receipts",
      operationId: "listOrderReceipts",
      tags: ["receipts"],
      summary: "Every receipt of the order, oldest first",
      ...guarded(context, "orders:read"),
      request: { params: orderParams },
      responses: { 200: answer("The receipts", z.object({ items: z.array(receiptSchema) })) },
    }),
    async (c) => {
      const { row } = await readSharedOrder(db, callerOf(c), c.req.valid("param").id);
      return c.json({ items: await readReceipts(db, eq(receipt.orderId, row.id)) }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/receipt",
      operationId: "readFinalReceipt",
      tags: ["receipts"],
      summary: "The signed document of the order's final settlement",
      ...guarded(context, "orders:read"),
      request: { params: orderParams },
      responses: { 200: answer("The document", documentSchema), ...refusals("not_settled") },
    }),
    async (c) => {
      const { row } = await readSharedOrder(db, callerOf(c), c.req.valid("param").id);
      return c.json((await readFinal(row.id)).document, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/receipt/x402",
      operationId: "readX402Receipt",
      tags: ["receipts"],
      summary: "The x402 receipt of a released order",
      ...guarded(context, "orders:read"),
      request: { params: orderParams },
      responses: {
        200: answer("The JWS", z.object({ format: z.literal("jws"), signature: z.string() })),
        ...refusals("not_settled"),
      },
    }),
    async (c) => {
      const { row } = await readSharedOrder(db, callerOf(c), c.req.valid("param").id);
      const { x402_receipt: signature, claim } = await readFinal(row.id);
      if (!signature) {
        throw new ApiError(
          "not_found",
          `The order was ${claim} and has no x402 receipt: only a release of delivered work has one.`,
        );
      }
      return c.json({ format: "jws" as const, signature }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/receipts/{id}",
      operationId: "readReceipt",
      tags: ["receipts"],
      summary: "A receipt, for anybody who knows its id; as a page for a person where text/html is asked for",
      request: { params: z.object({ id: z.string() }) },
      responses: {
        200: {
          description: "The receipt",
          content: {
            "application/json": { schema: receiptSchema },
            "text/html": { schema: z.string().openapi({ description: "checks it in the reader's browser" }) },
          },
        },
      },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const [found] = isId("rcp", id) ? await readReceipts(db, eq(receipt.id, id)) : [];
      if (!found) throw new ApiError("not_found", "There is no receipt with this id.");
      c.header("Vary", "Accept");
      c.header("Access-Control-Allow-Origin", "*");
      const type = accepts(c, {
        header: "Accept",
        supports: ["application/json", "text/html"],
        default: "application/json",
      });
      if (type !== "text/html") return c.json(found, 200);
      const [token] = await db
        .select({ symbol: order.tokenSymbol, decimals: order.tokenDecimals })
        .from(order)
        .innerJoin(receipt, eq(receipt.orderId, order.id))
        .where(eq(receipt.id, id));
      if (!token) throw new Error(`The receipt ${id} has no order.`);
      return answerReceiptPage(c, context, found, token);
    },
  );

  /** Of a split both halves are final; the release is the one that closes the order. */
  async function readFinal(orderId: string): Promise<z.output<typeof receiptSchema>> {
    const standing = await readReceipts(db, eq(receipt.orderId, orderId), isNull(receipt.revokedAt));
    const final =
      standing.find(({ claim }) => claim === "released") ??
      standing.find(({ claim }) => claim === "refunded");
    if (!final)
      throw new ApiError("not_settled", "The order is not settled yet: nothing was released or refunded.");
    return final;
  }
}

/** Receipts as they are answered, in the order of the ledger. */
export async function readReceipts(
  db: Database,
  ...conditions: SQL[]
): Promise<z.output<typeof receiptSchema>[]> {
  const rows = await db
    .select({ receipt, fact })
    .from(receipt)
    .innerJoin(fact, eq(fact.id, receipt.factId))
    .where(and(...conditions))
    .orderBy(asc(fact.seq));
  return rows.map((row) => ({
    id: row.receipt.id,
    claim: row.receipt.claim,
    document: row.receipt.document,
    x402_receipt: row.receipt.x402Receipt,
    transaction: {
      chain_id: row.fact.chainId as number,
      hash: row.fact.transactionHash as string,
      block_number: Number(row.fact.blockNumber),
      log_index: row.fact.logIndex as number,
    },
    revoked: row.receipt.revokedAt !== null,
    created_at: row.receipt.createdAt.toISOString(),
  }));
}
