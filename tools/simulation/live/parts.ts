import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createLogKeyFile } from "../../../config/keys/log-key.ts";
import { createKeyFile } from "../../../config/keys/signing-key.ts";
import { createWebhookKeyFile } from "../../../config/keys/webhook-key.ts";
import { migrateDatabase } from "../../../db/migrate.ts";
import { buildWebApart } from "../../build/web.ts";
import { localRelayerKey } from "../../stack/local-chain.ts";
import { localChainId } from "../../stack/local-chains.ts";
import { initialisePostgres, placePostgres, runStatement, startPostgres } from "../../stack/postgres.ts";
import { type Child, type Exit, findFreePort } from "../../stack/process.ts";
import type { Release } from "../../stack/release.ts";
import { beginProgram } from "../../stack/services.ts";
import type { Random } from "../random.ts";
import { type SimulatedChain, startChain } from "./chain.ts";
import { type NodeProxy, startNodeProxy, startTcpProxy, type TcpProxy } from "./proxies.ts";

const names = ["indexer", "api", "second api", "worker", "second worker"] as const;
export type ProgramName = (typeof names)[number];

/** A program with its own connections to the database and the node. */
export type Program = {
  name: ProgramName;
  database: TcpProxy;
  node: NodeProxy;
  /** the running process; null if there is none */
  child: Child | null;
  /** milliseconds by which the clock is wrong from the next start on */
  clockShift: number;
  /** the release that runs from the next start on; null for the present one */
  release: Release | null;
  /** the log files of the program, by release */
  logs: { new: string; old: string };
  /** Starts the program, and restarts it whenever it exits, until `end()`. */
  start(): Promise<void>;
  /** Stops the program as an operator does. It stays stopped. */
  end(): Promise<Exit | null>;
};

export type Parts = Awaited<ReturnType<typeof startParts>>;

/** Windows that are short enough to end within a simulation. */
export const windows = { funding: 7200, dispute: 3600, appeal: 1800 };

/**
 * Starts PostgreSQL, the indexer, the API and a worker as separate processes that are restarted whenever they end, and a
 * chain. Faults may add second processes.
 *
 * @param first the release that makes the database and starts all programs. Default: the present one
 */
