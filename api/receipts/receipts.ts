import { createRoute, z } from "@hono/zod-openapi";
import { eq, isNull } from "../../db/drizzle.ts";
import { receipt } from "../../db/schema.ts";
import { readSharedOrder } from "../../trade/orders/order-access.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { idField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonResponse } from "../http/openapi.ts";
import { orderParams } from "../orders/order.ts";
import type { App } from "../variables.ts";
import { documentSchema, jwsField, readReceipt, readReceipts, receiptSchema } from "./receipt.ts";

const x402ReceiptSchema = z.object({ format: z.literal("jws"), signature: jwsField }).openapi("X402Receipt");

/** Adds the routes of signed receipts. docs/receipts.md explains how to verify them. */
export function addReceiptRoutes(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/receipts",
      operationId: "listOrderReceipts",
      tags: ["receipts"],
      summary: "List the receipts of an order, oldest first",
      ...accessRule(context, "order"),
      request: { params: orderParams },
      responses: {
        200: jsonResponse("The receipts", z.object({ items: z.array(receiptSchema) }).openapi("Receipts")),
      },
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
      summary: "Read the signed document of an order's final settlement",
      ...accessRule(context, "order"),
      request: { params: orderParams },
      responses: { 200: jsonResponse("The document", documentSchema), ...errorResponses("not_settled") },
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
      summary: "Read the x402 receipt of a released order",
      ...accessRule(context, "order"),
      request: { params: orderParams },
      responses: {
        200: jsonResponse("The JWS", x402ReceiptSchema),
        ...errorResponses("not_settled"),
      },
    }),
    async (c) => {
      const { row } = await readSharedOrder(db, callerOf(c), c.req.valid("param").id);
      const { x402_receipt: signature, claim } = await readFinal(row.id);
      if (!signature) {
        throw new ApiError(
          "not_found",
          `The order was ${claim} and has no x402 receipt. Only a release of delivered work has one.`,
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
      summary: "Read a receipt by its id, without an account",
      request: { params: z.object({ id: idField("rcp") }) },
      responses: { 200: jsonResponse("The receipt", receiptSchema) },
    }),
    async (c) => c.json(await readReceipt(db, c.req.valid("param").id), 200),
  );

  /** Reads the final receipt of an order. A split has two; the release closes the order. */
  async function readFinal(orderId: string): Promise<z.output<typeof receiptSchema>> {
    const current = await readReceipts(db, eq(receipt.orderId, orderId), isNull(receipt.revokedAt));
    const final =
      current.find(({ claim }) => claim === "released") ?? current.find(({ claim }) => claim === "refunded");
    if (!final)
      throw new ApiError("not_settled", "The order is not settled yet: nothing was released or refunded.");
    return final;
  }
}
