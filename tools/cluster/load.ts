import { setTimeout as sleep } from "node:timers/promises";
import { gatherPeople, type Person } from "../simulation/live/people.ts";
import {
  carryOut,
  type Offer,
  offerService,
  type Plan,
  type PlannedOrder,
} from "../simulation/live/planned-orders.ts";
import { createRandom } from "../simulation/random.ts";
import { type Cluster, programs } from "./cluster.ts";
import { startReceivers } from "./receivers.ts";

/** The times of successes, in milliseconds of `performance.now()`. */
export type Pulse = { read: number[]; write: number[]; settled: number[] };

/** Settings of the load: no limit for anonymous callers, and no features of the service that disturb the figures. */
export const loadSettings = {
  RATE_LIMITS: "off",
  ANCHOR_EVERY: "0",
  RELAY_GAS_PER_HOUR: "2000000000",
  RELAY_GAS_PER_HOUR_31337: "2000000000",
  X402_WAIT_SECONDS: "1",
  // All receivers share one host.
  WEBHOOK_HOST_PER_SECOND: "100000",
  WEBHOOK_ACCOUNT_PER_SECOND: "100000",
};

/** The number of programs that trade at once, and the milliseconds between two reads and between two writes. */
const traders = 6;
const readEvery = 100;
const writeEvery = 200;
/** The most reads, and the most writes, under way at once: a client waits for its answers. */
const mostAtOnce = 10;

/** Creates people with accounts, webhooks and services. They do not trade yet. */
export async function gatherMarket(
  { baseUrl, chain, folder, network }: Cluster,
  { buyers = 2, providers = 2 } = {},
) {
  // A worker sends to the receiver on its own machine.
  const receivers = await startReceivers(folder, network, programs.worker);
  const roles = [
    ...Array.from({ length: buyers }, () => "buyer" as const),
    ...Array.from({ length: providers }, () => "provider" as const),
    "arbiter" as const,
  ];
  const refused = new Map<string, number>();
  const place = { apiUrl: () => baseUrl, refused, chain };
  const people = await gatherPeople(place, receivers, createRandom(1, "cluster"), roles);
  const peopleOf = (role: Person["role"]) => people.filter((person) => person.role === role);
  const offers = await Promise.all(
    peopleOf("provider").map((provider, at) => offerService(provider, `agent-${at}`)),
  );
  return {
    people,
    buyers: peopleOf("buyer"),
    arbiter: peopleOf("arbiter")[0] as Person,
    offers,
    receivers,
    refused,
  };
}
export type Market = Awaited<ReturnType<typeof gatherMarket>>;

/** The plan of each order: paid, delivered, and released by the buyer's signature. */
export const usualPlan: Omit<Plan, "rail"> = {
  pays: true,
  works: true,
  record: "none",
  revises: false,
  intends: false,
  end: "release",
  by: "buyer",
  signs: true,
  ruling: null,
};

/** Makes people trade, read and write without pause until they are stopped. */
export function startLoad({ buyers, arbiter, offers }: Market) {
  const pulse: Pulse = { read: [], write: [], settled: [] };
  const planned: PlannedOrder[] = [];
  const ending = new AbortController();
  const stopNow = new AbortController();
  const asked = new Set<Promise<void>>();
  let count = 0;

  const tick = async (every: number, ask: () => Promise<boolean>, noted: number[]) => {
    let underWay = 0;
    const askOnce = async () => {
      underWay += 1;
      const isGood = await ask();
      underWay -= 1;
      if (isGood) noted.push(performance.now());
    };
    for (; !ending.signal.aborted; await sleep(every)) {
      if (underWay >= mostAtOnce) continue;
      const one = askOnce().finally(() => asked.delete(one));
      asked.add(one);
    }
  };
  const nextOrder = (rail: Plan["rail"]): { order: PlannedOrder; offer: Offer; key: string } => {
    const at = count++;
    const offer = offers[at % offers.length] as Offer;
    const buyer = buyers[at % buyers.length] as Person;
    const order: PlannedOrder = {
      plan: { ...usualPlan, rail },
      buyer,
      provider: offer.provider,
      arbiter,
      orderId: null,
    };
    planned.push(order);
    return { order, offer, key: `cluster-order-${at}` };
  };
  const read = async () => {
    const buyer = buyers[count % buyers.length] as Person;
    return (await buyer.ask("GET", "/orders?limit=1"))?.status === 200;
  };
  /** Places an order that stays unpaid. */
  const write = async () => {
    const { order, offer, key } = nextOrder("escrow");
    const body = { service_id: offer.serviceId, settlement_rail: "escrow", input_payload: {} };
    const placed = await order.buyer.ask("POST", "/orders", body, key);
    if (placed?.status !== 201) return false;
    order.orderId = (placed.body as { id: string }).id;
    return true;
  };
  const trade = async (at: number) => {
    while (!ending.signal.aborted) {
      const { order, offer, key } = nextOrder(at % 2 === 0 ? "escrow" : "x402");
      await carryOut(order, offer, { key, signal: stopNow.signal, until: "released" });
      if (!stopNow.signal.aborted) pulse.settled.push(performance.now());
    }
  };
  const trading = [
    ...Array.from({ length: traders }, (_, at) => trade(at)),
    tick(readEvery, read, pulse.read),
    tick(writeEvery, write, pulse.write),
  ];
  return {
    pulse,
    planned,
    /** Stops placing orders, and waits until the open ones are settled, for at most the given milliseconds. */
    async stop(within: number): Promise<void> {
      ending.abort();
      const timer = setTimeout(() => stopNow.abort(), within);
      await Promise.all([...trading, ...asked]);
      clearTimeout(timer);
    },
  };
}
export type Load = ReturnType<typeof startLoad>;

/** Returns the longest time without a success that overlaps a span. */
export function longestGap(times: readonly number[], from: number, to: number): number {
  const before = times.findLast((time) => time <= from) ?? from;
  const within = [before, ...times.filter((time) => time > from && time <= to), to];
  return Math.max(...within.slice(1).map((time, at) => time - (within[at] as number)));
}
