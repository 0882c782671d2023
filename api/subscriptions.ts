import { createRoute, z } from "@hono/zod-openapi";
import { and, count, eq, type SQL, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { insertOrder } from "../db/placement.ts";
import { agent, order, service, subscription, subscriptionOrder } from "../db/schema.ts";
import { nextPeriod } from "../settlement/subscription.ts";
import { type Caller, callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { timeField } from "./fields.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import { orderStatuses } from "./order.ts";
import { checkDeal, readOfferTo, requireOnSale, venueOf } from "./order-placement.ts";
import { newestFirst, type PageQuery, pageQuery, pageSchema, readPage } from "./page.ts";
import { listedServiceSelection, presentListedService, servicePageSchema } from "./service.ts";
import {
  isPartyOf,
  presentSubscription,
  readSubscription,
  selectSubscriptions,
  subscriptionParams,
  subscriptionRequest,
  subscriptionSchema,
  subscriptionStatuses,
} from "./subscription.ts";

const subscriptionPage = pageSchema(subscriptionSchema).openapi("SubscriptionPage");
const listQuery = pageQuery.extend({ status: z.enum(subscriptionStatuses).optional() });

/** Subscriptions: an order each period, unfunded, until one side cancels. */
export function addSubscriptions(app: App, context: Context): void {
  const { db, config } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/subscriptions/plans",
      operationId: "listPlans",
      tags: ["subscriptions"],
      summary: "What can be subscribed to, newest first",
      description:
        "A plan is a service on offer whose pricing model is `subscription`; its price is of one `interval`.",
      ...guarded(context, "marketplace:read"),
      request: {
        query: pageQuery.extend({
          agent: z.string().max(63).optional().openapi({ description: "an agent's slug" }),
        }),
      },
      responses: { 200: answer("A page of plans", servicePageSchema) },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const wanted = and(
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
            .where(and(wanted, after))
            .orderBy(...order)
            .limit(limit)
            .offset(offset),
        count: async () => {
          const [found] = await db
            .select({ total: count() })
            .from(service)
            .innerJoin(agent, eq(agent.id, service.agentId))
            .where(wanted);
          return found?.total ?? 0;
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
        "Places the first order at once and one more at the beginning of each period, each unfunded: you are told by `order.created`, and pay those you want. Price, input and wallets stay as they are now. Nothing is taken by itself.",
      ...guarded(context, "orders:write"),
      request: { body: jsonBody(subscriptionRequest) },
      responses: {
        201: answer("The subscription", subscriptionSchema),
        ...refusals("not_found", "conflict", "invalid_state", "input_schema_violation"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { service_id, ...wishes } = c.req.valid("json");
      const offer = await readOfferTo(context, caller, service_id, wishes);
      requireOnSale(offer, caller);
      const { service: plan } = offer;
      if (plan.pricingModel !== "subscription" || plan.billingInterval === null) {
        throw new ApiError("invalid_state", "This service is not sold by subscription: order it instead.");
      }
      const price = { quantity: 1, unitPrice: plan.price, deliveryTimeHours: plan.deliveryTimeHours };
      const deal = await checkDeal(context, caller, offer, price, wishes);
      const id = typeid("sub").toString();
      const startedAt = new Date();
      const interval = plan.billingInterval;
      const shown = await db.transaction(async (tx) => {
        await tx.insert(subscription).values({
          id,
          accountId: caller.accountId,
          serviceId: plan.id,
          agentId: offer.agent.id,
          providerAccountId: offer.agent.accountId,
          price: plan.price,
          priceCurrency: plan.priceCurrency,
          interval,
          inputPayload: deal.inputPayload,
          settlementRail: deal.settlementRail,
          buyerAddress: deal.buyer,
          arbiter: deal.arbiter,
          periods: 1,
          startedAt,
          nextOrderAt: nextPeriod(startedAt, interval, startedAt),
        });
        const placed = await insertOrder(tx, venueOf(context), config.windows, {
          ...deal,
          origin: { subscription_id: id, period: 1 },
        });
        await tx.insert(subscriptionOrder).values({ subscriptionId: id, period: 1, orderId: placed.id });
        return presentSubscription(await readSubscription(tx, caller, id), caller, context);
      });
      return c.json(shown, 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/subscriptions",
      operationId: "listSubscriptions",
      tags: ["subscriptions"],
      summary: "Your subscriptions and those with your agents, newest first",
      ...guarded(context, "subscriptions:read"),
      request: { query: listQuery },
      responses: { 200: answer("A page of subscriptions", subscriptionPage) },
    }),
    async (c) => {
      const caller = callerOf(c);
      return c.json(await readSubscriptions(caller, isPartyOf(caller), c.req.valid("query")), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/subscriptions/me",
      operationId: "listOwnSubscriptions",
      tags: ["subscriptions"],
      summary: "What you subscribed to, newest first",
      ...guarded(context, "subscriptions:read"),
      request: { query: listQuery },
      responses: { 200: answer("A page of subscriptions", subscriptionPage) },
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
      ...guarded(context, "subscriptions:read"),
      request: { params: subscriptionParams },
      responses: { 200: answer("The subscription", subscriptionSchema) },
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
      summary: "The orders of a subscription, newest first",
      ...guarded(context, "subscriptions:read"),
      request: { params: subscriptionParams, query: pageQuery },
      responses: {
        200: answer(
          "A page of periods with their orders",
          pageSchema(
            z
              .object({
                period: z.int(),
                order_id: z.string(),
                status: z.enum(orderStatuses),
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
      const wanted = eq(subscriptionOrder.subscriptionId, row.id);
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
            .where(and(wanted, after))
            .orderBy(...ordering)
            .limit(limit)
            .offset(offset),
        count: () => db.$count(subscriptionOrder, wanted),
        present: ({ period, orderId, status, createdAt }) => ({
          period,
          order_id: orderId,
          status: status as (typeof orderStatuses)[number],
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
      summary: "Cancel a subscription, from either side",
      description: "No further order is placed. Those placed go on as any order. Again is no error.",
      ...guarded(context, "orders:write"),
      request: { params: subscriptionParams },
      responses: { 200: answer("The subscription as it is now", subscriptionSchema) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      await readSubscription(db, caller, id);
      await db
        .update(subscription)
        .set({ status: "cancelled", endedAt: sql`now()` })
        .where(and(eq(subscription.id, id), eq(subscription.status, "active")));
      return c.json(presentSubscription(await readSubscription(db, caller, id), caller, context), 200);
    },
  );

  function readSubscriptions(
    caller: Caller,
    own: SQL | undefined,
    query: PageQuery & { status?: (typeof subscriptionStatuses)[number] | undefined },
  ) {
    const wanted = and(own, query.status ? eq(subscription.status, query.status) : undefined);
    return readPage(newestFirst(subscription.createdAt, subscription.id), query, {
      select: ({ position, after, order: ordering, limit, offset }) =>
        selectSubscriptions(db, position)
          .where(and(wanted, after))
          .orderBy(...ordering)
          .limit(limit)
          .offset(offset),
      count: () => db.$count(subscription, wanted),
      present: (row) => presentSubscription(row, caller, context),
    });
  }
}
