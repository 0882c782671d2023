import fc from "fast-check";
import { expect, test } from "vitest";
import {
  claimOfStage,
  countPaid,
  mostStages,
  stateOfStage,
  sumUpTo,
} from "../../../protocol/settlement/stages.ts";

const listed = fc.array(
  fc.bigInt({ min: 1n, max: 10n ** 12n }).map((amount) => ({ amount: amount.toString() })),
  { minLength: 2, maxLength: mostStages },
);

test("claims rise with each stage, and the last one alone claims everything", () => {
  fc.assert(
    fc.property(listed, (stages) => {
      let before = 0n;
      for (const [index, { amount }] of stages.entries()) {
        const claim = claimOfStage(stages, index + 1);
        expect(claim.sum - before).toBe(BigInt(amount));
        expect(claim.isFinal).toBe(index === stages.length - 1);
        before = claim.sum;
      }
      expect(before).toBe(stages.reduce((sum, { amount }) => sum + BigInt(amount), 0n));
    }),
  );
});

test("a paid sum covers the stages that it pays in full, and no other", () => {
  fc.assert(
    fc.property(listed, fc.bigInt({ min: 0n, max: 10n ** 14n }), (stages, paid) => {
      const count = countPaid(stages, paid);
      expect(sumUpTo(stages, count)).toBeLessThanOrEqual(paid);
      if (count < stages.length) expect(sumUpTo(stages, count + 1)).toBeGreaterThan(paid);
    }),
  );
});

test("at most one stage is delivered or disputed, and it is the first one that is not paid", () => {
  const orders = fc.record({
    status: fc.constantFrom("created", "funded", "started", "delivered", "disputed", "released", "refunded"),
    acceptedStages: fc.integer({ min: 0, max: mostStages }),
    deliveredStage: fc.option(fc.integer({ min: 1, max: mostStages })),
  });
  fc.assert(
    fc.property(orders, (order) => {
      const states = Array.from({ length: mostStages }, (_, index) => stateOfStage(index + 1, order));
      const busy = states.flatMap((state, index) =>
        state === "delivered" || state === "disputed" ? [index] : [],
      );
      expect(busy.length).toBeLessThanOrEqual(1);
      if (busy.length > 0) expect(busy[0]).toBe(order.acceptedStages);
      expect(states.filter((state) => state === "accepted")).toHaveLength(order.acceptedStages);
    }),
  );
});
