import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  chainSteps,
  type Fact,
  type FactType,
  type OrderState,
  offChainSteps,
} from "../../../protocol/facts/fact.ts";
import { foldFacts, refuseDelivery, refuseStep, stepStatuses } from "../../../protocol/facts/lifecycle.ts";

const openingTime = Date.parse("2026-01-01T00:00:00Z");
const deliveryDeadline = "2026-01-03T00:00:00.000Z";
const autoReleaseAt = "2026-01-02T12:00:00.000Z";

/** The end of the acceptance window of the delivery at this position. */
const endOf = (seq: number) => new Date(openingTime + 3_600_000 + seq * 60_000).toISOString();

/** A ledger of these steps, one a minute. */
function ledger(...types: FactType[]): Fact[] {
  return types.map((type, index) => factOf(type, index));
}

function factOf(type: FactType, seq: number): Fact {
  const data: Record<string, unknown> =
    {
      "order.funded": { delivery_deadline: deliveryDeadline },
      "order.delivered": { acceptance_ends_at: endOf(seq) },
      "delivery.recorded": { auto_release_at: autoReleaseAt },
    }[type as string] ?? {};
  return { id: `${type}-${seq}`, seq, type, occurredAt: new Date(openingTime + seq * 60_000), data };
}

function revert(fact: Fact, seq: number): Fact {
  return { ...factOf("fact.reverted", seq), data: { fact_id: fact.id } };
}

const status = (...types: FactType[]) => foldFacts(ledger(...types)).status;

const anyStep = fc.constantFrom<FactType>(...offChainSteps, ...chainSteps);
const anyLedger = fc.array(anyStep, { maxLength: 12 }).map((types) => ledger("order.created", ...types));
/** A ledger with its chain facts arriving at various times; the off-chain steps keep their order. */
const sameFactsArrivingOtherwise = anyLedger.chain((facts) =>
  fc.tuple(
    fc.constant(facts),
    fc.shuffledSubarray(facts, { minLength: facts.length }).map((shuffled) => {
      const steady = facts.filter(isOffChain).values();
      return shuffled
        .map((fact) => (isOffChain(fact) ? (steady.next().value as Fact) : fact))
        .map((fact, seq) => ({ ...fact, seq }));
    }),
  ),
);

test("each delivery starts the acceptance window, a revision ends it, and a record on the chain does not move it", () => {
  const ends = (...types: FactType[]) =>
    foldFacts(ledger("order.created", "order.funded", ...types)).acceptanceEndsAt;
  expect(ends("order.started")).toBeNull();
  expect(ends("delivery.recorded", "order.started")).toBeNull();
  expect(ends("order.started", "order.delivered", "delivery.recorded")).toEqual(new Date(endOf(3)));
  expect(ends("order.started", "order.delivered", "order.revision_requested")).toBeNull();
  const again = ends("order.started", "order.delivered", "order.revision_requested", "order.delivered");
  expect(again).toEqual(new Date(endOf(5)));
});

const isOffChain = (fact: Fact) => (offChainSteps as readonly string[]).includes(fact.type);
const isChain = (fact: Fact) => (chainSteps as readonly string[]).includes(fact.type);

