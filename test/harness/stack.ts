import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toHex } from "viem";
import { test } from "vitest";
import { type Config, readConfig } from "../../config/config.ts";
import { createLogKeyFile } from "../../config/keys/log-key.ts";
import { createKeyFile } from "../../config/keys/signing-key.ts";
import { createWebhookKeyFile } from "../../config/keys/webhook-key.ts";
import type { Database } from "../../db/client.ts";
import { localAccounts } from "../../tools/stack/anvil.ts";
import { type Child, findFreePort } from "../../tools/stack/process.ts";
import { startIndexer, startWorker } from "../../tools/stack/services.ts";
import { forkChain, type TestChain } from "./chain.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { getFixture } from "./fixtures/fixture.ts";

export type TestStack = {
  /** the API, as in `http://localhost:49152` */
  baseUrl: string;
  /** what the operator alone reads */
  metricsUrl: string;
  config: Config;
  /** for more processes of the same stack */
  env: Record<string, string>;
  db: Database;
  chain: TestChain;
  /** serves the API too */
  indexer: Child;
  /** null where none was started */
  worker: Child | null;
  startWorker(): Promise<Child>;
  close(): Promise<void>;
};

/**
 * The programs of production, each as its own process: a forked chain, a database, and the indexer with the API.
 * A worker with the relayer's key runs too, unless an option leaves it out.
 */
export async function startStack(
  options: {
    worker?: boolean;
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
    const [chain, database, port, metricsPort] = await Promise.all([
      options.chain ?? forkChain(),
      options.database ?? createTestDatabase(),
      findFreePort(),
      findFreePort(),
      getFixture("webFiles"),
    ]);
    if (!options.chain) closing.push(() => chain.close());
    closing.push(() => database.close());
    await chain.fund(localAccounts.relayer);

    const env: Record<string, string> = {
      DATABASE_URL: database.url,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      PUBLIC_URL: `http://localhost:${port}`,
      SIGNING_KEY_FILE: join(folder, "signing.json"),
      WEBHOOK_KEY_FILE: join(folder, "webhooks.key"),
      LOG_KEY_FILE: join(folder, "log.key"),
      LOG_MEMORY_FILE: join(folder, "log.checkpoint"),
      RATE_LIMITS: "off",
      // So that the relayer sends what a test asks for, and nothing of its own.
      ANCHOR_EVERY: "0",
      RELAYER_PRIVATE_KEY: toHex(localAccounts.relayer.getHdKey().privateKey as Uint8Array),
      ...chain.env,
      ...options.env,
    };
    const config = readConfig(env);
    createKeyFile(config.signingKeyFile);
    createWebhookKeyFile(config.webhookKeyFile);
    createLogKeyFile(config.logKeyFile);

    const keep = (child: Child) => programs.push(child);
    let workers = 0;
    const startOneWorker = async () => {
      return await startWorker(env, join(folder, `worker-${++workers}.log`), keep);
    };
    const [indexer, worker] = await Promise.all([
      startIndexer(env, join(folder, "indexer.log"), keep),
      options.worker === false ? null : startOneWorker(),
    ]);
    return {
      baseUrl: `http://localhost:${port}`,
      metricsUrl: `http://127.0.0.1:${metricsPort}`,
      config,
      env,
      db: database.db,
      chain,
      indexer,
      worker,
      startWorker: startOneWorker,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * A test on a stack in production. Files of the project "flows" that run in one process share the stack, and each
 * has accounts of its own.
 */
export const testOnStack = test.extend<{ stack: TestStack }>({
  stack: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from it what the fixture needs
    async ({}, use) => {
      const stack = await startStack({ env: { NODE_ENV: "production" } });
      await use(stack);
      await stack.close();
    },
    { scope: "worker" },
  ],
});
