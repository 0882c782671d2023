import { getAddress } from "viem";
import { readNow } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type EscrowState, refuseFunding } from "../../protocol/settlement/actions.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import type { PaymentRequirements } from "../../protocol/settlement/x402.ts";
import {
  paymentKeyOf,
  type SignedAccountCalls,
  type SignedPayment,
  type SignedReceiveAuthorization,
} from "../../protocol/settlement/x402-payload.ts";
import type { Caller, Context, Spender } from "../context.ts";
import { checkOwn, type OwnOrder, refuseUnknownOrder } from "../orders/order-access.ts";
import { Refusal } from "../refusal.ts";
import { findRefusalAfterRevert, queueCheckedRelay, whyNotRelayed } from "../relay/party-relay.ts";
import { countForPaying } from "../spending/key-limit-checks.ts";
import { requireApproved } from "../spending/spend-approval.ts";
import { checkAccountPayment } from "./account-payment.ts";
import { type Accepted, checkPayment, matchRequirements } from "./payment-check.ts";
import { readRequirements } from "./payment-requirements.ts";
import {
  acceptPayment,
  composePayment,
  lockToPay,
  type NewPayment,
  type PaidOrder,
  type PaymentRow,
  type PaymentState,
  readCurrentPayment,
  readEarlierPayments,
  readPayment,
  readUnpaid,
  relayedCall,
} from "./payments.ts";
import { checkReceiveAuthorization } from "./receive-authorization.ts";

/**
 * A submitted payment; `accepted` is null for a signature and its message alone. `identifier` is the payer's name of a purchase.
 */
export type SubmittedPayment = { signed: SignedPayment; accepted: Accepted | null; identifier?: string };

/** A submitted authorization to the escrow contract, which is no x402 payment. */
export type SubmittedAuthorization = { signed: SignedReceiveAuthorization; accepted: null };

/** Submitted calls of a passkey account, which pay on both rails. */
export type SubmittedCalls = { signed: SignedAccountCalls; accepted: null };

type Signed = SignedPayment | SignedReceiveAuthorization | SignedAccountCalls;

/** An order to pay, with its escrow as indexed. `now` is the chain's time as indexed, in unix seconds, if it was read. */
type Payable = { row: PaidOrder; escrow: EscrowState | null; now?: bigint };

/** An order of its buyer with its current payment. */
export type OrderToPay = Payable & Pick<OwnOrder, "role"> & { current: PaymentState | null };

/**
 * Reads an order that the caller can pay.
 *
 * @throws Refusal `not_found`, or `invalid_state` for the provider
 */
export async function readOwnToPay(db: Database, caller: Caller, orderId: string): Promise<OrderToPay> {
  const found = await readUnpaid(db, orderId);
  if (!found) throw refuseUnknownOrder();
  const own = { ...found, ...checkOwn(found.row, caller) };
  if (own.role !== "buyer") throw new Refusal("invalid_state", "Only the buyer pays an order.");
  return own;
}

/** Requires the rail x402 for a payment by x402. @throws Refusal `invalid_state` */
export function requireX402({ settlementRail }: Pick<PaidOrder, "settlementRail">): void {
  if (settlementRail === "x402") return;
  throw new Refusal(
    "invalid_state",
    "This order's rail is escrow: send the calls of `payment-instructions` from the buyer's wallet. Only orders with `settlement_rail` x402 are paid here, and those of a passkey account by `account_payment`.",
  );
}

/**
 * Reads the current payment of an order; null without one. No second payment is accepted beside it.
 *
 * @param signed the submitted payment, if any
 * @throws Refusal `conflict` where another payment stands than the one handed in
 */
export async function findCurrentPayment(
  db: Database,
  orderId: string,
  signed: Signed | null,
): Promise<PaymentState | null> {
  const current = await readCurrentPayment(db, orderId);
  requireSame(current, signed);
  return current;
}

/** @throws Refusal `conflict` where another payment stands than the one handed in */
export function requireSame(current: PaymentState | null, signed: Signed | null): void {
  if (current && signed && !isSame(current.payment, signed)) throw anotherStands(current.payment);
}

/**
 * Requires that the buyer can fund an order now. Counts the order against the limits of the calling key, because a
 * caller with the instructions can pay without the service.
 *
 * @param what ends the sentence "only an unfunded order ..."
 * @returns the time of the check, in unix seconds
 * @throws SpendRefusal; Refusal `invalid_state` or `approval_required`
 */
