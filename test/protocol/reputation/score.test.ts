import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Outcome } from "../../../protocol/reputation/public-outcome.ts";
import {
  type CounterpartySums,
  scoreOf,
  splitValue,
  sumCounterparties,
  weightOf,
} from "../../../protocol/reputation/score.ts";
import { anyCounterparties, anyOutcomes, at, makeOutcome, start } from "../../harness/reputation/outcomes.ts";

const now = new Date(at(800));
type Facts = Parameters<typeof sumCounterparties>[1];
const score = (outcomes: readonly Outcome[], facts: Facts = [], asOf = now) =>
  scoreOf(sumCounterparties(outcomes, facts), asOf);

/** A counterparty of full weight: 64 tokens released, an old wallet that paid four others. */
function fullParty(number: number, sums: Partial<CounterpartySums> = {}): CounterpartySums {
  const then = new Date(at(number * 7));
  return {
    counterparty: `c${number + 1}`,
    good: 64_000_000n,
    bad: 0n,
    first_funded_at: then,
    first_good_at: then,
    last_good_at: then,
    first_bad_at: null,
    last_bad_at: null,
    wallet_since: new Date(at(-90)),
    other_providers: 4,
    ...sums,
  };
}
const neverGood = { first_good_at: null, last_good_at: null };
const fullParties = (count: number) => Array.from({ length: count }, (_, number) => fullParty(number));

describe("the verdict on an order", () => {
  const worth = (deal: Partial<Parameters<typeof makeOutcome>[0]>) => {
    const { good, bad } = splitValue(makeOutcome({ number: 1, tokens: 4, ...deal }));
    return [Number(good) / 1e6, Number(bad) / 1e6];
  };

  test.each([
    ["on time", {}, [4, 0]],
    ["delivered late", { delivered: 2, settled: 3 }, [3, 1]],
    ["released before the deadline without a delivery", { delivered: null, settled: 0.5 }, [4, 0]],
    ["released after the deadline without a delivery", { delivered: null, settled: 2 }, [3, 1]],
    ["refunded", { ended: "refunded", delivered: null, settled: 2 }, [0, 4]],
    ["split", { ended: "split", dispute: "split", released: 1 }, [1, 3]],
    ["metered, with a rest that was not used", { ended: "metered", released: 1 }, [1, 0]],
    [
      "a session, whose rest was returned late",
      { ended: "metered", released: 4, delivered: null, settled: 3 },
      [4, 0],
    ],
    ["a session without a call", { ended: "metered", released: 0, delivered: null, settled: 3 }, [0, 0]],
    ["metered, and delivered late", { ended: "metered", released: 4, delivered: 2, settled: 3 }, [3, 1]],
    ["lost before the arbiter", { ended: "refunded", dispute: "buyer" }, [0, 4]],
    ["declined", { ended: "declined", delivered: null }, [0, 0]],
    ["apart", { apart: "same_party" }, [0, 0]],
  ] as const)("%s", (_, deal, expected) => {
    expect(worth(deal)).toEqual(expected);
  });

  test("of an early dispute without a decision says nothing of the provider", () => {
    const lapsed = { ended: "refunded", dispute: "lapsed", delivered: null, settled: 2 } as const;
    expect(worth({ ...lapsed, disputed_by: "buyer", disputed_at: at(0.5) })).toEqual([0, 0]);
    expect(worth({ ...lapsed, disputed_by: "buyer", disputed_at: at(1.5) })).toEqual([0, 4]);
    expect(worth({ ...lapsed, disputed_by: "provider", disputed_at: at(0.5) })).toEqual([0, 4]);
  });
});

