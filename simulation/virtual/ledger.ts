import type { Hex } from "viem";
import { type ChainEvent, type ChainFact, chainFactOf } from "../../facts/chain-facts.ts";
import { isDelivered } from "../../facts/delivery-record.ts";
import { type eventText, orderEventData } from "../../facts/events.ts";
import {
  concernsArbiter,
  concernsBuyerAlone,
  type Fact,
  foldFacts,
  isAnnounced,
  type OrderState,
  standingFacts,
} from "../../facts/lifecycle.ts";
import type { SummarisedOrder } from "../../facts/order-summary.ts";
import { foldSpending, type Spending } from "../../facts/spending.ts";
import { presentFact } from "../../facts/trail.ts";
import { depositAddressOf, depositImplementationOf, escrowIdOf, type Terms } from "../../settlement/terms.ts";
import type { Actor } from "../../settlement/vocabulary.ts";
import { chainId, escrowContract } from "./chain.ts";
import type { LogIndex } from "./log-index.ts";

export type LedgerFact = Fact & { key: string; actor: Actor; chain: ChainFact["chain"] | null };

export type Receipt = {
  id: string;
  factId: string;
  claim: string;
  isX402: boolean;
  revoked: boolean;
  fact: LedgerFact;
};

export type Party = "buyer" | "provider" | "arbiter";

/** An order with all that hangs on it. */
export type Order = SummarisedOrder & {
  terms: Terms;
  escrowId: Hex;
  depositAddress: Hex;
  people: Record<Party, string>;
  facts: LedgerFact[];
  receipts: Receipt[];
  state: OrderState;
  spending: Spending;
};

/** An event of one account. */
export type Told = { account: string; event: Parameters<typeof eventText>[0] };

const claims: Partial<Record<Fact["type"], string>> = {
  "order.funded": "funded",
  "order.released": "released",
  "order.refunded": "refunded",
};

/**
 * A ledger in memory: what the database keeps is kept here, and each function is one transaction of it. What follows from
 * facts is said by the real rules of `facts/`.
 */
