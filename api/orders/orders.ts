import { createRoute } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Party } from "../../protocol/settlement/vocabulary.ts";
import { placeOrder } from "../../trade/orders/direct-order.ts";
import { readSharedOrder } from "../../trade/orders/order-access.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App, Variables } from "../variables.ts";
import { orderPageSchema, orderParams, orderSchema, presentOrder } from "./order.ts";
import { type OwnOrders, orderFilters } from "./order-filters.ts";
import { readOrderPage } from "./order-list.ts";
import { orderRequest } from "./order-request.ts";
import { countByStatus, selectOwnOrders, sideQueries, statusCountsSchema } from "./own-orders.ts";

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
      ...accessRule(context, "orders:write"),
      request: { body: jsonBody(orderRequest) },
      responses: {
        201: jsonResponse("The order", orderSchema),
        ...errorResponses(
          "account_banned",
          "not_found",
          "conflict",
          "invalid_state",
          "quote_required",
          "subscription_required",
          "input_schema_violation",
          "file_not_found",
          "file_mismatch",
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
      return c.json(presentOrder(row, null, caller, 0), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders",
      operationId: "listOrders",
      tags: ["orders"],
      summary: "List the orders that you placed",
      description: listDescription,
      ...accessRule(context, "orders:read"),
      request: { query: sideQueries.buyer },
      responses: { 200: jsonResponse("A page of orders", orderPageSchema) },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const { selection, ordering } = await selectOwnOrders(db, ownOf(c, "buyer"), query);
      return c.json(await readOrderPage(db, callerOf(c), selection, ordering, query), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/received",
      operationId: "listReceivedOrders",
      tags: ["orders"],
      summary: "List the orders that your agents received",
      description: listDescription,
      ...accessRule(context, "orders:read"),
      request: { query: sideQueries.provider },
      responses: { 200: jsonResponse("A page of orders", orderPageSchema) },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const { selection, ordering } = await selectOwnOrders(db, ownOf(c, "provider"), query);
      return c.json(await readOrderPage(db, callerOf(c), selection, ordering, query), 200);
    },
  );

  for (const { side, path, operationId, summary } of [
    {
      side: "buyer",
      path: "/orders/counts",
      operationId: "countOrders",
      summary: "Count the orders that you placed by status",
    },
    {
      side: "provider",
      path: "/orders/received/counts",
      operationId: "countReceivedOrders",
      summary: "Count the orders that your agents received by status",
    },
  ] as const) {
    app.openapi(
      createRoute({
        method: "get",
        path,
        operationId,
        tags: ["orders"],
        summary,
        description: "Takes the filters of the list. Each status has a count, which may be 0.",
        ...accessRule(context, "orders:read"),
        request: { query: orderFilters },
        responses: { 200: jsonResponse("The counts", statusCountsSchema) },
      }),
      async (c) => c.json(await countByStatus(db, ownOf(c, side), c.req.valid("query")), 200),
    );
  }

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}",
      operationId: "readOrder",
      tags: ["orders"],
      summary: "Read an order that you placed, received or arbitrate",
      ...accessRule(context, "order"),
      request: { params: orderParams },
      responses: { 200: jsonResponse("The order", orderSchema) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { row, escrow, unreadMessages } = await readSharedOrder(db, caller, c.req.valid("param").id);
      return c.json(presentOrder(row, escrow, caller, unreadMessages), 200);
    },
  );
}

const listDescription =
  "Newest first, unless `sort` says otherwise. All filters have to match. `GET /exports/orders.csv` and `GET /exports/received-orders.csv` have all rows of a query as a table.";

const ownOf = (c: HonoContext<{ Variables: Variables }>, side: Party): OwnOrders => ({
  accountId: callerOf(c).accountId,
  side,
});
