import fc from "fast-check";
import type { ApiAct, ChainAct, Who } from "./rules.ts";

/** The number of rounds of a batch; each ends with a block. */
export const rounds = 7;
export const amount = 1_000_000n;

/** The acts on one order in one round: concurrent requests, and then transactions in one block. */
export type Step = { api: ApiAct[]; chain: ChainAct[] };

/** The acts on one order, and its agreed windows in seconds. */
export type Life = {
  funding: number;
  delivery: number;
  acceptance: number;
  dispute: number;
  appeal: number;
  arbitrated: boolean;
  steps: Step[];
};

/** The events of all orders of a batch in a round. */
export type Round = {
  /** Seconds since the previous block. */
  wait: number;
  /** Whether the worker polls for due work. */
  due: boolean;
  /**
   * Whether the block is replaced after its confirmation, with which of its transactions, and the acts
   * before that.
   */
  replaced: null | { keeps: number; settlesFirst: boolean };
};

export type Plan = { lives: Life[]; rounds: Round[] };

const parties = fc.constantFrom<Who>("buyer", "provider");
const anyone = fc.constantFrom<Who>("buyer", "provider", "arbiter", "outsider");
/** Mostly the party that may act. */
const mostly = (who: Who) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(who) }, { weight: 1, arbitrary: anyone });

const apiAct: fc.Arbitrary<ApiAct> = fc.oneof(
  { weight: 4, arbitrary: act("start", mostly("provider")) },
  { weight: 5, arbitrary: act("deliver", mostly("provider")) },
  { weight: 3, arbitrary: act("revise", mostly("buyer")) },
  { weight: 2, arbitrary: act("intend", fc.oneof(parties, anyone)) },
  { weight: 3, arbitrary: act("signRecord", mostly("provider")) },
  { weight: 1, arbitrary: signed("signRelease", mostly("buyer")) },
  { weight: 1, arbitrary: signed("signRefund", mostly("provider")) },
  { weight: 1, arbitrary: signed("signDispute", fc.oneof(parties, anyone)) },
);

const chainAct: fc.Arbitrary<ChainAct> = fc.oneof(
  { weight: 4, arbitrary: act("fund", fc.constantFrom("buyer", "outsider")) },
  { weight: 1, arbitrary: act("fundFromDeposit", anyone) },
  { weight: 2, arbitrary: act("deposit", fc.constant("outsider")) },
  { weight: 1, arbitrary: act("returnDeposit", anyone) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("record" as const),
      by: mostly("provider"),
      output: fc.constantFrom(1, 2, 99),
    }),
  },
  { weight: 1, arbitrary: act("release", anyone) },
  { weight: 1, arbitrary: act("refund", anyone) },
  { weight: 3, arbitrary: act("dispute", fc.oneof(parties, anyone)) },
  { weight: 2, arbitrary: act("settle", anyone) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("decide" as const),
      by: mostly("arbiter"),
      share: fc.constantFrom(0n, 400_000n, amount, amount + 1n),
    }),
  },
);

/** Requests that are independent of each other, so they may be concurrent. */
const apart = ["start", "revise", "intend", "signRelease", "signRefund", "signDispute"];

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: apiAct.map((one) => ({ api: [one], chain: [] })) },
  { weight: 6, arbitrary: chainAct.map((one) => ({ api: [], chain: [one] })) },
  // A disputed order accepts two concurrent deliveries, which would have one output here.
  {
    weight: 1,
    arbitrary: apiAct.filter(({ kind }) => kind !== "deliver").map((one) => ({ api: [one, one], chain: [] })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(apiAct, apiAct)
      .filter((two) => two.every(({ kind }) => apart.includes(kind)))
      .map((api) => ({ api, chain: [] })),
  },
  { weight: 1, arbitrary: chainAct.map((one) => ({ api: [], chain: [one, one] })) },
  { weight: 2, arbitrary: fc.tuple(chainAct, chainAct).map((chain) => ({ api: [], chain })) },
  {
    weight: 3,
    arbitrary: fc.tuple(apiAct, chainAct).map(([api, chain]) => ({ api: [api], chain: [chain] })),
  },
);

const requestStep = (kind: "start" | "deliver" | "signRecord", by: Who = "provider"): Step => ({
  api: [{ kind, by }],
  chain: [],
});
const sent = (...chain: ChainAct[]): Step => ({ api: [], chain });
const funding = sent({ kind: "fund", by: "buyer" });
const [starting, delivering, recording] = [
  requestStep("start"),
  requestStep("deliver"),
  requestStep("signRecord"),
];
const settling = sent({ kind: "settle", by: "outsider" });
const deciding = (share: bigint) => sent({ kind: "decide", by: "arbiter", share });
const revising: Step = { api: [{ kind: "revise", by: "buyer" }], chain: [] };
const signing = (
  kind: "signRelease" | "signRefund" | "signDispute",
  by: Who,
  { forged = false, chain = [] }: { forged?: boolean; chain?: ChainAct[] } = {},
): Step => ({ api: [{ kind, by, forged }], chain });

