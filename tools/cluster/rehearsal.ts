import { setTimeout as sleep } from "node:timers/promises";
import { getAddress } from "viem";
import { quantile } from "../quantile.ts";
import type { Scene } from "../simulation/checker/reading.ts";
import { startBalance } from "../simulation/live/people.ts";
import type { PlannedOrder } from "../simulation/live/planned-orders.ts";
import { judgeAtRest } from "../simulation/live/simulation.ts";
import { createRandom } from "../simulation/random.ts";
import { localAccounts } from "../stack/anvil.ts";
import type { Cluster } from "./cluster.ts";
import { type FaultKind, performFault } from "./faults.ts";
import { gatherMarket, type Load, longestGap, type Market, type Pulse, startLoad } from "./load.ts";
import { postgresNodes } from "./postgres-nodes.ts";
import { watchWritable } from "./writable.ts";

/** Milliseconds of load before the first fault, and after each recovery. */
const calm = 12_000;
const after = 8000;
/** Milliseconds within which open orders must settle once no more are placed. */
const settledWithin = 60_000;

/** The effect of a fault: the longest times without a success and until recovery, in milliseconds. */
export type Gap = { kind: FaultKind | "nothing"; victims: string } & Record<keyof Pulse, number> & {
    whole: number;
    /** the number of the API's errors to clients, by status and code */
    seen: Record<string, number>;
  };

export type Rehearsal = { gaps: Gap[]; settled: number } & Awaited<ReturnType<typeof judgeMarket>>;

/** Trades on a cluster, performs one fault after the other, and checks the result. */
export async function rehearse(
  cluster: Cluster,
  { kinds, seed, say }: { kinds: readonly FaultKind[]; seed: number; say: (line: string) => void },
): Promise<Rehearsal> {
  const market = await gatherMarket(cluster);
  const random = createRandom(seed, "cluster faults");
  const startedAt = new Date(Date.now() - 60_000).toISOString();
  const since = await cluster.chain.reader.getBlockNumber();
  const writable = await watchWritable(postgresNodes);
  const load = startLoad(market);
  const gaps: Gap[] = [];
  const note = (gap: Gap) => {
    gaps.push(gap);
    say(describe(gap));
  };
  try {
    // The first orders are slow.
    while (load.pulse.settled.length === 0) await sleep(100);
    const began = performance.now();
    await sleep(calm);
    note({ kind: "nothing", victims: "", ...gapsOf(load.pulse, began), whole: 0, seen: {} });
    for (const kind of random.shuffle(kinds)) note(await performOne(cluster, kind, { market, load, random }));
  } finally {
    await load.stop(settledWithin);
  }
  const second = await writable.judge();
  say(
    `${load.pulse.settled.length} orders settled, ${writable.acknowledged.length} writes past HAProxy; the checker compares chain, API and webhooks`,
  );
  const { wrong, ...judged } = await judgeMarket(cluster, market, load.planned, {
    since,
    startedAt,
    say,
    within: settledWithin,
  });
  return { gaps, settled: load.pulse.settled.length, ...judged, wrong: [...second, ...wrong] };
}

async function performOne(
  cluster: Cluster,
  kind: FaultKind,
  { market, load, random }: { market: Market; load: Load; random: ReturnType<typeof createRandom> },
): Promise<Gap> {
  const began = performance.now();
  const before = new Map(market.refused);
  const victims = await performFault(kind, cluster, random);
  const undone = performance.now();
  // The cluster needs a moment to notice the fault.
  await sleep(1000);
  await cluster.untilHealthy();
  const whole = performance.now() - undone;
  await sleep(after);
  const seen = [...market.refused].map(([what, count]) => [what, count - (before.get(what) ?? 0)] as const);
  return {
    kind,
    victims,
    ...gapsOf(load.pulse, began),
    whole,
    seen: Object.fromEntries(seen.filter(([, count]) => count > 0)),
  };
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

function gapsOf(pulse: Pulse, from: number): Record<keyof Pulse, number> {
  const to = performance.now();
  return {
    read: longestGap(pulse.read, from, to),
    write: longestGap(pulse.write, from, to),
    settled: longestGap(pulse.settled, from, to),
  };
}

const seconds = (time: number) => `${(time / 1000).toFixed(1).padStart(5)} s`;

function describe({ kind, victims, read, write, settled, whole, seen }: Gap): string {
  const saw = Object.entries(seen).map(([what, count]) => `${count} × ${what}`);
  return `${`${kind} (${victims})`.padEnd(48)} no read ${seconds(read)}, no write ${seconds(write)}, no order settled ${seconds(settled)}, whole after ${seconds(whole)}; clients saw ${saw.join(", ") || "no error"}`;
}

/** Formats the gaps of each kind of fault over all rounds: the median, and what 95 of 100 stay below. */
export function summarise(gaps: readonly Gap[]): string[] {
  const kinds = [...new Set(gaps.map(({ kind }) => kind))];
  const row = (name: string, of: readonly Gap[]) => {
    const figures = (["read", "write"] as const).map((what) => {
      const times = of.map((gap) => gap[what]);
      return `${what} ${seconds(quantile(times, 0.5))} / ${seconds(quantile(times, 0.95))}`;
    });
    return `${name.padEnd(34)} ${String(of.length).padStart(3)}  without a ${figures.join(", without a ")}`;
  };
  const faults = gaps.filter(({ kind }) => kind !== "nothing");
  return [
    "median and 95th percentile of the gaps, by fault and number of faults",
    ...kinds.map((kind) =>
      row(
        kind,
        gaps.filter((gap) => gap.kind === kind),
      ),
    ),
    row("all faults", faults),
  ];
}

function sceneOf(
  { baseUrl, chain }: Cluster,
  { people, receivers }: Market,
  planned: readonly PlannedOrder[],
  since: bigint,
): Scene {
  return {
    baseUrl,
    rpcUrl: chain.rpcUrl,
    since,
    confirmations: 1,
    escrowContract: getAddress(chain.manifest.escrow_contract),
    token: getAddress(chain.manifest.token.address),
    relayer: localAccounts.relayer.address,
    parties: people.map(({ name, account, token, endpoint, role }) => ({
      name,
      address: account.address,
      token,
      secret: endpoint.secret,
      minted: role === "buyer" ? startBalance : 0n,
    })),
    acknowledged: planned.flatMap(({ orderId }) => orderId ?? []),
    unanswered: planned.filter(({ orderId }) => !orderId).length,
    received: receivers.received,
  };
}
