/**
 * The life of an order once more, written from the design's words and not from the code: what the contract takes, what
 * the API takes, and which facts follow. It is told what is tried and says what must come of it. Times are unix seconds.
 */

export type Who = "buyer" | "provider" | "arbiter" | "stranger";

/** What was agreed, as far as the rules look at it; the windows are in seconds. */
export type Deal = {
  amount: bigint;
  fundBy: number;
  delivery: number;
  acceptance: number;
  dispute: number;
  appeal: number;
  arbitrated: boolean;
};

/** An escrow as the contract has to have it. */
export type Held = {
  phase: "none" | "funded" | "disputed" | "decided" | "released" | "refunded" | "split";
  fundedAt: number;
  /** of the first record; 0 before */
  deliveredAt: number;
  records: number;
  /** which output the latest record names */
  output: number | null;
  /** all records: which output each names, and when */
  recorded: readonly { output: number; at: number }[];
  disputedAt: number;
  decidedAt: number;
  share: bigint;
  /** what lies at the deposit address */
  deposit: bigint;
  /** how often money went back from the deposit address */
  returns: number;
};

export type Order = Held & {
  deal: Deal;
  /** the types of the ledger's facts, oldest first */
  trail: string[];
  work: "none" | "started" | "delivered";
  revised: boolean;
  intents: readonly Who[];
  /** how many outputs were delivered; each is another one */
  outputs: number;
  expired: boolean;
  /** what was given to the relayer, by intent */
  relays: Readonly<Record<string, Relay>>;
};

/** A call that a party signed, or that time opened: it waits, was mined, or was refused by the contract. */
export type Relay = { state: "waiting" | "mined" | "failed"; call: ChainAct };

export type ChainAct =
  | { kind: "fund" | "fundFromDeposit" | "deposit" | "returnDeposit"; by: Who }
  | { kind: "release" | "refund" | "dispute" | "settle"; by: Who; signedUntil?: number }
  | { kind: "record"; by: Who; output: number; number?: number; signedUntil?: number }
  | { kind: "decide"; by: Who; share: bigint };

export type ApiAct =
  | { kind: "start" | "deliver" | "revise" | "intend" | "signRecord"; by: Who }
  | { kind: "signRelease" | "signRefund" | "signDispute"; by: Who; forged: boolean };

export type Status =
  | "created"
  | "expired"
  | "funded"
  | "started"
  | "delivered"
  | "disputed"
  | "released"
  | "refunded";

export function placed(deal: Deal): Order {
  return {
    ...{ deal, phase: "none", fundedAt: 0, deliveredAt: 0, records: 0, output: null },
    ...{
      recorded: [] as Held["recorded"],
      disputedAt: 0,
      decidedAt: 0,
      share: 0n,
      deposit: 0n,
      returns: 0,
      trail: ["order.created"],
      work: "none",
    },
    ...{ revised: false, intents: [], outputs: 0, expired: false, relays: {} },
  };
}

/** The one word: the chain's end first, then its dispute, then whether there is money, then the work. */
export function statusOf(order: Order): Status {
  const { phase, work, expired } = order;
  if (phase === "released" || phase === "split") return "released";
  if (phase === "refunded") return "refunded";
  if (phase === "disputed" || phase === "decided") return "disputed";
  if (phase === "none") return expired ? "expired" : "created";
  return work === "none" ? "funded" : work;
}