export function createLedger(index: LogIndex, now: () => Date, confirmations: number) {
  const orders: Order[] = [];
  const told: Told[] = [];
  let ids = 0;
  const idOf = (prefix: string) => `${prefix}_${String(++ids).padStart(26, "0")}`;

  function place(terms: Terms, people: Order["people"]): Order {
    const id = idOf("ord");
    const escrowId = escrowIdOf(chainId, escrowContract, terms);
    const order: Order = {
      ...{ id, reference: `E-${ids}`, serviceId: idOf("svc"), agentId: idOf("agt"), people, terms, escrowId },
      ...{ amount: terms.amount, tokenDecimals: 6, tokenSymbol: "TUSD", arbiter: terms.arbiter },
      depositAddress: depositAddressOf(escrowContract, depositImplementationOf(escrowContract), escrowId),
      ...{ facts: [], receipts: [], state: foldFacts([]), spending: foldSpending([], terms.amount) },
    };
    orders.push(order);
    record(order, [{ type: "order.created", actor: "buyer", key: `${id}:created`, data: {}, chain: null }]);
    return order;
  }

  type NewFact = Pick<LedgerFact, "type" | "actor" | "key" | "data" | "chain"> & { occurredAt?: Date };

  /** Writes facts with their events and receipts; a key that is there already changes nothing. */
  function record(order: Order, facts: NewFact[]): void {
    const known = new Set(orders.flatMap((one) => one.facts.map(({ key }) => key)));
    const recorded = facts
      .filter(({ key }) => !known.has(key))
      .map((fact): LedgerFact => ({ occurredAt: now(), ...fact, id: idOf("fct"), seq: ++ids }));
    if (recorded.length === 0) return;
    const before = order.state;
    order.facts.push(...recorded);
    order.state = foldFacts(order.facts);
    order.spending = foldSpending(order.facts, order.amount);
    for (const fact of recorded.filter(isAnnounced)) tell(order, fact, before);
    const standing = standingFacts(order.facts);
    for (const fact of recorded) {
      const claim = claims[fact.type];
      if (!claim) continue;
      const isX402 = claim === "released" && isDelivered(standing);
      order.receipts.push({ id: idOf("rcp"), factId: fact.id, claim, isX402, revoked: false, fact });
    }
  }

  function tell(order: Order, fact: LedgerFact, before: OrderState): void {
    const isDisputed = Boolean(order.state.disputedAt ?? before.disputedAt);
    const roles: Party[] = ["buyer"];
    if (!concernsBuyerAlone(fact)) roles.push("provider");
    if (isDisputed && concernsArbiter(fact)) roles.push("arbiter");
    for (const role of roles) {
      const data = orderEventData(order, role, order.state, presentFact({ ...fact, ...placeOf(fact) }));
      const event = { id: idOf("evt"), type: fact.type, createdAt: now(), data };
      told.push({ account: order.people[role], event });
    }
  }

  const confirmed = () => index.head() - confirmations + 1;

  function unrecorded(order: Order): ChainEvent[] {
    const known = new Set(order.facts.map(({ key }) => key));
    return index
      .events()
      .filter((event) => eventOf(event) === order.escrowId && Number(event.blockNumber) <= confirmed())
      .filter(({ id }) => !known.has(id));
  }

  function factsOf(order: Order, events: ChainEvent[]): NewFact[] {
    const { terms, arbiter, tokenDecimals } = order;
    const told = { ...terms, buyerAddress: terms.buyer, arbiter, tokenDecimals };
    return events.map((event) => chainFactOf(event, told)).filter((fact) => fact !== null);
  }

  /** Chain facts that stand, and that the index has no event of though it is past their block. */
  function lost(order: Order): LedgerFact[] {
    const indexed = new Set(index.events().map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`));
    return standingFacts(order.facts).filter(
      ({ chain }) =>
        chain &&
        Number(chain.blockNumber) <= index.head() &&
        !indexed.has(`${chain.blockHash} ${chain.logIndex}`),
    );
  }

  return {
    orders,
    told,
    place,
    record,
    lost,
    /** Whether the index has something of it that counts and is not in the ledger. */
    isBehind: (order: Order) => factsOf(order, unrecorded(order)).length > 0,
    /** Records what the index has of an order, as it is at this moment. */
    settle: (order: Order) => record(order, factsOf(order, unrecorded(order))),
    /** Takes a fact back. */
    revert(order: Order, fact: LedgerFact): void {
      const data = { fact_id: fact.id, fact_type: fact.type };
      record(order, [
        { type: "fact.reverted", actor: "chain", key: `${fact.key}:reverted`, data, chain: null },
      ]);
      for (const receipt of order.receipts) if (receipt.factId === fact.id) receipt.revoked = true;
    },
    /** Records again what came back with its block. */
    returnBack(order: Order): void {
      const standing = standingFacts(order.facts);
      const isAt = (event: ChainEvent) => (fact: LedgerFact) =>
        fact.chain?.blockHash === event.blockHash && fact.chain.logIndex === event.logIndex;
      for (const event of index.events()) {
        if (eventOf(event) !== order.escrowId || Number(event.blockNumber) > confirmed()) continue;
        const places = order.facts.filter(isAt(event));
        if (places.length === 0 || standing.some(isAt(event))) continue;
        const key = `${event.id}#${places.length + 1}`;
        record(
          order,
          factsOf(order, [event]).map((fact) => ({ ...fact, key })),
        );
      }
    },
  };
}
export type Ledger = ReturnType<typeof createLedger>;

const eventOf = (event: ChainEvent) => (event as ChainEvent & { escrowId: Hex }).escrowId;

/** Where on the chain a fact is, as its row has it. */
export function placeOf({ chain }: LedgerFact) {
  const { chainId: id, blockNumber, transactionHash, logIndex } = chain ?? {};
  return {
    chainId: id ?? null,
    blockNumber: blockNumber ?? null,
    transactionHash: transactionHash ?? null,
    logIndex: logIndex ?? null,
  };
}
