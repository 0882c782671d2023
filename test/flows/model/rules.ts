/**
 * The model of an order's life, written from the design and independent of the code. It answers which calls the
 * contract accepts, what the API answers, and which facts follow. Times are unix seconds.
 */

export type Who = "buyer" | "provider" | "arbiter" | "outsider";

/** The agreed values that the rules use; windows in seconds. */
export type Deal = {
  amount: bigint;
  fundBy: number;
  delivery: number;
  acceptance: number;
  dispute: number;
  appeal: number;
  arbitrated: boolean;
};

/** The expected state of the escrow contract. */
export type Held = {
  phase: "none" | "funded" | "disputed" | "decided" | "released" | "refunded" | "split";
  fundedAt: number;
  /** The time of the first record; 0 before. */
  deliveredAt: number;
  records: number;
  /** The number of the output in the latest record. */
  output: number | null;
  /** All records: the number of the output, and the time. */
  recorded: readonly { output: number; at: number }[];
  disputedAt: number;
  decidedAt: number;
  share: bigint;
  /** The money at the deposit address. */
  deposit: bigint;
  /** The number of returns from the deposit address. */
  returns: number;
};

export type Order = Held & {
  deal: Deal;
  /** The types of the ledger's facts, oldest first. */
  trail: string[];
  work: "none" | "started" | "delivered";
  revised: boolean;
  intents: readonly Who[];
  /** The number of delivered outputs; each is different. */
  outputs: number;
  expired: boolean;
  /** The relays, by key. */
  relays: Readonly<Record<string, Relay>>;
};

/** A signed or due call: waiting, mined, or refused by the contract. */
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
    deal,
    phase: "none",
    fundedAt: 0,
    deliveredAt: 0,
    records: 0,
    output: null,
    recorded: [] as Held["recorded"],
    disputedAt: 0,
    decidedAt: 0,
    share: 0n,
    deposit: 0n,
    returns: 0,
    trail: ["order.created"],
    work: "none",
    revised: false,
    intents: [],
    outputs: 0,
    expired: false,
    relays: {},
  };
}

/** Returns the status: by the chain's end first, then its dispute, then its money, then the work. */
export function statusOf(order: Order): Status {
  const { phase, work, expired } = order;
  if (phase === "released" || phase === "split") return "released";
  if (phase === "refunded") return "refunded";
  if (phase === "disputed" || phase === "decided") return "disputed";
  if (phase === "none") return expired ? "expired" : "created";
  return work === "none" ? "funded" : work;
}

/** Returns the escrow after a call in a block of this time; null where the contract must refuse it. */
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
          records: order.records + 1,
          output: act.output,
          deliveredAt: deliveredAt || at,
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

/** Returns the calls that time has opened to anyone, in a block of this time. */
export function openToAnyone(order: Order, at: number): ChainAct | null {
  const tries = (["release", "refund", "settle"] as const).map((kind) => ({ kind, by: "outsider" as const }));
  return tries.find((act) => call(order, act, at) !== null) ?? null;
}

/** Returns the time of the first record of a delivered output; null while no record has a delivery. */
export function matchedAt({ recorded, outputs }: Order): number | null {
  return recorded.find(({ output }) => output <= outputs)?.at ?? null;
}

/**
 * Returns the due calls that the service sends. A payment to the provider needs a record with a delivery,
 * and a full window since it.
 */
export function dueByUs(order: Order, at: number): ChainAct | null {
  const act = openToAnyone(order, at);
  const matched = matchedAt(order);
  if (act?.kind === "release") return matched !== null && at >= matched + order.deal.acceptance ? act : null;
  const byDefault = act?.kind === "settle" && order.phase === "disputed" && order.deliveredAt !== 0;
  return byDefault && matched === null ? null : act;
}

/** Returns the order after a check of its funding deadline, in a block of this time. */
export function expire(order: Order, at: number): Order {
  if (statusOf(order) !== "created" || at <= order.deal.fundBy) return order;
  return { ...order, expired: true, trail: [...order.trail, "order.expired"] };
}

/** An answer of the API: `done`, `relayed`, or the code of its refusal. */
export type Outcome = { code: string; order: Order };

/** Returns the API's answer to a request at a time. */
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
      const key = kind === "dispute" ? `dispute:${by}` : kind;
      const standing = order.relays[key];
      if (standing && standing.state !== "failed") return refused("relayed");
      if (order.phase !== "funded") return refused("invalid_state");
      if (act.forged) return refused("invalid_request");
      return relay(order, key, { kind, by, signedUntil: at + 86_400 });
    }
  }
}

function askForRecord(order: Order, by: Who, at: number): Outcome {
  const refused = (code: string): Outcome => ({ code, order });
  const { phase, records, outputs, fundedAt, deal } = order;
  if (by !== "provider") return refused("invalid_state");
  const latest = outputs === 0 ? null : outputs;
  const recorded = records > 0 && order.output === latest;
  // The current record may come from a direct transaction, so no relay exists to answer with.
  if (recorded && order.relays[`recordDelivery:${records}`]) return refused("relayed");
  if (phase !== "funded" && phase !== "disputed") return refused("invalid_state");
  if (at > fundedAt + deal.delivery || latest === null || recorded) return refused("invalid_state");
  const key = `recordDelivery:${records + 1}`;
  const standing = order.relays[key];
  if (standing && standing.state !== "failed") {
    const same = standing.call.kind === "record" && standing.call.output === latest;
    return refused(same ? "relayed" : "conflict");
  }
  const signedUntil = fundedAt + deal.delivery;
  return relay(order, key, { kind: "record", by, output: latest, number: records + 1, signedUntil });
}

/** Returns the order with a queued call. */
export function relay(order: Order, key: string, act: ChainAct): Outcome {
  const relays: Order["relays"] = { ...order.relays, [key]: { state: "waiting", call: act } };
  return { code: "relayed", order: { ...order, relays } };
}

/** Returns the order after the end of one of its relays. */
export function followed(order: Order, key: string, state: Relay["state"]): Order {
  const standing = order.relays[key];
  if (!standing) throw new Error(`The model has no relay ${key}.`);
  return { ...order, relays: { ...order.relays, [key]: { ...standing, state } } };
}

/**
 * Returns the order after a reorganisation, whose facts the ledger reverts one by one.
 * @param before the order at the block to which the chain returned
 * @param lost the number of chain facts since then
 */
export function rewound(order: Order, before: Held, lost: number): Order {
  const { phase, fundedAt, deliveredAt, records, output, recorded } = before;
  const { disputedAt, decidedAt, share, deposit, returns } = before;
  return {
    ...order,
    phase,
    fundedAt,
    deliveredAt,
    records,
    output,
    recorded,
    disputedAt,
    decidedAt,
    share,
    deposit,
    returns,
    trail: [...order.trail, ...Array.from({ length: lost }, () => "fact.reverted")],
  };
}
