import type { Address } from "viem";
import { foldOutcome, type OrderOutcome } from "../protocol/facts/order-outcome.ts";
import { isPaid } from "../protocol/reputation/public-outcome.ts";
import type { Transaction } from "./client.ts";
import { and, eq, isNull, or, type SQL, sql } from "./drizzle.ts";
import { isOneParty } from "./one-party.ts";
import type { FoldableFact, OrderRow } from "./order-rows.ts";
import { orderOutcome, provedWallet, provenance } from "./schema.ts";

/**
 * Writes the outcome of an order for reputation, folded from its facts. If a reorganisation has removed the settlement, the
 * outcome is deleted. Lock the order first. Whether the parties are at arm's length is checked once, for a new outcome.
 *
 * @param steps all facts that the order's state is folded from
 */
export async function writeOutcome(
  tx: Transaction,
  order: OrderRow,
  steps: readonly FoldableFact[],
): Promise<void> {
  const outcome = foldOutcome(steps, order);
  if (!outcome) {
    await tx.delete(orderOutcome).where(eq(orderOutcome.orderId, order.id));
    return;
  }
  const { payer, ...columns } = outcome;
  const { agentId, serviceId, providerAccountId, buyerAccountId, chainId } = order;
  const { token, tokenDecimals, currency, providerAddress, buyerAddress, amount } = order;
  await tx
    .insert(orderOutcome)
    .values({
      orderId: order.id,
      agentId,
      serviceId,
      providerAccountId,
      buyerAccountId,
      chainId,
      token,
      tokenDecimals,
      currency,
      providerAddress,
      buyerAddress,
      wallet: countedWallet(order, payer),
      walletProved: sql`${hasProved(order.buyerAccountId, buyerAddress, chainId)} or ${hasProved(order.buyerAccountId, payer, chainId)}`,
      amount,
      promisedSeconds: order.deliveryWindow,
      ...columns,
      apart: whyApart(order, outcome),
    })
    .onConflictDoUpdate({ target: orderOutcome.orderId, set: columns });
}

/**
 * Selects the wallet that counts as the buyer's: the payer's, if the buyer's account has not proved the named one. So
 * nobody borrows the age of another's wallet.
 */
function countedWallet({ buyerAccountId, buyerAddress, chainId }: OrderRow, payer: string): SQL<Address> {
  return sql`case when ${hasProved(buyerAccountId, buyerAddress, chainId)} then ${buyerAddress} else ${payer} end`;
}

/** Returns a condition that an account has ever proved a wallet, on all chains or on this one. */
function hasProved(accountId: string, address: string, chainId: number): SQL {
  return sql`exists (select from ${provedWallet} where ${and(
    eq(provedWallet.accountId, accountId),
    sql`${provedWallet.address} = ${address}`,
    or(isNull(provedWallet.chainId), eq(provedWallet.chainId, chainId)),
  )})`;
}

/**
 * Selects why the parties of an order are not at arm's length; null if no reason is known. The payer matters only if the
 * provider was paid (`isPaid`).
 */
function whyApart(order: OrderRow, outcome: OrderOutcome): SQL<OrderOutcomeRow["apart"]> {
  const { providerAccountId, buyerAccountId, chainId, token, providerAddress, buyerAddress } = order;
  const { payer } = outcome;
  const isOwn = (accountId: string, address: string) => hasProved(accountId, address, chainId);
  const isTied = sql`exists (select from ${provenance} where ${and(
    eq(provenance.providerAccountId, providerAccountId),
    sql`${provenance.wallet} = ${countedWallet(order, payer)}`,
    eq(provenance.chainId, chainId),
    eq(provenance.token, token),
    provenance.tied,
  )})`;
  return sql`case
    when ${isOneParty(providerAccountId, buyerAccountId)} then 'same_party'
    when ${isOwn(providerAccountId, buyerAddress)} or ${isOwn(buyerAccountId, providerAddress)}
      or ${isPaid(outcome)} and (${payer} = ${providerAddress.toLowerCase()} or ${isOwn(providerAccountId, payer)})
      then 'shared_wallet'
    when ${isPaid(outcome)} and ${isTied} then 'money_from_provider' end`;
}

export type OrderOutcomeRow = typeof orderOutcome.$inferSelect;
