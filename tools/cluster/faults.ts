import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../simulation/random.ts";
import { type Cluster, isReady, machines } from "./cluster.ts";
import { hub } from "./network.ts";
import { etcds, type PostgresNodes, postgresNodes } from "./postgres-nodes.ts";

/** Milliseconds for which a machine without its leader's key waits for another leader. */
const promotedWithin = 60_000;
/** Percent of the packets that a lossy machine drops. */
const lost = 30;

type Fault = (cluster: Cluster, random: Random) => Promise<string>;

/** Each fault acts on a healthy cluster and returns the names of its victims, once the fault is over. */
const faults = {
  leader: async (cluster) => kill(cluster, await leaderOf(cluster)),
  "leader's machine": async (cluster) => {
    const leader = await leaderOf(cluster);
    cluster.parts.get(leader)?.keepDown(true);
    kill(cluster, leader);
    await untilPromoted(cluster.postgres, leader);
    cluster.parts.get(leader)?.keepDown(false);
    return leader;
  },
  replica: async (cluster, random) => kill(cluster, random.pick(await replicasOf(cluster))),
  "replicas, then leader": async (cluster) => {
    const [leader, replicas] = [await leaderOf(cluster), await replicasOf(cluster)];
    for (const replica of replicas) {
      cluster.parts.get(replica)?.keepDown(true);
      kill(cluster, replica);
    }
    // The leader goes on alone from then on.
    await untilAlone(cluster);
    kill(cluster, leader);
    for (const replica of replicas) cluster.parts.get(replica)?.keepDown(false);
    return [...replicas, leader].join(", ");
  },
  etcd: async (cluster, random) => kill(cluster, random.pick(etcds)),
  "two of etcd": async (cluster, random) => {
    const kept = random.pick(etcds);
    const gone = etcds.filter((one) => one !== kept);
    for (const one of gone) cluster.parts.get(one)?.keepDown(true);
    for (const one of gone) kill(cluster, one);
    await sleep(random.whole(25_000, 35_000));
    for (const one of gone) cluster.parts.get(one)?.keepDown(false);
    return gone.join(", ");
  },
  haproxy: async (cluster) => kill(cluster, "haproxy"),
  pgbouncer: async (cluster) => kill(cluster, "pgbouncer"),
  api: async (cluster, random) => kill(cluster, random.pick(["api-1", "api-2"])),
  worker: async (cluster, random) => killProgram(cluster, random.pick(["worker-1", "worker-2"])),
  indexer: async (cluster, random) => kill(cluster, random.pick(["indexer-1", "indexer-2"])),
  "leader and api": async (cluster, random) =>
    `${kill(cluster, await leaderOf(cluster))}, ${kill(cluster, random.pick(["api-1", "api-2"]))}`,
  "frozen leader": async (cluster, random) => {
    const leader = await leaderOf(cluster);
    cluster.network.signal(leader, "SIGSTOP");
    await untilPromoted(cluster.postgres, leader);
    await sleep(random.whole(0, 4000));
    cluster.network.signal(leader, "SIGCONT");
    return leader;
  },
  "leader without etcd": async (cluster, random) => cutOff(cluster, etcds, random.whole(25_000, 40_000)),
  "leader without replicas": async (cluster, random) =>
    cutOff(cluster, await replicasOf(cluster), random.whole(15_000, 30_000)),
  "leader without etcd and replicas": async (cluster, random) =>
    cutOff(cluster, [...etcds, ...(await replicasOf(cluster))], random.whole(25_000, 40_000)),
  "leader without programs": async (cluster, random) =>
    cutOff(cluster, ["haproxy"], random.whole(5000, 15_000)),
  "lossy leader": async (cluster, random) => {
    const leader = await leaderOf(cluster);
    cluster.network.lose(leader, others(leader), lost);
    await sleep(random.whole(15_000, 30_000));
    cluster.network.heal(leader);
    return leader;
  },
  "full disk": async (cluster, random) => {
    const leader = await leaderOf(cluster);
    const filler = join(cluster.postgres.disk(leader), "filler");
    fill(filler);
    await untilPromoted(cluster.postgres, leader);
    await sleep(random.whole(0, 5000));
    rmSync(filler);
    return leader;
  },
  switchover: async (cluster, random) => switchOver(cluster, random),
  "upgrade and switchover": async (cluster, random) => {
    const upgraded = random.shuffle(cluster.programs());
    const half = Math.floor(upgraded.length / 2);
    for (const machine of upgraded.slice(0, half)) await upgradeOne(cluster, machine);
    const switched = await switchOver(cluster, random);
    for (const machine of upgraded.slice(half)) await upgradeOne(cluster, machine);
    return `${switched}, all programs`;
  },
} satisfies Record<string, Fault>;

