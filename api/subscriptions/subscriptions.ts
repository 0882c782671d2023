import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, type SQL } from "../../db/drizzle.ts";
import { agent, order, service, subscription, subscriptionOrder } from "../../db/schema.ts";
import type { OrderStatus } from "../../protocol/settlement/vocabulary.ts";
import {
  cancelSubscription,
  readSubscription,
  selectAsParty,
  selectSubscriptions,
  subscribe,
} from "../../trade/subscriptions/subscription.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import type { Caller } from "../http/caller.ts";
import { idField, timeField } from "../http/fields.ts";
import { newestFirst } from "../http/list-order.ts";
import {
  countedRows,
  countRows,
  type PageQuery,
  pageQuery,
  pageSchema,
  readPage,
  totalOf,
} from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { orderStatusField } from "../orders/order-fields.ts";
import { listedServiceSelection, presentListedService, servicePageSchema } from "../services/service.ts";
import type { App } from "../variables.ts";
import {
  presentSubscription,
  subscriptionParams,
  subscriptionRequest,
  subscriptionSchema,
  type subscriptionStatuses,
  subscriptionStatusField,
} from "./subscription.ts";

const subscriptionPage = pageSchema(subscriptionSchema).openapi("SubscriptionPage");
const listQuery = pageQuery.extend({ status: subscriptionStatusField.optional() });

