import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "vitest";
import { type Config, readConfig } from "../../config/config.ts";
import { type Database, openDatabase } from "../../db/client.ts";
import { localAccounts } from "../../tools/stack/anvil.ts";
import type { Child } from "../../tools/stack/process.ts";
import { forkChain, type TestChain } from "./chain.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { connectChain } from "./fixtures/chain-clients.ts";
import { getFixture, leaseStack } from "./fixtures/fixture.ts";
import { startServices } from "./fixtures/services.ts";

/** A stack that other test files may use at the same time. */
export type SharedStack = {
  /** the API, as in `http://localhost:49152` */
  baseUrl: string;
  /** what the operator alone reads */
  metricsUrl: string;
  config: Config;
  /** for more processes of the same stack */
  env: Record<string, string>;
  /** the folder of the logs and keys */
  folder: string;
  db: Database;
  chain: TestChain;
  close(): Promise<void>;
};

/** A stack of one test file. */
export type TestStack = SharedStack & {
  /** Ponder, or the program that keeps it; serves the API too */
  indexer: Child;
  /** null where none was started */
  worker: Child | null;
  /** Starts another worker, with these settings over those of the stack. */
  startWorker(settings?: Record<string, string>): Promise<Child>;
};

const addressesOf = (env: Record<string, string>) => ({
  baseUrl: `http://localhost:${env.PORT}`,
  metricsUrl: `http://127.0.0.1:${env.METRICS_PORT}`,
});

/**
 * The programs of production, each as its own process: a forked chain, a database, and the indexer with the API.
 * A worker with the relayer's key runs too, unless an option leaves it out.
 */
export async function startStack(
  options: {
    worker?: boolean;
    /** whether the indexer's program keeps Ponder, as in production; else Ponder runs alone */
    isKept?: boolean;
    env?: Record<string, string>;
    chain?: TestChain;
    database?: TestDatabase;
  } = {},
): Promise<TestStack> {
  const folder = mkdtempSync(join(tmpdir(), "earnest-stack-"));
  const programs: Child[] = [];
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    // The programs together, then what they work on.
    await Promise.all(programs.map((child) => child.stop(10_000)));
    for (const step of closing.reverse()) await step();
  };
  try {
    const [chain, database] = await Promise.all([
      options.chain ?? forkChain(),
      options.database ?? createTestDatabase(),
      getFixture("webFiles"),
    ]);
    if (!options.chain) closing.push(() => chain.close());
    closing.push(() => database.close());
    await chain.fund(localAccounts.relayer);
    const services = await startServices(
      { folder, databaseUrl: database.url, env: { ...chain.env, ...options.env } },
      { worker: options.worker, isKept: options.isKept, started: (child) => programs.push(child) },
    );
    return { ...addressesOf(services.env), ...services, folder, db: database.db, chain, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * The stack that all test files of the run share: a worker works, and the wallets' factory and Permit2 are on its chain.
 * Other files use the stack at the same time. So a file has its own accounts and agents, and counts only their rows. A file
 * stops no process, and moves neither the chain's clock nor its blocks.
 */
export async function joinStack(): Promise<SharedStack> {
  const { chain, env, leave } = await leaseStack();
  const db = openDatabase(env.DATABASE_URL as string);
  return {
    ...addressesOf(env),
    config: readConfig(env),
    env,
    folder: dirname(env.LOG_KEY_FILE as string),
    db,
    chain: connectChain(chain),
    async close() {
      await db.$client.end();
      leave();
    },
  };
}

/** A test on the stack that all files of the run share (`joinStack`). */
export const testOnStack = test.extend<{ stack: SharedStack }>({
  stack: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from it what the fixture needs
    async ({}, use) => {
      const stack = await joinStack();
      await use(stack);
      await stack.close();
    },
    { scope: "worker" },
  ],
});
