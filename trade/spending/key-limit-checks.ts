import type { Address } from "viem";
import { insertEvents, type NewEvent } from "../../db/account-events.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, gt, inArray, isNull, or, type SQL, sql } from "../../db/drizzle.ts";
import { lockOrder } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { apiKey, type KeyLimits, keySpending } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { caps } from "../account-caps.ts";
import { Refusal } from "../refusal.ts";
import { type LimitedOrder, needsApproval, requireWithin, type Spent } from "./key-limits.ts";
import { type LimitedKey, limitWarnings } from "./limit-warnings.ts";
import { requireApproval, requireApproved } from "./spend-approval.ts";

/** Selects the active keys: neither revoked nor expired. */
export function isActiveKey(): SQL | undefined {
  return and(isNull(apiKey.revokedAt), or(isNull(apiKey.expiresAt), gt(apiKey.expiresAt, sql`now()`)));
}

/**
 * Requires that an order which a key places is within the key's limits. A lock serialises the orders of a key with
 * limits until their transactions end. `recordOrder` counts the order in the same transaction.
 *
 * @param keyId null for a session, which has no limits
 * @returns whether the order needs approval, and the events to write after the order
 * @throws SpendRefusal
 */
export async function requireWithinLimitsToPlace(
  tx: Transaction,
  keyId: string | null,
  limitedOrder: LimitedOrder,
): Promise<{ needsApproval: boolean; warnings: NewEvent[] }> {
  const key = keyId === null ? null : await lockLimits(tx, keyId);
  if (!key) return { needsApproval: false, warnings: [] };
  const counted = await requireWithinLimits(tx, key, limitedOrder, true);
  return {
    needsApproval: needsApproval(key.limits, limitedOrder),
    warnings: limitWarnings(key, limitedOrder, counted),
  };
}

/**
 * Counts an order against the key that receives its payment instructions. An order counts once for each key,
 * including the key that placed it.
 *
 * @throws SpendRefusal; Refusal `approval_required`, or `invalid_state` if the order is not unfunded
 */
export async function countForPaying(
  db: Database | Transaction,
  keyId: string | null,
  { id }: Pick<OrderRow, "id">,
): Promise<void> {
  if (keyId === null || (await isCounted(db, keyId, id))) return;
  await inTransaction(db, async (tx) => {
    // Under the order's lock: an amount counted after the order's end would never be given back.
    const row = await lockOrder(tx, id);
    if (row?.status !== "created") {
      throw new Refusal("invalid_state", `The order is ${row?.status}; only an unfunded order can be paid.`);
    }
    requireApproved(row);
    const key = await lockLimits(tx, keyId);
    if (await isCounted(tx, keyId, id)) return;
    const limitedOrder = limitedOrderOf(row);
    const counted = key && (await requireWithinLimits(tx, key, limitedOrder, false));
    if (key && row.approvalStatus !== "approved" && needsApproval(key.limits, limitedOrder))
      throw requireApproval(row);
    await tx.insert(keySpending).values({
      keyId,
      orderId: id,
      chainId: row.chainId,
      token: row.token,
      amount: row.amount,
      refunded: 0n,
      isPlaced: false,
    });
    if (key && counted) await insertEvents(tx, limitWarnings(key, limitedOrder, counted));
  });
}

/**
 * Explains why a caller does not receive the funding call of an unfunded order; null if it does. A key with limits
 * receives the call only if the order counts against them.
 */
export async function reasonToWithholdFunding(
  db: Database,
  keyId: string | null,
  { id, status, approvalStatus }: OrderRow,
): Promise<string | null> {
  if (status !== "created") return null;
  if (approvalStatus === "pending") return "The order is waiting for the approval of an owner or admin.";
  if (approvalStatus === "refused") return "An owner or admin refused the order.";
  if (keyId === null || (await isCounted(db, keyId, id))) return null;
  const [row] = await db.select({ limits: apiKey.limits }).from(apiKey).where(eq(apiKey.id, keyId));
  if (!row?.limits) return null;
  return "This key has limits. Read the payment instructions for this call: they count the order against the limits.";
}

/** Whether an order already counts against a key. */
async function isCounted(db: Database | Transaction, keyId: string, orderId: string): Promise<boolean> {
  const [row] = await db
    .select({ one: sql`1` })
    .from(keySpending)
    .where(and(eq(keySpending.orderId, orderId), eq(keySpending.keyId, keyId)));
  return row !== undefined;
}