export async function startParts(random: Random, first: Release | null = null) {
  const folder = mkdtempSync(join(tmpdir(), "earnest-simulation-"));
  chmodSync(folder, 0o755);
  const cluster = placePostgres(join(folder, "postgres"));
  const running = new Set<Child>();
  const programs = new Map<ProgramName, Program>();
  /** the exits of programs that no fault killed directly */
  const endings: string[] = [];
  /** the number of the API's errors, by status and code */
  const refused = new Map<string, number>();
  let chain: SimulatedChain | undefined;
  let server: { child: Child } | undefined;
  let isStopping = false;

  const trackChild = (child: Child) => {
    running.add(child);
    void child.exited.then(() => running.delete(child));
  };

  async function stop(keepsLogs = false): Promise<void> {
    isStopping = true;
    await chain?.stop();
    await Promise.all(
      [...running].map((child) => {
        child.kill("SIGCONT");
        return child === server?.child ? child.stop(10_000) : child.stop(1);
      }),
    );
    for (const { database, node } of programs.values()) await Promise.all([database.close(), node.close()]);
    for (const directory of keepsLogs ? [cluster] : [cluster, folder])
      rmSync(directory, { recursive: true, force: true });
  }

  try {
    const [postgresPort, port, secondPort, indexerPort] = await Promise.all([
      findFreePort(),
      findFreePort(),
      findFreePort(),
      findFreePort(),
    ]);
    const logFile = join(folder, "postgres.log");
    const startServer = () =>
      startPostgres({
        directory: cluster,
        port: postgresPort,
        logFile,
        // Only processes are killed, never the machine, so written data stays without fsync.
        settings: { fsync: "off", full_page_writes: "off", max_connections: "200" },
        started: trackChild,
      });
    await buildWebApart();
    initialisePostgres(cluster);
    const [firstServer, startedChain] = await Promise.all([startServer(), startChain(folder, trackChild)]);
    server = firstServer;
    chain = startedChain;
    await runStatement(firstServer.url("postgres"), "create database earnest");
    const databaseUrl = firstServer.url("earnest");
    const migrate = () => migrateDatabase(databaseUrl);
    await (first ? first.migrate(databaseUrl) : migrate());
    void (async () => {
      for (;;) {
        await server.child.exited;
        if (isStopping) return;
        // The backends of a killed server end a moment later.
        while (!isStopping) {
          const again = await startServer().catch(() => null);
          if (again) {
            server = again;
            break;
          }
          await sleep(200);
        }
      }
    })();

    const keys = join(folder, "keys");
    mkdirSync(keys);
    const env = {
      NODE_ENV: "production",
      NODE_NO_WARNINGS: "1",
      PUBLIC_URL: `http://localhost:${port}`,
      PORT: String(port),
      METRICS_PORT: "0",
      DEPLOYMENTS_DIR: chain.deployments,
      SIGNING_KEY_FILE: join(keys, "signing.json"),
      WEBHOOK_KEY_FILE: join(keys, "webhooks.key"),
      LOG_KEY_FILE: join(keys, "log.key"),
      RELAYER_PRIVATE_KEY: localRelayerKey,
      RATE_LIMITS: "off",
      ANCHOR_EVERY: "0",
      RELAY_GAS_PER_HOUR: "2000000000",
      [`RELAY_GAS_PER_HOUR_${localChainId}`]: "2000000000",
      [`MIN_RELAY_AMOUNT_${localChainId}`]: "0",
      [`CONFIRMATIONS_${localChainId}`]: "2",
      [`POLLING_INTERVAL_${localChainId}`]: "200",
      FUNDING_WINDOW_SECONDS: String(windows.funding),
      DISPUTE_WINDOW_SECONDS: String(windows.dispute),
      APPEAL_WINDOW_SECONDS: String(windows.appeal),
      X402_WAIT_SECONDS: "1",
    };
    createKeyFile(env.SIGNING_KEY_FILE);
    createWebhookKeyFile(env.WEBHOOK_KEY_FILE);
    createLogKeyFile(env.LOG_KEY_FILE);
    for (const name of names) {
      const ports: Partial<Record<ProgramName, number>> = { "second api": secondPort, indexer: indexerPort };
      const own = { ...env, PORT: String(ports[name] ?? port) };
      programs.set(name, await addProgram(name, { env: own, postgresPort, chain }));
    }
    const apis = [
      { name: "api", url: env.PUBLIC_URL },
      { name: "second api", url: `http://localhost:${secondPort}` },
    ] as const;
    let requestCount = 0;

    return {
      folder,
      baseUrl: env.PUBLIC_URL,
      /** Returns the URL of a running API process, in rotation. */
      apiUrl(): string {
        const running = apis.filter(({ name }) => programs.get(name)?.child);
        requestCount += 1;
        return running[requestCount % running.length]?.url ?? env.PUBLIC_URL;
      },
      chain,
      programs,
      endings,
      refused,
      /** Migrates the database to the present release. */
      migrate,
      program: (name: ProgramName): Program => programs.get(name) as Program,
      postgres: () => (server as { child: Child }).child,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }

  async function addProgram(
    name: ProgramName,
    on: { env: Record<string, string>; postgresPort: number; chain: SimulatedChain },
  ): Promise<Program> {
    const database = await startTcpProxy(on.postgresPort);
    const node = await startNodeProxy(on.chain.rpcUrl, random, on.chain.remember);
    const file = join(folder, name.replace(" ", "-"));
    let isStarted = false;
    const program: Program = {
      name,
      database,
      node,
      child: null,
      clockShift: 0,
      release: first,
      logs: { new: `${file}.log`, old: `${file}.old.log` },
      start,
      end,
    };
    return program;

    async function start(): Promise<void> {
      if (isStarted) return;
      isStarted = true;
      await run();
    }

    async function end(): Promise<Exit | null> {
      isStarted = false;
      return (await program.child?.stop()) ?? null;
    }

    async function run(): Promise<void> {
      const clock = new URL(`./clock.ts?shift=${program.clockShift}`, import.meta.url).href;
      const env = {
        ...on.env,
        DATABASE_URL: `postgres://earnest:earnest@127.0.0.1:${database.port}/earnest`,
        [`RPC_URL_${localChainId}`]: node.url,
        LOG_MEMORY_FILE: `${file}.checkpoint`,
        ...(program.clockShift === 0 ? {} : { NODE_OPTIONS: `--import=${clock}` }),
      };
      const { release } = program;
      const logFile = release ? program.logs.old : program.logs.new;
      const what = name === "second worker" ? "worker" : name === "second api" ? "api" : name;
      const child = await beginProgram(what, { env, logFile, root: release?.root });
      trackChild(child);
      program.child = child;
      void child.exited.then(async ({ code, signal }) => {
        program.child = null;
        if (isStopping || !isStarted) return;
        if (signal !== "SIGKILL") endings.push(`${name} ended with ${signal ?? code}`);
        await sleep(random.whole(0, 1500));
        if (!isStopping && isStarted && !program.child) await run();
      });
    }
  }
}

/** The largest size of a file while the disk is "full", in bytes. */
const fullAt = 8192;

/**
 * Simulates a full disk of PostgreSQL, or ends it, by a limit on the size of files, which needs neither root nor a separate
 * disk. PostgreSQL fails to write its write-ahead log, ends, and cannot start until the limit is lifted.
 */
export function limitFiles({ pid }: Child, isFull: boolean): void {
  const children = (() => {
    try {
      return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
    } catch {
      return [];
    }
  })();
  const limit = isFull ? `${fullAt}:unlimited` : "unlimited:unlimited";
  for (const id of [String(pid), ...children]) spawnSync("prlimit", ["--pid", id, `--fsize=${limit}`]);
}
