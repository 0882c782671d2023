import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createLogKeyFile } from "../../config/keys/log-key.ts";
import { createKeyFile } from "../../config/keys/signing-key.ts";
import { createWebhookKeyFile } from "../../config/keys/webhook-key.ts";
import { migrateDatabase } from "../../db/migrate.ts";
import { buildWebApart } from "../build/web.ts";
import { localChainId, localRelayerKey } from "../stack/local-chain.ts";
import { type Child, findFreePort } from "../stack/process.ts";
import { beginProgram } from "../stack/services.ts";
import { startClusterChain } from "./chain.ts";
import { startDatabases } from "./databases.ts";
import { describeMode, findPooler, startPooler } from "./pooler.ts";
import { type Front, findDaemon, startProxy } from "./proxy.ts";
import { freeze, kill, urlOf } from "./server.ts";
import { type Supervised, supervise } from "./supervised.ts";

export type ClusterOptions = {
  /** the number of processes of each kind */
  apis: number;
  workers: number;
  indexers: number;
  /** whether connections to the primary pass PgBouncer, if it is installed */
  pools: boolean;
  /** further settings of the programs */
  env?: Record<string, string>;
  say: (line: string) => void;
};

export const usual = { apis: 3, workers: 3, indexers: 2, pools: true };

/** The parts that a run may kill: single processes, groups at once or in sequence, and processes to freeze. */
const single = ["primary", "standby", "api", "worker", "indexer", "proxy", "pooler", "agent"] as const;
export const kinds = [
  ...single,
  ...(["frozen-primary", "primary+api", "primary+agent", "standby+primary", "indexer+indexer"] as const),
] as const;
type Single = (typeof single)[number];
/** Milliseconds for which a frozen server is suspended. */
const frozenFor = 5000;
export type Kind = (typeof kinds)[number];

