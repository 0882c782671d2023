import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createLogKeyFile } from "../../config/keys/log-key.ts";
import { createKeyFile } from "../../config/keys/signing-key.ts";
import { createWebhookKeyFile } from "../../config/keys/webhook-key.ts";
import { migrateDatabase } from "../../db/migrate.ts";
import { buildWebApart } from "../build/web.ts";
import { localRelayerKey } from "../stack/local-chain.ts";
import { localChainId } from "../stack/local-chains.ts";
import type { Child } from "../stack/process.ts";
import { beginProgram } from "../stack/services.ts";
import { startClusterChain } from "./chain.ts";
import { createNetwork, hub, makeFolder, runProgram } from "./network.ts";
import { findParts } from "./parts.ts";
import { etcds, type PostgresNodes, postgresNodes, startPostgresNodes, urlOf } from "./postgres-nodes.ts";
import { type Supervised, supervise } from "./supervised.ts";

export type ClusterOptions = {
  /** the number of processes of each kind, at most two */
  apis: number;
  workers: number;
  indexers: number;
  /** further settings of the programs */
  env?: Record<string, string>;
  /** the folder of the version that all programs run at first. Default: this one */
  first?: URL | undefined;
  say: (line: string) => void;
};

export const usualPrograms = { apis: 2, workers: 2, indexers: 2 };
/** The machines of each kind of program. */
export const programs = {
  api: ["api-1", "api-2"],
  worker: ["worker-1", "worker-2"],
  indexer: ["indexer-1", "indexer-2"],
} as const;
type ProgramKind = keyof typeof programs;

export const programMachines = Object.values(programs).flat();
export const machines = [...etcds, ...postgresNodes, "haproxy", "pgbouncer", ...programMachines];

/** Creates the machines and the folder of a cluster. */
export function createSite() {
  const found = findParts();
  if ("missing" in found) throw new Error(found.missing.join("\n"));
  const { parts } = found;
  const folder = makeFolder();
  chmodSync(folder, 0o755);
  const running = new Set<Child>();
  const network = createNetwork(machines, { folder, parts });
  return {
    folder,
    network,
    parts,
    started(child: Child): void {
      running.add(child);
      void child.exited.then(() => running.delete(child));
    },
    /** Kills every process, and removes the files except the logs that are to be kept. */
    remove({ disk }: PostgresNodes, keepsLogs = false): void {
      for (const machine of machines) network.signal(machine, "SIGKILL");
      for (const child of running) child.kill("SIGKILL");
      runProgram("umount", ["--lazy", ...postgresNodes.map(disk)]);
      network.remove();
      for (const name of postgresNodes) rmSync(`${disk(name)}.img`, { force: true });
      if (!keepsLogs) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a whole deployment: each part on a machine of its own, which is a network namespace. */
export async function startCluster(options: ClusterOptions) {
  const { say } = options;
  const site = createSite();
  const { folder, network, parts, started } = site;
  await buildWebApart();
  const [chain, postgres] = await Promise.all([startClusterChain(folder, started), startPostgresNodes(site)]);
  await postgres.createDatabase();
  await migrateDatabase(urlOf("haproxy"));
  say("etcd, Patroni, HAProxy and PgBouncer run, and the database is migrated");

  const keys = join(folder, "keys");
  mkdirSync(keys);
  createKeyFile(join(keys, "signing.json"));
  createWebhookKeyFile(join(keys, "webhooks.key"));
  createLogKeyFile(join(keys, "log.key"));
  const env: Record<string, string> = {
    NODE_ENV: "production",
    NODE_NO_WARNINGS: "1",
    MALLOC_ARENA_MAX: "2",
    // V8 takes this size in the containers of ops/kubernetes, which have 1 GiB. The default for a large machine keeps garbage.
    // The option also replaces the smaller limit of the threads that check schemas, so it is for the cluster alone.
    NODE_OPTIONS: "--max-old-space-size=512",
    DATABASE_DIRECT_URL: urlOf("haproxy"),
    DATABASE_READ_URL: urlOf("haproxy", { port: 5433 }),
    DATABASE_PREPARED: String(parts.keepsStatements),
    // The receivers of webhooks are at localhost, too.
    PUBLIC_URL: "http://localhost",
    PORT: "42069",
    METRICS_PORT: "0",
    DEPLOYMENTS_DIR: chain.deployments,
    SIGNING_KEY_FILE: join(keys, "signing.json"),
    WEBHOOK_KEY_FILE: join(keys, "webhooks.key"),
    LOG_KEY_FILE: join(keys, "log.key"),
    RELAYER_PRIVATE_KEY: localRelayerKey,
    [`RPC_URL_${localChainId}`]: `http://${hub}:8545`,
    TRUSTED_PROXIES: "1",
    ...options.env,
  };
  const all = new Map<string, Supervised>(
    [...postgres.etcd, ...postgres.nodes, postgres.haproxy, postgres.pgbouncer].map((part) => [
      part.name,
      part,
    ]),
  );
  /** the version of each program from its next start on */
  const roots = new Map<string, URL | undefined>(programMachines.map((machine) => [machine, options.first]));
  const begin = async (kind: ProgramKind, count: number) =>
    Promise.all(
      programs[kind].slice(0, count).map(async (machine) => {
        const part = await supervise(machine, async () => {
          const database = kind === "api" ? "earnest" : "earnest_jobs";
          const child = await beginProgram(kind, {
            env: {
              ...env,
              DATABASE_URL: urlOf("pgbouncer", { port: 6432, database }),
              LOG_MEMORY_FILE: join(folder, `${machine}.checkpoint`),
            },
            logFile: join(folder, `${machine}.log`),
            root: roots.get(machine),
            by: network.on(machine),
          });
          started(child);
          return child;
        });
        all.set(machine, part);
      }),
    );
  await Promise.all((["indexer", "worker", "api"] as const).map((kind) => begin(kind, options[`${kind}s`])));
  const baseUrl = "http://haproxy";

  const cluster = {
    folder,
    baseUrl,
    chain,
    network,
    postgres,
    parts: all,
    programs: () => programMachines.filter((machine) => all.has(machine)),
    versions: [
      `PgBouncer ${parts.poolerVersion}`,
      runProgram(parts.etcd, ["--version"]).split("\n")[0] ?? "",
    ],
    addWorkers: (count: number) => begin("worker", count),
    /** Starts a program again in the present version, as an operator does in an upgrade. */
    async upgrade(machine: string): Promise<void> {
      roots.set(machine, undefined);
      const old = all.get(machine)?.child();
      old?.kill("SIGTERM");
      await old?.exited;
    },
    /** Waits until every part runs, the API is ready, and both standbys confirm. */
    async untilHealthy(within = 180_000): Promise<void> {
      const deadline = Date.now() + within;
      for (; ; await sleep(200)) {
        const isRunning = [...all.values()].every((part) => part.child());
        if (isRunning && (await isReady(baseUrl)) && (await postgres.isWhole())) return;
        if (Date.now() > deadline)
          throw new Error(
            `The cluster was not healthy after ${within / 1000} s: read the logs in ${folder}.`,
          );
      }
    },
    /** Kills every process. The logs stay if the run was not good. */
    stop(keepsLogs = false): void {
      for (const part of all.values()) part.keepDown(true);
      site.remove(postgres, keepsLogs);
    },
  };
  await cluster.untilHealthy();
  return cluster;
}
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Whether an API, or HAProxy before it, answers that it is ready. */
export async function isReady(baseUrl: string): Promise<boolean> {
  const answer = await fetch(`${baseUrl}/ready`, { signal: AbortSignal.timeout(2000) }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.ok === true;
}
