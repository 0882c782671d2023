import { getAddress } from "viem";
import type { NewEvent } from "../../db/account-events.ts";
import { order, type refusedPayout } from "../../db/schema.ts";
import { payoutEventData } from "../../protocol/facts/payout-events.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";

/** The columns of an order that the events of its payouts need. */
export const payoutColumns = {
  id: order.id,
  buyerAccountId: order.buyerAccountId,
  providerAccountId: order.providerAccountId,
  providerAddress: order.providerAddress,
  tokenSymbol: order.tokenSymbol,
  tokenDecimals: order.tokenDecimals,
};

type Payout = Pick<
  typeof refusedPayout.$inferSelect,
  "eventId" | "orderId" | "accountId" | "chainId" | "payee" | "token" | "amount"
>;

/** Returns the event of a payout for its payee's account. */
export function payoutEventOf(
  type: "payout.refused" | "payout.withdrawn",
  { eventId, orderId, accountId, chainId, payee, token, amount }: Payout,
  { tokenSymbol, tokenDecimals }: Pick<typeof order.$inferSelect, "tokenSymbol" | "tokenDecimals">,
): NewEvent {
  return {
    accountId,
    type,
    orderId,
    key: `${type}:${eventId}`,
    data: payoutEventData({
      order_id: orderId,
      chain_id: chainId,
      token: getAddress(token),
      currency: tokenSymbol,
      amount: formatAmount(amount, tokenDecimals),
      amount_base_units: amount.toString(),
      recipient: getAddress(payee),
    }),
  };
}
