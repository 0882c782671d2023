import { z } from "@hono/zod-openapi";
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import { getAddress } from "viem";
import type { Database, Transaction } from "../db/client.ts";
import { agent, service, subscription, subscriptionOrder } from "../db/schema.ts";
import { formatAmount } from "../settlement/money.ts";
import type { Caller } from "./access.ts";
import type { Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { isId, nullableJsonObjectField, shownAddress, timeField } from "./fields.ts";
import { orderRequest } from "./order-placement.ts";
import { billingIntervals, pricingToken } from "./pricing.ts";

export const subscriptionParams = z.object({
  id: z.string().openapi({ example: "sub_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
});

export const subscriptionRequest = orderRequest
  .omit({ quantity: true })
  .extend({ service_id: z.string().openapi({ description: "a plan: a service sold by subscription" }) })
  .openapi("SubscriptionRequest");

export const subscriptionStatuses = ["active", "cancelled", "ended"] as const;

export const subscriptionSchema = z
  .object({
    id: z.string().openapi({ example: "sub_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
    service: z.object({ id: z.string(), slug: z.string(), title: z.string() }),
    agent: z.object({ id: z.string(), slug: z.string(), name: z.string() }),
    your_role: z.enum(["buyer", "provider"]),
    price: z
      .string()
      .openapi({ example: "20.000000", description: "of a period, as it was at the beginning" }),
    price_base_units: z.string().openapi({ example: "20000000" }),
    currency: z.string().openapi({ example: "TUSD" }),
    interval: z.enum(billingIntervals),
    input_payload: nullableJsonObjectField,
    settlement_rail: z.enum(["escrow", "x402"]),
    buyer_address: shownAddress,
    arbiter: shownAddress,
    status: z.enum(subscriptionStatuses).openapi({ description: "`ended`: by us, `ended_reason` says why" }),
    ended_reason: z.enum(["unpaid", "withdrawn", "input_refused"]).nullable().openapi({
      description:
        "`unpaid`: three orders in a row were not funded; `withdrawn`: the service is sold no more; `input_refused`: it takes the input no more",
    }),
    periods: z.int().openapi({ description: "orders placed so far" }),
    latest_order_id: z.string().nullable(),
    next_order_at: timeField.nullable().openapi({ description: "null once it is over" }),
    started_at: timeField,
    ended_at: timeField.nullable(),
  })
  .openapi("Subscription");

type SubscriptionRow = Omit<Awaited<ReturnType<typeof selectSubscriptions>>[number], "position">;

/** Subscriptions with what `presentSubscription` needs, and their place in a list. */
export function selectSubscriptions(db: Database | Transaction, position = sql<string[]>`null`) {
  return db
    .select({
      subscription,
      position,
      agent: { id: agent.id, slug: agent.slug, name: agent.name },
      service: { id: service.id, slug: service.slug, title: service.title },
      latestOrderId: sql<string | null>`(
        select o.order_id from ${subscriptionOrder} as o where o.subscription_id = subscription.id
        order by o.period desc limit 1)`,
    })
    .from(subscription)
    .innerJoin(agent, eq(agent.id, subscription.agentId))
    .innerJoin(service, eq(service.id, subscription.serviceId));
}

/** A subscription as its two sides see it. */
export function presentSubscription(
  { subscription: row, agent, service, latestOrderId }: SubscriptionRow,
  caller: Caller,
  context: Context,
): z.output<typeof subscriptionSchema> {
  return {
    id: row.id,
    service,
    agent,
    your_role: row.accountId === caller.accountId ? "buyer" : "provider",
    price: formatAmount(row.price, pricingToken(context.config).decimals),
    price_base_units: row.price.toString(),
    currency: row.priceCurrency,
    interval: row.interval,
    input_payload: row.inputPayload,
    settlement_rail: row.settlementRail,
    buyer_address: getAddress(row.buyerAddress),
    arbiter: getAddress(row.arbiter),
    status: row.status,
    ended_reason: row.endedReason,
    periods: row.periods,
    latest_order_id: latestOrderId,
    next_order_at: row.status === "active" ? row.nextOrderAt.toISOString() : null,
    started_at: row.startedAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
  };
}

/** The subscriptions that the caller has, or that others have with its agents. */
export function isPartyOf(caller: Caller): SQL | undefined {
  return or(
    eq(subscription.accountId, caller.accountId),
    eq(subscription.providerAccountId, caller.accountId),
  );
}

/** A subscription of which the caller is a party. @throws ApiError `not_found` */
export async function readSubscription(
  db: Database | Transaction,
  caller: Caller,
  id: string,
): Promise<SubscriptionRow> {
  const [row] = isId("sub", id)
    ? await selectSubscriptions(db).where(and(eq(subscription.id, id), isPartyOf(caller)))
    : [];
  if (!row) throw new ApiError("not_found", "You have no subscription with this id.");
  return row;
}
