import { insertEvents } from "../../db/account-events.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, desc, eq, inArray, isNotNull, isNull, lte } from "../../db/drizzle.ts";
import { OfferChanged } from "../../db/new-order.ts";
import { file, order, subscription, subscriptionOrder } from "../../db/schema.ts";
import { renewalRefusedData } from "../../protocol/facts/market-events.ts";
import type { AgreedDigests } from "../../protocol/settlement/agreement.ts";
import type { Violation } from "../../untrusted/schemas/payloads.ts";
import { referencesIn } from "../files/file-reference.ts";
import { checkInput, type PlacingContext } from "../orders/order-terms.ts";
import { PartiesRefused, type SubscriptionEnd } from "../orders/parties.ts";
import { writeOrder } from "../orders/placement.ts";
import { Refusal } from "../refusal.ts";
import { causeOf, uncheckedKeyword } from "../schema-checks.ts";
import { findToken } from "../services/payment-token.ts";
import { readServiceWithAgent, refuseSale, type ServiceWithAgent } from "../services/service-on-sale.ts";
import { SpendRefusal } from "../spending/key-limits.ts";
import { nextPeriod } from "./periods.ts";

/** The consecutive unfunded orders after which a subscription ends. */
const mostUnpaid = 3;

/** Milliseconds until a renewal is retried whose input could not be checked, or whose service changed meanwhile. */
const recheckAfter = 60_000;

type SubscriptionRow = typeof subscription.$inferSelect;

/** The result of a renewal. */
export type Renewal = { subscriptionId: string } & (
  | { placed: { orderId: string; period: number } }
  | { ended: SubscriptionEnd }
  /** the period has no order, or the renewal is retried in a minute */
  | { passedOver: true }
);

/** Reads the subscriptions that are due, the earliest first. */
export async function readDueSubscriptions(db: Database): Promise<string[]> {
  const due = await db
    .select({ id: subscription.id })
    .from(subscription)
    .where(isDue())
    .orderBy(subscription.nextOrderAt);
  return due.map(({ id }) => id);
}

const isDue = (now = new Date()) =>
  and(eq(subscription.status, "active"), lte(subscription.nextOrderAt, now));

/**
 * Places the order of a due subscription, or ends the subscription. A row lock ensures one order for each period.
 * Periods without a running worker have no order.
 *
 * @returns null if the subscription is not due, or another worker renews it
 */
export async function renewSubscription(
  tx: Transaction,
  context: Pick<PlacingContext, "config" | "checker">,
  id: string,
): Promise<Renewal | null> {
  if (!context.config.defaultChain) return null;
  const now = new Date();
  const [row] = await tx
    .select()
    .from(subscription)
    .where(and(eq(subscription.id, id), isDue(now)))
    .for("update", { skipLocked: true });
  if (!row) return null;

  const found = await readServiceWithAgent(tx, row.serviceId);
  const over = await findEnd(tx, row, found);
  if (over || !found) return endSubscription(tx, row, over ?? "withdrawn");
  const nextOrderAt = nextPeriod(row.startedAt, row.interval, now);
  try {
    const cause = causeOf({ ...context, db: tx }, row.accountId);
    const digests = await checkInput(context, cause, found, row.inputPayload);
    // A service that takes no orders now skips the period.
    if (refuseSale(found, row.accountId)) return skipPeriod(tx, row, nextOrderAt);
    return await placePeriod(tx, context, row, found, { digests, nextOrderAt });
  } catch (error) {
    if (error instanceof OfferChanged) return skipPeriod(tx, row, new Date(now.getTime() + recheckAfter));
    if (!(error instanceof Refusal)) throw error;
    if (error instanceof SpendRefusal) await insertRenewalRefused(tx, row, error, nextOrderAt);
    if (isUnchecked(error)) return skipPeriod(tx, row, new Date(now.getTime() + recheckAfter));
    // An operator may restore a hidden file, so it only pauses the subscription.
    if (isInputRefused(error) && (await namesHiddenFile(tx, row))) return skipPeriod(tx, row, nextOrderAt);
    const end = isInputRefused(error) ? "input_refused" : endOf(error);
    return end ? endSubscription(tx, row, end) : skipPeriod(tx, row, nextOrderAt);
  }
}

