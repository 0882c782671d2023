import type { Address } from "viem";
import type { Transaction } from "../../db/client.ts";
import { lockOrder } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import type { Caller, Context } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { BudgetSpentError, type RelayBudget } from "./gas-budget.ts";
import { findRelay, type NewRelay, queueRelay, type RelayRow, readRestAfterRevert } from "./relay-queue.ts";

type Call = Pick<NewRelay, "intent" | "to" | "data" | "gasBound" | "signer">;

/** A call that a party signed. */
export type PartyCall = Call & { signer: Address };

type RelayContext = Pick<Context, "chain" | "config" | "log">;
type CalledOrder = Pick<OrderRow, "id" | "chainId" | "amount" | "fundedAt">;

/**
 * Queues an order's call that a party signed, on the account's budget. The same intent again gives the relay that
 * stands, at no cost; see `queueRelay`.
 *
 * @param tx the transaction of whatever belongs to it; a refusal leaves nothing queued
 * @throws Refusal `rate_limited` when the account's gas of the hour is used up, or that of all together, or a call of this
 *   wallet's was mined for nothing lately; `invalid_state` when the order is too small to be relayed for free
 */
export async function queuePartyRelay(
  context: RelayContext,
  tx: Transaction,
  caller: Caller,
  row: CalledOrder,
  call: PartyCall,
): Promise<RelayRow> {
  const existing = await findRelay(tx, call.intent);
  if (existing && existing.status !== "failed") return existing;
  const refusal = refuseFreeRelay(context, row);
  if (refusal) throw new Refusal("invalid_state", refusal);
  // The order is locked before the budget, as everywhere. The other way round, two transactions could deadlock.
  await lockOrder(tx, row.id);
  const resting = await findResting(tx, caller, row, call.signer);
  if (resting) throw resting;
  return queueCheckedRelay(context, tx, caller, row, call);
}

/** The same, in a transaction that holds the order's lock and has asked `refuseFreeRelay` and `findResting`. */
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

function budgetOf({ config, chain }: RelayContext, { chainId }: CalledOrder): RelayBudget {
  const gasPerHourOfAll = chain(chainId)?.chain.relay_gas_per_hour;
  return { gasPerHour: config.relayGasPerHour, ...(gasPerHourOfAll ? { gasPerHourOfAll } : {}) };
}

/** The message for each used-up budget. */
const spentBudgets: Record<BudgetSpentError["budget"], string> = {
  account: "Your account's gas for relayed calls is used up for this hour.",
  all: "The gas that the service pays for on this chain within an hour is used up.",
  network:
    "The gas that the service pays for orders without money from your network on this chain within an hour is used up.",
  unfunded: "The gas that the service pays for orders without money on this chain within an hour is used up.",
};

function refuseSpent({ log }: RelayContext, { chainId }: CalledOrder) {
  return (error: unknown): never => {
    if (!(error instanceof BudgetSpentError)) throw error;
    const { budget, retryAfter } = error;
    if (budget === "all" || budget === "unfunded")
      log.error({ chain_id: chainId, alert: "relay_gas_used_up" }, error.message);
    const message = `${spentBudgets[budget]} Try again in ${retryAfter} seconds, or send the call from a wallet of your own.`;
    throw new Refusal("rate_limited", message, undefined, retryAfter);
  };
}

/** The refusal of a wallet's call, where one of its, or of the caller's on this order, was mined for nothing lately; else null. */
export async function findResting(
  tx: Transaction,
  { accountId }: Caller,
  { id, chainId }: Pick<OrderRow, "id" | "chainId">,
  signer: Address,
): Promise<Refusal | null> {
  const seconds = await readRestAfterRevert(tx, { chainId, signer, orderId: id, accountId });
  return seconds === null ? null : refuseAfterRevert(signer, seconds);
}

function refuseAfterRevert(signer: Address, seconds: number): Refusal {
  const message = `A call signed by ${signer}, or asked for by you on this order, was mined and did nothing, at the service's cost. Calls of this wallet are not relayed for ${seconds} seconds. Try again then, or send the call from a wallet of your own.`;
  return new Refusal("rate_limited", message, undefined, seconds);
}

/** Why the service does not pay the gas of an order's calls, as a sentence; null when it does. */
export function refuseFreeRelay(
  context: Pick<Context, "chain">,
  row: Pick<OrderRow, "chainId" | "amount">,
): string | null {
  const chain = context.chain(row.chainId)?.chain;
  if (!chain || row.amount >= chain.min_relay_amount) return null;
  const { decimals, symbol } = chain.token;
  return `The service pays the gas for orders of ${formatAmount(chain.min_relay_amount, decimals)} ${symbol} and more. Send the call from a wallet of your own.`;
}
