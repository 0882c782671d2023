import { getAddress } from "viem";
import { readNow } from "../../db/chain-index.ts";
import { inTransaction } from "../../db/transaction.ts";
import { closeCall, type SignedClose } from "../../protocol/settlement/calls.ts";
import { closeData } from "../../protocol/settlement/signatures.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import type { Caller, Context } from "../context.ts";
import { refuseField } from "../refusal.ts";
import { gasBounds } from "../relay/gas-bounds.ts";
import { queuePartyRelay } from "../relay/party-relay.ts";
import { findRelay, type RelayRow } from "../relay/relay-queue.ts";
import { checkPartySignature, requireDeadline } from "./party-signature.ts";
import { readSession, requireOpen } from "./voucher-relay.ts";

/**
 * Queues the end of a session by both parties' signatures. Each party can do so once for a session, because the code of the
 * other party's account may make the call revert at the service's cost. After a failed relay the voucher pays.
 *
 * @throws Refusal `not_found`; `invalid_state` if the order is no open session; `invalid_request` for another amount, deadline
 *   or signature; or as `queuePartyRelay`
 */
export async function relayClose(
  context: Context,
  caller: Caller,
  orderId: string,
  close: SignedClose,
): Promise<RelayRow> {
  const own = await readSession(context.db, caller, orderId);
  const { row, role } = own;
  const key = `${row.escrowId}:close:${role}`;
  const existing = await findRelay(context.db, key);
  if (existing) return existing;
  const { paidAmount: paid } = requireOpen(own);
  requireDeadline(close.deadline, await readNow(context.db, row.chainId));
  const { providerAmount } = close;
  if (providerAmount < paid || providerAmount > row.amount) {
    const message = `Field provider_amount: use ${paid} to ${row.amount} base units, from what is paid to the balance.`;
    throw refuseField("provider_amount", providerAmount < paid ? "minimum" : "maximum", message);
  }
  const { chainId, escrowId } = row;
  const escrowContract = getAddress(row.escrowContract);
  const [buyer, provider] = [getAddress(row.buyerAddress), getAddress(row.providerAddress)];
  const data = closeData({ chainId, escrowId, escrowContract }, close);
  // A contract wallet is called here, so no lock is held.
  const [buyerSignature, providerSignature] = await Promise.all([
    checkPartySignature(context, data, buyer, close.buyerSignature, "buyer_signature"),
    checkPartySignature(context, data, provider, close.providerSignature, "provider_signature"),
  ]);
  const call = closeCall(
    { escrowContract, terms: termsOf(row) },
    { ...close, buyerSignature, providerSignature },
  );
  return await inTransaction(context.db, (tx) =>
    queuePartyRelay(context, tx, caller, row, {
      // The code of either wallet can make the call revert, so no wallet rests for it. Each party has one close.
      key,
      to: call.to,
      data: call.data,
      signer: undefined,
      gasBound: gasBounds.signedAct,
    }),
  );
}
