import { signatureDeadline, signedActData } from "../../../../protocol/settlement/index.ts";
import type { BaseClient } from "../base-client.ts";
import { nowOf, readPaidParts } from "../buying/paying.ts";
import type { Signer } from "../buying/wallet.ts";
import { ApiError } from "../core/errors.ts";
import type { HeldSession } from "./held-session.ts";

export interface ClosingParts {
  client: BaseClient;
  /** the payout wallet */
  signer: Signer;
}

/**
 * Takes the next step to a session's end: the newest voucher goes to the chain, and once its payment is confirmed, the rest
 * goes back. The provider never signs the refund before the chain has paid it.
 *
 * @returns whether the session is over, or nothing more can be done until its dispute ends
 */
export async function closeStep(session: HeldSession, { client, signer }: ClosingParts): Promise<boolean> {
  const { terms, newest } = session;
  const order = await client.orders.get(terms.orderId);
  if (order.status === "released" || order.status === "refunded" || order.status === "expired") return true;
  const earned = newest?.cumulativeAmount ?? 0n;
  const paid = await readPaid(client, terms.orderId);
  if (newest && paid < earned) {
    const { workHash, signature } = newest;
    const voucher = { cumulative_amount: String(earned), work_hash: workHash, signature };
    await client.orders.useVoucher(terms.orderId, voucher).catch(ignorePaid);
    return false;
  }
  if (order.status !== "funded") return order.status === "disputed";
  if (earned === terms.balance) return false;
  const wallet = await signer.on(terms.chainId);
  // The service's word is not enough: after a refund the voucher is worth nothing.
  const onChain = await readPaidParts(terms, wallet);
  if (onChain !== null && onChain < earned) return false;
  const deadline = signatureDeadline(await nowOf(wallet));
  const signature = await wallet.sign(signedActData("refund", terms, { deadline }));
  await client.orders.refund(terms.orderId, { signature, deadline: String(deadline) }).catch(ignorePaid);
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

/** The step is on its way, or on the chain already: the next look shows it. */
function ignorePaid(error: unknown): void {
  const isDone = error instanceof ApiError && (error.code === "invalid_state" || error.code === "conflict");
  if (!isDone) throw error;
}
