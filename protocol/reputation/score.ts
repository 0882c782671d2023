import * as z from "zod";
import { type Counterparty, dueAt, type Outcome } from "./public-outcome.ts";

/** The name of the formula, which changes with the formula. docs/reputation.md describes it. */
export const formula = "earnest-score-1";

const points = z.int().min(0).max(1000);

/** An agent's score: an interval for the share of good orders at arm's length. */
export const scoreSchema = z.strictObject({
  formula: z.literal(formula),
  value: points.describe("the lower end of the interval, in points, by which agents are sorted"),
  upper: points.describe("the interval's upper end"),
  share: points
    .nullable()
    .describe("the share of the evidence that is positive, in thousandths; null without evidence"),
  evidence: z.int().nonnegative().describe("the amount of evidence, in thousandths of one full counterparty"),
});
export type Score = z.infer<typeof scoreSchema>;

/** The formula's inputs for one counterparty, from its outcomes at arm's length. */
export type CounterpartySums = {
  counterparty: string;
  /** the good value, in millionths of one part of 64 of a full size */
  good: bigint;
  /** the bad value, in the same unit */
  bad: bigint;
  /** the first funding of any outcome */
  first_funded_at: Date;
  /** the first and last settlement of an outcome with good value, and of one with bad value */
  first_good_at: Date | null;
  last_good_at: Date | null;
  first_bad_at: Date | null;
  last_bad_at: Date | null;
  wallet_since: Date | null;
  other_providers: number;
};

/** The most counterparties that count, which bounds the computation of a score. */
export const mostCounted = 5000;
/** The most evidence of one week's new counterparties, in millionths. */
const mostOfWeek = 4_000_000;
const day = 86_400_000;
const week = 7 * day;
/** The quantile of the normal distribution: of 100 intervals, 90 contain the share and 95 do not lie above it. */
const deviations = 1.645;

/**
 * The full size of each currency, in whole units: about 64 US dollars, fixed by the formula. Amounts of unlike currencies
 * are not added: each is divided by the full size of its own. A currency without a size adds nothing to a score, because
 * nobody can say what its unit is worth.
 */
export const fullSizes: ReadonlyMap<string, bigint> = new Map([
  ["USD", 64n],
  ["EUR", 64n],
  ["GBP", 64n],
  ["CHF", 64n],
  ["CAD", 90n],
  ["SGD", 90n],
  ["AUD", 100n],
  ["BRL", 350n],
  ["MXN", 1200n],
  ["JPY", 10_000n],
]);

/** The parts of a full size, as many as it has US dollars. */
export const partsOfFull = 64n;

/** Converts base units to millionths of one part of the currency's full size, rounded down. */
function sizedOf(baseUnits: string, { currency, token_decimals }: Outcome): bigint {
  const full = fullSizes.get(currency);
  if (full === undefined) return 0n;
  return (BigInt(baseUnits) * partsOfFull * 1_000_000n) / (full * 10n ** BigInt(token_decimals));
}

/**
 * Splits an outcome into good and bad value, in parts of a full size. Both are zero if the parties are not at arm's
 * length, or the provider declined. They are zero, too, if the buyer's own early dispute prevented a decline and nobody
 * decided it.
 */
export function splitValue(outcome: Outcome): { good: bigint; bad: bigint } {
  if (outcome.apart !== null || outcome.ended === "declined" || isUndecided(outcome)) {
    return { good: 0n, bad: 0n };
  }
  const released = sizedOf(outcome.released, outcome);
  // The rest of a metered order was not used, so it says nothing of the provider.
  const refunded = outcome.ended === "metered" ? 0n : sizedOf(outcome.refunded, outcome);
  const good = isLate(outcome) ? (released * 3n) / 4n : released;
  return { good, bad: released - good + refunded };
}

/**
 * Whether the whole work came late. An order without a delivery is late only after the deadline, because a buyer may release
 * earlier. A session has no delivery and is never late: its calls are answered at once.
 */
function isLate(outcome: Outcome): boolean {
  const { ended, delivered_at, settled_at } = outcome;
  if (ended !== "released" && (ended !== "metered" || delivered_at === null)) return false;
  return Date.parse(delivered_at ?? settled_at) > dueAt(outcome);
}

function isUndecided(outcome: Outcome): boolean {
  const { ended, dispute, disputed_by, disputed_at } = outcome;
  if (ended !== "refunded" || dispute !== "lapsed" || disputed_by !== "buyer" || !disputed_at) return false;
  return Date.parse(disputed_at) <= dueAt(outcome);
}

/**
 * Sums outcomes by counterparty.
 *
 * @param counterparties further facts about counterparties; missing ones have none
 */
export function sumCounterparties(
  outcomes: readonly Outcome[],
  counterparties: readonly Pick<Counterparty, "counterparty" | "wallet_since" | "other_providers">[],
): CounterpartySums[] {
  const known = new Map(counterparties.map((one) => [one.counterparty, one]));
  const parties = Map.groupBy(
    outcomes.filter(({ apart }) => apart === null),
    ({ counterparty }) => counterparty,
  );
  return [...parties].map(([counterparty, own]) => {
    const values = own.map((outcome) => ({ ...splitValue(outcome), at: Date.parse(outcome.settled_at) }));
    const goodAt = values.flatMap(({ good, at }) => (good > 0n ? [at] : []));
    const badAt = values.flatMap(({ bad, at }) => (bad > 0n ? [at] : []));
    const since = known.get(counterparty)?.wallet_since ?? null;
    return {
      counterparty,
      good: values.reduce((sum, { good }) => sum + good, 0n),
      bad: values.reduce((sum, { bad }) => sum + bad, 0n),
      first_funded_at: new Date(
        own.reduce((first, one) => Math.min(first, Date.parse(one.funded_at)), Infinity),
      ),
      first_good_at: goodAt.length > 0 ? new Date(goodAt.reduce((a, b) => Math.min(a, b))) : null,
      last_good_at: goodAt.length > 0 ? new Date(goodAt.reduce((a, b) => Math.max(a, b))) : null,
      first_bad_at: badAt.length > 0 ? new Date(badAt.reduce((a, b) => Math.min(a, b))) : null,
      last_bad_at: badAt.length > 0 ? new Date(badAt.reduce((a, b) => Math.max(a, b))) : null,
      wallet_since: since === null ? null : new Date(since),
      other_providers: known.get(counterparty)?.other_providers ?? 0,
    };
  });
}

