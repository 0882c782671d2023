import canonicalize from "canonicalize";
import type { EscrowStatus, OrderStatus } from "../settlement/vocabulary.ts";
import type { ChainFact } from "./chain-facts.ts";
import type { Fact } from "./fact.ts";
import { keptRepetitions } from "./repetitions.ts";

/**
 * What the ledger, the index and the contract say of one order, set side by side. Nothing here asks anybody: the three
 * are read elsewhere, and this file says where they differ and whether that mends itself.
 */

/** An escrow as one of the three has it. */
export type EscrowView = { status: EscrowStatus; deliveryCount: number };

/** A chain fact that stands in the ledger, with the log that it was recorded from. */
export type StandingFact = Pick<Fact, "id" | "type" | "data"> & {
  blockNumber: bigint;
  blockHash: string;
  logIndex: number;
};

export type Witnesses = {
  /** the newest block that counts, and the newest one that is indexed */
  confirmedBlock: bigint;
  indexedBlock: bigint;
  /** unix seconds of the newest indexed block */
  indexedAt: bigint;
  ledger: {
    /** the order's status as it is stored, and as its facts fold */
    status: string;
    folded: OrderStatus;
    escrow: EscrowView;
    facts: StandingFact[];
    /** what is wrong with the stored terms: they no longer make the escrow's id, or the agreement its digest */
    brokenTerms: string | null;
  };
  index: {
    /** false while the indexer has not caught up, or writes its newest rows anew */
    ready: boolean;
    escrow: EscrowView;
    /** the steps of the order that the index has */
    events: ChainFact[];
  };
  /** at three blocks; null where the node does not answer for that block, or the head agrees with ledger and index */
  contract: { confirmed: EscrowView | null; indexed: EscrowView | null; head: EscrowView };
  /** facts without an event whose block the chain has left */
  left: ReadonlySet<string>;
};

export type Difference = {
  /** stable for the same difference: `order_status`, `terms`, `escrow`, `index`, `fact:<id>`, `event:<type>:<n>`, `confirmations`, `index_lag` */
  what: string;
  ledger: string | null;
  index: string | null;
  contract: string | null;
  /** a lag: the service's own rounds end it */
  expected_to_resolve: boolean;
  explanation: string;
};

/** How long a confirmed event may wait to be recorded before that is no lag any more, in seconds. */
const patience = 600;

/** The escrow that an order's standing chain facts tell of. */
export function escrowOfFacts(facts: readonly Pick<StandingFact, "type" | "data">[]): EscrowView {
  const has = (type: string) => facts.some((fact) => fact.type === type);
  const numbers = facts
    .filter(({ type }) => type === "delivery.recorded")
    .map(({ data }) => Number(data.number));
  const status =
    has("order.released") && has("order.refunded")
      ? "split"
      : has("order.released")
        ? "released"
        : has("order.refunded")
          ? "refunded"
          : has("order.dispute_decided")
            ? "decided"
            : has("order.disputed")
              ? "disputed"
              : has("order.funded")
                ? "funded"
                : "none";
  return { status, deliveryCount: Math.max(0, ...numbers) };
}

/** Every difference between the three, those that matter most first. */
export function compareWitnesses(witnesses: Witnesses): Difference[] {
  const facts = compareFacts(witnesses);
  const events = findUnrecorded(witnesses);
  const lagging = [...facts, ...events].some((difference) => difference.expected_to_resolve);
  return [
    ...compareOrder(witnesses),
    ...facts,
    ...events,
    ...compareEscrow(witnesses, lagging),
    ...compareIndex(witnesses),
    ...findLags(witnesses),
  ];
}

function compareOrder({ ledger }: Witnesses): Difference[] {
  const found: Difference[] = [];
  if (ledger.status !== ledger.folded) {
    found.push({
      ...nothing,
      what: "order_status",
      ledger: ledger.status,
      explanation: `The order's facts make it ${ledger.folded}, and its row says ${ledger.status}: one of them was changed other than by the service.`,
    });
  }
  if (ledger.brokenTerms) {
    found.push({ ...nothing, what: "terms", explanation: ledger.brokenTerms });
  }
  return found;
}

/** Facts that the index has no event of, or another one. */
function compareFacts({ ledger, index, indexedBlock, left }: Witnesses): Difference[] {
  const events = new Map(index.events.map((event) => [placeOf(event.chain), event]));
  return ledger.facts.flatMap((fact): Difference[] => {
    const event = events.get(placeOf(fact));
    const what = `fact:${fact.id}`;
    if (event) {
      const same = event.type === fact.type && canonicalize(event.data) === canonicalize(fact.data);
      if (same) return [];
      return [
        {
          ...nothing,
          what,
          ledger: tellStep(fact),
          index: tellStep(event),
          explanation: "The fact says something else than the event it was recorded from: it was changed.",
        },
      ];
    }
    // The indexer drops and rewrites its newest rows when it starts.
    if (!index.ready || fact.blockNumber > indexedBlock) return [];
    const gone = left.has(fact.id);
    return [
      {
        ...nothing,
        what,
        ledger: tellStep(fact),
        expected_to_resolve: gone,
        explanation: gone
          ? "The fact's block has left the chain; the fact is about to be reverted."
          : `The index has no such event in block ${fact.blockNumber}, which the chain still has: the index lost it, or the fact was never the chain's.`,
      },
    ];
  });
}

