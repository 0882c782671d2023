import { countOtherProviders } from "../../../protocol/reputation/other-providers.ts";
import { type Score, scoreOf, sumCounterparties } from "../../../protocol/reputation/score.ts";
import { at, type Deal, makeOutcome, walletOf } from "./outcomes.ts";

/** One order of a simulated market. Wallets are numbers, and each is an account of its own. */
export type Trade = { buyer: number; provider: number; day: number } & Pick<
  Deal,
  "tokens" | "ended" | "dispute" | "delivered" | "settled"
>;

/** The day of each wallet's first use; for other wallets, the day of their first order. */
export type Ages = ReadonlyMap<number, number>;

/** Returns the score that a market's trades give a provider, as a service would compute it on a day. */
export function scoreIn(trades: readonly Trade[], ages: Ages, agent: number, day: number): Score {
  const known = trades.filter((trade) => trade.day <= day);
  const others = countOtherProviders(
    [walletOf(agent)],
    known.flatMap(({ buyer, provider, ended = "released" }) =>
      ended === "released" ? [{ wallet: walletOf(buyer), provider: walletOf(provider) }] : [],
    ),
  );
  const own = known.filter(({ provider }) => provider === agent);
  const outcomes = own.map((trade, number) =>
    makeOutcome({
      ...trade,
      number,
      counterparty: `c${trade.buyer + 1}`,
      buyer: walletOf(trade.buyer),
      provider: walletOf(agent),
    }),
  );
  const buyers = [...new Set(own.map(({ buyer }) => buyer))];
  const facts = buyers.map((buyer) => ({
    counterparty: `c${buyer + 1}`,
    wallet_since: at(ages.get(buyer) ?? firstDay(known, buyer)),
    other_providers: others([walletOf(buyer)]),
  }));
  return scoreOf(sumCounterparties(outcomes, facts), new Date(at(day + 1)));
}

function firstDay(trades: readonly Trade[], buyer: number): number {
  return trades.reduce(
    (first, trade) => (trade.buyer === buyer ? Math.min(first, trade.day) : first),
    Infinity,
  );
}

/** Pseudo-random numbers from 0 to 1, the same in each run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
