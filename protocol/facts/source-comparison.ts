import canonicalize from "canonicalize";
import type { EscrowStatus, OrderStatus } from "../settlement/vocabulary.ts";
import type { ChainFact } from "./chain-facts.ts";
import type { Fact } from "./fact.ts";
import { keptRepetitions } from "./repetitions.ts";

/**
 * Compares the ledger, the index and the contract for one order. The three are read elsewhere. This file decides where
 * they differ, and whether a difference will resolve itself.
 */

/** An escrow in one of the three sources. */
export type EscrowView = { status: EscrowStatus; deliveryCount: number };

/** An unreverted chain fact of the ledger, with the log that it was recorded from. */
export type EffectiveFact = Pick<Fact, "id" | "type" | "data"> & {
  blockNumber: bigint;
  blockHash: string;
  logIndex: number;
};

export type OrderViews = {
  /** the newest confirmed block, and the newest indexed block */
  confirmedBlock: bigint;
  indexedBlock: bigint;
  /** unix seconds of the newest indexed block */
  indexedAt: bigint;
  ledger: {
    /** the order's status as stored, and as its facts fold */
    status: string;
    folded: OrderStatus;
    escrow: EscrowView;
    facts: EffectiveFact[];
    /** the fault of the stored terms: they do not make the escrow's id, or the agreement its digest */
    brokenTerms: string | null;
  };
  index: {
    /** false while the indexer catches up, or rewrites its newest rows */
    ready: boolean;
    escrow: EscrowView;
    /** the order's events in the index */
    events: ChainFact[];
  };
  /**
   * the escrow at three blocks; null if the node does not answer for a block, or the head agrees with ledger and index
   */
  contract: { confirmed: EscrowView | null; indexed: EscrowView | null; head: EscrowView };
  /** facts without an event whose block left the chain */
  left: ReadonlySet<string>;
};

export type Difference = {
  /**
   * stable for one difference: `order_status`, `terms`, `escrow`, `index`, `fact:<id>`, `event:<type>:<n>`,
   * `confirmations`, `index_lag`
   */
  what: string;
  ledger: string | null;
  index: string | null;
  contract: string | null;
  /** a lag, which the service's rounds end */
  expected_to_resolve: boolean;
  explanation: string;
};

/** Seconds for which a confirmed event may wait to be recorded before that is an error. */
const recordingSeconds = 600;

/** Builds the escrow that an order's unreverted chain facts describe. */
export function escrowOfFacts(facts: readonly Pick<EffectiveFact, "type" | "data">[]): EscrowView {
  const hasFact = (type: string) => facts.some((fact) => fact.type === type);
  const numbers = facts
    .filter(({ type }) => type === "delivery.recorded" || type === "part.recorded")
    .map(({ data }) => Number(data.number));
  const status =
    hasFact("order.released") && hasFact("order.refunded")
      ? "split"
      : hasFact("order.released")
        ? "released"
        : hasFact("order.refunded")
          ? "refunded"
          : hasFact("order.dispute_decided")
            ? "decided"
            : hasFact("order.disputed")
              ? "disputed"
              : hasFact("order.funded")
                ? "funded"
                : "none";
  return { status, deliveryCount: Math.max(0, ...numbers) };
}

/** Finds every difference between the three, the most important first. */
export function compareSources(views: OrderViews): Difference[] {
  const facts = compareFacts(views);
  const events = findUnrecorded(views);
  const lagging = [...facts, ...events].some((difference) => difference.expected_to_resolve);
  return [
    ...compareOrder(views),
    ...facts,
    ...events,
    ...compareEscrow(views, lagging),
    ...compareIndex(views),
    ...findLags(views),
  ];
}

function compareOrder({ ledger }: OrderViews): Difference[] {
  const found: Difference[] = [];
  if (ledger.status !== ledger.folded) {
    found.push({
      ...nothing,
      what: "order_status",
      ledger: ledger.status,
      explanation: `The order's facts fold to ${ledger.folded}, but its row says ${ledger.status}: something other than the service changed one of them.`,
    });
  }
  if (ledger.brokenTerms) {
    found.push({ ...nothing, what: "terms", explanation: ledger.brokenTerms });
  }
  return found;
}

