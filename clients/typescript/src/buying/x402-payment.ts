import type { Hex } from "viem";
import { authorizationData, permitData, type TypedData } from "../../../../protocol/settlement/index.ts";
import type { BaseClient } from "../base-client.ts";
import type { Purchase, PurchaseRequest, Service } from "../generated/types.ts";
import { nowOf } from "./escrow-on-chain.ts";
import { isPermit, type OfferedTerms, purchasePath } from "./offered-terms.ts";
import type { Signer } from "./wallet.ts";

/** Signs the payment of terms in x402's form. */
export async function signTerms(terms: OfferedTerms, signer: Signer, nonce: Hex): Promise<object> {
  const { payable } = terms;
  const now = await nowOf(signer);
  const sign = async (data: TypedData) => ({ signature: await signer.sign(data), message: data.message });
  if (isPermit(terms)) {
    const { signature, message } = await sign(permitData(payable, BigInt(nonce), now));
    return { signature, permit2Authorization: { from: signer.address, ...message } };
  }
  const { signature, message } = await sign(authorizationData(payable, signer.address, nonce, now));
  return { signature, authorization: message };
}

/** Sends a payment. The service does the same payment once, so it is repeated after a lost answer. */
export async function sendPayment(
  client: BaseClient,
  service: Service,
  body: PurchaseRequest,
  paid: { accepted: object; payload: object },
  signal: AbortSignal | undefined,
): Promise<Purchase> {
  const headers = { "payment-signature": toBase64({ x402Version: 2, ...paid }) };
  const call = {
    verb: "POST",
    path: purchasePath(service),
    body,
    headers,
    open: true,
    takesKey: false,
  } as const;
  return await client.request<Purchase>(call, { signal });
}

/** Encodes a value as base64 of its JSON, on every platform. */
function toBase64(value: object): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