export type FaultKind = keyof typeof faults;
export const faultKinds = Object.keys(faults) as FaultKind[];

/** Performs a fault, and undoes it after its time. Returns the names of its victims. */
export const performFault = (kind: FaultKind, cluster: Cluster, random: Random): Promise<string> =>
  faults[kind](cluster, random);

function kill(cluster: Cluster, machine: string): string {
  cluster.network.signal(machine, "SIGKILL");
  return machine;
}

/** Kills a worker. The receiver of webhooks on its machine lives on. */
function killProgram(cluster: Cluster, machine: string): string {
  cluster.parts.get(machine)?.child()?.kill("SIGKILL");
  return machine;
}

async function leaderOf({ postgres }: Cluster): Promise<string> {
  for (;;) {
    const leader = await postgres.leader();
    if (leader) return leader;
    await sleep(200);
  }
}

async function replicasOf(cluster: Cluster): Promise<string[]> {
  const leader = await leaderOf(cluster);
  return postgresNodes.filter((node) => node !== leader);
}

const others = (machine: string) => [...machines, hub].filter((other) => other !== machine && other !== hub);

/** Waits until another node is the leader, or the time is over: then the old one leads on. */
export async function untilPromoted(postgres: PostgresNodes, old: string): Promise<void> {
  const deadline = performance.now() + promotedWithin;
  for (; performance.now() < deadline; await sleep(200)) {
    const leader = (await postgres.members()).find(
      ({ name, role, state }) => name !== old && role === "leader" && state === "running",
    );
    if (leader) return;
  }
}

/** Waits until the leader counts no standby for its commits. */
async function untilAlone({ postgres }: Cluster): Promise<void> {
  const deadline = performance.now() + promotedWithin;
  for (; performance.now() < deadline; await sleep(200)) {
    const members = await postgres.members();
    if (members.length > 0 && !members.some(({ role }) => role === "quorum_standby")) return;
  }
}

/** Cuts the leader off from others for some milliseconds. */
async function cutOff(cluster: Cluster, from: readonly string[], during: number): Promise<string> {
  const leader = await leaderOf(cluster);
  cluster.network.cut(leader, from);
  await sleep(during);
  cluster.network.heal(leader);
  return leader;
}

/** Fills the disk that holds a file, up to the last byte. */
function fill(path: string): void {
  const file = openSync(path, "w");
  const block = Buffer.alloc(2 ** 20);
  try {
    for (;;) writeSync(file, block);
  } catch {
    for (const size of [4096, 1]) {
      try {
        for (;;) writeSync(file, block, 0, size);
      } catch {
        // Nothing of this size fits any more.
      }
    }
  } finally {
    closeSync(file);
  }
  const { bavail } = statfsSync(path);
  if (bavail > 16) throw new Error(`The disk of ${path} has ${bavail} free blocks.`);
}

async function switchOver(cluster: Cluster, random: Random): Promise<string> {
  const leader = await leaderOf(cluster);
  const next = random.pick(await replicasOf(cluster));
  await cluster.postgres.switchOver(leader, next);
  return `${leader} to ${next}`;
}

/** Upgrades one program, and waits until it works: before, the other one of its kind must not end. */
async function upgradeOne(cluster: Cluster, machine: string): Promise<void> {
  await cluster.upgrade(machine);
  while (!cluster.parts.get(machine)?.child()) await sleep(100);
  const deadline = performance.now() + promotedWithin;
  while (
    machine.startsWith("api") &&
    performance.now() < deadline &&
    !(await isReady(`http://${machine}:42069`))
  )
    await sleep(200);
  // HAProxy sends requests there after its next check.
  await sleep(2000);
}
