import { getAddress, type Hex } from "viem";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, like, ne } from "../../db/drizzle.ts";
import { lockOrder } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { relay } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { voucherCall } from "../../protocol/settlement/calls.ts";
import { voucherData } from "../../protocol/settlement/signatures.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import type { Caller, Context } from "../context.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { gasBounds } from "../relay/gas-bounds.ts";
import { queuePartyRelay } from "../relay/party-relay.ts";
import { findRelay, type RelayRow } from "../relay/relay-queue.ts";
import { type OwnOrder, readOwnOrder, requireIndexed } from "./order-access.ts";
import { checkKeySignature } from "./party-signature.ts";

/** A buyer's voucher. The amount counts from the beginning, in base units. */
export type Voucher = { cumulativeAmount: bigint; workHash: Hex; signature: Hex };

/** The most vouchers of a session whose gas the service pays for each party. A session needs one, at its end. */
const mostRelayed = 8;

/**
 * Queues a session's voucher for the relayer, for either party: anyone may send it to the contract. The same amount of the
 * same party again returns the same relay, unless it failed.
 *
 * @throws Refusal `not_found`; `invalid_state` if the order is no session, or the contract refuses the voucher now;
 *   `invalid_request` for an amount above the balance, or another signature; or as `queuePartyRelay`
 */
export async function relayVoucher(
  context: Context,
  caller: Caller,
  orderId: string,
  voucher: Voucher,
): Promise<RelayRow> {
  const own = await readSession(context.db, caller, orderId);
  const { row } = own;
  // Each party has a relay of its own, so that the provider does not wait for the buyer's other calls in the queue.
  const key = `${row.escrowId}:useVoucher:${own.role}:${voucher.cumulativeAmount}`;
  const existing = await findRelay(context.db, key);
  if (existing && existing.status !== "failed") return existing;
  const escrow = requireOpen(own);
  if (voucher.cumulativeAmount <= escrow.paidAmount) {
    throw new Refusal("invalid_state", `Vouchers have paid ${escrow.paidAmount} base units already.`);
  }
  if (voucher.cumulativeAmount > row.amount) {
    const message = `Field cumulative_amount: use at most ${row.amount} base units, the session's balance.`;
    throw refuseField("cumulative_amount", "maximum", message);
  }
  const { chainId, escrowId } = row;
  const escrowContract = getAddress(row.escrowContract);
  const data = voucherData({ chainId, escrowId, escrowContract }, voucher);
  const signature = await checkKeySignature(data, getAddress(row.buyerAddress), voucher.signature);
  const call = voucherCall({ escrowContract, terms: termsOf(row) }, { ...voucher, signature });
  const { to, data: encoded } = call;
  return await inTransaction(context.db, async (tx) => {
    await requireRelayLeft(tx, caller, row, key);
    return await queuePartyRelay(context, tx, caller, row, {
      key,
      to,
      data: encoded,
      // A voucher of a key runs no code of the buyer. So the buyer's reverts do not delay the provider, nor the reverse.
      signer: undefined,
      gasBound: gasBounds.signedAct,
    });
  });
}

/**
 * Locks the order, so that the vouchers that a party sends at once are counted one after the other. Each party has its own
 * count: vouchers that the buyer sends must not leave the provider without one.
 *
 * @param key the relay key of the voucher, which is not counted: a failed relay starts over
 * @throws Refusal `invalid_state`
 */
async function requireRelayLeft(
  tx: Transaction,
  { accountId }: Caller,
  { id, escrowId }: Pick<OrderRow, "id" | "escrowId">,
  key: string,
): Promise<void> {
  await lockOrder(tx, id);
  const ofCaller = and(eq(relay.orderId, id), eq(relay.accountId, accountId));
  const others = and(like(relay.key, `${escrowId}:useVoucher:%`), ne(relay.key, key));
  if ((await tx.$count(relay, and(ofCaller, others))) < mostRelayed) return;
  const message = `The service has paid the gas of ${mostRelayed} vouchers of this session. Send this one with a wallet: useVoucher.`;
  throw new Refusal("invalid_state", message);
}

/**
 * Reads a party's session.
 *
 * @throws Refusal `not_found`; `invalid_state` if the order is no session
 */
export async function readSession(db: Database, caller: Caller, orderId: string): Promise<OwnOrder> {
  const own = await readOwnOrder(db, caller, orderId);
  if (own.row.pricingModel === "per_call") return own;
  throw new Refusal("invalid_state", "The order is no session. Release this order instead.");
}

/** @throws Refusal `invalid_state` if the session is not funded, or over */
export function requireOpen(own: OwnOrder): NonNullable<OwnOrder["escrow"]> {
  requireIndexed(own);
  const { escrow } = own;
  if (!escrow) throw new Refusal("invalid_state", "The escrow is not funded.");
  // A session has no disputes.
  if (escrow.status === "funded") return escrow;
  throw new Refusal("invalid_state", `The escrow has ended: it is ${escrow.status}.`);
}