describe("the life of an order", () => {
  test.each<[string, OrderState["status"], FactType[]]>([
    ["is created", "created", ["order.created"]],
    ["expires unfunded", "expired", ["order.created", "order.expired"]],
    ["is funded", "funded", ["order.created", "order.funded"]],
    [
      "is funded though it was taken for expired",
      "funded",
      ["order.created", "order.expired", "order.funded"],
    ],
    ["is started", "started", ["order.created", "order.funded", "order.started"]],
    ["is delivered", "delivered", ["order.created", "order.funded", "order.started", "order.delivered"]],
    [
      "is started again by a revision",
      "started",
      ["order.created", "order.funded", "order.started", "order.delivered", "order.revision_requested"],
    ],
    [
      "is delivered again after a revision",
      "delivered",
      [
        "order.created",
        "order.funded",
        "order.started",
        "order.delivered",
        "order.revision_requested",
        "order.delivered",
      ],
    ],
    [
      "keeps its status when a delivery is recorded",
      "funded",
      ["order.created", "order.funded", "delivery.recorded"],
    ],
    [
      "keeps its status when a dispute is only announced",
      "funded",
      ["order.created", "order.funded", "order.dispute_intent"],
    ],
    ["is disputed", "disputed", ["order.created", "order.funded", "order.started", "order.disputed"]],
    [
      "stays disputed when it is decided, until it settles",
      "disputed",
      ["order.created", "order.funded", "order.disputed", "order.dispute_decided"],
    ],
    ["is released", "released", ["order.created", "order.funded", "order.released"]],
    ["is refunded", "refunded", ["order.created", "order.funded", "order.refunded"]],
    [
      "is released by a split, in which the provider got something",
      "released",
      ["order.created", "order.funded", "order.disputed", "order.refunded", "order.released"],
    ],
    [
      "is released however late its funding is seen",
      "released",
      ["order.created", "order.released", "order.funded"],
    ],
  ])("%s", (_, expected, types) => {
    expect(status(...types)).toBe(expected);
  });

  test("dates come from the facts that set them", () => {
    const facts = ledger(
      "order.created",
      "order.funded",
      "order.started",
      "order.delivered",
      "delivery.recorded",
      "order.disputed",
      "order.released",
    );
    const at = (index: number) => facts[index]?.occurredAt;
    expect(foldFacts(facts)).toEqual({
      status: "released",
      deliveredUnits: null,
      deliveredStage: null,
      acceptedStages: null,
      charge: null,
      fundedAt: at(1),
      startedAt: at(2),
      deliveredAt: at(3),
      deliveryDeadline: new Date(deliveryDeadline),
      acceptanceEndsAt: new Date(endOf(3)),
      autoReleaseAt: new Date(autoReleaseAt),
      releaseDueAt: null,
      disputedAt: at(5),
      completedAt: at(6),
      approvalStatus: null,
      approvalRequestedAt: null,
      approvalDecidedAt: null,
      approvalDecidedBy: null,
      revisionRequested: false,
    });
  });
});

describe("any ledger", () => {
  test("has the same status whenever its chain facts arrive", () => {
    fc.assert(
      fc.property(sameFactsArrivingOtherwise, ([facts, otherwise]) => {
        expect(foldFacts(otherwise).status).toBe(foldFacts(facts).status);
      }),
      { numRuns: 1000 },
    );
  });

  test("has the same state in any reading order", () => {
    fc.assert(
      fc.property(
        anyLedger.chain((facts) =>
          fc.tuple(fc.constant(facts), fc.shuffledSubarray(facts, { minLength: facts.length })),
        ),
        ([facts, shuffled]) => {
          expect(foldFacts(shuffled)).toEqual(foldFacts(facts));
        },
      ),
    );
  });

  test("ignores a reverted fact, whenever it is reverted", () => {
    fc.assert(
      fc.property(anyLedger, fc.nat(), fc.nat(), (facts, which, delay) => {
        const chainFacts = facts.filter(isChain);
        const lost = chainFacts[which % Math.max(chainFacts.length, 1)];
        fc.pre(lost !== undefined);
        const reverted = revert(lost as Fact, facts.length + (delay % 5));
        expect(foldFacts([...facts, reverted])).toEqual(foldFacts(facts.filter((fact) => fact !== lost)));
      }),
      { numRuns: 1000 },
    );
  });

  test("has its first state again when a reverted fact is recorded again", () => {
    fc.assert(
      fc.property(anyLedger, fc.nat(), (facts, which) => {
        const chainFacts = facts.filter(isChain);
        const lost = chainFacts[which % Math.max(chainFacts.length, 1)];
        fc.pre(lost !== undefined);
        const again = { ...(lost as Fact), id: "again", seq: facts.length + 1 };
        const after = foldFacts([...facts, revert(lost as Fact, facts.length), again]);
        expect(after.status).toBe(foldFacts(facts).status);
      }),
      { numRuns: 1000 },
    );
  });

  test("ends with the money: only a reversal changes a released or refunded order", () => {
    fc.assert(
      fc.property(
        anyLedger,
        fc.constantFrom<FactType>("order.released", "order.refunded"),
        anyStep,
        (facts, ending, later) => {
          const ended = [...facts, factOf(ending, facts.length)];
          const before = foldFacts(ended).status;
          const after = foldFacts([...ended, factOf(later, ended.length)]).status;
          expect(["released", "refunded"]).toContain(before);
          // Only the other half of a split may follow.
          expect(after).toBe(later === "order.released" ? "released" : before);
        },
      ),
    );
  });
});

