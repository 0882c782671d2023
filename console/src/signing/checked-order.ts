import type { Earnest, Order } from "earnest-client";
import { UntrustedOrderError } from "earnest-client";
import { type AgreedOrder, compareKnown, readAgreed } from "earnest-client/buying/agreement-check";
import { chargeOf, waitingStageOf } from "earnest-client/buying/delivered-work";
import { Signer } from "earnest-client/buying/wallet";
import { type Address, erc20Abi, type PublicClient } from "viem";
import { formatAmount } from "../../../protocol/settlement/index.ts";
import { moneyText } from "../parts/money.tsx";
import { findChain, findToken, nameOfChain } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { type OpenWallet, openWallet } from "../wallet/open-wallet.ts";
import type { SigningValue } from "./signing.ts";

/** An order that was recomputed from its agreement and compared with the service's data and the chain. */
export type CheckedOrder = {
  order: Order;
  agreed: AgreedOrder;
  decimals: number;
  symbol: string;
  wallet: OpenWallet;
  signer: Signer;
};

/**
 * Reads an order and its agreement, recomputes where its money goes, and checks the escrow contract's code with the
 * wallet's node.
 *
 * @param account the wallet that has to sign
 * @throws UntrustedOrderError if anything differs, WalletProblem if the wallet is not ready
 */
export async function checkOrder(client: Earnest, orderId: string, account: string): Promise<CheckedOrder> {
  const [order, agreement] = await Promise.all([
    client.orders.get(orderId),
    client.orders.getAgreement(orderId),
  ]);
  const agreed = readAgreed(orderId, order, agreement);
  const wallet = await openWallet(account, agreed.chainId);
  const signer = new Signer(wallet);
  const { chainId, terms } = agreed;
  const served = findToken(chainId, terms.token);
  const token = served ?? (await readToken(agreed, signer.node));
  const decimals = await compareKnown(agreed, signer.node, {
    chainId,
    token,
    ...(signer.node ? {} : contractOn(chainId)),
  });
  const read = served && signer.node ? await readDecimals(signer.node, terms.token) : decimals;
  if (read !== decimals) throw new UntrustedOrderError(orderId, "agreement.token.decimals", read, decimals);
  const { symbol } = token;
  const agreedSymbol = (agreed.agreement.token as { symbol: string }).symbol;
  for (const [field, shown] of [
    ["agreement.token.symbol", agreedSymbol],
    ["order.currency", order.currency],
  ] as const) {
    if (shown !== symbol) throw new UntrustedOrderError(orderId, field, symbol, shown);
  }
  return { order, agreed, decimals, symbol, wallet, signer };
}

/**
 * Reads the token of an order whose token has left the settings, so that the order can end.
 *
 * @throws UntrustedOrderError without a node
 */
async function readToken({ orderId, terms: { token: address } }: AgreedOrder, node: PublicClient | null) {
  if (!node)
    throw new UntrustedOrderError(orderId, "agreement.token.address", "a token of this service", address);
  const decimals = await readDecimals(node, address);
  const symbol = await node.readContract({ address, abi: erc20Abi, functionName: "symbol" });
  return { address, decimals, symbol };
}

const readDecimals = (node: PublicClient, address: Address): Promise<number> =>
  node.readContract({ address, abi: erc20Abi, functionName: "decimals" });

/** The contract of this page's settings, for a passkey: it has no node that could check the chain. */
function contractOn(chainId: number) {
  const chain = findChain(chainId);
  return chain ? { escrowContract: chain.escrow_contract } : {};
}

/** Formats an amount of an order's token, such as `2.50 TUSD`. */
export const moneyOf = (
  amount: bigint,
  { decimals, symbol }: Pick<CheckedOrder, "decimals" | "symbol">,
): string => `${moneyText(formatAmount(amount, decimals))} ${symbol}`;

/** Formats the order's amount. */
export const amountOf = ({ agreed, decimals, symbol }: CheckedOrder): string =>
  moneyOf(agreed.terms.amount, { decimals, symbol });

/** The values of a metered order's charge, which is recomputed from the agreement; none for another order. */
export function chargeValues({ agreed, order, decimals, symbol }: CheckedOrder): SigningValue[] {
  const charged = chargeOf(agreed, order);
  if (!charged) return [];
  return [
    { label: i18n.t("Units"), value: String(charged.units) },
    { label: i18n.t("Charge"), value: moneyOf(charged.charge, { decimals, symbol }) },
  ];
}

/** The values of the stage that waits for the buyer, recomputed from the agreement; none for another order. */
export function stageValues({ agreed, order, decimals, symbol }: CheckedOrder): SigningValue[] {
  const stage = waitingStageOf(agreed, order);
  if (!stage) return [];
  const { number, amount, sum } = stage;
  const total = order.stages?.length ?? number;
  return [
    { label: i18n.t("Stage"), value: i18n.t("{number} of {total}", { number, total }) },
    { label: i18n.t("Amount of the stage"), value: moneyOf(amount, { decimals, symbol }) },
    { label: i18n.t("Paid in total, with this stage"), value: moneyOf(sum, { decimals, symbol }) },
  ];
}

/** The parts of an order that every signing dialog shows besides its values. */
export const frameOf = ({ agreed }: CheckedOrder, account: string) => ({
  account,
  chainId: agreed.chainId,
  calledByProvider: i18n.t("{service} by {agent}", {
    service: String(agreed.agreement.service_title),
    agent: String(agreed.agreement.agent_slug),
  }),
});

/** The values of an order that every signing dialog shows. */
export function signingValuesOf(checked: CheckedOrder): SigningValue[] {
  const { agreed, order } = checked;
  const { terms } = agreed;
  return [
    { label: i18n.t("Order"), value: order.reference },
    { label: i18n.t("Amount"), value: amountOf(checked) },
    { label: i18n.t("Token"), value: terms.token, isTechnical: true },
    { label: i18n.t("From"), value: i18n.t("{address} (buyer)", { address: terms.buyer }) },
    { label: i18n.t("Payee"), value: i18n.t("{address} (provider)", { address: terms.provider }) },
    { label: i18n.t("Network"), value: `${nameOfChain(agreed.chainId)} (${agreed.chainId})` },
    { label: i18n.t("Escrow contract"), value: agreed.escrowContract, isTechnical: true },
    { label: i18n.t("Escrow"), value: agreed.escrowId, isTechnical: true },
  ];
}
