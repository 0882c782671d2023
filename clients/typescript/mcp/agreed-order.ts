import { type AgreedOrder, compareKnown, readAgreed } from "../src/buying/agreed.ts";
import { Signer } from "../src/buying/wallet.ts";
import type { Order } from "../src/index.ts";
import type { ToolContext } from "./tool-context.ts";

/** An order with its agreement, recomputed. */
export interface ReadOrder {
  order: Order;
  agreed: AgreedOrder;
}

/**
 * Reads an order and recomputes from its agreement what the service shows of it.
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
 * The wallet that this program holds, once the chain has said that the agreement is of its chain and its contract is the
 * escrow; null where this program holds none.
 *
 * @throws UntrustedOrderError for what differs
 */
export async function openSigner({ wallet }: ToolContext, { agreed }: ReadOrder): Promise<Signer | null> {
  if (!wallet) return null;
  const signer = new Signer(wallet.wallet);
  await compareKnown(agreed, signer.node, {});
  return signer;
}