/** Starts a whole deployment on this machine: the processes that an operator runs on several machines. */
export async function startCluster(options: ClusterOptions) {
  const { say } = options;
  const folder = mkdtempSync(join(tmpdir(), "earnest-cluster-"));
  chmodSync(folder, 0o755);
  const running = new Set<Child>();
  const started = (child: Child) => {
    running.add(child);
    void child.exited.then(() => running.delete(child));
  };
  const parts: Record<Exclude<Single, "primary" | "standby">, Supervised[]> = {
    api: [],
    worker: [],
    indexer: [],
    proxy: [],
    pooler: [],
    agent: [],
  };
  let databases: Awaited<ReturnType<typeof startDatabases>> | undefined;

  async function stop(keepsLogs = false): Promise<void> {
    await Promise.all([...parts.api, ...parts.worker, ...parts.indexer].map((part) => part.stop()));
    await Promise.all([...parts.pooler, ...parts.proxy].map((part) => part.stop()));
    await databases?.agent.stop();
    await Promise.all([...running].map((child) => child.stop(10_000)));
    const gone = keepsLogs ? (databases?.directories ?? []) : [folder, ...(databases?.directories ?? [])];
    for (const path of gone) rmSync(path, { recursive: true, force: true });
  }

  try {
    await buildWebApart();
    const [chain, made] = await Promise.all([
      startClusterChain(folder, started),
      startDatabases({ folder, started, say }),
    ]);
    databases = made;
    parts.agent.push(made.agent.part);
    await migrateDatabase(urlOf(made.agent.primary(), "earnest"));

    const apis = await Promise.all(
      Array.from({ length: options.apis }, async (_, at) => ({
        name: `api-${at + 1}`,
        port: await findFreePort(),
      })),
    );
    const api: Front = {
      ...{ name: "api", mode: "http", check: "/ready", port: await findFreePort() },
      servers: apis.map(({ name, port }) => ({ name, port, checkPort: port })),
    };
    const haproxy = findDaemon("haproxy");
    const fronts = [made.fronts.primary, made.fronts.standby, api];
    parts.proxy.push(await supervise("proxy", () => startProxy(fronts, folder, { haproxy, started })));
    const standby = `postgres://earnest:earnest@127.0.0.1:${made.fronts.standby.port}/earnest`;
    const direct = `postgres://earnest:earnest@127.0.0.1:${made.fronts.primary.port}/earnest`;
    const pooler = options.pools ? findPooler() : null;
    const poolerPort = await findFreePort();
    if (pooler) {
      const at = {
        ...{ folder, started, port: poolerPort, upstream: made.fronts.primary.port },
        owned: made.agent.primary().directory,
      };
      parts.pooler.push(await supervise("pooler", () => startPooler(pooler, at)));
    }

    const keys = join(folder, "keys");
    mkdirSync(keys);
    const env: Record<string, string> = {
      NODE_ENV: "production",
      NODE_NO_WARNINGS: "1",
      MALLOC_ARENA_MAX: "2",
      DATABASE_URL: pooler ? `postgres://earnest:earnest@127.0.0.1:${poolerPort}/earnest` : direct,
      DATABASE_DIRECT_URL: direct,
      DATABASE_READ_URL: standby,
      DATABASE_PREPARED: String(pooler === null || pooler.keepsStatements),
      PUBLIC_URL: `http://localhost:${api.port}`,
      METRICS_PORT: "0",
      DEPLOYMENTS_DIR: chain.deployments,
      SIGNING_KEY_FILE: join(keys, "signing.json"),
      WEBHOOK_KEY_FILE: join(keys, "webhooks.key"),
      LOG_KEY_FILE: join(keys, "log.key"),
      RELAYER_PRIVATE_KEY: localRelayerKey,
      [`RPC_URL_${localChainId}`]: chain.rpcUrl,
      ...(haproxy ? { TRUSTED_PROXIES: "1" } : {}),
      ...options.env,
    };
    createKeyFile(join(keys, "signing.json"));
    createWebhookKeyFile(join(keys, "webhooks.key"));
    createLogKeyFile(join(keys, "log.key"));

    const begin = (which: "api" | "worker" | "indexer", name: string, own: Record<string, string>) =>
      supervise(name, async () => {
        const child = await beginProgram(which, {
          env: { ...env, ...own },
          logFile: join(folder, `${name}.log`),
        });
        started(child);
        return child;
      });
    const jobsUrl = pooler ? `${env.DATABASE_URL}_jobs` : direct;
    const several = (which: "worker" | "indexer", count: number) =>
      Promise.all(
        Array.from({ length: count }, async (_, at) => {
          const name = `${which}-${at + 1}`;
          const own = {
            DATABASE_URL: jobsUrl,
            LOG_MEMORY_FILE: join(folder, `${name}.checkpoint`),
            PORT: String(await findFreePort()),
          };
          return begin(which, name, own);
        }),
      );
    parts.indexer.push(...(await several("indexer", options.indexers)));
    const addWorkers = async (count: number) => void parts.worker.push(...(await several("worker", count)));
    await addWorkers(options.workers);
    parts.api.push(
      ...(await Promise.all(apis.map(({ name, port }) => begin("api", name, { PORT: String(port) })))),
    );
    const baseUrl = env.PUBLIC_URL as string;
    const { agent } = made;
    const killed = new WeakSet<Child>();
    const killOne = (kind: Single): string | null => {
      if (kind === "primary" || kind === "standby") {
        const server = agent[kind]();
        kill(server);
        return server.name;
      }
      // A process that was just killed may not have reported its exit yet.
      const part = parts[kind].find((one) => one.child() && !killed.has(one.child() as Child));
      const child = part?.child();
      if (child) killed.add(child);
      part?.kill();
      return part?.name ?? null;
    };
    const cluster = {
      folder,
      baseUrl,
      chain,
      parts,
      agent,
      env,
      addresses: [
        ["API, by the proxy", baseUrl],
        ...apis.map(({ name, port }) => [name, `http://127.0.0.1:${port}`]),
        ["primary, by the proxy", direct],
        ["standby, by the proxy", standby],
        ...(pooler ? [[`PgBouncer ${pooler.version}`, `${env.DATABASE_URL}, ${describeMode(pooler)}`]] : []),
        ...made.servers.map((server) => [server.name, urlOf(server, "earnest")]),
        ["chain", chain.rpcUrl],
        ["logs", folder],
      ] as [string, string][],
      addWorkers,
      proxy: haproxy ? "HAProxy" : "the plain proxy",
      /** Kills processes of a kind by SIGKILL, or freezes them for a while. Returns their names, or null if there are none. */
      async kill(kind: Kind): Promise<string | null> {
        if (kind === "frozen-primary") {
          const server = agent.primary();
          freeze(server, true);
          setTimeout(() => freeze(server, false), frozenFor);
          return server.name;
        }
        const names: string[] = [];
        for (const one of kind.split("+") as Single[]) {
          const name = killOne(one);
          if (name === null) return null;
          names.push(name);
          // The primary first notices the loss of its standby and continues alone.
          while (kind === "standby+primary" && agent.mayPromote()) await sleep(50);
        }
        return names.join(", ");
      },
      /** Waits until every part runs, the API is ready, and the standby confirms. */
      async untilHealthy(within = 120_000): Promise<void> {
        const deadline = Date.now() + within;
        for (; ; await sleep(100)) {
          const isRunning = Object.values(parts).every((all) => all.every((part) => part.child()));
          if (isRunning && agent.mayPromote() && (await isReady(baseUrl))) return;
          if (Date.now() > deadline)
            throw new Error(
              `The cluster was not healthy after ${within / 1000} s: read the logs in ${folder}.`,
            );
        }
      },
      stop,
    };
    await cluster.untilHealthy();
    return cluster;
  } catch (error) {
    await stop(true);
    throw error;
  }
}
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

async function isReady(baseUrl: string): Promise<boolean> {
  const answer = await fetch(`${baseUrl}/ready`, { signal: AbortSignal.timeout(2000) }).catch(() => null);
  return answer?.ok === true;
}
