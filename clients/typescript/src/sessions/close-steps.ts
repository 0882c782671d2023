import {
  closeData,
  signatureDeadline,
  signedActData,
  voucherCall,
} from "../../../../protocol/settlement/index.ts";
import type { BaseClient } from "../base-client.ts";
import { type EscrowState, nowOf, readEscrowState } from "../buying/escrow-on-chain.ts";
import type { Signer } from "../buying/wallet.ts";
import { ApiError } from "../core/errors.ts";
import { isTemporary } from "../core/retry.ts";
import type { ProviderSession } from "./provider-session.ts";

export interface CloseStepParts {
  client: BaseClient;
  /** the payout wallet */
  signer: Signer;
  /** unix milliseconds from which the provider pays the voucher by its own wallet if the chain has not paid it */
  payAloneAt: number;
}

/** Milliseconds that a close by both signatures may take before the voucher is sent. */
const longestClose = 120_000;
/** The unix seconds that a close by both signatures needs at least until its deadline. */
const leastLeft = 60n;

/**
 * Takes the next step to a session's end. The service sends the buyer's and the provider's signatures, which end the session
 * at once. Without the buyer's, the newest voucher goes to the chain, and once its payment is confirmed, the rest goes back.
 * The provider never signs that refund before the chain has paid it.
 *
 * If the service refuses the voucher, or has not brought it to the chain in time, the provider's own wallet sends it.
 *
 * @returns whether the session is over
 */
export async function closeStep(session: ProviderSession, parts: CloseStepParts): Promise<boolean> {
  const { client, signer, payAloneAt } = parts;
  const { terms } = session;
  const wallet = await signer.on(terms.chainId);
  const onChain = await readEscrowState(terms, wallet);
  const now = await nowOf(wallet);
  const owes = onChain !== null && !onChain.isOver && onChain.paid < earnedOf(session);
  if (owes && Number(now) * 1000 >= payAloneAt) {
    await payAlone(session, wallet);
    return false;
  }
  // Anyone can refund the rest, and the service pays no gas of small balances.
  if (onChain !== null && !owes && Number(now) * 1000 > terms.endsAt) return true;
  const order = await client.orders.get(terms.orderId);
  if (order.status === "released" || order.status === "refunded" || order.status === "expired") {
    // The service's word is not enough to forget a voucher.
    return onChain === null || onChain.isOver;
  }
  if (onChain?.isOver) return false;
  try {
    if (await closeTogether(session, wallet, client, now)) return false;
    return await closeByVoucher(session, { wallet, client, onChain, now });
  } catch (error) {
    if (!(error instanceof ApiError) || isTemporary(error)) throw error;
    // The step may be on the chain already. Otherwise the service refuses the voucher, and the wallet sends it.
    const after = await readEscrowState(terms, wallet);
    if (after === null) throw error;
    if (!after.isOver && after.paid < earnedOf(session)) await payAlone(session, wallet);
    return false;
  }
}

const earnedOf = ({ newest }: ProviderSession): bigint => newest?.cumulativeAmount ?? 0n;

/** The last transaction of each wallet on a chain. Two at once would use the same nonce. */
const turns = new Map<string, Promise<unknown>>();

/** Sends the newest voucher by the provider's own wallet, which pays the gas. */
async function payAlone({ terms, newest }: ProviderSession, wallet: Signer): Promise<void> {
  if (!newest) return;
  const { chainId, escrowContract, escrowTerms } = terms;
  const call = voucherCall({ escrowContract, terms: escrowTerms }, newest);
  const name = `${chainId} ${wallet.address}`;
  const before = turns.get(name)?.catch(() => {});
  const sent = (before ?? Promise.resolve()).then(() => wallet.sendByNode(call));
  turns.set(name, sent);
  await sent;
}

/**
 * Ends the session by the signatures of both parties, in one transaction.
 *
 * @returns false if the buyer did not sign, or the contract did not take the signatures: the voucher then pays
 */
async function closeTogether(
  session: ProviderSession,
  wallet: Signer,
  client: BaseClient,
  now: bigint,
): Promise<boolean> {
  const { terms, closeRequest } = session;
  const earned = earnedOf(session);
  if (!closeRequest || closeRequest.providerAmount !== earned || earned === 0n) return false;
  const { providerAmount, deadline, signature } = closeRequest;
  if (deadline < now + leastLeft || Date.now() > session.closedAt + longestClose) return false;
  const providerSignature = await wallet.sign(closeData(terms, { providerAmount, deadline }));
  try {
    const { relay } = await client.orders.close(terms.orderId, {
      provider_amount: String(providerAmount),
      deadline: String(deadline),
      buyer_signature: signature,
      provider_signature: providerSignature,
    });
    return relay.status !== "failed";
  } catch (error) {
    if (error instanceof ApiError && !isTemporary(error)) return false;
    throw error;
  }
}

type Step = { wallet: Signer; client: BaseClient; onChain: EscrowState | null; now: bigint };

async function closeByVoucher(
  session: ProviderSession,
  { wallet, client, onChain, now }: Step,
): Promise<boolean> {
  const { terms, newest } = session;
  const earned = earnedOf(session);
  if (newest && (await readPaid(client, terms.orderId)) < earned) {
    const { workHash, signature } = newest;
    const voucher = { cumulative_amount: String(earned), work_hash: workHash, signature };
    if (onChain === null || onChain.paid < earned) await client.orders.useVoucher(terms.orderId, voucher);
    return false;
  }
  if (earned === terms.balance) return false;
  // The service's word is not enough: after a refund the voucher is worth nothing.
  if (onChain !== null && onChain.paid < earned) return false;
  const deadline = signatureDeadline(now);
  const signature = await wallet.sign(signedActData("refund", terms, { deadline }));
  await client.orders.refund(terms.orderId, { signature, deadline: String(deadline) });
  return false;
}

/** Sums what parts have paid, as the chain confirmed it. */
async function readPaid(client: BaseClient, orderId: string): Promise<bigint> {
  let paid = 0n;
  for await (const { type, confirmed, data } of client.orders.listTrail(orderId)) {
    if (type !== "order.part_released" || !confirmed) continue;
    const soFar = BigInt(String((data as Record<string, unknown>).released_so_far_base_units));
    if (soFar > paid) paid = soFar;
  }
  return paid;
}
