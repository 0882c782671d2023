import { z } from "@hono/zod-openapi";
import { type Address, getAddress } from "viem";
import type { Chain } from "../../config/config.ts";
import { escrow, isIndexMissing, nowOf, selectClock } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { and, desc, eq, gt, inArray, sql } from "../../db/drizzle.ts";
import { escrowOfOrder, termColumns } from "../../db/ledger.ts";
import { order } from "../../db/schema.ts";
import { returnDepositCall } from "../../protocol/settlement/calls.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import { isRelayedFree } from "../../trade/services/payment-token.ts";
import {
  amountField,
  baseUnitsField,
  chainIdField,
  currencyField,
  idField,
  shownAddress,
  timeField,
} from "../http/fields.ts";
import { callSchema } from "../orders/order.ts";

/** The most orders whose deposit addresses are read, the newest of `readDays`. One call to the node reads as many. */
export const mostOrders = 100;
export const readDays = 90;

export const waitingDepositSchema = z
  .object({
    order_id: idField("ord"),
    reference: z.string().openapi({ example: "E-7K3M9Q" }),
    chain_id: chainIdField,
    deposit_address: shownAddress,
    token_address: shownAddress,
    currency: currencyField,
    token_decimals: z.int(),
    amount: amountField,
    amount_base_units: baseUnitsField,
    reason: z.enum(["repeated", "late", "partial"]).openapi("WaitingDepositReason").openapi({
      description:
        "`repeated`: the order is funded already; `late`: the time to pay has passed; `partial`: the amount is less than the order's",
    }),
    recipient: shownAddress.openapi({ description: "the wallet that gets the money: the order's buyer" }),
    service_returns: z.boolean().openapi({
      description:
        "whether the service sends the money back by itself; it leaves amounts below the chain's least relayed amount",
    }),
    anyone_from: timeField.nullable().openapi({
      description:
        "from when anyone may send the call; null: now. The recipient may send the call at any time",
    }),
    call: callSchema.openapi({ description: "the call that sends the money to the recipient" }),
  })
  .openapi("WaitingDeposit");

const columns = {
  ...termColumns,
  id: order.id,
  reference: order.reference,
  chainId: order.chainId,
  escrowContract: order.escrowContract,
  depositAddress: order.depositAddress,
  tokenSymbol: order.tokenSymbol,
  tokenDecimals: order.tokenDecimals,
};

/** An order whose deposit address is read, with the index's state of its escrow. */
export type DepositOrder = Awaited<ReturnType<typeof readDepositOrders>>[number];

/** Reads the newest orders of a buyer on the served chains. Without an index, no order has a known escrow. */
export async function readDepositOrders(db: Database, accountId: string, chains: readonly Chain[]) {
  try {
    return await selectDepositOrders(db, accountId, chains);
  } catch (error) {
    if (isIndexMissing(error)) return [];
    throw error;
  }
}

function selectDepositOrders(db: Database, accountId: string, chains: readonly Chain[]) {
  return db
    .select({
      row: columns,
      isCreated: sql<boolean>`${escrow.escrowId} is not null`.as("is_created"),
      clock: selectClock(order.chainId).as("clock"),
    })
    .from(order)
    .leftJoin(escrow, escrowOfOrder)
    .where(
      and(
        eq(order.buyerAccountId, accountId),
        gt(order.createdAt, sql`now() - make_interval(days => ${readDays})`),
        inArray(
          order.chainId,
          chains.map(({ chain_id }) => chain_id),
        ),
      ),
    )
    .orderBy(desc(order.createdAt), desc(order.id))
    .limit(mostOrders);
}

/**
 * Presents the money at an order's deposit address, if it waits to be returned. The whole amount in time is no such money: it
 * becomes the order's escrow.
 */
export function presentDeposit(
  { row, isCreated, clock }: DepositOrder,
  balance: bigint,
  chain: Chain,
): z.output<typeof waitingDepositSchema>[] {
  const isInTime = nowOf(clock) <= row.fundBy;
  if (balance === 0n || (!isCreated && isInTime && balance >= row.amount)) return [];
  const isPartial = !isCreated && isInTime;
  const shown = (address: Address) => getAddress(address);
  return [
    {
      order_id: row.id,
      reference: row.reference,
      chain_id: row.chainId,
      deposit_address: shown(row.depositAddress),
      token_address: shown(row.token),
      currency: row.tokenSymbol,
      token_decimals: row.tokenDecimals,
      amount: formatAmount(balance, row.tokenDecimals),
      amount_base_units: balance.toString(),
      reason: isCreated ? "repeated" : isInTime ? "partial" : "late",
      recipient: shown(row.buyerAddress),
      service_returns:
        !isPartial && isRelayedFree({ chain, token: { decimals: row.tokenDecimals } }, balance),
      anyone_from: isPartial ? new Date((row.fundBy + 1) * 1000).toISOString() : null,
      call: returnDepositCall({ escrowContract: shown(row.escrowContract), terms: termsOf(row) }),
    },
  ];
}