/** What the contract makes of a call in a block of this time; null where it must refuse it. */
export function call(order: Order, act: ChainAct, at: number): Order | null {
  const { deal, phase, fundedAt, deliveredAt, disputedAt, decidedAt, deposit } = order;
  if ("signedUntil" in act && act.signedUntil !== undefined && at > act.signedUntil) return null;
  const tell = (change: Partial<Order>, ...facts: string[]): Order => ({
    ...order,
    ...change,
    trail: [...order.trail, ...facts],
  });
  const end = (share: bigint): Order => {
    if (share === deal.amount) return tell({ phase: "released", share }, "order.released");
    if (share === 0n) return tell({ phase: "refunded", share }, "order.refunded");
    return tell({ phase: "split", share }, "order.released", "order.refunded");
  };
  switch (act.kind) {
    case "deposit":
      return { ...order, deposit: deposit + deal.amount };
    case "fund":
    case "fundFromDeposit": {
      if (phase !== "none" || at > deal.fundBy) return null;
      if (act.kind === "fund") return tell({ phase: "funded", fundedAt: at }, "order.funded");
      if (deposit < deal.amount) return null;
      return tell({ phase: "funded", fundedAt: at, deposit: deposit - deal.amount }, "order.funded");
    }
    case "returnDeposit":
      if (deposit === 0n) return null;
      if (phase === "none" && at <= deal.fundBy && act.by !== "buyer") return null;
      return tell({ deposit: 0n, returns: order.returns + 1 });
    case "record":
      if ((phase !== "funded" && phase !== "disputed") || act.by !== "provider") return null;
      if (at > fundedAt + deal.delivery) return null;
      if (act.number !== undefined && act.number !== order.records + 1) return null;
      return tell(
        {
          ...{ records: order.records + 1, output: act.output, deliveredAt: deliveredAt || at },
          recorded: [...order.recorded, { output: act.output, at }],
        },
        "delivery.recorded",
      );
    case "release":
      if (phase !== "funded") return null;
      if (act.by !== "buyer" && (deliveredAt === 0 || at < deliveredAt + deal.acceptance)) return null;
      return end(deal.amount);
    case "refund":
      if (phase !== "funded") return null;
      if (act.by !== "provider" && (deliveredAt !== 0 || at <= fundedAt + deal.delivery)) return null;
      return end(0n);
    case "dispute":
      if (phase !== "funded" || (act.by !== "buyer" && act.by !== "provider")) return null;
      return tell({ phase: "disputed", disputedAt: at }, "order.disputed");
    case "decide":
      if (phase !== "disputed" || !deal.arbitrated || act.by !== "arbiter") return null;
      if (at > disputedAt + deal.dispute || act.share > deal.amount) return null;
      return tell({ phase: "decided", decidedAt: at, share: act.share }, "order.dispute_decided");
    case "settle":
      if (phase === "decided") return at < decidedAt + deal.appeal ? null : end(order.share);
      if (phase !== "disputed" || at <= disputedAt + deal.dispute) return null;
      if (deliveredAt !== 0) return end(deal.amount);
      return at <= fundedAt + deal.delivery ? null : end(0n);
  }
}

/** What time has opened to anyone, in a block of this time. */
export function openToAnyone(order: Order, at: number): ChainAct | null {
  const tries = (["release", "refund", "settle"] as const).map((kind) => ({ kind, by: "stranger" as const }));
  return tries.find((act) => call(order, act, at) !== null) ?? null;
}

/** When the first record of a delivered output was made; null while every record is the provider's bare claim. */
export function matchedAt({ recorded, outputs }: Order): number | null {
  return recorded.find(({ output }) => output <= outputs)?.at ?? null;
}

/** What of that the service sends: nothing that pays the provider on a bare claim, or before the window since the match. */
export function dueByUs(order: Order, at: number): ChainAct | null {
  const act = openToAnyone(order, at);
  const matched = matchedAt(order);
  if (act?.kind === "release") return matched !== null && at >= matched + order.deal.acceptance ? act : null;
  const byDefault = act?.kind === "settle" && order.phase === "disputed" && order.deliveredAt !== 0;
  return byDefault && matched === null ? null : act;
}

/** The order after a look at its funding deadline, in a block of this time. */
export function expire(order: Order, at: number): Order {
  if (statusOf(order) !== "created" || at <= order.deal.fundBy) return order;
  return { ...order, expired: true, trail: [...order.trail, "order.expired"] };
}

/** An answer of the API: `done`, `relayed`, or the code of its refusal. */
export type Outcome = { code: string; order: Order };

