import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readIndexedBlocks } from "../../../db/chain.ts";
import { type Child, findFreePort, isPortTaken, startedAt } from "../../../stack/process.ts";
import { startIndexer } from "../../../stack/services.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { type DatabaseProxy, type MakingFault, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { root } from "../../harness/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "earnest-indexer-"));
const logFile = join(folder, "indexer.log");
let chain: TestChain;
let database: TestDatabase;
let proxy: DatabaseProxy;
let env: Record<string, string>;
let indexer: Child;
/** A file beside the program that Ponder would write at each start. */
const writtenAt = () => statSync(join(root, "ponder-env.d.ts")).mtimeMs;
let writtenBefore: number;

beforeAll(async () => {
  [chain, database] = await Promise.all([forkChain(), createTestDatabase()]);
  proxy = await startDatabaseProxy(database.url);
  env = {
    DATABASE_URL: proxy.url,
    METRICS_PORT: String(await findFreePort()),
    SIGNING_KEY_FILE: join(folder, "signing.json"),
    WEBHOOK_KEY_FILE: join(folder, "webhooks.key"),
    ...chain.env,
  };
  writtenBefore = writtenAt();
  indexer = await startIndexer(env, logFile);
});
afterAll(async () => {
  await indexer?.stop(10_000);
  await proxy?.close();
  await database?.close();
  await chain?.close();
  rmSync(folder, { recursive: true });
});

test("an indexer writes no file beside the program, where a service may not write", () => {
  expect(writtenAt()).toBe(writtenBefore);
});

async function expectFollowing() {
  await chain.node.mine({ blocks: 2 });
  const head = await chain.publicClient.getBlockNumber();
  await expect
    .poll(async () => (await readIndexedBlocks(database.db)).get(chain.chain.chain_id)?.block ?? -1n, {
      timeout: 20_000,
    })
    .toBeGreaterThanOrEqual(head);
  expect(startedAt(indexer.pid)).not.toBeNull();
}

test.each<MakingFault>(["close", "reset"])(
  "an indexer follows the chain seconds after its connections met with a %s while they were made",
  async (fault) => {
    const left = new Map<string, number>();
    proxy.faults.making = (application) => {
      const met = left.get(application) ?? 0;
      left.set(application, met + 1);
      return met < 3 ? fault : null;
    };
    proxy.cut();
    await expectFollowing();
    expect([...left].filter(([application, met]) => application.endsWith("_user") && met > 3)).toHaveLength(
      1,
    );
    proxy.faults.making = () => null;
  },
);

test("an indexer follows the chain after more lost beginnings of transactions than its pool has connections", async () => {
  let begun = 0;
  let lost = 0;
  proxy.faults.statement = (text) => {
    if (!/\bbegin\b/i.test(text)) return null;
    begun += 1;
    if (begun % 3 === 0) return null;
    lost += 1;
    return "lose";
  };
  await expect
    .poll(
      async () => {
        await chain.node.mine({ blocks: 1 });
        return lost;
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(12);
  proxy.faults.statement = () => null;
  await expectFollowing();
});

test("a killed indexer leaves no process on its port, and the next does not wait for the end of its lease", async () => {
  indexer.kill("SIGKILL");
  await indexer.exited;
  expect(await isPortTaken(Number(env.METRICS_PORT))).toBe(false);
  const nextLog = join(folder, "next.log");
  indexer = await startIndexer(env, nextLog);
  expect(readFileSync(nextLog, "utf8")).not.toContain("is locked by a different Ponder app");
  await expectFollowing();
});

test("SIGTERM ends an indexer in order and gives Ponder's lock back", async () => {
  indexer.kill("SIGTERM");
  expect((await indexer.exited).code).toBe(0);
  const { rows } = await database.db.$client.query(
    "select table_schema as schema from information_schema.tables where table_name = '_ponder_meta' and table_type = 'BASE TABLE'",
  );
  const { rows: locks } = await database.db.$client.query(
    `select value ->> 'is_locked' as locked from ${rows[0].schema}._ponder_meta`,
  );
  expect(locks).toEqual([{ locked: "0" }]);
});
