import type { Hex } from "viem";
import { type EscrowRow, escrow } from "../../db/chain-index.ts";
import { type Database, prepareOnce, type Transaction } from "../../db/client.ts";
import { and, desc, eq, sql } from "../../db/drizzle.ts";
import { escrowOfOrder, lockOrder } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { fact, order, orderCorrespondent } from "../../db/schema.ts";
import { readArbiter } from "../../db/wallets.ts";
import type { Fact } from "../../protocol/facts/fact.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { foldFacts, refuseStep, type stepStatuses } from "../../protocol/facts/lifecycle.ts";
import type { Role } from "../../protocol/settlement/vocabulary.ts";
import type { Caller } from "../context.ts";
import { Refusal } from "../refusal.ts";

export type OwnOrder = {
  row: OrderRow;
  escrow: EscrowRow | null;
  role: "buyer" | "provider";
  /** the messages on the order that the caller's account has not read */
  unreadMessages: number;
};

/** An order under its lock. */
type LockedOrder = Pick<OwnOrder, "row" | "role">;

/** An order for a party, or for the arbiter of its dispute. */
export type SharedOrder = Omit<OwnOrder, "role"> & { role: Role };

/**
 * Reads an order of which the caller is a party, with its escrow as indexed.
 *
 * @throws Refusal `not_found` for other callers, as for an order that does not exist
 */
export async function readOwnOrder(
  db: Database | Transaction,
  caller: Caller,
  orderId: string,
): Promise<OwnOrder> {
  const found = await findOrder(db, caller, orderId);
  return { ...checkOwn(found?.row, caller), ...restOf(found) };
}

/**
 * Reads an order for its buyer, its provider, or the arbiter of its dispute. An arbiter sees the whole order once its
 * dispute is confirmed.
 *
 * @throws Refusal `not_found` for other callers, as for an order that does not exist
 */
export async function readSharedOrder(
  db: Database | Transaction,
  caller: Caller,
  orderId: string,
): Promise<SharedOrder> {
  const found = await findOrder(db, caller, orderId);
  return { ...(await checkShared(db, found?.row, caller)), ...restOf(found) };
}

async function findOrder(db: Database | Transaction, { accountId }: Caller, orderId: string) {
  if (!isId("ord", orderId)) return null;
  const [found] = await selectOrder(db).execute({ orderId, accountId });
  return found ?? null;
}

const restOf = (found: { escrow: EscrowRow | null; unreadMessages: number | null } | null) => ({
  escrow: found?.escrow ?? null,
  unreadMessages: found?.unreadMessages ?? 0,
});

const selectOrder = prepareOnce("find_order", (db) =>
  db
    .select({ row: order, escrow, unreadMessages: orderCorrespondent.unread })
    .from(order)
    .leftJoin(escrow, escrowOfOrder)
    .leftJoin(
      orderCorrespondent,
      and(
        eq(orderCorrespondent.orderId, order.id),
        eq(orderCorrespondent.accountId, sql.placeholder("accountId")),
      ),
    )
    .where(eq(order.id, sql.placeholder("orderId"))),
);

/** @throws Refusal `dependency_unavailable` while the index lacks the escrow of a funded order */
export function requireIndexed({ row, escrow }: Pick<OwnOrder, "row" | "escrow">): void {
  if (escrow || !row.fundedAt) return;
  // The indexer rewrites its newest rows when it starts.
  throw new Refusal(
    "dependency_unavailable",
    "The index is catching up with the chain. Try again in a moment.",
  );
}

/** Locks an order of which the caller is a party; see `lockOrder`. */
export async function lockOwnOrder(tx: Transaction, caller: Caller, orderId: string): Promise<LockedOrder> {
  return checkOwn(isId("ord", orderId) ? await lockOrder(tx, orderId) : undefined, caller);
}

/** Locks an order of which the caller is a party or the arbiter of its dispute. */
export async function lockSharedOrder(
  tx: Transaction,
  caller: Caller,
  orderId: string,
): Promise<Pick<SharedOrder, "row" | "role">> {
  return checkShared(tx, isId("ord", orderId) ? await lockOrder(tx, orderId) : undefined, caller);
}

async function checkShared(
  db: Database | Transaction,
  row: OrderRow | undefined,
  caller: Caller,
): Promise<Pick<SharedOrder, "row" | "role">> {
  const isParty = row?.buyerAccountId === caller.accountId || row?.providerAccountId === caller.accountId;
  const arbitrates = row && !isParty && row.disputedAt && (await readArbiter(db, row)) === caller.accountId;
  return arbitrates ? { row, role: "arbiter" } : checkOwn(row, caller);
}

/** @throws Refusal `not_found` unless the caller is a party, as for an order that does not exist */
export function checkOwn<Row extends Pick<OrderRow, "buyerAccountId" | "providerAccountId">>(
  row: Row | undefined,
  caller: Caller,
): { row: Row; role: OwnOrder["role"] } {
  if (row?.buyerAccountId === caller.accountId) return { row, role: "buyer" };
  if (row?.providerAccountId === caller.accountId) return { row, role: "provider" };
  throw refuseUnknownOrder();
}

/** Refuses an order that does not exist, or of which the caller is no party. */
export function refuseUnknownOrder(): Refusal {
  return new Refusal("not_found", "You have no order with this id.");
}

/** @throws Refusal `invalid_state` for the buyer */
export function requireProvider(role: OwnOrder["role"], step: string): void {
  if (role !== "provider") throw new Refusal("invalid_state", `Only the provider can ${step}.`);
}

/** @throws Refusal `invalid_state` for the provider */
export function requireBuyer(role: OwnOrder["role"], step: string): void {
  if (role !== "buyer") throw new Refusal("invalid_state", `Only the buyer can ${step}.`);
}

/** @throws Refusal `not_settled` before the settlement, and after a reorganisation reverted it */
export function requireSettled({ status }: Pick<OrderRow, "status">, why: string): void {
  if (status === "released" || status === "refunded") return;
  throw new Refusal("not_settled", `The order is not settled yet: ${why}.`);
}

/** @throws Refusal `invalid_state` if the order's facts do not allow the step */
export function requireStep(facts: readonly Fact[], step: keyof typeof stepStatuses): void {
  const refusal = refuseStep(foldFacts(facts), step);
  if (refusal) throw new Refusal("invalid_state", refusal);
}

/** Reads the output hash of the order's latest delivery; null before the first one. */
export async function readOutputHash(db: Database | Transaction, orderId: string): Promise<Hex | null> {
  const [latest] = await db
    .select({ data: fact.data })
    .from(fact)
    .where(and(eq(fact.orderId, orderId), eq(fact.type, "order.delivered")))
    .orderBy(desc(fact.seq))
    .limit(1);
  return (latest?.data.output_hash as Hex | undefined) ?? null;
}
