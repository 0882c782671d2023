import { type Address, getAddress } from "viem";
import type { Chain } from "../../config/config.ts";
import type { Transaction } from "../../db/client.ts";
import { lockOrder } from "../../db/ledger.ts";
import type { refusedPayout } from "../../db/schema.ts";
import { type Call, withdrawCall } from "../../protocol/settlement/calls.ts";
import { gasBounds } from "../relay/gas-bounds.ts";
import type { RelayBudget } from "../relay/gas-budget.ts";
import { queueRelay, type RelayRow } from "../relay/relay-queue.ts";
import { findOrderToken, isRelayedFree } from "../services/payment-token.ts";

type Owing = { contract: Address; payee: Address; token: Address };

/**
 * Returns the call with which the service withdraws what the contract owes to a payee. The service calls only tokens of the
 * manifest, and pays the gas from the chain's minimum on. Anyone else can send the call.
 *
 * @param owed.amount the sum of all payouts that the token refused, in base units
 * @returns null if the service does not send it
 */
export function withdrawalOf(
  chain: Chain,
  { contract, payee, token }: Owing,
  { amount, tokenDecimals }: { amount: bigint; tokenDecimals: number },
): Call | null {
  if (!findOrderToken(chain, token)) return null;
  if (!isRelayedFree({ chain, token: { decimals: tokenDecimals } }, amount)) return null;
  return withdrawCall(getAddress(contract), { token: getAddress(token), payee: getAddress(payee) });
}

/**
 * Queues a withdrawal on the gas budget of the payee's account.
 *
 * @param payout the newest payout that it pays
 * @throws BudgetSpentError if the budget has no gas left
 */
export async function queueWithdrawal(
  tx: Transaction,
  { eventId, orderId, accountId, chainId }: typeof refusedPayout.$inferSelect,
  { to, data }: Call,
  budget: RelayBudget,
): Promise<RelayRow> {
  // Every transaction locks the order before the budget.
  await lockOrder(tx, orderId);
  return queueRelay(
    tx,
    {
      // One withdrawal for each newest payout, however many workers find it. A failed one is queued again under its key.
      key: `withdraw:${eventId}`,
      chainId,
      orderId,
      accountId,
      to,
      data,
      gasBound: gasBounds.withdrawal,
      forFunded: true,
    },
    budget,
  );
}
