import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deliveredAtOf } from "../../../protocol/facts/delivery-record.ts";
import { findDueCall } from "../../../protocol/facts/due-settlement.ts";
import type { Fact, FactType } from "../../../protocol/facts/fact.ts";
import { foldFacts, refuseDelivery, refuseStep } from "../../../protocol/facts/lifecycle.ts";
import { foldOutcome } from "../../../protocol/facts/order-outcome.ts";
import { openStageIn, paymentOfStage } from "../../../protocol/facts/stage-facts.ts";

const at = (second: number) => new Date(Date.UTC(2030, 0, 1) + second * 1000);
const hashOf = (number: number) => `0x${String(number).padStart(64, "0")}`;
type Step = [FactType, Record<string, unknown>];

/** Facts in the order of the ledger, a second apart. */
const factsOf = (...steps: Step[]) =>
  steps.map(([type, data], index): Fact & { recordedAt: Date } => {
    return { id: `fct_${index}`, seq: index + 1, type, data, occurredAt: at(index), recordedAt: at(index) };
  });

const sums = ["100", "350", "500"];
const begun: Step[] = [
  ["order.created", { stages: ["100", "250", "150"].map((amount) => ({ amount_base_units: amount })) }],
  ["order.funded", { payer: "0xAA", delivery_deadline: at(1000).toISOString() }],
  ["order.started", {}],
];
const delivered = (stage: number, hash = hashOf(stage)): Step => [
  "order.delivered",
  {
    output_hash: hash,
    acceptance_ends_at: at(500).toISOString(),
    stage,
    earned_base_units: sums[stage - 1],
    is_final: stage === 3,
  },
];
const recorded = (earned: string, isFinal = false, hash = hashOf(1)): Step => [
  isFinal ? "delivery.recorded" : "part.recorded",
  {
    output_hash: hash,
    number: 1,
    earned_base_units: earned,
    delivered_at: at(4).toISOString(),
    [isFinal ? "auto_release_at" : "accepted_at"]: at(104).toISOString(),
  },
];
const paid = (sum: string): Step => ["order.part_released", { released_so_far_base_units: sum }];

test("an order is started again once its delivered stage is paid, and its next stage is open", () => {
  const facts = factsOf(...begun, delivered(1));
  expect(foldFacts(facts)).toMatchObject({ status: "delivered", deliveredStage: 1, acceptedStages: 0 });
  const after = factsOf(...begun, delivered(1), paid("100"));
  expect(foldFacts(after)).toMatchObject({
    status: "started",
    deliveredStage: 1,
    acceptedStages: 1,
    acceptanceEndsAt: null,
    autoReleaseAt: null,
    releaseDueAt: null,
  });
  expect(openStageIn(after)).toBe(2);
  expect(foldFacts(factsOf(...begun, delivered(1), paid("99")))).toMatchObject({ status: "delivered" });
});

test.each([
  ["between two stages", "200", 1, "started"],
  ["of a later stage", "350", 2, "started"],
  ["just below the delivered stage", "99", 0, "delivered"],
])("a voucher of the buyer's own wallet %s accepts the stages that it covers", (_, sum, accepted, status) => {
  const facts = factsOf(...begun, delivered(1), recorded("100"), paid(sum));
  expect(foldFacts(facts)).toMatchObject({ status, acceptedStages: accepted });
  expect(openStageIn(facts)).toBe(accepted + 1);
});

test("a record of the second stage before the first one is delivered is a bare claim", () => {
  const facts = factsOf(...begun, delivered(1), recorded("350", false, hashOf(2)));
  expect(foldFacts(facts)).toMatchObject({ autoReleaseAt: at(104), releaseDueAt: null });
});

test("a payment that leaves the chain opens its stage again", () => {
  const facts = factsOf(...begun, delivered(1), paid("100"), ["fact.reverted", { fact_id: "fct_4" }]);
  expect(foldFacts(facts)).toMatchObject({ status: "delivered", acceptedStages: 0 });
});

