import { setTimeout as sleep } from "node:timers/promises";
import { getAddress } from "viem";
import type { Scene } from "../simulation/checker/reading.ts";
import { minted } from "../simulation/live/people.ts";
import type { PlannedOrder } from "../simulation/live/planned-orders.ts";
import { judgeAtRest } from "../simulation/live/simulation.ts";
import { localAccounts } from "../stack/anvil.ts";
import type { Cluster, Kind } from "./cluster.ts";
import { gatherMarket, type Load, longestGap, type Market, type Pulse, startLoad } from "./load.ts";

/** Milliseconds of load before the first kill, and after each recovery. */
const calm = 12_000;
const after = 8000;
/** Milliseconds within which open orders must settle once no more are placed. */
const settledWithin = 45_000;

/** The effect of a killed part: the longest times without a success and until recovery, in milliseconds. */
export type Gap = { part: string } & Record<keyof Pulse, number> & { whole: number };

export type FailoverResult = { gaps: Gap[]; settled: number } & Awaited<ReturnType<typeof judgeMarket>>;

/** Runs trades on a cluster, kills one part after the other by SIGKILL, and checks the result. */
export async function runFailover(
  cluster: Cluster,
  kinds: readonly Kind[],
  say: (line: string) => void,
): Promise<FailoverResult> {
  const market = await gatherMarket(cluster);
  try {
    const startedAt = new Date(Date.now() - 60_000).toISOString();
    const since = await cluster.chain.reader.getBlockNumber();
    const load = startLoad(market);
    const gaps: Gap[] = [];
    try {
      // The first orders are slow.
      while (load.pulse.settled.length === 0) await sleep(100);
      const began = performance.now();
      await sleep(calm);
      gaps.push({ part: "nothing", ...gapsOf(load.pulse, began), whole: 0 });
      say(describe(gaps[0] as Gap));
      for (const kind of kinds) {
        const gap = await killOne(cluster, kind, load);
        if (!gap) {
          say(`there is no ${kind} to kill`);
          continue;
        }
        gaps.push(gap);
        say(describe(gap));
      }
    } finally {
      await load.stop(settledWithin);
    }
    say(`${load.pulse.settled.length} orders settled; the checker compares chain, API and webhooks`);
    const judged = await judgeMarket(cluster, market, load.planned, {
      ...{ since, startedAt, say, within: settledWithin },
    });
    return { gaps, settled: load.pulse.settled.length, ...judged };
  } finally {
    await market.receivers.stop();
  }
}

/** Compares the chain, the API and the received webhooks by the simulation's checker, once trading has ended. */
export async function judgeMarket(
  cluster: Cluster,
  market: Market,
  planned: readonly PlannedOrder[],
  options: { since: bigint; startedAt: string; within: number; say: (line: string) => void },
) {
  const { since, startedAt, within, say } = options;
  const judged = new AbortController();
  const handing = market.receivers.handOver(judged.signal);
  try {
    const scene = sceneOf(cluster, market, planned, since);
    const { wrong, reading } = await judgeAtRest(scene, market.people, startedAt, { say, within });
    return {
      /** the faults that the checker found, a sentence each */
      wrong,
      acknowledged: scene.acknowledged.length,
      events: [...(reading?.feeds.values() ?? [])].reduce((sum, feed) => sum + feed.length, 0),
      deliveries: market.receivers.received.length,
    };
  } finally {
    judged.abort();
    await handing;
  }
}

async function killOne(cluster: Cluster, kind: Kind, load: Load): Promise<Gap | null> {
  const began = performance.now();
  const part = await cluster.kill(kind);
  if (part === null) return null;
  // The cluster needs a moment to notice the killed part.
  await sleep(1000);
  await cluster.untilHealthy();
  const whole = performance.now() - began;
  await sleep(after);
  return { part: `${kind} (${part})`, ...gapsOf(load.pulse, began), whole };
}

function gapsOf(pulse: Pulse, from: number): Record<keyof Pulse, number> {
  const to = performance.now();
  return {
    read: longestGap(pulse.read, from, to),
    write: longestGap(pulse.write, from, to),
    settled: longestGap(pulse.settled, from, to),
  };
}

function describe({ part, read, write, settled, whole }: Gap): string {
  const seconds = (time: number) => `${(time / 1000).toFixed(1).padStart(5)} s`;
  return `killed: ${part.padEnd(28)} longest without a read ${seconds(read)}, a write ${seconds(write)}, a settled order ${seconds(settled)}; whole after ${seconds(whole)}`;
}

function sceneOf(
  { baseUrl, chain }: Cluster,
  { people, receivers }: Market,
  planned: readonly PlannedOrder[],
  since: bigint,
): Scene {
  return {
    ...{ baseUrl, rpcUrl: chain.rpcUrl, since, confirmations: 1 },
    escrowContract: getAddress(chain.manifest.escrow_contract),
    token: getAddress(chain.manifest.token.address),
    relayer: localAccounts.relayer.address,
    parties: people.map(({ name, account, token, endpoint, role }) => ({
      ...{ name, address: account.address, token, secret: endpoint.secret },
      minted: role === "buyer" ? minted : 0n,
    })),
    acknowledged: planned.flatMap(({ orderId }) => orderId ?? []),
    unanswered: planned.filter(({ orderId }) => !orderId).length,
    received: receivers.received,
  };
}