describe("the score", () => {
  test("without orders is zero, with the widest interval", () => {
    expect(score([])).toEqual({
      formula: "earnest-score-1",
      value: 0,
      upper: 1000,
      share: null,
      evidence: 0,
    });
  });

  test.each([
    [1, 269],
    [3, 525],
    [10, 787],
    [25, 902],
    [97, 972],
  ])("of %i full counterparties of one week each is %i", (count, value) => {
    const asOf = new Date(start);
    const parties = fullParties(count).map((one) => ({ ...one, last_good_at: asOf }));
    expect(scoreOf(parties, asOf).value).toBe(value);
  });

  test("lies within its interval, and around its share", () => {
    fc.assert(
      fc.property(anyOutcomes(), anyCounterparties, (outcomes, facts) => {
        const { value, upper, share } = score(outcomes, facts);
        expect(value).toBeLessThanOrEqual(share ?? 0);
        expect(upper).toBeGreaterThanOrEqual(share ?? 0);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(upper).toBeLessThanOrEqual(1000);
      }),
    );
  });

  test("is the same in any order of outcomes", () => {
    fc.assert(
      fc.property(
        anyOutcomes().chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
        ),
        anyCounterparties,
        ([outcomes, shuffled], facts) => {
          expect(score(shuffled, facts)).toEqual(score(outcomes, facts));
        },
      ),
    );
  });

  test("ignores orders whose parties are not at arm's length", () => {
    fc.assert(
      fc.property(anyOutcomes(), anyCounterparties, (outcomes, facts) => {
        const among = outcomes.filter(({ apart }) => apart === null);
        expect(score(outcomes, facts)).toEqual(score(among, facts));
      }),
    );
  });

  test("never rises with a failure of any counterparty", () => {
    const failures = fc.record({
      party: fc.integer({ min: 1, max: 20 }),
      tokens: fc.constantFrom(0.5, 1, 64, 5000),
      day: fc.integer({ min: 703, max: 780 }),
    });
    fc.assert(
      fc.property(anyOutcomes(), anyCounterparties, failures, (outcomes, facts, { party, tokens, day }) => {
        const failed = makeOutcome({
          number: 999,
          counterparty: `c${party}`,
          tokens,
          day,
          ended: "refunded",
          delivered: null,
          settled: day + 2,
        });
        const [before, after] = [score(outcomes, facts), score([...outcomes, failed], facts)];
        expect(after.value).toBeLessThanOrEqual(before.value);
        expect(after.share ?? 0).toBeLessThanOrEqual(before.share ?? 1000);
      }),
      { numRuns: 300 },
    );
  });

  test("never falls with a good counterparty", () => {
    fc.assert(
      fc.property(
        anyOutcomes(),
        anyCounterparties,
        fc.integer({ min: 0, max: 780 }),
        (outcomes, facts, day) => {
          const good = makeOutcome({ number: 999, counterparty: "c99", day });
          expect(score([...outcomes, good], facts).value).toBeGreaterThanOrEqual(
            score(outcomes, facts).value,
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test("rises, and its interval narrows, as the same share rests on more orders", () => {
    for (const count of [1, 2, 5, 10, 50]) {
      const mixed = (parties: number) =>
        fullParties(parties).map((one, number) =>
          number % 4 === 0
            ? { ...one, good: 0n, bad: one.good, ...neverGood, first_bad_at: now, last_bad_at: now }
            : { ...one, last_good_at: now },
        );
      const [less, more] = [scoreOf(mixed(4 * count), now), scoreOf(mixed(8 * count), now)];
      expect(more.share).toBe(less.share);
      expect(more.value).toBeGreaterThan(less.value);
      expect(more.upper).toBeLessThan(less.upper);
    }
  });

  test("counts a counterparty once, however often and however much it buys", () => {
    const orders = (count: number, tokens: number) =>
      Array.from({ length: count }, (_, number) =>
        makeOutcome({ number, counterparty: "c1", tokens, day: 700 }),
      );
    const facts = [{ counterparty: "c1", wallet_since: at(0), other_providers: 9 }];
    const most = score(orders(1, 64), facts);
    expect(score(orders(500, 64), facts)).toEqual(most);
    expect(score(orders(64, 1), facts)).toEqual(most);
    expect(score(orders(1, 1_000_000_000), facts)).toEqual(most);
    expect(most.value).toBeLessThan(270);
  });

  test("counts a cheated counterparty once, however often", () => {
    const cheat = (count: number) =>
      Array.from({ length: count }, (_, number) =>
        makeOutcome({
          number,
          counterparty: "c99",
          ended: "refunded",
          delivered: null,
          settled: 2,
          day: 700,
        }),
      );
    const good = fullParties(50);
    const cheated = (count: number) => scoreOf([...good, ...sumCounterparties(cheat(count), [])], now).value;
    expect(cheated(1)).toBeLessThan(cheated(0));
    expect(cheated(100)).toBe(cheated(1));
  });

  test("stays within the bound of its weeks, whoever buys and however much", () => {
    const crowd = (weeks: number) =>
      Array.from({ length: 1000 * weeks }, (_, number) => {
        const then = new Date(at(7 * (number % weeks)));
        return fullParty(number, { first_funded_at: then, first_good_at: then, last_good_at: then });
      });
    const value = (weeks: number) => scoreOf(crowd(weeks), new Date(at(7 * weeks))).value;
    expect([1, 2, 4, 7].map(value)).toEqual([596, 747, 855, 911]);
  });

  test("lowers the weight of a week's failures only as far as that of its successes", () => {
    const crowd = Array.from({ length: 40 }, (_, number) => fullParty(0, { counterparty: `c${number}` }));
    const failedAt = (then: Date) =>
      fullParty(1, {
        counterparty: "c99",
        good: 0n,
        bad: 64_000_000n,
        first_good_at: null,
        last_good_at: null,
        first_bad_at: then,
        last_bad_at: then,
      });
    const share = (then: Date) => scoreOf([...crowd, failedAt(then)], start).share;
    expect(share(start)).toBe(975);
    expect(share(new Date(at(7)))).toBe(800);
  });
});

describe("orders of several currencies", () => {
  const sumsOf = (deals: Partial<Parameters<typeof makeOutcome>[0]>[]) =>
    sumCounterparties(
      deals.map((deal, number) => makeOutcome({ number, counterparty: "c1", ...deal })),
      [],
    )[0];

  test("weigh by their part of a full order in their own currency", () => {
    const yen = sumsOf([{ currency: "JPY", tokens: 5000 }]);
    expect(yen?.good).toBe(sumsOf([{ currency: "USD", tokens: 32 }])?.good);
    expect(sumsOf([{ currency: "JPY", tokens: 5000 }, { tokens: 32 }])?.good).toBe(64_000_000n);
  });

  test("weigh the same in each token of a currency, whatever its decimals", () => {
    const coarse = { ...makeOutcome({ number: 1 }), token_decimals: 2, amount: "6400", released: "6400" };
    expect(splitValue(coarse)).toEqual(splitValue(makeOutcome({ number: 1 })));
  });

  test("leave a worthless token out: it adds neither success nor failure, and moves no other order", () => {
    const good = makeOutcome({ number: 1 });
    const made = [2, 3, 4, 5].map((number) => makeOutcome({ number, currency: "GOLD", tokens: 1e9 }));
    expect(score(made)).toMatchObject({ value: 0, upper: 1000, share: null, evidence: 0 });
    expect(score([good, ...made])).toEqual(score([good]));
    const lost = made.map((line) => ({
      ...line,
      ended: "refunded" as const,
      released: "0",
      refunded: line.amount,
    }));
    expect(score([good, ...lost])).toEqual(score([good]));
  });
});

describe("the weight of a counterparty", () => {
  const weight = (sums: Partial<CounterpartySums>) => weightOf(fullParty(0, sums));

  test("is 1 for 64 tokens of a wallet that was used for 90 days and paid four others", () => {
    expect(weight({})).toBe(1_000_000);
    expect(weight({ good: 10n ** 30n, wallet_since: new Date(at(-4000)), other_providers: 1000 })).toBe(
      1_000_000,
    );
  });

  test.each([
    ["of one token", { good: 1_000_000n }, 166_048],
    ["of a wallet that is new", { wallet_since: new Date(at(0)) }, 200_000],
    ["of a wallet whose age nobody knows", { wallet_since: null }, 200_000],
    ["of one that paid nobody else", { other_providers: 0 }, 200_000],
    ["of a new wallet that paid nobody else", { wallet_since: new Date(at(1)), other_providers: 0 }, 40_000],
    ["of nothing good", { good: 0n }, 0],
  ])("%s", (_, sums, expected) => {
    expect(weight(sums)).toBe(expected);
  });

  test("halves in a year", () => {
    const parties = fullParties(200).map((one) => ({ ...one, last_good_at: new Date(at(0)) }));
    const [fresh, old] = [scoreOf(parties, new Date(at(0))), scoreOf(parties, new Date(at(365)))];
    expect(old.evidence * 2).toBe(fresh.evidence);
  });
});