describe("a record of the first stage", () => {
  test.each([
    ["its sum", recorded("100"), true],
    ["less than its sum", recorded("99"), true],
    ["more than its sum", recorded("101"), false],
    ["its sum as the final one", recorded("100", true), false],
    ["its sum with another output", recorded("100", false, hashOf(9)), false],
  ])("that claims %s lets the service pay it: %s %s", (_, record, matches) => {
    const state = foldFacts(factsOf(...begun, delivered(1), record as Step));
    expect(state.autoReleaseAt).toEqual(at(104));
    expect(state.releaseDueAt).toEqual(matches ? at(104) : null);
  });

  test("is not paid beside a higher claim", () => {
    const facts = factsOf(...begun, delivered(1), recorded("100"), recorded("500", false, hashOf(7)));
    expect(foldFacts(facts).releaseDueAt).toBeNull();
  });
});

test("two stages with the same output are matched each by their own claim", () => {
  const same = hashOf(1);
  const second = [...begun, delivered(1), recorded("100"), paid("100"), delivered(2, same)];
  expect(foldFacts(factsOf(...second, recorded("350", false, same))).releaseDueAt).not.toBeNull();
  expect(foldFacts(factsOf(...second, recorded("351", false, same))).releaseDueAt).toBeNull();
});

test("each stage can be revised once, and delivered three times", () => {
  const revision = (stage: number): Step => ["order.revision_requested", { reason: "More.", stage }];
  const revised = [...begun, delivered(1), revision(1), delivered(1)];
  const refusalOf = (steps: Step[]) => refuseStep(foldFacts(factsOf(...steps)), "order.revision_requested");
  expect(refusalOf(revised)).toContain("only one");
  expect(refusalOf([...revised, paid("100"), delivered(2)])).toBeNull();
  const again = [...begun, delivered(1), delivered(1), delivered(1), revision(1)];
  expect(refuseDelivery(factsOf(...again), at(20))).toContain("The stage has 3 deliveries");
  expect(refuseDelivery(factsOf(...again, paid("100")), at(20))).toBeNull();
});

test("the work is delivered with its last stage, and an order that ended before is split", () => {
  expect(deliveredAtOf(factsOf(...begun, delivered(1), recorded("100")))).toBeNull();
  const whole = factsOf(...begun, delivered(3), recorded("500", true, hashOf(3)));
  expect(deliveredAtOf(whole)).toEqual(at(4));
  const ended = factsOf(
    ...begun,
    delivered(1),
    paid("100"),
    ["order.released", { amount_base_units: "100" }],
    ["order.refunded", { amount_base_units: "400" }],
  );
  expect(foldOutcome(ended, { amount: 500n, deliveryWindow: 1000 })).toMatchObject({
    ended: "split",
    deliveredAt: null,
    released: 100n,
  });
});

test("the receipt of a stage is that of the first payment that covered it", () => {
  const facts = factsOf(...begun, paid("100"), paid("400"), ["order.released", { amount_base_units: "500" }]);
  expect([1, 2, 3].map((stage) => paymentOfStage(facts, stage)?.id)).toEqual(["fct_3", "fct_4", "fct_5"]);
});

test("the service never pays a claim above the sum of the delivered stage", () => {
  const amounts = fc.bigInt({ min: 0n, max: 500n });
  const cases = fc.record({ earned: amounts, paid: amounts, sum: amounts, isDelivered: fc.boolean() });
  fc.assert(
    fc.property(cases, ({ earned, paid: paidAmount, sum, isDelivered }) => {
      const escrow = {
        status: "funded" as const,
        deliveryDeadline: 900n,
        deliveryCount: 1,
        outputHash: null,
        earnedAmount: earned > paidAmount ? earned : paidAmount,
        paidAmount,
        claimAcceptedAt: 100n,
        acceptedAmount: null,
        autoReleaseAt: null,
        decideBy: null,
        settleableAt: null,
      };
      const staged = { claim: isDelivered ? { sum, isFinal: false } : null };
      const due = findDueCall({ escrow, now: 200n, releaseDueAt: 100n, staged });
      if (due === "releasePart") expect(escrow.earnedAmount <= sum && sum > paidAmount).toBe(true);
      else expect(due).toBeNull();
    }),
  );
});
