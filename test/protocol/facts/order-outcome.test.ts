import { describe, expect, test } from "vitest";
import type { Fact, FactType } from "../../../protocol/facts/fact.ts";
import { foldOutcome } from "../../../protocol/facts/order-outcome.ts";

const hour = 3_600_000;
const start = Date.parse("2026-01-01T00:00:00Z");
const at = (hours: number) => new Date(start + hours * hour);
const order = { amount: 100n, deliveryWindow: 24 * 3600 };

type Step = [type: FactType, hours: number, data?: Record<string, unknown>];
const funded: Step = ["order.funded", 0, { payer: "0xAb", amount_base_units: "100" }];
const released = (hours: number, amount = 100): Step => [
  "order.released",
  hours,
  { amount_base_units: `${amount}` },
];
const refunded = (hours: number, amount = 100): Step => [
  "order.refunded",
  hours,
  { amount_base_units: `${amount}` },
];
const disputed: Step = ["order.disputed", 2, { party: "buyer" }];
const decided: Step = ["order.dispute_decided", 3];

/** A ledger of steps with the hour of each; each was recorded a minute later. */
function ledger(...steps: Step[]): (Fact & { recordedAt: Date })[] {
  return steps.map(([type, hours, data = {}], seq) => ({
    id: `${type}-${seq}`,
    seq,
    type,
    occurredAt: at(hours),
    recordedAt: new Date(at(hours).getTime() + 60_000),
    data,
  }));
}
const fold = (...steps: Step[]) => foldOutcome(ledger(...steps), order);

describe("an outcome", () => {
  test.each<[string, Step[], Record<string, unknown>]>([
    ["released", [funded, released(5)], { ended: "released", dispute: null, released: 100n, refunded: 0n }],
    ["declined by the provider before the deadline", [funded, refunded(24)], { ended: "declined" }],
    ["refunded after the deadline", [funded, refunded(24.01)], { ended: "refunded", dispute: null }],
    [
      "decided for the buyer, which is no decline, however early",
      [funded, disputed, decided, refunded(4)],
      { ended: "refunded", dispute: "buyer", disputedBy: "buyer", disputedAt: at(2) },
    ],
    [
      "decided for the provider",
      [funded, disputed, decided, released(4)],
      { ended: "released", dispute: "provider" },
    ],
    [
      "split",
      [funded, disputed, decided, released(4, 60), refunded(4, 40)],
      { ended: "split", dispute: "split", released: 60n, refunded: 40n },
    ],
    ["of a dispute that nobody decided", [funded, disputed, refunded(30)], { dispute: "lapsed" }],
  ])("is %s", (_, steps, expected) => {
    expect(fold(...steps)).toMatchObject(expected);
  });

  test.each([
    ["per_call", "metered"],
    ["fixed", "released"],
  ])("of %s, whose vouchers paid the whole balance without a delivery, is %s", (pricingModel, ended) => {
    const work_hash = `0x${"11".repeat(32)}`;
    const part: Step = ["order.part_released", 3, { amount_base_units: "100", work_hash }];
    const steps = ledger(funded, part, released(3));
    expect(foldOutcome(steps, { ...order, pricingModel })).toMatchObject({ ended, deliveredAt: null });
  });

  test.each([
    ["of a session without a call is metered, also after the deadline", "per_call", "metered"],
    ["of another order is refunded after the deadline", "fixed", "refunded"],
  ])("%s", (_, pricingModel, ended) => {
    expect(foldOutcome(ledger(funded, refunded(30)), { ...order, pricingModel })).toMatchObject({ ended });
  });

  test("shows who funded it, when it was settled, and when the ledger recorded it", () => {
    expect(fold(funded, released(5))).toMatchObject({
      payer: "0xab",
      fundedAt: at(0),
      settledAt: at(5),
      recordedAt: new Date(at(5).getTime() + 60_000),
    });
  });

  test.each<[string, Step[]]>([
    ["that is not settled", [funded, disputed]],
    ["half of whose split stands", [funded, disputed, decided, released(4, 60)]],
    ["whose funding does not stand", [released(5)]],
    [
      "whose release left the chain",
      [funded, released(5), ["fact.reverted", 6, { fact_id: "order.released-1" }]],
    ],
  ])("does not exist for an order %s", (_, steps) => {
    expect(fold(...steps)).toBeNull();
  });

  test("counts a release once, although it left the chain and came back", () => {
    const gone: Step = ["fact.reverted", 6, { fact_id: "order.released-1" }];
    expect(fold(funded, released(5), gone, released(7))).toMatchObject({ released: 100n, settledAt: at(7) });
  });
});

describe("the time of a delivery", () => {
  const delivered = (hours: number, output: string): Step => [
    "order.delivered",
    hours,
    { output_hash: output },
  ];
  const recorded = (hours: number, output: string): Step => [
    "delivery.recorded",
    hours,
    { output_hash: output },
  ];

  test.each<[string, number | null, Step[]]>([
    ["null where nothing was delivered", null, [recorded(1, "A")]],
    ["the delivery's, without a record", 3, [delivered(3, "A"), delivered(5, "B")]],
    [
      "the record's that matches",
      4,
      [delivered(3, "A"), recorded(4, "A"), delivered(5, "B"), recorded(6, "B")],
    ],
    ["the first delivery's where no record matches", 3, [recorded(2, "B"), delivered(3, "A")]],
    ["the delivery's that came after a record of it", 5, [recorded(2, "A"), delivered(5, "A")]],
  ])("is %s", (_, hours, steps) => {
    const outcome = fold(funded, ...steps, released(30));
    expect(outcome?.deliveredAt).toEqual(hours === null ? null : at(hours));
  });
});
