import { compareKnown, readAgreed } from "../src/buying/agreement-check.ts";
import { Signer } from "../src/buying/wallet.ts";
import type { ReadOrder, ToolContext } from "./tool-context.ts";

/**
 * Reads an order and checks it against its agreement.
 *
 * @throws UntrustedOrderError for the first field that differs
 */
export async function readOrder(
  { earnest }: ToolContext,
  orderId: string,
  signal: AbortSignal,
): Promise<ReadOrder> {
  const [order, agreement] = await Promise.all([
    earnest.orders.get(orderId, { signal }),
    earnest.orders.getAgreement(orderId, { signal }),
  ]);
  return { order, agreed: readAgreed(orderId, order, agreement) };
}

/**
 * Opens the wallet that this program holds, after checking the chain and the escrow contract of the agreement.
 * Returns null if this program holds no wallet.
 *
 * @throws UntrustedOrderError if the chain or the contract differs
 */
export async function openSigner({ wallet }: ToolContext, { agreed }: ReadOrder): Promise<Signer | null> {
  if (!wallet) return null;
  const signer = await new Signer(wallet.wallet, wallet.nodes).on(agreed.chainId);
  await compareKnown(agreed, signer.node, wallet.tokens ? { tokens: wallet.tokens } : {});
  return signer;
}