/** Typical lives of orders. Few random lives would get far without them. */
const stories: Step[][] = [
  [
    funding,
    starting,
    delivering,
    recording,
    revising,
    delivering,
    recording,
    signing("signRelease", "buyer"),
  ],
  [funding, starting, delivering, revising, delivering, recording, sent({ kind: "release", by: "outsider" })],
  [funding, starting, delivering, recording, signing("signDispute", "buyer"), deciding(400_000n), settling],
  [
    funding,
    signing("signDispute", "provider"),
    starting,
    sent({ kind: "record", by: "provider", output: 99 }),
  ],
  [funding, sent({ kind: "dispute", by: "buyer" }), deciding(0n), settling],
  [funding, sent({ kind: "dispute", by: "buyer" }), delivering, recording, settling],
  [funding, starting, sent({ kind: "record", by: "provider", output: 1 }), delivering],
  [funding, starting, signing("signRefund", "provider")],
  [funding, sent({ kind: "refund", by: "provider" })],
  // Signatures of strangers, forged ones, and one that a transaction overtakes.
  [
    funding,
    signing("signDispute", "buyer", { forged: true }),
    signing("signDispute", "outsider"),
    signing("signRefund", "provider", { forged: true }),
    signing("signRefund", "outsider"),
  ],
  [
    funding,
    starting,
    delivering,
    requestStep("signRecord", "outsider"),
    signing("signRelease", "outsider"),
    signing("signRelease", "buyer", { forged: true }),
  ],
  [
    funding,
    starting,
    delivering,
    signing("signRelease", "buyer", { chain: [{ kind: "release", by: "buyer" }] }),
  ],
  [
    sent({ kind: "deposit", by: "outsider" }),
    sent({ kind: "fundFromDeposit", by: "arbiter" }),
    starting,
    delivering,
  ],
  [
    sent({ kind: "deposit", by: "outsider" }),
    sent({ kind: "returnDeposit", by: "buyer" }),
    funding,
    starting,
  ],
  [
    funding,
    {
      api: [],
      chain: [
        { kind: "release", by: "buyer" },
        { kind: "dispute", by: "provider" },
      ],
    },
  ],
];

const sometimes = fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: step });
const perturbed = fc
  .tuple(fc.constantFrom(...stories), fc.array(sometimes, { minLength: rounds, maxLength: rounds }))
  .map(([story, others]) => others.map((other, at) => other ?? story[at] ?? { api: [], chain: [] }));
const random = fc.tuple(
  fc.constantFrom(funding, starting),
  fc.array(step, { minLength: 2, maxLength: rounds - 1 }),
);

const life: fc.Arbitrary<Life> = fc.record({
  funding: fc.constantFrom(1, 300, 5000),
  delivery: fc.constantFrom(300, 2000, 5000),
  acceptance: fc.constantFrom(0, 300, 2000),
  dispute: fc.constantFrom(300, 600, 2000),
  appeal: fc.constantFrom(0, 300),
  arbitrated: fc.oneof(
    { weight: 4, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
  steps: fc.oneof(
    { weight: 3, arbitrary: perturbed },
    { weight: 2, arbitrary: random.map(([first, more]) => [first, ...more]) },
  ),
});

// These meet the last seconds of the windows, and the seconds after them.
const short = fc.constantFrom(1, 1, 1, 1, 99, 300, 301);
/** Some steps are longer than a signature's day. */
const long = fc.oneof({ weight: 8, arbitrary: short }, { weight: 1, arbitrary: fc.constant(86_401) });
const replaced = fc.oneof(
  { weight: 6, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.record({ keeps: fc.integer({ min: 0, max: 4 }), settlesFirst: fc.boolean() }),
  },
);
/** All orders of a batch share its rounds, so the first acts must leave time for later ones. */
const opens = fc.record<Round>({ wait: fc.constant(1), due: fc.boolean(), replaced: fc.constant(null) });
const middle = fc.record<Round>({ wait: short, due: fc.boolean(), replaced });
const closes = fc.record<Round>({ wait: long, due: fc.boolean(), replaced });

/** A batch of lives on one chain. */
export const plans = (size: number): fc.Arbitrary<Plan> =>
  fc.record({
    lives: fc.array(life, { minLength: size, maxLength: size }),
    rounds: fc.tuple(opens, middle, middle, middle, closes, closes, closes),
  });

function act<Kind extends string>(kind: Kind, by: fc.Arbitrary<Who>) {
  return fc.record({ kind: fc.constant(kind), by });
}

function signed<Kind extends string>(kind: Kind, by: fc.Arbitrary<Who>) {
  const forged = fc.oneof(
    { weight: 4, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  );
  return fc.record({ kind: fc.constant(kind), by, forged });
}
