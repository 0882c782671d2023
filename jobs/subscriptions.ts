import { and, asc, desc, eq, lte } from "drizzle-orm";
import type { Logger } from "pino";
import { type Address, getAddress, isAddressEqual } from "viem";
import type { Config } from "../config.ts";
import type { Database, Transaction } from "../db/client.ts";
import { insertOrder } from "../db/placement.ts";
import { agent, order, service, subscription, subscriptionOrder } from "../db/schema.ts";
import { checkPayload } from "../settlement/payloads.ts";
import { nextPeriod } from "../settlement/subscription.ts";

/** So many orders in a row that nobody funded end a subscription: its buyer wants it no more. */
const mostUnpaid = 3;

type Subscription = typeof subscription.$inferSelect;

/**
 * Places the order of each subscription whose period has begun, each in a transaction of its own that holds the
 * subscription: however many workers run, and wherever one is killed, a period has one order. Periods that went by while
 * no worker ran have none.
 */
export async function renewSubscriptions(
  db: Database,
  config: Pick<Config, "defaultChain" | "windows">,
  { log, signal }: { log: Logger; signal?: AbortSignal },
): Promise<void> {
  while (!signal?.aborted && (await db.transaction((tx) => renewOne(tx, config, log)))) {
    // The next one.
  }
}

/** @returns whether there was one to renew */
async function renewOne(
  tx: Transaction,
  { defaultChain, windows }: Pick<Config, "defaultChain" | "windows">,
  log: Logger,
): Promise<boolean> {
  if (!defaultChain) return false;
  const now = new Date();
  const [row] = await tx
    .select()
    .from(subscription)
    .where(and(eq(subscription.status, "active"), lte(subscription.nextOrderAt, now)))
    .orderBy(asc(subscription.nextOrderAt))
    .limit(1)
    .for("update", { skipLocked: true });
  if (!row) return false;

  const [offer] = await tx
    .select({ service, agent })
    .from(service)
    .innerJoin(agent, eq(agent.id, service.agentId))
    .where(eq(service.id, row.serviceId));
  const end = await findEnd(tx, row, offer);
  if (end) {
    await note(tx, row, { status: "ended", endedReason: end, endedAt: now });
    log.info({ subscription_id: row.id, reason: end }, "subscription ended");
    return true;
  }
  const nextOrderAt = nextPeriod(row.startedAt, row.interval, now);
  const provider = payableWallet(offer, row.buyerAddress);
  // What takes no orders for now misses its period, as its buyer could not have ordered either.
  if (!offer || !provider) {
    await note(tx, row, { nextOrderAt });
    return true;
  }
  const period = row.periods + 1;
  const placed = await insertOrder(tx, defaultChain, windows, {
    buyerAccountId: row.accountId,
    buyer: getAddress(row.buyerAddress),
    provider,
    arbiter: getAddress(row.arbiter),
    seller: offer.agent,
    offered: offer.service,
    quantity: 1,
    unitPrice: row.price,
    deliveryTimeHours: offer.service.deliveryTimeHours,
    inputPayload: row.inputPayload,
    settlementRail: row.settlementRail,
    origin: { subscription_id: row.id, period },
  });
  await tx.insert(subscriptionOrder).values({ subscriptionId: row.id, period, orderId: placed.id });
  await note(tx, row, { periods: period, nextOrderAt });
  log.info({ subscription_id: row.id, order_id: placed.id, period }, "subscription's order placed");
  return true;
}

type Offer = { service: typeof service.$inferSelect; agent: typeof agent.$inferSelect };

/** Why a subscription is over; null while it goes on. */
async function findEnd(
  tx: Transaction,
  row: Subscription,
  offer: Offer | undefined,
): Promise<Subscription["endedReason"]> {
  if (!offer || offer.service.status === "retired" || offer.agent.status === "retired") return "withdrawn";
  if (offer.service.pricingModel !== "subscription") return "withdrawn";
  const latest = await tx
    .select({ status: order.status })
    .from(subscriptionOrder)
    .innerJoin(order, eq(order.id, subscriptionOrder.orderId))
    .where(eq(subscriptionOrder.subscriptionId, row.id))
    .orderBy(desc(subscriptionOrder.period))
    .limit(mostUnpaid);
  if (latest.length === mostUnpaid && latest.every(({ status }) => status === "expired")) return "unpaid";
  const { inputSchema } = offer.service;
  if (inputSchema && checkPayload(inputSchema, row.inputPayload).length > 0) return "input_refused";
  return null;
}

/** Where the provider is paid if it takes orders now. */
function payableWallet(offer: Offer | undefined, buyer: string): Address | null {
  if (offer?.service.status !== "published" || offer.agent.status !== "published") return null;
  if (!offer.service.available || !offer.agent.payoutWallet) return null;
  const wallet = getAddress(offer.agent.payoutWallet);
  return isAddressEqual(wallet, getAddress(buyer)) ? null : wallet;
}

async function note(tx: Transaction, row: Subscription, changes: Partial<Subscription>): Promise<void> {
  await tx.update(subscription).set(changes).where(eq(subscription.id, row.id));
}
