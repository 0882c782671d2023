import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, type SQL } from "drizzle-orm";
import { escrow } from "../db/chain.ts";
import type { Database } from "../db/client.ts";
import { escrowOfOrder } from "../db/ledger.ts";
import { order } from "../db/schema.ts";
import { callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import { orderParams, orderSchema, orderStatuses, presentOrder, readSharedOrder } from "./order.ts";
import { orderRequest, placeOrder } from "./order-placement.ts";
import { newestFirst, type Ordering, type PageQuery, pageQuery, pageSchema, readPage } from "./page.ts";

const listQuery = pageQuery.extend({ status: z.enum(orderStatuses).optional() });

/** Placing, listing and reading orders. */
export function addOrders(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders",
      operationId: "placeOrder",
      tags: ["orders"],
      summary: "Place an order",
      description:
        "Freezes what is agreed and names the escrow that would pay for it. No money moves: read the payment instructions next.",
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
        ),
      },
    }),
    async (c) => {
      const row = await placeOrder(context, callerOf(c), c.req.valid("json"), c.get("effectId"));
      return c.json(presentOrder(row, null), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders",
      operationId: "listOrders",
      tags: ["orders"],
      summary: "The orders you placed, newest first",
      ...guarded(context, "orders:read"),
      request: { query: listQuery },
      responses: { 200: answer("A page of orders", pageSchema(orderSchema)) },
    }),
    async (c) =>
      c.json(await listOrders(order.buyerAccountId, callerOf(c).accountId, c.req.valid("query")), 200),
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/received",
      operationId: "listReceivedOrders",
      tags: ["orders"],
      summary: "The orders your agents received, newest first",
      ...guarded(context, "orders:read"),
      request: { query: listQuery },
      responses: { 200: answer("A page of orders", pageSchema(orderSchema)) },
    }),
    async (c) =>
      c.json(await listOrders(order.providerAccountId, callerOf(c).accountId, c.req.valid("query")), 200),
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}",
      operationId: "readOrder",
      tags: ["orders"],
      summary: "An order you placed or received, or arbitrate",
      ...guarded(context, "orders:read"),
      request: { params: orderParams },
      responses: { 200: answer("The order", orderSchema) },
    }),
    async (c) => {
      const { row, escrow: escrowRow } = await readSharedOrder(db, callerOf(c), c.req.valid("param").id);
      return c.json(presentOrder(row, escrowRow), 200);
    },
  );

  function listOrders(
    side: typeof order.buyerAccountId | typeof order.providerAccountId,
    accountId: string,
    query: z.output<typeof listQuery>,
  ) {
    const own = and(eq(side, accountId), query.status && eq(order.status, query.status));
    return readOrderPage(db, own, newestFirst(order.createdAt, order.id), query);
  }
}

/** One page of orders, as it is answered. */
export function readOrderPage(db: Database, wanted: SQL | undefined, ordering: Ordering, query: PageQuery) {
  return readPage(ordering, query, {
    select: ({ position, after, order: by, limit, offset }) =>
      db
        .select({ row: order, escrow, position })
        .from(order)
        .leftJoin(escrow, escrowOfOrder)
        .where(and(wanted, after))
        .orderBy(...by)
        .limit(limit)
        .offset(offset),
    count: () => db.$count(order, wanted),
    present: ({ row, escrow: escrowRow }) => presentOrder(row, escrowRow),
  });
}
