import { erc20Abi, getAddress, type PublicClient } from "viem";
import type { Chain } from "../../config/config.ts";
import type { Transaction } from "../../db/client.ts";
import { and, eq, like, sql } from "../../db/drizzle.ts";
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
import { pauseAfterFailure, queueRelay } from "../relay/relay-queue.ts";
import { isRelayedFree } from "../services/payment-token.ts";
import { readCurrentPayment } from "./payments.ts";

/** Reads the balance of an order's token at its deposit address, in base units. */
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

/** The fields of an order that its deposit calls need. */
type DepositOrder = Parameters<typeof termsOf>[0] &
  Pick<OrderRow, "id" | "chainId" | "buyerAccountId" | "escrowContract" | "escrowId" | "tokenDecimals">;

/** Money at the deposit address of an order. */
export type DepositMoney = {
  row: DepositOrder;
  /** whether the order's escrow exists */
  isEscrowCreated: boolean;
  /** base units of the order's token */
  balance: bigint;
  /** the database's time before the balance is read */
  lookedAt: string;
};

/**
 * Finds the call that moves the money at an order's deposit address; null if none is due. The contract lets anyone send
 * this call. A full amount in time creates the escrow. Money that is late, double or in excess goes back to the buyer. The
 * service does not return amounts below the chain's minimum; anyone else can.
 *
 * @param now the chain's time as indexed, in unix seconds
 */
export function findDepositCall(
  chain: Pick<Chain, "min_relay_amount" | "token">,
  { row, isEscrowCreated, balance }: DepositMoney,
  now: bigint,
): Call | null {
  if (!isRelayedFree({ chain, token: { decimals: row.tokenDecimals } }, balance)) return null;
  const inTime = now <= BigInt(row.fundBy);
  const escrow = { escrowContract: getAddress(row.escrowContract), terms: termsOf(row) };
  if (!isEscrowCreated && inTime && balance >= row.amount) return createEscrowFromDepositCall(escrow);
  return isEscrowCreated || !inTime ? returnDepositCall(escrow) : null;
}

/**
 * Queues the call that `findDepositCall` returns, on the gas budget of the buyer's account.
 *
 * @returns false if the call is pending, was mined after the balance was read, or failed recently
 * @throws BudgetSpentError if the budget has no gas left
 */
export async function queueDepositCall(
  tx: Transaction,
  { row, isEscrowCreated, lookedAt }: DepositMoney,
  call: Call,
  budget: RelayBudget,
): Promise<boolean> {
  await lockOrder(tx, row.id);
  const creates = call.function === "createEscrowFromDeposit";
  const current = creates ? await readCurrentPayment(tx, row.id) : null;
  // A pending payment uses the balance.
  if (current && current.relay?.status !== "failed") return false;
  const prefix = `${row.escrowId}:${call.function}:`;
  const earlier = await tx
    .select({
      status: relay.status,
      resting: sql<boolean>`${relay.updatedAt} > now() - ${pauseAfterFailure}`,
      since: sql<boolean>`${relay.updatedAt} > ${lookedAt}::timestamptz`,
    })
    .from(relay)
    .where(and(eq(relay.orderId, row.id), like(relay.key, `${prefix}%`)));
  if (earlier.some(({ status }) => status === "queued" || status === "signed")) return false;
  if (earlier.some(({ status, resting }) => resting && status === "failed")) return false;
  // A call that was mined since then has moved the balance. An escrow is created once, even if the index lacks it.
  if (earlier.some(({ status, since }) => status === "mined" && (creates || since))) return false;
  await queueRelay(
    tx,
    {
      // A failed call is retried under its own number.
      key: `${prefix}${earlier.filter(({ status }) => status === "mined").length + 1}`,
      chainId: row.chainId,
      orderId: row.id,
      to: call.to,
      data: call.data,
      gasBound: gasBounds.deposit,
      accountId: row.buyerAccountId,
      forFunded: isEscrowCreated,
    },
    budget,
  );
  return true;
}
