import { fileURLToPath } from "node:url";
import { createPublicClient, http } from "viem";
import { type Config, readConfig } from "../config.ts";
import { readIndexedBlocks } from "../db/chain.ts";
import { openDatabase } from "../db/client.ts";
import { checkPortFree } from "../indexer/port.ts";
import { type Child, startChild, waitUntilReady } from "./process.ts";

type Environment = Record<string, string | undefined>;

/** Told of a child as soon as it runs, before it is ready. */
type Started = (child: Child) => void;

/**
 * Starts the indexer with the API, as `npm run indexer` does, and waits until it answers and has every block that the
 * chains had at that moment.
 *
 * @param env what `config.ts` reads, and what Node needs
 */
export async function startIndexer(env: Environment, logFile: string, started?: Started): Promise<Child> {
  const config = readConfig(env);
  await checkPortFree(config.port);
  const heads = await readHeads(config);
  const child = await startChild({
    name: "the indexer",
    ...nodeProgram("../scripts/indexer.ts"),
    env,
    logFile,
  });
  started?.(child);
  await waitUntilReady(child, () => isReady(config.port));
  const db = openDatabase(config.databaseUrl, { max: 1 });
  try {
    // It says that it is ready before it has the newest blocks back after a restart.
    await waitUntilReady(child, async () => {
      const indexed = await readIndexedBlocks(db);
      return heads.every(([chainId, head]) => (indexed.get(chainId)?.block ?? -1n) >= head) ? true : null;
    });
  } finally {
    await db.$client.end();
  }
  return child;
}

/** Starts a worker, as `npm run worker` does, and waits until it works. */
export async function startWorker(env: Environment, logFile: string, started?: Started): Promise<Child> {
  const child = await startChild({
    name: "the worker",
    ...nodeProgram("../jobs/worker.ts"),
    env,
    logFile,
    channel: true,
  });
  started?.(child);
  let ready = false;
  child.process.once("message", () => {
    ready = true;
  });
  await waitUntilReady(child, () => ready || null);
  return child;
}

function nodeProgram(path: string): { file: string; args: string[] } {
  const fastStart = new URL("../scripts/fast-start.mjs", import.meta.url).href;
  return {
    file: process.execPath,
    args: ["--import", fastStart, fileURLToPath(new URL(path, import.meta.url))],
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

async function isReady(port: number): Promise<true | null> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/ready`)).ok || null;
  } catch {
    return null;
  }
}
