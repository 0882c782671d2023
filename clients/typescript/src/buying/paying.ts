import { paymentNonceOf, type TypedData } from "../../../../protocol/settlement/index.ts";
import { ApiError } from "../core/errors.ts";
import type { OrdersResource } from "../generated/resources/orders.ts";
import type { Order, PaymentInstructions } from "../generated/types.ts";
import type { AgreedOrder } from "./agreement-check.ts";
import { PaymentFailedError } from "./errors.ts";
import { hasAllowed, hasEscrow, isNonceUsed } from "./escrow-on-chain.ts";
import { authorizations, compareInstructions, payingCalls } from "./payment-instructions.ts";
import type { OnProgress } from "./progress.ts";
import { runSequentially } from "./sequential.ts";
import type { Signer } from "./wallet.ts";

/** The payment of an order that was checked. */
export interface Paying {
  orders: OrdersResource;
  agreed: AgreedOrder;
  decimals: number;
  /** The rail of the order. It is fixed here, so the service cannot switch it and cause a second payment. */
  rail: Order["settlement_rail"];
  signer: Signer;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

/**
 * Pays an order once: by calls of the wallet, or by one signature that the service sends. Does nothing if the service or
 * the chain knows of a payment.
 *
 * @throws UntrustedOrderError if the instructions differ from the agreement; PaymentFailedError
 */
export async function payOrder(paying: Paying): Promise<void> {
  if (await isPaid(paying)) return;
  const { orders, agreed, signal } = paying;
  let shown: PaymentInstructions;
  try {
    shown = await orders.getPaymentInstructions(agreed.orderId, { signal });
  } catch (error) {
    // The order is paid or expired. The caller reads its status.
    if (error instanceof ApiError && error.code === "invalid_state") return;
    throw error;
  }
  compareInstructions(shown, paying);
  if (paying.rail === "x402") await payBySignature(paying, shown);
  else await payByCalls(paying, shown);
}

/** Tells whether the service or the chain knows of a payment of this order. */
async function isPaid({ orders, agreed, signer, signal }: Paying): Promise<boolean> {
  const { payment } = await orders.getPayment(agreed.orderId, { signal });
  if (payment && payment.status !== "failed") return true;
  return (await hasEscrow(agreed, signer)) || (await hasAuthorized(agreed, signer));
}

/** Tells whether the order's authorization was used: the money is or was at the deposit address. */
async function hasAuthorized(agreed: AgreedOrder, signer: Signer): Promise<boolean> {
  return await isNonceUsed(agreed, paymentNonceOf(agreed.escrowId), signer);
}

/** The most times that a purchase approves its amount, because another process may use up the allowance. */
const maxApprovals = 3;

async function payByCalls({ agreed, signer, signal }: Paying, shown: PaymentInstructions): Promise<void> {
  const [approve, create] = payingCalls(agreed, shown);
  const { node } = signer;
  if (!node || !signer.sends) {
    throw new TypeError("The rail escrow needs a viem wallet client with an account and a transport.");
  }
  const { chainId, escrowContract, terms } = agreed;
  const allowance = [chainId, escrowContract, terms.token, signer.address].join();
  const send = async () => {
    // Another purchase may have paid the same order while this one waited.
    if (await hasEscrow(agreed, signer)) return;
    for (let left = maxApprovals - 1; ; left--) {
      try {
        if (!(await hasAllowed(agreed, signer))) await signer.send(approve);
        await signer.send(create);
        return;
      } catch (error) {
        // A call of a run before a crash may be mined now. The contract accepts only one.
        if (await hasEscrow(agreed, signer)) return;
        // Another process of this wallet may have used the allowance.
        if (left === 0 || (await hasAllowed(agreed, signer))) throw error;
      }
    }
  };
  await runSequentially(allowance, send, signal);
}

/** Pays by one EIP-3009 signature that the service sends (x402). */
async function payBySignature(paying: Paying, shown: PaymentInstructions): Promise<void> {
  const { agreed, signer, orders, signal, onProgress } = paying;
  const { receive, transfer } = await authorizations(paying, shown);
  // The cheaper authorization is first. Both have the same nonce, so the token accepts at most one.
  const candidates: { name: string; data: TypedData }[] = [{ name: "authorization", data: transfer }];
  if (receive) candidates.unshift({ name: "receiveAuthorization", data: receive });
  for (const [at, { name, data }] of candidates.entries()) {
    const signature = await signer.sign(data);
    try {
      const { payment } = await orders.pay(agreed.orderId, { signature, [name]: data.message }, { signal });
      await onProgress?.({ step: "signed", payment });
      return;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The order is being paid or cannot be paid. The caller reads its status.
      if (error.code === "conflict" || error.code === "invalid_state") return;
      if (error.status !== 402) throw error;
      const reason = error.details[0]?.keyword ?? error.message;
      if (reason === "invalid_exact_evm_nonce_already_used") return;
      if (at === candidates.length - 1) throw new PaymentFailedError(agreed.orderId, reason);
    }
  }
}
