import type { Earnest, Order } from "earnest-client";
import { UntrustedOrderError } from "earnest-client";
import { type AgreedOrder, compareKnown, readAgreed } from "earnest-client/buying/agreed";
import { Signer } from "earnest-client/buying/wallet";
import { formatAmount } from "../../../protocol/settlement/index.ts";
import { nameOfChain } from "../settings.ts";
import { type OpenWallet, openWallet } from "../wallet/open-wallet.ts";
import type { Fact } from "./signing.ts";

/** An order as its agreement has it, recomputed here and compared with what the service shows and the chain says. */
export type CheckedOrder = {
  order: Order;
  agreed: AgreedOrder;
  decimals: number;
  symbol: string;
  wallet: OpenWallet;
  signer: Signer;
};

/**
 * Reads an order and its agreement, recomputes where its money goes, and asks the wallet's node whether the escrow contract
 * is the escrow contract.
 *
 * @param account whose wallet is needed
 * @throws UntrustedOrderError where anything differs; WalletProblem where the wallet is not ready
 */
export async function checkOrder(client: Earnest, orderId: string, account: string): Promise<CheckedOrder> {
  const [order, agreement] = await Promise.all([
    client.orders.get(orderId),
    client.orders.getAgreement(orderId),
  ]);
  const agreed = readAgreed(orderId, order, agreement);
  const wallet = await openWallet(account, agreed.chainId);
  const signer = new Signer(wallet);
  const decimals = await compareKnown(agreed, signer.node, { chainId: agreed.chainId });
  const { symbol } = agreement.token as { symbol: string };
  if (order.currency !== symbol)
    throw new UntrustedOrderError(orderId, "order.currency", symbol, order.currency);
  return { order, agreed, decimals, symbol, wallet, signer };
}

/** The amount, as in `2.500000 TUSD`. */
export const amountOf = ({ agreed, decimals, symbol }: CheckedOrder): string =>
  `${formatAmount(agreed.terms.amount, decimals)} ${symbol}`;

/** The parts of an order that every dialog shows besides its facts. */
export const frameOf = ({ agreed }: CheckedOrder, account: string) => ({
  account,
  chainId: agreed.chainId,
  calledByProvider: `${agreed.agreement.service_title}, of ${agreed.agreement.agent_slug}`,
});

/** What of an order stands in every dialog. */
export function factsOf(checked: CheckedOrder): Fact[] {
  const { agreed, order } = checked;
  const { terms } = agreed;
  return [
    { label: "Order", value: order.reference },
    { label: "Amount", value: amountOf(checked) },
    { label: "Token", value: terms.token },
    { label: "From", value: `${terms.buyer} (buyer)` },
    { label: "Payee", value: `${terms.provider} (provider)` },
    { label: "Chain", value: `${nameOfChain(agreed.chainId)} (${agreed.chainId})` },
    { label: "Escrow contract", value: agreed.escrowContract },
    { label: "Escrow", value: agreed.escrowId },
  ];
}
