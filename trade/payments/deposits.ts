import { and, eq, like, sql } from "drizzle-orm";
import { erc20Abi, getAddress, type PublicClient } from "viem";
import type { Chain } from "../../config/config.ts";
import type { Transaction } from "../../db/client.ts";
import { lockOrder } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { relay } from "../../db/schema.ts";
import {
  type Call,
  createEscrowFromDepositCall,
  returnDepositCall,
} from "../../protocol/settlement/calls.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import { gasBounds } from "../relay/gas-bounds.ts";
import type { RelayBudget } from "../relay/gas-budget.ts";
import { queueRelay, restAfterFailure } from "../relay/relay-queue.ts";
import { readCurrentPayment } from "./payments.ts";

/** Base units of an order's token at its deposit address. */
export function readDepositBalance(
  client: PublicClient,
  { token, depositAddress }: Pick<OrderRow, "token" | "depositAddress">,
): Promise<bigint> {
  return client.readContract({
    abi: erc20Abi,
    address: token,
    functionName: "balanceOf",
    args: [depositAddress],
  });
}

/** As much of an order as its deposit is settled by. */
type DepositOrder = Parameters<typeof termsOf>[0] &
  Pick<OrderRow, "id" | "chainId" | "buyerAccountId" | "escrowContract" | "escrowId">;

/** Money at the deposit address of an order. */
export type Deposit = {
  row: DepositOrder;
  /** whether the order's escrow exists */
  created: boolean;
  /** base units of the order's token */
  balance: bigint;
  /** the database's time before the balance was read */
  lookedAt: string;
};

/**
 * Finds the call that the contract opens to anyone for a deposit; null for none. An amount in time creates the escrow. Money
 * that is late, double or in excess goes back to the buyer. Anyone can return an amount below the service's minimum; the
 * service leaves it.
 *
 * @param now the chain's time as indexed, in unix seconds
 */
export function findDepositCall(
  chain: Pick<Chain, "min_relay_amount">,
  { row, created, balance }: Deposit,
  now: bigint,
): Call | null {
  if (balance < chain.min_relay_amount) return null;
  const inTime = now <= BigInt(row.fundBy);
  const escrow = { escrowContract: getAddress(row.escrowContract), terms: termsOf(row) };
  if (!created && inTime && balance >= row.amount) return createEscrowFromDepositCall(escrow);
  return created || !inTime ? returnDepositCall(escrow) : null;
}

/**
 * Queues what `findDepositCall` found, on the budget of the buyer's account.
 *
 * @returns false where it is on its way, was done since the balance was read, or failed a moment ago
 * @throws BudgetSpentError where the budget has no room for one more
 */
export async function queueDepositCall(
  tx: Transaction,
  { row, created, lookedAt }: Deposit,
  call: Call,
  budget: RelayBudget,
): Promise<boolean> {
  await lockOrder(tx, row.id);
  const creates = call.function === "createEscrowFromDeposit";
  const current = creates ? await readCurrentPayment(tx, row.id) : null;
  // A payment on its way uses what is there.
  if (current && current.relay?.status !== "failed") return false;
  const prefix = `${row.escrowId}:${call.function}:`;
  const earlier = await tx
    .select({
      status: relay.status,
      resting: sql<boolean>`${relay.updatedAt} > now() - ${restAfterFailure}`,
      since: sql<boolean>`${relay.updatedAt} > ${lookedAt}::timestamptz`,
    })
    .from(relay)
    .where(and(eq(relay.orderId, row.id), like(relay.intent, `${prefix}%`)));
  if (earlier.some(({ status }) => status === "queued" || status === "signed")) return false;
  if (earlier.some(({ status, resting }) => resting && status === "failed")) return false;
  // A call that was mined since has taken this money. An escrow is created once, even if the index does not have it yet.
  if (earlier.some(({ status, since }) => status === "mined" && (creates || since))) return false;
  await queueRelay(
    tx,
    {
      // One that failed is tried again under its own number.
      intent: `${prefix}${earlier.filter(({ status }) => status === "mined").length + 1}`,
      chainId: row.chainId,
      orderId: row.id,
      to: call.to,
      data: call.data,
      gasBound: gasBounds.deposit,
      accountId: row.buyerAccountId,
      forFunded: created,
    },
    budget,
  );
  return true;
}
