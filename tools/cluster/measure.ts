import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address, Hex } from "viem";
import { z } from "zod";
import type { Person } from "../simulation/live/people.ts";
import { runStatement } from "../stack/postgres.ts";
import { type Cluster, startCluster, usualPrograms } from "./cluster.ts";
import { rateOf, type Sample } from "./flatness.ts";
import { gatherMarket, loadSettings, type Market } from "./load.ts";
import { urlOf } from "./postgres-nodes.ts";
import { describeUsage, readUsage } from "./usage.ts";

/** The milliseconds for which orders are placed, the number placed at once, and the number that is paid. */
const placing = 8000;
const placers = 24;
const paid = 300;
/** Milliseconds without a delivery after which the queue counts as empty. */
const quiet = 3000;
/** Milliseconds for the index, and then for the ledger, to have every paid order. */
const paidWithin = 120_000;

export type Rates = { processes: number; orders: number; events: number; deliveries: number };

/**
 * Measures a cluster with so many processes of the API and of the worker, in operations per second: placed orders, chain
 * events that become facts, and webhook deliveries. The last two are measured while a queue is worked off.
 */
export async function measure(processes: number, say: (line: string) => void): Promise<Rates> {
  const cluster = await startCluster({
    ...usualPrograms,
    apis: processes,
    workers: 0,
    env: loadSettings,
    say,
  });
  try {
    const market = await gatherMarket(cluster);
    try {
      const { placed, orders } = await watched([cluster, market], "placing orders", say, () => place(market));
      const payable = placed.slice(0, paid);
      await pay(cluster, market, payable);
      await untilEach(payable.length, () => countRows("idx.escrow"));
      await cluster.addWorkers(processes);
      const deliveries = await watched([cluster, market], "working off events and deliveries", say, () =>
        drain(market),
      );
      await untilEach(payable.length, () => countRows("earnest.fact where type = 'order.funded'"));
      const rows = await runStatement(
        urlOf("haproxy"),
        "select extract(epoch from recorded_at) as at from earnest.fact where type = 'order.funded' order by 1",
      );
      const recorded = z.array(z.object({ at: z.coerce.number() })).parse(rows);
      const events = rateOf(recorded.map(({ at }, index) => ({ at, value: index + 1 })));
      return { processes, orders, events, deliveries };
    } finally {
      await market.receivers.stop();
    }
  } finally {
    cluster.stop();
  }
}

/** Waits until a count has reached the number of paid orders. */
async function untilEach(orders: number, count: () => Promise<number>): Promise<void> {
  const deadline = performance.now() + paidWithin;
  for (let found = 0; found < orders; await sleep(100)) {
    found = await count();
    if (found < orders && performance.now() > deadline)
      throw new Error(
        `Only ${found} of ${orders} paid orders were indexed and recorded in ${paidWithin / 1000} s.`,
      );
  }
}

async function countRows(from: string): Promise<number> {
  const [row] = await runStatement(urlOf("haproxy"), `select count(*) as rows from ${from}`);
  return z.object({ rows: z.coerce.number() }).parse(row).rows;
}

/** Does some work, and prints which processes were busy meanwhile. */
async function watched<T>(
  [cluster, market]: [Cluster, Market],
  what: string,
  say: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const read = () => readUsage(cluster, market.receivers.pids);
  const [before, began] = [read(), performance.now()];
  const done = await work();
  const seconds = (performance.now() - began) / 1000;
  say(`${what}: ${describeUsage(before, read(), seconds, availableParallelism())} of all cores`);
  return done;
}

type Placed = { id: string; buyer: Person };

async function place({ buyers, offers }: Market): Promise<{ placed: Placed[]; orders: number }> {
  const placed: Placed[] = [];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: placers }, async (_, at) => {
      for (let turn = 0; performance.now() - began < placing; turn += 1) {
        const buyer = buyers[at % buyers.length] as Person;
        const body = {
          service_id: offers[at % offers.length]?.serviceId,
          settlement_rail: "escrow",
          input_payload: {},
        };
        const answer = await buyer.ask("POST", "/orders", body, `measure-${at}-${turn}`);
        if (answer?.status === 201) placed.push({ id: (answer.body as { id: string }).id, buyer });
      }
    }),
  );
  return { placed, orders: placed.length / ((performance.now() - began) / 1000) };
}

const instructionsSchema = z.object({
  calls: z.array(
    z.object({
      to: z.string().transform((text) => text as Address),
      data: z.string().transform((text) => text as Hex),
    }),
  ),
});

/** Pays orders by the calls that the API describes, as fast as the chain's blocks take them. */
async function pay({ chain }: Cluster, { buyers }: Market, placed: Placed[]): Promise<void> {
  const { reader, manifest } = chain;
  await Promise.all(
    buyers.map(async (buyer) => {
      let nonce = await reader.getTransactionCount({ address: buyer.account.address });
      let last: Hex | undefined;
      for (const { id } of placed.filter((one) => one.buyer === buyer)) {
        const answer = await buyer.ask("GET", `/orders/${id}/payment-instructions`);
        for (const { to, data } of instructionsSchema.parse(answer?.body).calls) {
          const raw = await buyer.account.signTransaction({
            to,
            data,
            nonce: nonce++,
            chainId: manifest.chain_id,
            gas: 400_000n,
            type: "eip1559",
            maxFeePerGas: 10n ** 11n,
            maxPriorityFeePerGas: 10n ** 9n,
          });
          last = await reader.request({ method: "eth_sendRawTransaction", params: [raw] });
        }
      }
      if (last) await reader.waitForTransactionReceipt({ hash: last, timeout: 60_000 });
    }),
  );
}

/** Waits until the receivers have every delivery. Returns deliveries per second. */
async function drain({ receivers }: Market): Promise<number> {
  const already = await receivers.count();
  const deadline = performance.now() + 120_000;
  const taken: Sample[] = [];
  for (; performance.now() < deadline; await sleep(50)) {
    const [at, value] = [performance.now() / 1000, (await receivers.count()) - already];
    if (value > (taken.at(-1)?.value ?? 0)) taken.push({ at, value });
    else if (at - (taken.at(-1)?.at ?? at) > quiet / 1000) break;
  }
  return rateOf(taken);
}