/** Finds facts without an event in the index, or with a different one. */
function compareFacts({ ledger, index, indexedBlock, left }: OrderViews): Difference[] {
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
          explanation: "The fact differs from the event it was recorded from: the fact was changed.",
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
          ? "The fact's block left the chain: the fact is about to be reverted."
          : `The index has no such event in block ${fact.blockNumber}, which is on the chain: the index lost the event, or the fact was never on the chain.`,
      },
    ];
  });
}

/** Finds confirmed events without an unreverted fact. */
function findUnrecorded({ ledger, index, confirmedBlock, indexedAt }: OrderViews): Difference[] {
  const recordedPositions = new Set(ledger.facts.map(placeOf));
  return index.events
    .filter(
      (event) => event.chain.blockNumber <= confirmedBlock && !recordedPositions.has(placeOf(event.chain)),
    )
    .map((event) => {
      const age = Number(indexedAt) - event.occurredAt.getTime() / 1000;
      return {
        ...nothing,
        what: `event:${event.type}:${event.chain.blockNumber}:${event.chain.logIndex}`,
        index: tellStep(event),
        expected_to_resolve: age < recordingSeconds,
        explanation:
          age < recordingSeconds
            ? "The event is confirmed and about to be recorded."
            : "The event was confirmed long ago but is not recorded: the worker is down, or cannot settle this order. See its log.",
      };
    });
}

/** Compares the ledger with the contract, at the newest confirmed block. */
function compareEscrow(
  { ledger, index, contract, confirmedBlock, indexedBlock }: OrderViews,
  lagging: boolean,
): Difference[] {
  if (!contract.confirmed || isSameEscrow(asRecorded(ledger.escrow), asRecorded(contract.confirmed)))
    return [];
  const indexAgrees = contract.indexed !== null && isSameEscrow(index.escrow, contract.indexed);
  return [
    {
      what: "escrow",
      ledger: tellEscrow(ledger.escrow),
      index: tellEscrow(index.escrow),
      contract: tellEscrow(contract.confirmed),
      // An indexer that starts again is behind the recorded facts.
      expected_to_resolve: lagging || !index.ready || indexedBlock < confirmedBlock,
      explanation: `At block ${confirmedBlock} the contract's escrow differs from the facts. ${
        indexAgrees
          ? "The index agrees with the contract: facts are missing, or some were never on the chain."
          : "The index differs from the contract, too: it lost events, or has events of blocks that left the chain."
      }`,
    },
  ];
}

/** Compares the index with the contract, at the newest indexed block. */
function compareIndex({ index, contract, indexedBlock }: OrderViews): Difference[] {
  if (!contract.indexed || isSameEscrow(index.escrow, contract.indexed)) return [];
  return [
    {
      ...nothing,
      what: "index",
      index: tellEscrow(index.escrow),
      contract: tellEscrow(contract.indexed),
      expected_to_resolve: !index.ready,
      explanation: `At block ${indexedBlock} the index and the contract have different states of the escrow.`,
    },
  ];
}

function findLags({ ledger, index, contract, confirmedBlock, indexedBlock }: OrderViews): Difference[] {
  const { confirmed, indexed, head } = contract;
  const found: Difference[] = [];
  if (indexed && confirmed && !isSameEscrow(confirmed, indexed)) {
    found.push({
      what: "confirmations",
      ledger: tellEscrow(ledger.escrow),
      index: tellEscrow(index.escrow),
      contract: tellEscrow(indexed),
      expected_to_resolve: true,
      explanation: `Events after block ${confirmedBlock} have too few confirmations.`,
    });
  }
  if (indexed && !isSameEscrow(indexed, head)) {
    found.push({
      ...nothing,
      what: "index_lag",
      index: tellEscrow(index.escrow),
      contract: tellEscrow(head),
      expected_to_resolve: true,
      explanation: `The index is at block ${indexedBlock}; the contract has changed since.`,
    });
  }
  return found;
}

const nothing = { ledger: null, index: null, contract: null, expected_to_resolve: false };

/** Whether two sources have the same escrow. */
export function isSameEscrow(one: EscrowView, other: EscrowView): boolean {
  return one.status === other.status && one.deliveryCount === other.deliveryCount;
}

/** Limits the count of records, because the ledger has no facts of records beyond a limit. */
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

function tellStep({ type, data }: Pick<EffectiveFact, "type" | "data">): string {
  return `${type} ${canonicalize(data)}`;
}
