import { typeid } from "typeid-js";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, or, type SQL, sql } from "../../db/drizzle.ts";
import { agent, service, subscription, subscriptionOrder } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { caps, requireBelowCap } from "../account-caps.ts";
import type { Caller } from "../context.ts";
import {
  type Buyer,
  checkOrderTerms,
  type OrderRequest,
  type PlacingContext,
} from "../orders/order-terms.ts";
import { retryChanged, writeOrder } from "../orders/placement.ts";
import { Refusal } from "../refusal.ts";
import { readServiceWithAgent, requireOnSale } from "../services/service-on-sale.ts";
import { nextPeriod } from "./periods.ts";

/** A subscription with its agent, its service and its latest order. */
export type SubscriptionWithContext = Omit<
  Awaited<ReturnType<typeof selectSubscriptions>>[number],
  "position"
>;

/** Selects subscriptions with their context and their position in a list. */
export function selectSubscriptions(db: Database | Transaction, position = sql<string>`null`) {
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

/**
 * Subscribes to a plan and places the first order. The subscription keeps its price, input and wallets.
 *
 * @throws Refusal that names the broken rule; nothing is written then
 */
export function subscribe(
  context: PlacingContext,
  buyer: Buyer,
  request: OrderRequest & { service_id: string },
): Promise<SubscriptionWithContext> {
  return retryChanged(() => subscribeAsOffered(context, buyer, request));
}

async function subscribeAsOffered(
  context: PlacingContext,
  buyer: Buyer,
  { service_id, ...request }: OrderRequest & { service_id: string },
): Promise<SubscriptionWithContext> {
  const { db, config } = context;
  const found = await readServiceWithAgent(db, service_id);
  requireOnSale(found, buyer.accountId);
  const { service: plan, agent: seller } = found;
  const interval = plan.billingInterval;
  if (plan.pricingModel !== "subscription" || interval === null) {
    throw new Refusal("invalid_state", "This service is not sold by subscription. Order it instead.");
  }
  const price = { quantity: 1, price: plan.price, deliveryTimeHours: plan.deliveryTimeHours };
  const terms = await checkOrderTerms(context, buyer, found, price, request);
  const id = typeid("sub").toString();
  const startedAt = new Date();
  return inTransaction(db, async (tx) => {
    const active = and(eq(subscription.accountId, buyer.accountId), eq(subscription.status, "active"));
    const most = caps.subscriptions;
    await requireBelowCap(tx, buyer.accountId, [subscription, active], most, "active subscriptions");
    const placed = await writeOrder(tx, config, { ...terms, origin: { subscription_id: id, period: 1 } });
    await tx.insert(subscription).values({
      id,
      accountId: buyer.accountId,
      serviceId: plan.id,
      agentId: seller.id,
      providerAccountId: seller.accountId,
      price: plan.price,
      priceCurrency: plan.priceCurrency,
      interval,
      inputPayload: terms.inputPayload,
      settlementRail: terms.settlementRail,
      chainId: placed.chainId,
      token: placed.token,
      buyerAddress: placed.buyerAddress,
      arbiter: placed.arbiter,
      keyId: buyer.keyId,
      periods: 1,
      startedAt,
      nextOrderAt: nextPeriod(startedAt, interval, startedAt),
    });
    await tx.insert(subscriptionOrder).values({ subscriptionId: id, period: 1, orderId: placed.id });
    return readSubscription(tx, buyer, id);
  });
}

/**
 * Cancels a subscription for either party. No further order is placed. A repeated request changes nothing.
 *
 * @throws Refusal `not_found`
 */
export async function cancelSubscription(
  db: Database | Transaction,
  caller: Caller,
  id: string,
): Promise<SubscriptionWithContext> {
  await readSubscription(db, caller, id);
  await db
    .update(subscription)
    .set({ status: "cancelled", endedAt: sql`now()` })
    .where(and(eq(subscription.id, id), eq(subscription.status, "active")));
  return readSubscription(db, caller, id);
}

/** Selects the subscriptions of which the caller is the buyer or the provider. */
export function selectAsParty(caller: Caller): SQL | undefined {
  return or(
    eq(subscription.accountId, caller.accountId),
    eq(subscription.providerAccountId, caller.accountId),
  );
}

/** Reads a subscription of which the caller is a party. @throws Refusal `not_found` */
export async function readSubscription(
  db: Database | Transaction,
  caller: Caller,
  id: string,
): Promise<SubscriptionWithContext> {
  const [row] = isId("sub", id)
    ? await selectSubscriptions(db).where(and(eq(subscription.id, id), selectAsParty(caller)))
    : [];
  if (!row) throw new Refusal("not_found", "You have no subscription with this id.");
  return row;
}
