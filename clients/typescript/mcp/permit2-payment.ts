import {
  approveCall,
  paymentNonceOf,
  permit2Address,
  permitData,
} from "../../../protocol/settlement/index.ts";
import { nowOf } from "../src/buying/escrow-on-chain.ts";
import { readPayable } from "../src/buying/payable.ts";
import type { PaymentInstructions } from "../src/index.ts";
import type { ReadOrder } from "./tool-context.ts";

/**
 * Builds the payment of a token that only Permit2 moves: the permit to sign, and the call by which the wallet lets Permit2 take
 * the amount. Null if the token has EIP-3009.
 *
 * @throws UntrustedOrderError if the instructions differ from the agreement
 */
export async function buildPermit({ agreed }: ReadOrder, shown: PaymentInstructions) {
  const accepts = shown.payment_required?.accepts ?? [];
  if (accepts.some(({ extra }) => extra.assetTransferMethod === undefined)) return null;
  const at = accepts.findIndex(({ scheme }) => scheme === "exact");
  const accepted = accepts[at];
  if (!accepted) return null;
  const payable = readPayable(agreed, accepted, `payment_instructions.payment_required.accepts[${at}]`);
  const nonce = BigInt(paymentNonceOf(agreed.escrowId));
  return {
    to_sign: permitData(payable, nonce, await nowOf({ node: null })),
    approval: approveCall({ escrowContract: permit2Address, terms: agreed.terms }),
  };
}

/** Returns the payment of a signed message, in the form that the service takes. */
export function signedPayment(payer: string, signature: string, message: Record<string, unknown>) {
  return "permitted" in message
    ? { signature, permit2Authorization: { from: payer, ...message } }
    : { signature, authorization: message };
}