export async function requireUnfunded(
  db: Database,
  { keyId }: Pick<Spender, "keyId">,
  { row, escrow, now: read }: Payable,
  what: "is paid" | "has payment instructions",
): Promise<bigint> {
  const now = read ?? (await readNow(db, row.chainId));
  const refusal =
    row.status === "created"
      ? refuseFunding({ escrow, terms: termsOf(row), now })
      : `The order is ${row.status}; only an unfunded order ${what}.`;
  if (refusal) throw new Refusal("invalid_state", refusal);
  requireApproved(row);
  await countForPaying(db, keyId, row);
  return now;
}

/**
 * Reads the payment requirements of an order that can be paid now.
 *
 * @throws Refusal `invalid_state` if the order is not payable or too small; or as `readRequirements`
 */
export async function readOpenRequirements(
  context: Context,
  spender: Pick<Spender, "keyId">,
  own: Payable,
): Promise<PaymentRequirements[]> {
  return readRequirements(context, own.row, await requireRelayed(context, spender, own));
}

/**
 * Requires that an order can be paid now by a call that the service sends.
 *
 * @returns the time of the check, in unix seconds
 * @throws Refusal `invalid_state`, or as `requireUnfunded`
 */
export async function requireRelayed(
  context: Context,
  spender: Pick<Spender, "keyId">,
  own: Payable,
): Promise<bigint> {
  const now = await requireUnfunded(context.db, spender, own, "is paid");
  const refusal = whyNotRelayed(context, own.row);
  if (refusal) throw new Refusal("invalid_state", refusal);
  return now;
}

/**
 * Accepts a payment: checks it, stores it and queues its first call. A repeated payment changes nothing.
 *
 * @param requirements the x402 requirements; calls of a passkey account need none
 * @throws PaymentRefusal, with the payment unused; Refusal `conflict` if the order has another payment or needs none;
 *   or as `queuePartyRelay`
 */
export async function payOrder(
  context: Context,
  caller: Spender,
  { row: before, now }: Pick<Payable, "row" | "now">,
  requirements: PaymentRequirements[],
  { signed, accepted }: SubmittedPayment | SubmittedAuthorization | SubmittedCalls,
): Promise<PaymentState> {
  const { db } = context;
  const calls =
    "accountCalls" in signed
      ? await checkAccountPayment(context, before, signed)
      : "receiveAuthorization" in signed
        ? await checkReceiveAuthorization(context, before, signed, now ?? (await readNow(db, before.chainId)))
        : await checkPayment(context, before, matchRequirements(requirements, signed, accepted), signed);
  const paymentKey = paymentKeyOf(signed);
  // Under the order's lock, so that one of two simultaneous payments is refused.
  const taken = await inTransaction(db, async (tx) => {
    const { row } = checkOwn(await lockToPay(tx, before), caller);
    const { current, failed } = await readEarlierPayments(tx, before.id, paymentKey);
    if (current && isSame(current, signed)) return current;
    if (current) throw anotherStands(current);
    if (row.status !== "created") {
      throw new Refusal(
        "conflict",
        `The order is already ${row.status}. The submitted payment was not used.`,
      );
    }
    requireApproved(row);
    await countForPaying(tx, caller.keyId, row);
    const resting = await findRefusalAfterRevert(tx, caller, before, paymentKey.payer);
    if (resting) throw resting;
    return beginPayment(context, tx, caller, row, composePayment(row, caller, paymentKey, calls, failed));
  });
  return "payment" in taken ? taken : readPayment(db, taken.id);
}

/**
 * Stores a payment and queues its first call. The transaction must hold the order's lock and have called
 * `findRefusalAfterRevert`.
 *
 * @throws Refusal `invalid_state` if the order is below the minimum for free relays, or as `queuePartyRelay`
 */
export async function beginPayment(
  context: Pick<Context, "chain" | "config" | "log">,
  tx: Transaction,
  caller: Caller,
  row: Pick<PaidOrder, "id" | "chainId" | "tokenSymbol" | "tokenDecimals" | "amount" | "fundedAt">,
  payment: NewPayment,
): Promise<PaymentState> {
  const refusal = whyNotRelayed(context, row);
  if (refusal) throw new Refusal("invalid_state", refusal);
  const accepted = await acceptPayment(tx, payment);
  const { status, transactionHash } = await queueCheckedRelay(context, tx, caller, row, relayedCall(payment));
  return { payment: accepted, relay: { status, transactionHash }, creation: null };
}

function anotherStands(payment: PaymentRow): Refusal {
  return new Refusal(
    "conflict",
    `The order already has the payment ${payment.id} of ${getAddress(payment.payer)}. The submitted payment was not used.`,
  );
}

function isSame(payment: PaymentRow, signed: Signed): boolean {
  const { method, payer, nonce } = paymentKeyOf(signed);
  return (
    payment.method === method &&
    payment.payer.toLowerCase() === payer.toLowerCase() &&
    payment.nonce === nonce
  );
}
