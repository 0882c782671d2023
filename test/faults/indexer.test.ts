import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKeyFile } from "../../config/keys/signing-key.ts";
import { createWebhookKeyFile } from "../../config/keys/webhook-key.ts";
import { readIndexedBlocks } from "../../db/chain-index.ts";
import { type Child, findFreePort, isListening } from "../../tools/stack/process.ts";
import { beginProgram, startIndexer } from "../../tools/stack/services.ts";
import { forkChain, type TestChain } from "../harness/chain.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { type DatabaseProxy, type MakingFault, startDatabaseProxy } from "../harness/database-proxy.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "earnest-indexer-"));
const logFile = join(folder, "indexer.log");
/**
 * Milliseconds within which an indexer works again. Ponder's start may hang, and is repeated after 45
 * seconds. A killed Ponder's lock lasts 25 seconds.
 */
const backWithin = 100_000;
let chain: TestChain;
let database: TestDatabase;
let proxy: DatabaseProxy;
let env: Record<string, string>;
/** The working indexer, which is started again whenever it ends. */
let indexer: Child;
let isStopping = false;

beforeAll(async () => {
  [chain, database] = await Promise.all([forkChain(), createTestDatabase()]);
  proxy = await startDatabaseProxy(database.url);
  env = {
    DATABASE_URL: proxy.url,
    PORT: String(await findFreePort()),
    METRICS_PORT: "0",
    SIGNING_KEY_FILE: join(folder, "signing.json"),
    WEBHOOK_KEY_FILE: join(folder, "webhooks.key"),
    ...chain.env,
  };
  createKeyFile(env.SIGNING_KEY_FILE as string);
  createWebhookKeyFile(env.WEBHOOK_KEY_FILE as string);
  keep(await startIndexer(env, logFile));
});
afterAll(async () => {
  isStopping = true;
  await indexer?.stop(10_000);
  await proxy?.close();
  await database?.close();
  await chain?.close();
  rmSync(folder, { recursive: true });
});

function keep(child: Child): void {
  indexer = child;
  void child.exited.then(async () => {
    await sleep(500);
    if (!isStopping) keep(await beginProgram("indexer", { env, logFile }));
  });
}

async function expectFollowing() {
  await chain.node.mine({ blocks: 2 });
  const head = await chain.publicClient.getBlockNumber();
  await expect
    .poll(async () => (await readIndexedBlocks(database.db)).get(chain.chain.chain_id)?.block ?? -1n, {
      timeout: backWithin,
      // Most of this file is this wait.
      interval: 250,
    })
    .toBeGreaterThanOrEqual(head);
}

test.each<MakingFault>(["close", "reset"])(
  "an indexer follows the chain after four of its connections had a %s while they were made",
  async (fault) => {
    let met = 0;
    proxy.faults.making = () => (met++ < 4 ? fault : null);
    proxy.cut();
    try {
      await expectFollowing();
    } finally {
      proxy.faults.making = () => null;
    }
  },
);

test("an indexer follows the chain after many transactions lost their BEGIN", async () => {
  let begun = 0;
  let lost = 0;
  proxy.faults.statement = (text) => {
    if (!/\bbegin\b/i.test(text)) return null;
    begun += 1;
    if (begun % 3 === 0) return null;
    lost += 1;
    return "lose";
  };
  try {
    await expect
      .poll(async () => {
        await chain.node.mine({ blocks: 1 });
        return lost;
      })
      .toBeGreaterThan(12);
  } finally {
    proxy.faults.statement = () => null;
  }
  await expectFollowing();
});

test("an indexer ends when Ponder is killed, and the next one works", async () => {
  process.kill(await findPonder(), "SIGKILL");
  await indexer.exited;
  await expectFollowing();
});

test("an indexer replaces a frozen Ponder", async () => {
  const frozen = await findPonder();
  process.kill(frozen, "SIGSTOP");
  await expectFollowing();
  expect(await findPonder()).not.toBe(frozen);
});

test("Ponder ends with the program that started it, and frees its schema", async () => {
  const before = indexer;
  process.kill(before.pid, "SIGKILL");
  await before.exited;
  await expect.poll(() => readLocks()).toEqual(["0"]);
  await expectFollowing();
});

test("an indexer that is killed with Ponder frees its port, and the next one waits for the end of Ponder's lock", async () => {
  const before = indexer;
  before.kill("SIGKILL");
  await before.exited;
  // Before the next one listens.
  await expect.poll(() => isListening(Number(env.PORT)), { interval: 20, timeout: 2000 }).toBe(false);
  await expectFollowing();
});

test("a second indexer waits for the end of the first one", async () => {
  const others = { PORT: String(await findFreePort()) };
  const second = await beginProgram("indexer", {
    env: { ...env, ...others },
    logFile: join(folder, "second.log"),
  });
  await sleep(10_000);
  await expectFollowing();
  expect(await isListening(Number(others.PORT))).toBe(false);
  isStopping = true;
  await indexer.stop();
  indexer = second;
  await expectFollowing();
});

/** Returns the process of the indexer's Ponder. */
async function findPonder(): Promise<number> {
  const { stdout } = await run("pgrep", ["-P", String(indexer.pid)]);
  return Number(stdout);
}

/** Returns Ponder's locks on its schemas. */
async function readLocks(): Promise<string[]> {
  const { rows } = await database.db.$client.query(
    "select table_schema as schema from information_schema.tables where table_name = '_ponder_meta' and table_type = 'BASE TABLE'",
  );
  const locks = await Promise.all(
    rows.map(({ schema }) =>
      database.db.$client.query(`select value ->> 'is_locked' as locked from ${schema}._ponder_meta`),
    ),
  );
  return locks.flatMap(({ rows }) => rows.map(({ locked }) => locked));
}
