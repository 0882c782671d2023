import { typeid } from "typeid-js";
import type { Address, Hex } from "viem";
import { escrow, escrowEvent, nowOf, selectClock } from "../../db/chain-index.ts";
import { type Database, prepareOnce, type Transaction } from "../../db/client.ts";
import { and, desc, eq, inArray, ne, or, sql } from "../../db/drizzle.ts";
import { escrowOfOrder, termColumns } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { order, type PaymentCall, payment, relay } from "../../db/schema.ts";
import { isId } from "../../protocol/facts/ids.ts";
import type { PaymentMethod } from "../../protocol/settlement/vocabulary.ts";
import { gasBounds } from "../relay/gas-bounds.ts";
import type { RelayRow } from "../relay/relay-queue.ts";

export type PaymentRow = typeof payment.$inferSelect;

/**
 * A payment with the relay of its current step. It has the transaction that created the escrow, by this payer or from the
 * deposit address, if the index has one.
 */
export type PaymentState = {
  payment: PaymentRow;
  relay: Pick<RelayRow, keyof typeof relayColumns> | null;
  creation: { transactionHash: Hex } | null;
};

/** The columns of a relay that its payment shows, without the long call data. */
const relayColumns = { status: relay.status, transactionHash: relay.transactionHash };

/** Whether a payment is pending. */
export function isOnItsWay({ payment, creation }: PaymentState): boolean {
  return creation === null && (payment.status === "accepted" || payment.status === "submitted");
}

/** The identity of a payment within its order. */
export type PaymentIdentity = { method: PaymentMethod; payer: Address; nonce: string };

/** Joins the relay of a payment's current step. */
export const relayOfPayment = eq(relay.key, sql`${payment.id} || ':' || ${payment.step}`);

/** Joins the indexed creation of an order's escrow, if it used this payer's money or the deposit. */
const creationByPayment = and(
  eq(escrowEvent.chainId, order.chainId),
  eq(escrowEvent.escrowId, order.escrowId),
  eq(escrowEvent.contract, order.escrowContract),
  eq(escrowEvent.name, "EscrowCreated"),
  inArray(sql`${escrowEvent.args} ->> 'payer'`, [payment.payer, order.depositAddress]),
);

function selectStates(db: Database | Transaction) {
  return db
    .select({ payment, relay: relayColumns, creation: { transactionHash: escrowEvent.transactionHash } })
    .from(payment)
    .innerJoin(order, eq(order.id, payment.orderId))
    .leftJoin(relay, relayOfPayment)
    .leftJoin(escrowEvent, creationByPayment);
}

const findCurrent = prepareOnce("current_payment", (db) =>
  selectStates(db)
    .where(and(eq(payment.orderId, sql.placeholder("orderId")), ne(payment.status, "failed")))
    .limit(1),
);

/** Reads the current payment of an order: the pending or confirmed one. An order has at most one. */
export async function readCurrentPayment(
  db: Database | Transaction,
  orderId: string,
): Promise<PaymentState | null> {
  const [found] = await findCurrent(db).execute({ orderId });
  return found ?? null;
}

/** The columns of an order that its payment needs, without payloads, schemas and agreement. */
const paidColumns = {
  ...termColumns,
  id: order.id,
  reference: order.reference,
  buyerAccountId: order.buyerAccountId,
  providerAccountId: order.providerAccountId,
  settlementRail: order.settlementRail,
  chainId: order.chainId,
  escrowContract: order.escrowContract,
  escrowId: order.escrowId,
  depositAddress: order.depositAddress,
  tokenSymbol: order.tokenSymbol,
  tokenDecimals: order.tokenDecimals,
  status: order.status,
  fundedAt: order.fundedAt,
  approvalStatus: order.approvalStatus,
  pricingModel: order.pricingModel,
};
export type PaidOrder = Pick<OrderRow, keyof typeof paidColumns>;

/** Reads an order with its escrow, its current payment and the chain's time as indexed. */
export async function readUnpaid(db: Database | Transaction, orderId: string) {
  if (!isId("ord", orderId)) return null;
  const [found] = await selectUnpaid(db).execute({ orderId });
  if (!found) return null;
  const { isPaid, clock, ...rest } = found;
  // Most orders have no current payment. Only a payment is joined with its relay and the index.
  const current = isPaid ? await readCurrentPayment(db, orderId) : null;
  return { ...rest, current, now: BigInt(nowOf(clock)) };
}

/** The columns of an escrow that the rules need. */
const escrowState = {
  status: escrow.status,
  deliveryDeadline: escrow.deliveryDeadline,
  deliveryCount: escrow.deliveryCount,
  earnedAmount: escrow.earnedAmount,
  paidAmount: escrow.paidAmount,
  claimAcceptedAt: escrow.claimAcceptedAt,
  acceptedAmount: escrow.acceptedAmount,
  autoReleaseAt: escrow.autoReleaseAt,
  outputHash: escrow.outputHash,
  decideBy: escrow.decideBy,
  settleableAt: escrow.settleableAt,
};

const selectUnpaid = prepareOnce("order_to_pay", (db) =>
  db
    .select({
      row: paidColumns,
      escrow: escrowState,
      isPaid: sql<boolean>`exists (
        select from ${payment} where ${payment.orderId} = ${order.id} and ${payment.status} <> 'failed')`.as(
        "is_paid",
      ),
      clock: selectClock(order.chainId).as("clock"),
    })
    .from(order)
    .leftJoin(escrow, escrowOfOrder)
    .where(eq(order.id, sql.placeholder("orderId")))
    .limit(1),
);

