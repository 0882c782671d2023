import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, sql } from "drizzle-orm";
import { order } from "../../db/schema.ts";
import { placeOrder } from "../../trade/orders/direct-order.ts";
import { readSharedOrder } from "../../trade/orders/order-access.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import type { Caller } from "../http/caller.ts";
import { newestFirst } from "../http/listing.ts";
import { answer, guarded, jsonBody, refusals } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { orderPageSchema, orderParams, orderSchema, presentOrder } from "./order.ts";
import { orderStatusField } from "./order-fields.ts";
import { orderPageQuery, readOrderPage } from "./order-list.ts";
import { orderRequest } from "./order-request.ts";

const listQuery = orderPageQuery.extend({ status: orderStatusField.optional() });

const placedQuery = listQuery.extend({
  approval: z
    .literal("pending")
    .optional()
    .openapi({ description: "`pending`: only orders that wait for an owner or admin." }),
});

/** Adds the routes that place, list and read orders. */
export function addOrderRoutes(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders",
      operationId: "placeOrder",
      tags: ["orders"],
      summary: "Place an order",
      description:
        "Freezes the agreement and names the escrow that pays for the order. No money moves: read the payment instructions next.",
      ...guarded(context, "orders:write"),
      request: { body: jsonBody(orderRequest) },
      responses: {
        201: answer("The order", orderSchema),
        ...refusals(
          "not_found",
          "conflict",
          "invalid_state",
          "quote_required",
          "subscription_required",
          "input_schema_violation",
          "checker_busy",
          "too_many_unpaid_orders",
          "spend_limit_exceeded",
        ),
      },
    }),
    async (c) => {
      const effect = c.get("effect");
      const caller = callerOf(c);
      const repeated = effect && { orderId: `ord_${effect.id}`, mayStand: effect.mayStand };
      const row = await placeOrder(context, caller, c.req.valid("json"), repeated);
      return c.json(presentOrder(row, null, caller), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders",
      operationId: "listOrders",
      tags: ["orders"],
      summary: "List the orders that you placed, newest first",
      ...guarded(context, "orders:read"),
      request: { query: placedQuery },
      responses: { 200: answer("A page of orders", orderPageSchema) },
    }),
    async (c) => {
      const { approval, ...query } = c.req.valid("query");
      return c.json(await listOrders("placed", callerOf(c), query, approval), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/received",
      operationId: "listReceivedOrders",
      tags: ["orders"],
      summary: "List the orders that your agents received, newest first",
      ...guarded(context, "orders:read"),
      request: { query: listQuery },
      responses: { 200: answer("A page of orders", orderPageSchema) },
    }),
    async (c) => c.json(await listOrders("received", callerOf(c), c.req.valid("query")), 200),
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}",
      operationId: "readOrder",
      tags: ["orders"],
      summary: "Read an order that you placed, received or arbitrate",
      ...guarded(context, "order"),
      request: { params: orderParams },
      responses: { 200: answer("The order", orderSchema) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { row, escrow: escrowRow } = await readSharedOrder(db, caller, c.req.valid("param").id);
      return c.json(presentOrder(row, escrowRow, caller), 200);
    },
  );

  function listOrders(
    side: keyof typeof sides,
    caller: Caller,
    query: z.output<typeof listQuery>,
    approval?: "pending",
  ) {
    const { status } = query;
    const selection = {
      name: [side, ...(status ? ["status"] : []), ...(approval ? ["approval"] : [])].join("_"),
      // A getter, because only the first use of the name builds the statement.
      get condition() {
        return and(
          eq(sides[side], sql.placeholder("accountId")),
          status && eq(order.status, sql.placeholder("status")),
          approval && sql`${order.approvalStatus} = 'pending'`,
        );
      },
      values: { accountId: caller.accountId, status },
    };
    return readOrderPage(db, caller, selection, newestFirst(order.createdAt, order.id), query);
  }
}

const sides = { placed: order.buyerAccountId, received: order.providerAccountId };