/** Adds the routes of subscriptions. Each period has an order, which is not funded by itself, until a side cancels. */
export function addSubscriptions(app: App, context: Context): void {
  const { db, config } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/subscriptions/plans",
      operationId: "listPlans",
      tags: ["subscriptions"],
      summary: "List the plans, newest first",
      description:
        "A plan is a published service with the pricing model `subscription`. Its price is for one `interval`.",
      ...accessRule(context, "marketplace:read"),
      request: {
        query: pageQuery.extend({
          agent: z.string().max(63).optional().openapi({ description: "an agent's slug" }),
        }),
      },
      responses: { 200: jsonResponse("A page of plans", servicePageSchema) },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const condition = and(
        eq(service.pricingModel, "subscription"),
        eq(service.status, "published"),
        eq(agent.status, "published"),
        query.agent ? eq(agent.slug, query.agent) : undefined,
      );
      const page = await readPage(newestFirst(service.createdAt, service.id), query, {
        select: ({ position, after, order, limit, offset }) =>
          db
            .select({ ...listedServiceSelection, position })
            .from(service)
            .innerJoin(agent, eq(agent.id, service.agentId))
            .where(and(condition, after))
            .orderBy(...order)
            .limit(limit)
            .offset(offset),
        count: async () => {
          const some = db
            .select({ id: service.id })
            .from(service)
            .innerJoin(agent, eq(agent.id, service.agentId))
            .where(condition)
            .limit(countedRows + 1)
            .as("some");
          return totalOf(await db.$count(some));
        },
        present: (row) => presentListedService(row, config),
      });
      return c.json(page, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/subscriptions",
      operationId: "subscribe",
      tags: ["subscriptions"],
      summary: "Subscribe to a plan",
      description:
        "Places the first order at once, and another order at the beginning of each period. Orders are unfunded: `order.created` notifies you, and you pay those you want. Price, input and wallets do not change. No money is taken by itself.",
      ...accessRule(context, "orders:write"),
      request: { body: jsonBody(subscriptionRequest) },
      responses: {
        201: jsonResponse("The subscription", subscriptionSchema),
        ...errorResponses(
          "account_banned",
          "not_found",
          "conflict",
          "invalid_state",
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
      const caller = callerOf(c);
      const row = await subscribe(context, caller, c.req.valid("json"));
      return c.json(presentSubscription(row, caller, context), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/subscriptions",
      operationId: "listSubscriptions",
      tags: ["subscriptions"],
      summary: "List your subscriptions and those with your agents, newest first",
      ...accessRule(context, "subscriptions:read"),
      request: { query: listQuery },
      responses: { 200: jsonResponse("A page of subscriptions", subscriptionPage) },
    }),
    async (c) => {
      const caller = callerOf(c);
      return c.json(await readSubscriptions(caller, selectAsParty(caller), c.req.valid("query")), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/subscriptions/me",
      operationId: "listOwnSubscriptions",
      tags: ["subscriptions"],
      summary: "List your own subscriptions, newest first",
      ...accessRule(context, "subscriptions:read"),
      request: { query: listQuery },
      responses: { 200: jsonResponse("A page of subscriptions", subscriptionPage) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const own = eq(subscription.accountId, caller.accountId);
      return c.json(await readSubscriptions(caller, own, c.req.valid("query")), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/subscriptions/{id}",
      operationId: "readSubscription",
      tags: ["subscriptions"],
      summary: "Read a subscription",
      ...accessRule(context, "subscriptions:read"),
      request: { params: subscriptionParams },
      responses: { 200: jsonResponse("The subscription", subscriptionSchema) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const row = await readSubscription(db, caller, c.req.valid("param").id);
      return c.json(presentSubscription(row, caller, context), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/subscriptions/{id}/orders",
      operationId: "listSubscriptionOrders",
      tags: ["subscriptions"],
      summary: "List the orders of a subscription, newest first",
      ...accessRule(context, "subscriptions:read"),
      request: { params: subscriptionParams, query: pageQuery },
      responses: {
        200: jsonResponse(
          "A page of periods with their orders",
          pageSchema(
            z
              .object({
                period: z.int(),
                order_id: idField("ord"),
                status: orderStatusField,
                created_at: timeField,
              })
              .openapi("SubscriptionOrder"),
          ).openapi("SubscriptionOrderPage"),
        ),
      },
    }),
    async (c) => {
      const { subscription: row } = await readSubscription(db, callerOf(c), c.req.valid("param").id);
      const query = c.req.valid("query");
      const condition = eq(subscriptionOrder.subscriptionId, row.id);
      const byPeriod = { by: subscriptionOrder.period, type: "number" } as const;
      const page = await readPage({ name: "period", direction: "desc", keys: [byPeriod] }, query, {
        select: ({ position, after, order: ordering, limit, offset }) =>
          db
            .select({
              period: subscriptionOrder.period,
              orderId: order.id,
              status: order.status,
              createdAt: order.createdAt,
              position,
            })
            .from(subscriptionOrder)
            .innerJoin(order, eq(order.id, subscriptionOrder.orderId))
            .where(and(condition, after))
            .orderBy(...ordering)
            .limit(limit)
            .offset(offset),
        count: () => countRows(db, subscriptionOrder, condition),
        present: ({ period, orderId, status, createdAt }) => ({
          period,
          order_id: orderId,
          status: status as OrderStatus,
          created_at: createdAt.toISOString(),
        }),
      });
      return c.json(page, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/subscriptions/{id}/cancel",
      operationId: "cancelSubscription",
      tags: ["subscriptions"],
      summary: "Cancel a subscription",
      description:
        "Either side can cancel. No further order is placed. Existing orders continue. Cancelling it twice is no error.",
      ...accessRule(context, "orders:write"),
      request: { params: subscriptionParams },
      responses: { 200: jsonResponse("The cancelled subscription", subscriptionSchema) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const row = await cancelSubscription(db, caller, c.req.valid("param").id);
      return c.json(presentSubscription(row, caller, context), 200);
    },
  );

  function readSubscriptions(
    caller: Caller,
    own: SQL | undefined,
    query: PageQuery & { status?: (typeof subscriptionStatuses)[number] | undefined },
  ) {
    const condition = and(own, query.status ? eq(subscription.status, query.status) : undefined);
    return readPage(newestFirst(subscription.createdAt, subscription.id), query, {
      select: ({ position, after, order: ordering, limit, offset }) =>
        selectSubscriptions(db, position)
          .where(and(condition, after))
          .orderBy(...ordering)
          .limit(limit)
          .offset(offset),
      count: () => countRows(db, subscription, condition),
      present: (row) => presentSubscription(row, caller, context),
    });
  }
}