/** Confirmed events without a standing fact. */
function findUnrecorded({ ledger, index, confirmedBlock, indexedAt }: Witnesses): Difference[] {
  const places = new Set(ledger.facts.map(placeOf));
  return index.events
    .filter((event) => event.chain.blockNumber <= confirmedBlock && !places.has(placeOf(event.chain)))
    .map((event) => {
      const age = Number(indexedAt) - event.occurredAt.getTime() / 1000;
      return {
        ...nothing,
        what: `event:${event.type}:${event.chain.blockNumber}:${event.chain.logIndex}`,
        index: tellStep(event),
        expected_to_resolve: age < patience,
        explanation:
          age < patience
            ? "The event is confirmed and about to be recorded."
            : "The event is long confirmed and not recorded: the worker does not run, or it cannot settle this order and says why in its log.",
      };
    });
}

/** The ledger against the contract, at the block up to which the ledger must know everything. */
function compareEscrow(
  { ledger, index, contract, confirmedBlock, indexedBlock }: Witnesses,
  lagging: boolean,
): Difference[] {
  if (!contract.confirmed || isSame(ledger.escrow, asRecorded(contract.confirmed))) return [];
  const indexAgrees = contract.indexed !== null && isSame(index.escrow, contract.indexed);
  return [
    {
      what: "escrow",
      ledger: tellEscrow(ledger.escrow),
      index: tellEscrow(index.escrow),
      contract: tellEscrow(contract.confirmed),
      // An indexer that starts anew is behind what is recorded already.
      expected_to_resolve: lagging || !index.ready || indexedBlock < confirmedBlock,
      explanation: `At block ${confirmedBlock} the contract's escrow is not what the facts tell. ${
        indexAgrees
          ? "The index agrees with the contract: facts are missing, or there are some that the chain never told."
          : "The index does not agree with the contract either: it lost events, or has some of blocks that the chain left."
      }`,
    },
  ];
}

/** The index against the contract, at the block that the index has come to. */
function compareIndex({ index, contract, indexedBlock }: Witnesses): Difference[] {
  if (!contract.indexed || isSame(index.escrow, contract.indexed)) return [];
  return [
    {
      ...nothing,
      what: "index",
      index: tellEscrow(index.escrow),
      contract: tellEscrow(contract.indexed),
      expected_to_resolve: !index.ready,
      explanation: `At block ${indexedBlock} the index has another state of the escrow than the contract.`,
    },
  ];
}

function findLags({ ledger, index, contract, confirmedBlock, indexedBlock }: Witnesses): Difference[] {
  const { confirmed, indexed, head } = contract;
  const found: Difference[] = [];
  if (indexed && confirmed && !isSame(confirmed, indexed)) {
    found.push({
      what: "confirmations",
      ledger: tellEscrow(ledger.escrow),
      index: tellEscrow(index.escrow),
      contract: tellEscrow(indexed),
      expected_to_resolve: true,
      explanation: `What happened after block ${confirmedBlock} has too few confirmations to count.`,
    });
  }
  if (indexed && !isSame(indexed, head)) {
    found.push({
      ...nothing,
      what: "index_lag",
      index: tellEscrow(index.escrow),
      contract: tellEscrow(head),
      expected_to_resolve: true,
      explanation: `The index has come to block ${indexedBlock}; the contract has moved on since.`,
    });
  }
  return found;
}

const nothing = { ledger: null, index: null, contract: null, expected_to_resolve: false };

/** Whether two of the three have the same escrow. */
export function isSame(one: EscrowView, other: EscrowView): boolean {
  return one.status === other.status && one.deliveryCount === other.deliveryCount;
}

/** The ledger has no fact of a delivery's record beyond so many. */
function asRecorded({ status, deliveryCount }: EscrowView): EscrowView {
  return { status, deliveryCount: Math.min(deliveryCount, keptRepetitions) };
}

function placeOf({ blockHash, logIndex }: { blockHash: string; logIndex: number }): string {
  return `${blockHash}:${logIndex}`;
}

function tellEscrow({ status, deliveryCount }: EscrowView): string {
  if (deliveryCount === 0) return status;
  return `${status}, ${deliveryCount} ${deliveryCount === 1 ? "delivery" : "deliveries"} recorded`;
}

function tellStep({ type, data }: Pick<StandingFact, "type" | "data">): string {
  return `${type} ${canonicalize(data)}`;
}
