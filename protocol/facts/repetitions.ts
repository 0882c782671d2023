import { getAddress, type Hex } from "viem";
import { z } from "zod";
import { formatAmount } from "../settlement/money.ts";
import { hashPattern, lowerAddressPattern } from "../settlement/shapes.ts";
import { chainFactOf, type OrderOfEvent } from "./chain-facts.ts";
import { presentPending, type TrailEntry } from "./order-trail.ts";

/**
 * The number of repetitions of one chain event that have entries of their own. Further ones, which cost only gas, share
 * one trail entry with a count. `src/escrow.ts` has the same number.
 */
export const keptRepetitions = 16;

/** A row of the indexer's `escrow_tally`. */
export type RepetitionTally = {
  chainId: number;
  escrowId: Hex;
  name: string;
  times: number;
  amount: bigint;
  first: Record<string, unknown>[];
  last: Record<string, unknown>;
};

const whole = z.string().regex(/^\d+$/).transform(BigInt);
const hash = z.custom<Hex>((value) => hashPattern.test(String(value)));
const occurrenceSchema = z.object({
  args: z.record(z.string(), z.unknown()),
  blockNumber: whole,
  blockHash: hash,
  transactionHash: hash,
  logIndex: z.int(),
  timestamp: whole,
});
const addressText = z.string().regex(lowerAddressPattern);
const returnedSchema = z.object({ token: addressText, buyer: addressText, amount: whole });

/**
 * Presents an escrow's counted events as entries of the order's trail, oldest first. The first returns of its token
 * have an entry each. Further returns, and further delivery records, share one entry with `times`.
 *
 * @param confirmedBlock the newest confirmed block
 */
export function presentTallies(
  tallies: readonly RepetitionTally[],
  order: OrderOfEvent,
  confirmedBlock: bigint,
): TrailEntry[] {
  return tallies
    .flatMap((tally) =>
      tally.name === "DepositReturned"
        ? presentReturns(tally, order, confirmedBlock)
        : presentRecords(tally, order, confirmedBlock),
    )
    .sort((one, other) => one.occurred_at.localeCompare(other.occurred_at));
}

function presentReturns(tally: RepetitionTally, order: OrderOfEvent, confirmedBlock: bigint): TrailEntry[] {
  const entryOf = (occurrence: Record<string, unknown>) => {
    const { args, ...block } = occurrenceSchema.parse(occurrence);
    const { token, buyer, amount } = returnedSchema.parse(args);
    const entry = {
      ...presentPending({
        type: "deposit.returned",
        actor: "chain",
        key: `${tally.chainId}:${block.blockHash}:${block.logIndex}`,
        occurredAt: new Date(Number(block.timestamp) * 1000),
        chain: { chainId: tally.chainId, ...block },
        data: { ...amounts(amount), token: getAddress(token), recipient: getAddress(buyer) },
      }),
      confirmed: block.blockNumber <= confirmedBlock,
    };
    return { entry, amount };
  };
  const amounts = (value: bigint) => ({
    amount: formatAmount(value, order.tokenDecimals),
    amount_base_units: value.toString(),
  });
  const first = tally.first.map(entryOf);
  const entries = first.map(({ entry }) => entry);
  const times = tally.times - first.length;
  if (times <= 0) return entries;
  const { entry } = entryOf(tally.last);
  const further = first.reduce((left, { amount }) => left - amount, tally.amount);
  return [
    ...entries,
    { ...entry, id: idOf(tally), data: { ...entry.data, ...amounts(further > 0n ? further : 0n), times } },
  ];
}

function presentRecords(tally: RepetitionTally, order: OrderOfEvent, confirmedBlock: bigint): TrailEntry[] {
  const { chainId, name, times, last } = tally;
  const occurrence = occurrenceSchema.parse(last);
  const fact = chainFactOf({ id: idOf(tally), chainId, name, ...occurrence }, order);
  if (!fact) return [];
  return [
    {
      ...presentPending({ ...fact, data: { ...fact.data, times } }),
      confirmed: occurrence.blockNumber <= confirmedBlock,
    },
  ];
}

function idOf({ chainId, escrowId, name }: RepetitionTally): string {
  return `${chainId}:${escrowId}:${name}`;
}