/**
 * Selects the counterparties that count: first those with the most bad value, then those with the most good value. So
 * nobody displaces a failure by buying from himself.
 */
export function countedOf(parties: readonly CounterpartySums[]): CounterpartySums[] {
  const descending = (a: bigint, b: bigint) => (a === b ? 0 : a > b ? -1 : 1);
  const numberOf = ({ counterparty }: CounterpartySums) => Number(counterparty.slice(1));
  return parties
    .toSorted((a, b) => descending(a.bad, b.bad) || descending(a.good, b.good) || numberOf(a) - numberOf(b))
    .slice(0, mostCounted);
}

/** Computes the weight of a counterparty's good orders, in millionths: `weight` of its public line. */
export function weightOf(sums: CounterpartySums): number {
  return millionths(sizeOf(sums.good) * ageOf(sums) * diversityOf(sums));
}

/**
 * Returns the score of counterparties' sums, in any order, as of a moment. `countedOf` picks those that count of very many.
 *
 * @param asOf settlements weigh half as much for each 365 days before it
 */
export function scoreOf(parties: readonly CounterpartySums[], asOf: Date): Score {
  const weeks = new Map<number, { well: number; wrong: number }>();
  const weekOf = (at: Date) => {
    const number = Math.floor(at.getTime() / week);
    const sums = weeks.get(number) ?? { well: 0, wrong: 0 };
    weeks.set(number, sums);
    return sums;
  };
  for (const sums of countedOf(parties)) {
    const { good, bad, first_good_at, last_good_at, first_bad_at, last_bad_at } = sums;
    // Both numbers are exact below 2^53. Above it, their ratio is precise enough.
    const share = good + bad === 0n ? 0 : Number(good) / Number(good + bad);
    if (first_good_at && last_good_at) {
      const success = (weightOf(sums) / 1e6) * recencyOf(last_good_at, asOf) * share;
      weekOf(first_good_at).well += millionths(success);
    }
    if (first_bad_at && last_bad_at) {
      weekOf(first_bad_at).wrong += millionths(sizeOf(bad) * recencyOf(last_bad_at, asOf) * (1 - share));
    }
  }
  let [successes, failures] = [0, 0];
  for (const { well, wrong } of weeks.values()) {
    const counted = Math.min(1, mostOfWeek / well);
    successes += millionths((well / 1e6) * counted);
    // If a week's crowd counts less, its failures count less, too: among many orders, some fail.
    failures += millionths((wrong / 1e6) * counted);
  }
  return present(successes / 1e6, failures / 1e6);
}

function present(successes: number, failures: number): Score {
  const evidence = successes + failures;
  if (evidence === 0) return { formula, value: 0, upper: 1000, share: null, evidence: 0 };
  const share = successes / evidence;
  const { lower, upper } = wilson(share, evidence);
  return {
    formula,
    value: Math.floor(round(1000 * lower)),
    upper: Math.ceil(round(1000 * upper)),
    share: Math.floor(round(1000 * share)),
    evidence: Math.floor(round(1000 * evidence)),
  };
}

/** Computes Wilson's interval of a share with an amount of evidence, which may be fractional. */
function wilson(share: number, evidence: number): { lower: number; upper: number } {
  const z2 = deviations ** 2;
  const middle = share + z2 / (2 * evidence);
  const reach = deviations * Math.sqrt((share * (1 - share)) / evidence + z2 / (4 * evidence ** 2));
  const whole = 1 + z2 / evidence;
  return { lower: Math.max(0, (middle - reach) / whole), upper: Math.min(1, (middle + reach) / whole) };
}

/** Grows from 0 to 1 at a full size, the maximum. */
function sizeOf(value: bigint): number {
  return Math.min(1, Math.log2(1 + Number(value) / 1e6) / Math.log2(65));
}

/**
 * Grows from 0.2 for a new wallet to 1 for a wallet in use for 90 days before the counterparty's first order. A
 * wallet of unknown age counts as new, because anybody can create unused wallets.
 */
function ageOf({ wallet_since, first_funded_at }: CounterpartySums): number {
  const days = wallet_since === null ? 0 : (first_funded_at.getTime() - wallet_since.getTime()) / day;
  return 0.2 + 0.8 * Math.min(1, Math.max(0, days) / 90);
}

/** Grows from 0.2 for a wallet that paid nobody else to 1 for one that paid four others. */
function diversityOf({ other_providers }: CounterpartySums): number {
  return (1 + Math.min(other_providers, 4)) / 5;
}

function recencyOf(settledAt: Date, asOf: Date): number {
  return 2 ** (-Math.max(0, asOf.getTime() - settledAt.getTime()) / (365 * day));
}

/** Rounds to millionths, because languages compute the last bits of a logarithm differently. */
function millionths(value: number): number {
  return Math.round(value * 1e6);
}

/** Removes errors in the last bits, which could round a whole number down or up by one. */
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
