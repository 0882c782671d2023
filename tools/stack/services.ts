import { fileURLToPath } from "node:url";
import { createPublicClient, http } from "viem";
import { type Config, readConfig } from "../../config/config.ts";
import { openDatabase } from "../../db/client.ts";
import { deploymentSchema } from "../indexer/deployment-schema.ts";
import { ponderCommand } from "../indexer/ponder.ts";
import { readIndex } from "../indexer/progress.ts";
import { findSchema } from "../indexer/reindex.ts";
import { compileCache } from "./compile-cache.ts";
import { type Child, type ChildOptions, startPart, waitUntilReady } from "./process.ts";

type Environment = Record<string, string | undefined>;

/** Receives a child as soon as it runs, before it is ready. */
type Started = (child: Child) => void;

/**
 * Starts the indexer, as `npm run indexer` does, and waits until it serves the API and has every block that the chains had
 * at that moment.
 *
 * @param env the settings of `config/config.ts` and Node's variables
 */
export function startIndexer(env: Environment, logFile: string, started?: Started): Promise<Child> {
  const program = { name: "the indexer", ...nodeProgram("scripts/indexer.ts", env), startedAgain: true };
  return startIndexing(env, { ...program, logFile }, started);
}

/**
 * Starts Ponder without the program that restarts it and begins new indexes, and waits as `startIndexer` does. This takes a
 * second of processor time less. The database must be migrated, and have no second index.
 */
export function startPonderAlone(env: Environment, logFile: string, started?: Started): Promise<Child> {
  // npm's command of Ponder is no file for Node there.
  if (process.platform === "win32") return startIndexer(env, logFile, started);
  const config = readConfig(env);
  const { args, env: settings } = ponderCommand(config, deploymentSchema(config), env);
  const program = nodeProgram("node_modules/.bin/ponder", settings);
  const options = { name: "Ponder", ...program, args: [...program.args, ...args], logFile };
  return startIndexing(
    env,
    { ...options, cwd: fileURLToPath(ourRoot), stopSignal: "SIGINT", channel: true },
    started,
  );
}

async function startIndexing(env: Environment, options: ChildOptions, started?: Started): Promise<Child> {
  const config = readConfig(env);
  const deployment = deploymentSchema(config);
  const begun = Date.now();
  const [heads, child] = await Promise.all([readHeads(config), startPart(options)]);
  started?.(child);
  const db = openDatabase(config.databaseUrl, { max: 1, keepsStatements: config.keepsStatements });
  try {
    const hasAllBlocks = async () => {
      // Blocks from before the start do not count: Ponder drops the newest of them.
      const index = await findSchema(db, deployment)
        .then((schema) => readIndex(db, schema, begun))
        .catch(() => null);
      if (!index?.isReady || !(await answersReady(config.port))) return null;
      const isThere = heads.every(([chainId, head]) => (index.blocks.get(chainId) ?? -1n) >= head);
      return isThere ? true : null;
    };
    // Ponder loads for seconds: each query takes processor time from it.
    await waitUntilReady(child, hasAllBlocks, { interval: 100 });
  } finally {
    await db.$client.end();
  }
  return child;
}

/** Starts the API, as `npm run api` does, and waits until it answers. */
export function startApi(env: Environment, logFile: string, started?: Started): Promise<Child> {
  return startTelling("the API", "scripts/api.ts", { env, logFile, started });
}

/** Starts a worker, as `npm run worker` does, and waits until it works. */
export function startWorker(env: Environment, logFile: string, started?: Started): Promise<Child> {
  return startTelling("the worker", "jobs/worker.ts", { env, logFile, started });
}

const programs = {
  indexer: ["the indexer", "scripts/indexer.ts"],
  api: ["the API", "scripts/api.ts"],
  worker: ["the worker", "jobs/worker.ts"],
} as const;

/**
 * Starts a program without waiting for it: its dependencies may be down.
 *
 * @param options.root the folder of another version, as a URL that ends with a slash
 * @param options.by a command that runs the program, as in `["nsenter", "--net=…"]`
 */
export function beginProgram(
  which: keyof typeof programs,
  options: { env: Environment; logFile: string; root?: URL | undefined; by?: readonly string[] },
): Promise<Child> {
  const [name, path] = programs[which];
  const program = nodeProgram(path, options.env, options.root);
  const [file = "", ...args] = [...(options.by ?? []), program.file, ...program.args];
  return startPart({ name, ...program, file, args, logFile: options.logFile });
}

/** Starts a program of ours that reports when it is ready. */
async function startTelling(
  name: string,
  path: string,
  { env, logFile, started }: { env: Environment; logFile: string; started: Started | undefined },
): Promise<Child> {
  const child = await startPart({
    name,
    ...nodeProgram(path, env),
    logFile,
    channel: true,
    startedAgain: true,
  });
  started?.(child);
  let ready = false;
  void child.ready.then(() => {
    ready = true;
  });
  await waitUntilReady(child, () => ready || null);
  return child;
}

const ourRoot = new URL("../../", import.meta.url);

function nodeProgram(path: string, env: Environment, root: URL = ourRoot) {
  return {
    file: process.execPath,
    args: [fileURLToPath(new URL(path, root))],
    env: { NODE_COMPILE_CACHE: compileCache, ...env },
  };
}

async function readHeads(config: Config): Promise<[number, bigint][]> {
  return Promise.all(
    config.chains.map(
      async ({ chain_id, rpc_url }): Promise<[number, bigint]> => [
        chain_id,
        await createPublicClient({ transport: http(rpc_url) }).getBlockNumber(),
      ],
    ),
  );
}

/** Whether the server on a port of this machine says that it is ready. */
async function answersReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => null);
  await answer?.body?.cancel();
  return answer?.ok === true;
}
