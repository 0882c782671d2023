import type { Address } from "viem";
import type { Transaction } from "../../db/client.ts";
import { lockOrder } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import type { Caller, Context } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { leastRelayed } from "../services/payment-token.ts";
import { BudgetSpentError, type RelayBudget } from "./gas-budget.ts";
import { findRelay, type NewRelay, queueRelay, type RelayRow, readPauseAfterRevert } from "./relay-queue.ts";

type Call = Pick<NewRelay, "key" | "to" | "data" | "gasBound" | "signer">;

/**
 * A call that a party signed. A call has no signer if it runs no party's code, or the code of both parties: its revert is nobody's
 * fault. It waits for the caller's own reverts on the order alone.
 */
export type PartyCall = Call & { signer: Address | undefined };

type RelayContext = Pick<Context, "chain" | "config" | "log">;
type CalledOrder = Pick<OrderRow, "id" | "chainId" | "fundedAt"> & PaidAmount;
/** The amount of an order, with its token. An order has both, so the minimum also holds for a token without a manifest. */
type PaidAmount = Pick<OrderRow, "chainId" | "tokenSymbol" | "tokenDecimals" | "amount">;

/**
 * Queues a call that a party signed, on the account's gas budget. A repeated relay key returns the existing relay, at
 * no cost; see `queueRelay`.
 *
 * @param tx a transaction; a refusal leaves nothing queued
 * @throws Refusal `rate_limited` if a gas budget is used up, or a call of this wallet reverted lately;
 *   `invalid_state` if the order is below the minimum for free relays
 */
export async function queuePartyRelay(
  context: RelayContext,
  tx: Transaction,
  caller: Caller,
  row: CalledOrder,
  call: PartyCall,
): Promise<RelayRow> {
  const existing = await findRelay(tx, call.key);
  if (existing && existing.status !== "failed") return existing;
  const refusal = whyNotRelayed(context, row);
  if (refusal) throw new Refusal("invalid_state", refusal);
  // Every transaction locks the order before the budget. Another order of locks could deadlock.
  await lockOrder(tx, row.id);
  const resting = await findRefusalAfterRevert(tx, caller, row, call.signer);
  if (resting) throw resting;
  return queueCheckedRelay(context, tx, caller, row, call);
}

/** Queues a call in a transaction that holds the order's lock and has called `whyNotRelayed` and `findRefusalAfterRevert`. */
export async function queueCheckedRelay(
  context: RelayContext,
  tx: Transaction,
  { accountId }: Caller,
  row: CalledOrder,
  call: Call,
): Promise<RelayRow> {
  const { chainId, id: orderId, fundedAt } = row;
  const relay = { ...call, chainId, orderId, accountId, forFunded: fundedAt !== null };
  return queueRelay(tx, relay, budgetOf(context, row)).catch(refuseSpent(context, row));
}

/**
 * Queues a wallet's call that belongs to no order, on the account's budget. It counts as a call without a funded order.
 *
 * @throws Refusal `rate_limited` as `queuePartyRelay`
 */
export async function queueWalletRelay(
  context: RelayContext,
  tx: Transaction,
  { accountId }: Caller,
  chainId: number,
  call: PartyCall & { signer: Address },
): Promise<RelayRow> {
  const existing = await findRelay(tx, call.key);
  if (existing && existing.status !== "failed") return existing;
  const { signer } = call;
  const seconds = await readPauseAfterRevert(tx, { chainId, signer, orderId: null, accountId });
  if (seconds !== null) throw refuseAfterRevert(signer, seconds);
  const relay = { ...call, chainId, orderId: null, accountId, forFunded: false };
  return queueRelay(tx, relay, budgetOf(context, { chainId })).catch(refuseSpent(context, { chainId }));
}

function budgetOf({ config, chain }: RelayContext, { chainId }: Pick<CalledOrder, "chainId">): RelayBudget {
  const gasPerHourOfAll = chain(chainId)?.chain.relay_gas_per_hour;
  return { gasPerHour: config.relayGasPerHour, ...(gasPerHourOfAll ? { gasPerHourOfAll } : {}) };
}

/** The message for each used-up budget. */
const spentBudgets: Record<BudgetSpentError["budget"], string> = {
  account: "Your account's gas budget for relayed calls is used up for this hour.",
  all: "The service's gas budget on this chain is used up for this hour.",
  network:
    "The service's gas budget for unfunded orders of your network on this chain is used up for this hour.",
  unfunded: "The service's gas budget for unfunded orders on this chain is used up for this hour.",
};

function refuseSpent({ log }: RelayContext, { chainId }: Pick<CalledOrder, "chainId">) {
  return (error: unknown): never => {
    if (!(error instanceof BudgetSpentError)) throw error;
    const { budget, retryAfter } = error;
    if (budget === "all" || budget === "unfunded")
      log.error({ chain_id: chainId, alert: "relay_gas_used_up" }, error.message);
    const message = `${spentBudgets[budget]} Try again in ${retryAfter} seconds, or send the call from a wallet of your own.`;
    throw new Refusal("rate_limited", message, undefined, retryAfter);
  };
}

/**
 * Returns the refusal of a wallet's call after a recent revert of this wallet, or of the caller on this order; else null.
 *
 * @param signer undefined for a call without one: then another wallet's reverts do not count
 */
export async function findRefusalAfterRevert(
  tx: Transaction,
  { accountId }: Caller,
  { id, chainId }: Pick<OrderRow, "id" | "chainId">,
  signer: Address | undefined,
): Promise<Refusal | null> {
  const seconds = await readPauseAfterRevert(tx, { chainId, signer: signer ?? null, orderId: id, accountId });
  return seconds === null ? null : refuseAfterRevert(signer, seconds);
}

function refuseAfterRevert(signer: Address | undefined, seconds: number): Refusal {
  const [what, whose] = signer
    ? [`A call that ${signer} signed, or that you requested for this order,`, "of this wallet"]
    : ["A call that you requested for this order", "of yours on this order"];
  const message = `${what} reverted at the service's cost. The service relays no call ${whose} for ${seconds} seconds. Try again then, or send the call from a wallet of your own.`;
  return new Refusal("rate_limited", message, undefined, seconds);
}

/** Explains why the service does not pay the gas of an order's calls; null if it does. */
export function whyNotRelayed(
  context: Pick<Context, "chain">,
  { chainId, tokenSymbol, tokenDecimals, amount }: PaidAmount,
): string | null {
  const chain = context.chain(chainId)?.chain;
  if (!chain) return null;
  const least = leastRelayed(chain, { decimals: tokenDecimals });
  if (amount >= least) return null;
  const shown = formatAmount(least, tokenDecimals);
  return `The service pays the gas for orders of ${shown} ${tokenSymbol} and more. Send the call from a wallet of your own.`;
}
