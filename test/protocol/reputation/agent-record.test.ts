import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldOutcomes, recordSchema } from "../../../protocol/reputation/agent-record.ts";
import { type Outcome, outcomeSchema, recordedUntil } from "../../../protocol/reputation/public-outcome.ts";
import { releasedVolume } from "../../../protocol/reputation/volume.ts";
import { anyOutcomes, at, makeOutcome } from "../../harness/reputation/outcomes.ts";

const now = new Date(at(800));
const ever = (outcomes: readonly Outcome[]) => foldOutcomes(outcomes, now).ever;

describe("the record", () => {
  test("without orders is all zeros, without percentiles", () => {
    expect(ever([])).toEqual({
      orders: 0,
      volume: [],
      counterparties: 0,
      repeat_counterparties: 0,
      delivered_on_time: 0,
      delivered_late: 0,
      not_delivered: 0,
      seconds_promised: { median: null, p90: null },
      seconds_taken: { median: null, p90: null },
      refunds: 0,
      declined: 0,
      disputes: { provider: 0, buyer: 0, split: 0, lapsed: 0 },
      apart: { orders: 0, volume: [] },
    });
  });

  test("counts each kind of order in its field", () => {
    const outcomes = [
      makeOutcome({ number: 1, counterparty: "c1", tokens: 10 }),
      makeOutcome({ number: 2, counterparty: "c1", tokens: 0.5, delivered: 2, settled: 3 }),
      makeOutcome({ number: 3, counterparty: "c2", ended: "refunded", delivered: null, settled: 2 }),
      makeOutcome({ number: 4, counterparty: "c3", ended: "declined", delivered: null }),
      makeOutcome({ number: 5, counterparty: "c4", ended: "split", dispute: "split", released: 1.25 }),
      makeOutcome({ number: 6, counterparty: "c5", dispute: "lapsed" }),
      makeOutcome({ number: 7, counterparty: "c6", tokens: 3, apart: "shared_wallet" }),
    ];
    const session = makeOutcome({ number: 8, ended: "metered", released: 2, delivered: null });
    expect(ever([session])).toMatchObject({ orders: 1, not_delivered: 0, delivered_on_time: 0 });
    expect(ever(outcomes)).toEqual({
      orders: 6,
      volume: [{ currency: "USD", amount: "75.75" }],
      counterparties: 5,
      repeat_counterparties: 1,
      delivered_on_time: 3,
      delivered_late: 1,
      not_delivered: 1,
      seconds_promised: { median: 86_400, p90: 86_400 },
      seconds_taken: { median: 43_200, p90: 172_800 },
      refunds: 1,
      declined: 1,
      disputes: { provider: 0, buyer: 0, split: 1, lapsed: 1 },
      apart: { orders: 1, volume: [{ currency: "USD", amount: "3" }] },
    });
  });

  test("takes the nearest rank: the median of four is the second, the 90th percentile of ten the ninth", () => {
    const taken = (hours: number[]) =>
      ever(hours.map((hour, number) => makeOutcome({ number, promised: 10, delivered: hour / 24 })))
        .seconds_taken;
    expect(taken([4, 1, 3, 2])).toEqual({ median: 7200, p90: 14_400 });
    expect(taken([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])).toEqual({ median: 18_000, p90: 32_400 });
  });

  test("of 30 and 90 days starts with settlements at the beginning of the period", () => {
    const outcomes = [769, 770, 771, 709, 710, 711].map((settled, number) =>
      makeOutcome({ number, day: settled - 1, settled }),
    );
    const record = foldOutcomes(outcomes, now);
    expect([record.ever.orders, record.days_90.orders, record.days_30.orders]).toEqual([6, 4, 1]);
  });

  test("is the same in any order of outcomes, and valid under its schema", () => {
    fc.assert(
      fc.property(
        anyOutcomes().chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
        ),
        ([outcomes, shuffled]) => {
          const record = foldOutcomes(outcomes, now);
          expect(foldOutcomes(shuffled, now)).toEqual(record);
          expect(recordSchema.parse(record)).toEqual(record);
        },
      ),
    );
  });

  test("counts an excluded order only in `apart`", () => {
    fc.assert(
      fc.property(anyOutcomes(), (outcomes) => {
        const { apart, ...rest } = ever(outcomes);
        const { apart: none, ...same } = ever(outcomes.filter(({ apart }) => apart === null));
        expect(rest).toEqual(same);
        expect(none.orders).toBe(0);
        expect(apart.orders + rest.orders).toBe(outcomes.length);
      }),
    );
  });

  test("at a moment includes what was recorded by then", () => {
    const outcomes = [makeOutcome({ number: 1, settled: 3 }), makeOutcome({ number: 2, settled: 5 })];
    expect(recordedUntil(outcomes, new Date(at(3))).map(({ order_id }) => order_id)).toEqual(["ord_1"]);
  });
});

describe("an outcome", () => {
  test("whose shares do not add up to its amount is refused", () => {
    const outcome = makeOutcome({ number: 1 });
    expect(outcomeSchema.safeParse({ ...outcome, released: "1" }).success).toBe(false);
  });
});

describe("a volume", () => {
  const released = (currency: string, token_decimals: number, amount: string): Outcome => ({
    ...makeOutcome({ number: 1, currency }),
    token_decimals,
    amount,
    released: amount,
    refunded: "0",
  });

  test("never adds unlike currencies, and adds tokens of one currency exactly at any decimals", () => {
    const outcomes = [
      released("USD", 6, "1500000"),
      released("USD", 18, "1"),
      released("JPY", 0, "70"),
      released("USD", 36, "1"),
      released("EUR", 2, "150"),
    ];
    expect(releasedVolume(outcomes)).toEqual([
      { currency: "EUR", amount: "1.5" },
      { currency: "JPY", amount: "70" },
      { currency: "USD", amount: "1.500000000000000001000000000000000001" },
    ]);
  });

  test("omits a currency in which nothing was released", () => {
    const refunded = makeOutcome({ number: 1, currency: "EUR", ended: "refunded" });
    expect(releasedVolume([refunded, released("USD", 6, "1")])).toEqual([
      { currency: "USD", amount: "0.000001" },
    ]);
  });

  test("of the greatest amounts is valid under its schema", () => {
    const most = (2n ** 128n - 1n).toString();
    const record = ever([released("USD", 0, most), released("USD", 0, most)]);
    expect(recordSchema.shape.ever.parse(record).volume).toEqual([
      { currency: "USD", amount: (2n * (2n ** 128n - 1n)).toString() },
    ]);
  });
});
