import { setTimeout as sleep } from "node:timers/promises";
import type { Person } from "../simulation/live/people.ts";
import { carryOut, type Offer, type PlannedOrder } from "../simulation/live/planned-orders.ts";
import type { Sample } from "./flatness.ts";
import { type Market, usualPlan } from "./load.ts";

/** The timed operations: placing an order, reading a list of orders, and an order from placement to visible release. */
export const timedOperations = ["order", "read", "settle"] as const;
export type Timed = (typeof timedOperations)[number];

/** One of so many orders is paid by calls, because a wallet sends one call per block. The others are paid by x402. */
const callsEach = 8;
/** Lists of orders that are read for each order that arrives. */
const readsEach = 2;

/**
 * Creates orders at a rate, each paid, delivered and released, and reads lists meanwhile. Times count from the due time, even
 * if this process is late.
 *
 * @param name makes the orders' idempotency keys unique
 */
export function createArrivals({ buyers, arbiter, offers }: Market, name: string) {
  const planned: PlannedOrder[] = [];
  const latencies: Record<Timed, Sample[]> = { order: [], read: [], settle: [] };
  const asked = new Set<Promise<void>>();
  const stopNow = new AbortController();
  const began = performance.now();
  const seconds = (at: number) => (at - began) / 1000;
  let settled = 0;
  let failed = 0;

  const note = (what: Timed, due: number) =>
    latencies[what].push({ at: seconds(due), value: performance.now() - due });

  async function placeOrder(due: number): Promise<void> {
    const at = planned.length;
    const offer = offers[at % offers.length] as Offer;
    const buyer = buyers[at % buyers.length] as Person;
    const rail = at % callsEach === 0 ? "escrow" : "x402";
    const order: PlannedOrder = {
      plan: { ...usualPlan, rail },
      buyer,
      provider: offer.provider,
      arbiter,
      orderId: null,
    };
    planned.push(order);
    const key = `${name}-${at}`;
    const body = { service_id: offer.serviceId, settlement_rail: rail, input_payload: {} };
    const placed = await buyer.ask("POST", "/orders", body, key);
    if (placed?.status !== 201) {
      failed += 1;
      return;
    }
    order.orderId = (placed.body as { id: string }).id;
    note("order", due);
    await carryOut(order, offer, { key, signal: stopNow.signal, until: "released" });
    if (stopNow.signal.aborted) return;
    note("settle", due);
    settled += 1;
  }

  async function read(due: number): Promise<void> {
    const buyer = buyers[Math.floor(due) % buyers.length] as Person;
    const answer = await buyer.ask("GET", "/orders?limit=1");
    if (answer?.status === 200) note("read", due);
    else failed += 1;
  }

  function begin(work: Promise<void>): void {
    const done = work
      .catch(() => {
        failed += 1;
      })
      .finally(() => asked.delete(done));
    asked.add(done);
  }

  return {
    planned,
    latencies,
    /** Seconds since the creation of these arrivals. */
    now: () => seconds(performance.now()),
    settled: () => settled,
    /** The number of requests that were refused or not answered. */
    failed: () => failed,
    underWay: () => planned.length - settled,
    /** Places orders at a fixed rate until the signal, even if earlier orders are late. */
    async keepRate(perSecond: number, signal: AbortSignal): Promise<void> {
      const every = 1000 / perSecond;
      const first = performance.now();
      for (let count = 0; !signal.aborted; count += 1) {
        const due = first + count * every;
        await sleep(Math.max(0, due - performance.now()), undefined, { signal }).catch(() => {});
        if (signal.aborted) return;
        begin(placeOrder(due));
        for (let one = 0; one < readsEach; one += 1) begin(read(due));
      }
    },
    /** Keeps a fixed number of orders in progress until the signal. */
    async keepBusy(together: number, signal: AbortSignal): Promise<void> {
      const lane = async () => {
        while (!signal.aborted) await placeOrder(performance.now()).catch(() => {});
      };
      await Promise.all(Array.from({ length: together }, lane));
    },
    /** Waits until all requests have ended, for at most `within` milliseconds. */
    async end(within: number): Promise<void> {
      const timer = setTimeout(() => stopNow.abort(), within);
      await Promise.all([...asked]);
      clearTimeout(timer);
    },
  };
}
export type Arrivals = ReturnType<typeof createArrivals>;