/** Returns the reason to end a subscription; null if it continues. */
async function findEnd(
  tx: Transaction,
  row: SubscriptionRow,
  found: ServiceWithAgent | undefined,
): Promise<SubscriptionEnd | null> {
  if (!found || found.service.status === "retired" || found.agent.status === "retired") return "withdrawn";
  if (found.service.pricingModel !== "subscription") return "withdrawn";
  const latest = await tx
    .select({ status: order.status })
    .from(subscriptionOrder)
    .innerJoin(order, eq(order.id, subscriptionOrder.orderId))
    .where(eq(subscriptionOrder.subscriptionId, row.id))
    .orderBy(desc(subscriptionOrder.period))
    .limit(mostUnpaid);
  if (latest.length === mostUnpaid && latest.every(({ status }) => status === "expired")) return "unpaid";
  return null;
}

async function placePeriod(
  tx: Transaction,
  { config }: Pick<PlacingContext, "config">,
  row: SubscriptionRow,
  found: ServiceWithAgent,
  { digests, nextOrderAt }: { digests: AgreedDigests; nextOrderAt: Date },
): Promise<Renewal> {
  const period = row.periods + 1;
  const paidIn = findToken(config, { chain_id: row.chainId, token: row.token });
  if (!paidIn)
    throw new Refusal("dependency_unavailable", "The subscription's token is not served at the moment.");
  const placed = await writeOrder(tx, config, {
    ...found,
    buyerAccountId: row.accountId,
    keyId: row.keyId,
    buyer: row.buyerAddress,
    arbiter: row.arbiter,
    quantity: 1,
    price: row.price,
    paidIn,
    deliveryTimeHours: found.service.deliveryTimeHours,
    inputPayload: row.inputPayload,
    digests,
    settlementRail: row.settlementRail,
    origin: { subscription_id: row.id, period },
  });
  await tx.insert(subscriptionOrder).values({ subscriptionId: row.id, period, orderId: placed.id });
  await change(tx, row, { periods: period, nextOrderAt });
  return { subscriptionId: row.id, placed: { orderId: placed.id, period } };
}

/** Writes the buyer's event for a period without an order because of the key's limits, once for each period. */
async function insertRenewalRefused(
  tx: Transaction,
  row: SubscriptionRow,
  refused: SpendRefusal,
  nextOrderAt: Date,
) {
  const { id: subscriptionId, accountId, keyId } = row;
  if (keyId === null) return;
  await insertEvents(tx, [
    {
      accountId,
      type: "subscription.renewal_refused",
      key: `renewal:${subscriptionId}:${row.nextOrderAt.toISOString()}`,
      data: renewalRefusedData({
        subscription_id: subscriptionId,
        key_id: keyId,
        reason: refused.message,
        next_order_at: nextOrderAt.toISOString(),
      }),
    },
  ]);
}

/** Whether the input could not be checked. This does not end a subscription. */
function isUnchecked({ code, details }: Refusal): boolean {
  if (code === "rate_limited" || code === "checker_busy") return true;
  const isInconclusive = ({ keyword }: Violation) => keyword === "timeout" || keyword === uncheckedKeyword;
  return code === "input_schema_violation" && details?.some(isInconclusive) === true;
}

/** Whether no later order with this input can be placed: it breaks the schema, or names a file that is gone. */
function isInputRefused({ code }: Refusal): boolean {
  return code === "input_schema_violation" || code === "file_not_found" || code === "file_mismatch";
}

/** Whether the input names a file that an operator hides. */
async function namesHiddenFile(tx: Transaction, { inputPayload }: SubscriptionRow): Promise<boolean> {
  const ids = referencesIn(inputPayload, "input_payload").map(({ file_id }) => file_id);
  const isHidden = and(inArray(file.id, ids), isNotNull(file.withheldAt), isNull(file.erasedAt));
  return (await tx.select({ id: file.id }).from(file).where(isHidden).limit(1)).length > 0;
}

/** Returns the reason for which a refused order ends the subscription; null if a later period may succeed. */
function endOf(error: Refusal): SubscriptionEnd | null {
  return error instanceof PartiesRefused ? error.ends : null;
}

async function endSubscription(
  tx: Transaction,
  row: SubscriptionRow,
  ended: SubscriptionEnd,
): Promise<Renewal> {
  await change(tx, row, { status: "ended", endedReason: ended, endedAt: new Date() });
  return { subscriptionId: row.id, ended };
}

async function skipPeriod(tx: Transaction, row: SubscriptionRow, nextOrderAt: Date): Promise<Renewal> {
  await change(tx, row, { nextOrderAt });
  return { subscriptionId: row.id, passedOver: true };
}

async function change(tx: Transaction, row: SubscriptionRow, changes: Partial<SubscriptionRow>) {
  await tx.update(subscription).set(changes).where(eq(subscription.id, row.id));
}