/** What the API makes of a request at a time. */
export function ask(order: Order, act: ApiAct, at: number): Outcome {
  const status = statusOf(order);
  const refused = (code: string): Outcome => ({ code, order });
  const done = (change: Partial<Order>, fact: string): Outcome => ({
    code: "done",
    order: { ...order, ...change, trail: [...order.trail, fact] },
  });
  const { by } = act;
  if (by !== "buyer" && by !== "provider") return refused("not_found");
  switch (act.kind) {
    case "start":
      if (by !== "provider" || status !== "funded") return refused("invalid_state");
      return done({ work: "started" }, "order.started");
    case "deliver":
      if (by !== "provider" || (status !== "started" && status !== "disputed"))
        return refused("invalid_state");
      if (status === "disputed" && (order.phase === "decided" || at > order.fundedAt + order.deal.delivery)) {
        return refused("invalid_state");
      }
      return done({ work: "delivered", outputs: order.outputs + 1 }, "order.delivered");
    case "revise":
      if (by !== "buyer" || status !== "delivered" || order.revised) return refused("invalid_state");
      return done({ work: "started", revised: true }, "order.revision_requested");
    case "intend":
      if (order.intents.includes(by)) return { code: "done", order };
      if (!["funded", "started", "delivered"].includes(status)) return refused("invalid_state");
      return done({ intents: [...order.intents, by] }, "order.dispute_intent");
    case "signRecord":
      return askForRecord(order, by, at);
    case "signRelease":
    case "signRefund":
    case "signDispute": {
      const kind = ({ signRelease: "release", signRefund: "refund", signDispute: "dispute" } as const)[
        act.kind
      ];
      if (kind === "release" && by !== "buyer") return refused("invalid_state");
      if (kind === "refund" && by !== "provider") return refused("invalid_state");
      const intent = kind === "dispute" ? `dispute:${by}` : kind;
      const standing = order.relays[intent];
      if (standing && standing.state !== "failed") return refused("relayed");
      if (order.phase !== "funded") return refused("invalid_state");
      if (act.forged) return refused("invalid_request");
      return relay(order, intent, { kind, by, signedUntil: at + 86_400 });
    }
  }
}

function askForRecord(order: Order, by: Who, at: number): Outcome {
  const refused = (code: string): Outcome => ({ code, order });
  const { phase, records, outputs, fundedAt, deal } = order;
  if (by !== "provider") return refused("invalid_state");
  const latest = outputs === 0 ? null : outputs;
  const recorded = records > 0 && order.output === latest;
  // The record that stands may be somebody's own transaction; then there is no relay to answer with.
  if (recorded && order.relays[`recordDelivery:${records}`]) return refused("relayed");
  if (phase !== "funded" && phase !== "disputed") return refused("invalid_state");
  if (at > fundedAt + deal.delivery || latest === null || recorded) return refused("invalid_state");
  const intent = `recordDelivery:${records + 1}`;
  const standing = order.relays[intent];
  if (standing && standing.state !== "failed") {
    const same = standing.call.kind === "record" && standing.call.output === latest;
    return refused(same ? "relayed" : "conflict");
  }
  const signedUntil = fundedAt + deal.delivery;
  return relay(order, intent, { kind: "record", by, output: latest, number: records + 1, signedUntil });
}

/** The order with a call given to the relayer. */
export function relay(order: Order, intent: string, act: ChainAct): Outcome {
  const relays: Order["relays"] = { ...order.relays, [intent]: { state: "waiting", call: act } };
  return { code: "relayed", order: { ...order, relays } };
}

/** The order after the relayer followed one of its calls to the end. */
export function followed(order: Order, intent: string, state: Relay["state"]): Order {
  const standing = order.relays[intent];
  if (!standing) throw new Error(`The model has no relay ${intent}.`);
  return { ...order, relays: { ...order.relays, [intent]: { ...standing, state } } };
}

/**
 * The order after the chain lost its newest blocks, whose facts the ledger then takes back one by one.
 *
 * @param before what it was when the chain was where it is again
 * @param lost how many of the facts since then were the chain's
 */
export function rewound(order: Order, before: Held, lost: number): Order {
  const { phase, fundedAt, deliveredAt, records, output, recorded } = before;
  const { disputedAt, decidedAt, share, deposit, returns } = before;
  return {
    ...order,
    ...{ phase, fundedAt, deliveredAt, records, output, recorded },
    ...{ disputedAt, decidedAt, share, deposit, returns },
    trail: [...order.trail, ...Array.from({ length: lost }, () => "fact.reverted")],
  };
}
