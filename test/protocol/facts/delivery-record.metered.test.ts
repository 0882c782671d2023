import { describe, expect, test } from "vitest";
import { isDelivered } from "../../../protocol/facts/delivery-record.ts";
import type { Fact, FactType } from "../../../protocol/facts/fact.ts";
import { foldFacts } from "../../../protocol/facts/lifecycle.ts";
import { foldOutcome } from "../../../protocol/facts/order-outcome.ts";

const hash = `0x${"ab".repeat(32)}`;
const at = (second: number) => new Date(Date.UTC(2030, 0, 1) + second * 1000);

/** Facts of a metered order in the order of the ledger, a second apart. */
function factsOf(...steps: [FactType, Record<string, unknown>][]) {
  return steps.map(([type, data], index): Fact & { recordedAt: Date } => {
    return { id: `fct_${index}`, seq: index + 1, type, data, occurredAt: at(index), recordedAt: at(index) };
  });
}
const funded: [FactType, Record<string, unknown>] = [
  "order.funded",
  { payer: "0xAA", delivery_deadline: at(1000).toISOString() },
];
const delivered = (charge: string): [FactType, Record<string, unknown>] => [
  "order.delivered",
  { output_hash: hash, acceptance_ends_at: at(500).toISOString(), units: 7, charge_base_units: charge },
];
const recorded = (earned?: string): [FactType, Record<string, unknown>] => [
  "delivery.recorded",
  {
    output_hash: hash,
    number: 1,
    delivered_at: at(3).toISOString(),
    auto_release_at: at(103).toISOString(),
    ...(earned === undefined ? {} : { earned_base_units: earned }),
  },
];

describe("a record of a metered delivery", () => {
  test.each([
    ["the charge", "700", true],
    ["less than the charge", "699", true],
    ["more than the charge", "701", false],
    ["the whole amount", undefined, false],
  ])("that claims %s lets the service release: %s %s", (_, earned, matches) => {
    const state = foldFacts(factsOf(funded, ["order.started", {}], delivered("700"), recorded(earned)));
    expect(state.releaseDueAt).toEqual(matches ? at(103) : null);
    expect(state.autoReleaseAt).toEqual(at(103));
    expect(state).toMatchObject({ deliveredUnits: 7, charge: 700n, status: "delivered" });
  });
});

test("a part on the chain without a matching record is no delivery, so it gets no x402 receipt", () => {
  const claimed = factsOf(funded, delivered("700"), ["part.recorded", { output_hash: hash, number: 1 }]);
  expect(isDelivered(claimed)).toBe(false);
  expect(isDelivered(factsOf(funded, delivered("700"), recorded("700")))).toBe(true);
  expect(isDelivered(factsOf(funded, delivered("700")))).toBe(true);
});

test("an order that is not metered and paid a part only is split", () => {
  const facts = factsOf(
    funded,
    ["order.released", { amount_base_units: "1" }],
    ["order.refunded", { amount_base_units: "999" }],
  );
  expect(foldOutcome(facts, { amount: 1000n, deliveryWindow: 1000 })?.ended).toBe("split");
});

test("a metered order that returns what it did not use ends as metered, which no dispute split", () => {
  const facts = factsOf(
    funded,
    ["order.started", {}],
    delivered("700"),
    recorded("700"),
    ["order.released", { amount_base_units: "700" }],
    ["order.refunded", { amount_base_units: "300" }],
  );
  expect(foldOutcome(facts, { amount: 1000n, deliveryWindow: 1000 })).toMatchObject({
    released: 700n,
    refunded: 300n,
    ended: "metered",
    dispute: null,
  });
  const disputed = factsOf(
    funded,
    ["order.disputed", { party: "buyer" }],
    ["order.released", { amount_base_units: "700" }],
    ["order.refunded", { amount_base_units: "300" }],
  );
  expect(foldOutcome(disputed, { amount: 1000n, deliveryWindow: 1000 })?.ended).toBe("split");
});

test.each([
  ["per_call", "metered"],
  ["fixed", "split"],
])("an order of %s without a delivery, whose vouchers paid a part, ends as %s", (pricingModel, ended) => {
  const amounts = { amount_base_units: "700", released_so_far_base_units: "700" };
  const facts = factsOf(
    funded,
    ["order.part_released", { work_hash: hash, ...amounts }],
    ["order.released", { amount_base_units: "700" }],
    ["order.refunded", { amount_base_units: "300" }],
  );
  expect(foldOutcome(facts, { amount: 1000n, deliveryWindow: 1000, pricingModel })?.ended).toBe(ended);
});

test("a session that both parties end by their signatures ends as metered, and another order so divided as split", () => {
  const ends: Parameters<typeof factsOf> = [
    ["order.released", { amount_base_units: "700" }],
    ["order.refunded", { amount_base_units: "300" }],
  ];
  const endOf = (pricingModel: string, ...between: Parameters<typeof factsOf>) =>
    foldOutcome(factsOf(funded, ...between, ...ends), { amount: 1000n, deliveryWindow: 1000, pricingModel })
      ?.ended;
  expect(endOf("per_call")).toBe("metered");
  expect(endOf("fixed")).toBe("split");
});