/** Reads the current payment of an order, and an earlier failure of the same payment. */
export async function readEarlierPayments(
  tx: Transaction,
  orderId: string,
  { method, payer, nonce }: PaymentIdentity,
): Promise<{ current: PaymentRow | null; failed: PaymentRow | null }> {
  const found = await selectBeside(tx).execute({ orderId, method, payer: payer.toLowerCase(), nonce });
  const isFailed = ({ status }: PaymentRow) => status === "failed";
  return { current: found.find((one) => !isFailed(one)) ?? null, failed: found.find(isFailed) ?? null };
}

const selectBeside = prepareOnce("payments_beside", (db) => {
  const same = and(
    eq(payment.method, sql.placeholder("method")),
    eq(payment.payer, sql.placeholder("payer")),
    eq(payment.nonce, sql.placeholder("nonce")),
  );
  return db
    .select()
    .from(payment)
    .where(and(eq(payment.orderId, sql.placeholder("orderId")), or(ne(payment.status, "failed"), same)));
});

/** Reads the latest payment of an order. */
export async function readLatestPayment(
  db: Database | Transaction,
  orderId: string,
): Promise<PaymentState | null> {
  const [found] = await selectStates(db)
    .where(eq(payment.orderId, orderId))
    .orderBy(desc(payment.updatedAt))
    .limit(1);
  return found ?? null;
}

/** Reads a payment. */
export async function readPayment(db: Database | Transaction, id: string): Promise<PaymentState> {
  const [found] = await findState(db).execute({ id });
  if (!found) throw new Error(`There is no payment ${id}.`);
  return found;
}

const findState = prepareOnce("payment_state", (db) =>
  selectStates(db)
    .where(eq(payment.id, sql.placeholder("id")))
    .limit(1),
);

/** A payment before it is stored. */
export type NewPayment = PaymentIdentity &
  Pick<PaymentRow, "id" | "orderId" | "accountId" | "step" | "calls" | "identifier">;

/**
 * Builds the row of a verified payment. A failed payment starts over: its new calls follow its earlier calls, because
 * each step is relayed once.
 *
 * @param failed the earlier failure of the same payment
 * @param identifier the payer's name of a purchase
 */
export function composePayment(
  row: Pick<OrderRow, "id">,
  { accountId }: { accountId: string },
  identity: PaymentIdentity,
  calls: PaymentCall[],
  failed: PaymentRow | null = null,
  identifier: string | null = null,
): NewPayment {
  const step = failed ? failed.step + 1 : 0;
  return {
    ...identity,
    id: failed?.id ?? typeid("pay").toString(),
    orderId: row.id,
    accountId,
    step,
    identifier,
    calls: [...(failed?.calls.slice(0, step) ?? []), ...calls],
  };
}

/**
 * Stores a payment. The transaction must hold the order's lock, have found no current payment, and queue the first
 * call.
 */
export async function acceptPayment(tx: Transaction, payment: NewPayment): Promise<PaymentRow> {
  const [times] =
    payment.step === 0 ? await insertPayment(tx).execute(payment) : await restartPayment(tx, payment);
  if (!times) throw new Error(`There is no failed payment ${payment.id} that could start over.`);
  const payer = payment.payer.toLowerCase() as Address;
  return { ...payment, ...times, payer, status: "accepted", error: null, claimedAt: null };
}

/** The columns of a payment that the database sets. */
const times = { createdAt: payment.createdAt, updatedAt: payment.updatedAt };

const insertPayment = prepareOnce("accept_payment", (db) =>
  db
    .insert(payment)
    .values({
      id: sql.placeholder("id"),
      orderId: sql.placeholder("orderId"),
      method: sql.placeholder("method"),
      payer: sql.placeholder("payer"),
      nonce: sql.placeholder("nonce"),
      accountId: sql.placeholder("accountId"),
      identifier: sql.placeholder("identifier"),
      calls: sql.placeholder("calls"),
    })
    .returning(times),
);

function restartPayment(tx: Transaction, { id, accountId, step, calls }: NewPayment) {
  return tx
    .update(payment)
    .set({ accountId, step, calls, status: "accepted", error: null, claimedAt: null, updatedAt: sql`now()` })
    .where(and(eq(payment.id, id), eq(payment.status, "failed")))
    .returning(times);
}

/** Locks an order to pay, and reads its columns that may have changed. */
export async function lockToPay<Row extends PaidOrder>(tx: Transaction, row: Row): Promise<Row | undefined> {
  const [locked] = await selectLocked(tx).execute({ orderId: row.id });
  return locked && { ...row, ...locked };
}

const selectLocked = prepareOnce("lock_to_pay", (db) =>
  db
    .select({
      status: order.status,
      approvalStatus: order.approvalStatus,
      fundedAt: order.fundedAt,
      buyerAccountId: order.buyerAccountId,
      providerAccountId: order.providerAccountId,
    })
    .from(order)
    .where(eq(order.id, sql.placeholder("orderId")))
    .for("update"),
);

/** Reopens a confirmed payment, in the transaction that reverts the order's funding. */
export async function reopenPayment(tx: Transaction, orderId: string): Promise<void> {
  await tx
    .update(payment)
    .set({ status: "submitted", updatedAt: sql`now()` })
    .where(and(eq(payment.orderId, orderId), eq(payment.status, "confirmed")));
}

/** Returns the relayed call of a payment's current step. A deposit's call runs no wallet's code, so it has no signer. */
export function relayedCall({
  id,
  step,
  calls,
  payer,
}: Pick<PaymentRow, "id" | "step" | "calls"> & { payer: Address }) {
  const call = calls[step];
  if (!call) throw new Error(`The payment ${id} has no step ${step}.`);
  const signer = call.gasBound === gasBounds.deposit ? undefined : payer;
  return { ...call, key: `${id}:${step}`, ...(signer ? { signer } : {}) };
}