/** Locks and reads a key with limits; the key's other orders wait. Returns null, without a lock, if it has none. */
async function lockLimits(tx: Transaction, keyId: string): Promise<LimitedKey | null> {
  const { id, name, accountId, limits } = apiKey;
  const [row] = await tx
    .select({ id, name, accountId, limits })
    .from(apiKey)
    .where(and(eq(id, keyId), sql`${limits} is not null`))
    .for("no key update");
  return row?.limits ? { ...row, limits: row.limits } : null;
}

/** @returns what the key had spent before the order */
async function requireWithinLimits(
  tx: Transaction,
  { id, limits }: LimitedKey,
  limitedOrder: LimitedOrder,
  isPlacement: boolean,
): Promise<Pick<KeySpent, "spent" | "now">> {
  // A separate statement after the lock sees the rows of the transaction that held the lock before.
  const [key] = await selectSpent(tx, limitedOrder.token, eq(apiKey.id, id));
  if (!key) throw new Error(`There is no key ${id}.`);
  requireWithin(limits, limitedOrder, { spent: key.spent, now: key.now, isPlacement });
  return key;
}

/** A token on its chain. One address may be a token on several chains. */
type SpentToken = { chainId: number; address: Address };

/** A key with its spending in a token. */
export type KeySpent = { id: string; name: string; limits: KeyLimits | null; spent: Spent; now: Date };

/** Reads the spending of one key in a token, or of all active keys of an account, the newest first. */
export function readSpent(
  db: Database,
  token: SpentToken,
  { accountId, keyId }: { accountId: string; keyId: string | null },
): Promise<KeySpent[]> {
  const own = eq(apiKey.accountId, accountId);
  return selectSpent(db, token, keyId === null ? and(own, isActiveKey()) : and(own, eq(apiKey.id, keyId)));
}

/** The spending of a key in a token, in base units. */
export type TokenSpent = SpentToken & { keyId: string; day: bigint; month: bigint };

/** Reads the spending of keys in each token that they have paid with in this month. */
export async function readSpentByToken(db: Database, keyIds: readonly string[]): Promise<TokenSpent[]> {
  const { keyId, chainId, token, amount, refunded, chargedAt } = keySpending;
  const sum = sql`sum(${amount} - ${refunded})`;
  const rows = await db
    .select({
      keyId,
      chainId,
      address: token,
      day: sql<string>`coalesce(${sum} filter (where ${chargedAt} >= date_trunc('day', now(), 'UTC')), 0)`,
      month: sql<string>`${sum}`,
    })
    .from(keySpending)
    .where(and(inArray(keyId, [...keyIds]), sql`${chargedAt} >= date_trunc('month', now(), 'UTC')`))
    .groupBy(keyId, chainId, token)
    .orderBy(keyId, chainId, token);
  return rows.map((row) => ({ ...row, day: BigInt(row.day), month: BigInt(row.month) }));
}

async function selectSpent(
  db: Database | Transaction,
  token: SpentToken,
  whose: SQL | undefined,
): Promise<KeySpent[]> {
  const { rows } = await db.execute<{
    id: string;
    name: string;
    limits: KeyLimits | null;
    day: string;
    month: string;
    open: number;
    now: string;
  }>(sql`
    select ${apiKey.id}, ${apiKey.name}, ${apiKey.limits}, sums.day, sums.month, placed.open, now()::text as now
    from ${apiKey}, lateral (
      select coalesce(sum(amount - refunded) filter (where charged_at >= date_trunc('day', now(), 'UTC')), 0) as day,
        coalesce(sum(amount - refunded), 0) as month
      from ${keySpending}
      where key_id = ${apiKey.id} and chain_id = ${token.chainId} and token = ${token.address.toLowerCase()}
        and charged_at >= date_trunc('month', now(), 'UTC')) as sums, lateral (
      select count(*)::int as open from ${keySpending}
      where key_id = ${apiKey.id} and is_open and is_placed) as placed
    where ${whose}
    order by ${apiKey.createdAt} desc, ${apiKey.id} desc
    limit ${caps.keys}`);
  return rows.map(({ id, name, limits, day, month, open, now }) => ({
    id,
    name,
    limits,
    spent: { day: BigInt(day), month: BigInt(month), open },
    now: new Date(now),
  }));
}

function limitedOrderOf(row: OrderRow): LimitedOrder {
  return {
    agentId: row.agentId,
    serviceId: row.serviceId,
    token: { chainId: row.chainId, address: row.token, symbol: row.tokenSymbol, decimals: row.tokenDecimals },
    amount: row.amount,
  };
}
