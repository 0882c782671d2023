import type { Address } from "viem";
import type { Transaction } from "../../db/client.ts";
import { lockOrder, type OrderRow } from "../../db/ledger.ts";
import { together } from "../../db/pipeline.ts";
import { formatAmount } from "../../settlement/money.ts";
import type { Caller, Context } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { BudgetSpentError } from "./budget.ts";
import { findRelay, type NewRelay, queueRelay, type RelayRow, readRestAfterRevert } from "./queue.ts";

/** A call that a party signed; `isNew` as of `NewRelay`, where its order's lock is held too. */
export type PartyCall = Pick<NewRelay, "intent" | "to" | "data" | "gasBound" | "isNew"> & { signer: Address };

/**
 * Queues an order's call that a party signed, on the account's budget. The same intent again gives the relay that
 * stands, at no cost; see `queueRelay`.
 *
 * @param tx the transaction of whatever belongs to it; a refusal leaves nothing queued
 * @throws Refusal `rate_limited` when the account's gas of the hour is used up, or that of all together, or a call of this
 *   wallet's was mined for nothing lately; `invalid_state` when the order is too small to be relayed for free
 */
export async function queuePartyRelay(
  context: Pick<Context, "chain" | "config" | "log">,
  tx: Transaction,
  caller: Caller,
  row: OrderRow,
  call: PartyCall,
): Promise<RelayRow> {
  const standing = call.isNew ? null : await findRelay(tx, call.intent);
  if (standing && standing.status !== "failed") return standing;
  const refusal = refuseFreeRelay(context, row);
  if (refusal) throw new Refusal("invalid_state", refusal);
  // The order before the budget, as whoever holds the order already does: the other way round two of them would stick.
  if (!call.isNew) await lockOrder(tx, row.id);
  const queued = {
    ...call,
    chainId: row.chainId,
    orderId: row.id,
    accountId: caller.accountId,
    forFunded: row.fundedAt !== null,
  };
  const gasPerHour = context.config.relayGasPerHour;
  const gasPerHourOfAll = context.chain(row.chainId)?.chain.relay_gas_per_hour;
  const budget = { gasPerHour, ...(gasPerHourOfAll ? { gasPerHourOfAll } : {}) };
  try {
    const [, relay] = await together(refuseResting(tx, queued), queueRelay(tx, queued, budget));
    return relay;
  } catch (error) {
    if (!(error instanceof BudgetSpentError)) throw error;
    if (error.whose !== "account") {
      context.log.error({ chain_id: row.chainId, alert: "relay_gas_used_up" }, error.message);
    }
    throw refuseSpent(error);
  }
}

/** What is said of a budget that is used up. */
const spentBudgets: Record<BudgetSpentError["whose"], string> = {
  account: "Your account's gas for relayed calls is used up for this hour.",
  all: "The gas that the service pays for on this chain within an hour is used up.",
  unfunded: "The gas that the service pays for orders without money on this chain within an hour is used up.",
};

function refuseSpent({ whose, retryAfter }: BudgetSpentError): Refusal {
  const message = `${spentBudgets[whose]} Try again in ${retryAfter} seconds, or send the call from a wallet of your own.`;
  return new Refusal("rate_limited", message, undefined, retryAfter);
}

async function refuseResting(
  tx: Transaction,
  call: Parameters<typeof readRestAfterRevert>[1] & { signer: Address },
): Promise<void> {
  const seconds = await readRestAfterRevert(tx, call);
  if (seconds !== null) throw refuseAfterRevert(call.signer, seconds);
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