describe("an off-chain step", () => {
  const offChain = Object.keys(stepStatuses) as (keyof typeof stepStatuses)[];

  test.each(offChain)("%s is allowed only from its own statuses", (step) => {
    const all: OrderState["status"][] = [
      "created",
      "expired",
      "funded",
      "started",
      "delivered",
      "disputed",
      "released",
      "refunded",
    ];
    // Only a waiting payment can be refused.
    const approvalStatus = step === "order.approval_refused" ? "pending" : null;
    for (const from of all) {
      const refusal = refuseStep({ ...foldFacts([]), status: from, approvalStatus }, step);
      if (stepStatuses[step].includes(from)) expect(refusal).toBeNull();
      else expect(refusal).toContain(`The order is ${from}`);
    }
  });

  describe("a delivery in a dispute", () => {
    const disputed = ledger("order.created", "order.funded", "order.disputed");
    const inTime = new Date(deliveryDeadline);

    test("is accepted until the delivery deadline, even without a start, and leaves the order disputed", () => {
      expect(refuseDelivery(disputed, inTime)).toBeNull();
      expect(foldFacts([...disputed, factOf("order.delivered", 3)]).status).toBe("disputed");
      expect(refuseDelivery(disputed, new Date(inTime.getTime() + 1))).toContain("The delivery deadline was");
    });

    test("is refused once the dispute is decided", () => {
      const decided = [...disputed, factOf("order.dispute_decided", 3)];
      expect(refuseDelivery(decided, inTime)).toContain("decided");
      expect(refuseDelivery([...decided, revert(decided[3] as Fact, 4)], inTime)).toBeNull();
    });

    test("is refused after the tenth", () => {
      const deliveries = Array.from({ length: 9 }, (_, at) => factOf("order.delivered", 3 + at));
      expect(refuseDelivery([...disputed, ...deliveries], inTime)).toBeNull();
      const tenth = [...disputed, ...deliveries, factOf("order.delivered", 12)];
      expect(refuseDelivery(tenth, inTime)).toContain("the maximum");
    });

    test("is accepted late without a dispute: the buyer judges its use", () => {
      const started = ledger("order.created", "order.funded", "order.started");
      expect(refuseDelivery(started, new Date(inTime.getTime() + 1))).toBeNull();
      expect(refuseDelivery(ledger("order.created", "order.funded"), inTime)).toContain(
        "The order is funded",
      );
    });
  });

  test("a second revision is refused, although the order was delivered again", () => {
    const delivered = ledger("order.created", "order.funded", "order.started", "order.delivered");
    expect(refuseStep(foldFacts(delivered), "order.revision_requested")).toBeNull();
    const again = ledger(
      "order.created",
      "order.funded",
      "order.started",
      "order.delivered",
      "order.revision_requested",
      "order.delivered",
    );
    expect(refuseStep(foldFacts(again), "order.revision_requested")).toContain("only one");
  });

  test("no sequence of allowed steps moves an unfunded order beyond expired", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...offChain), { maxLength: 15 }), (attempts) => {
        const facts = ledger("order.created");
        for (const step of attempts) {
          if (refuseStep(foldFacts(facts), step) === null) facts.push(factOf(step, facts.length));
        }
        expect(["created", "expired"]).toContain(foldFacts(facts).status);
      }),
    );
  });

  test("no sequence of allowed steps settles an order", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...offChain), { maxLength: 15 }), (attempts) => {
        const facts = ledger("order.created", "order.funded");
        for (const step of attempts) {
          if (refuseStep(foldFacts(facts), step) === null) facts.push(factOf(step, facts.length));
        }
        expect(["funded", "started", "delivered"]).toContain(foldFacts(facts).status);
      }),
    );
  });
});
