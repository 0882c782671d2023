import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readIndexedBlocks } from "../../../db/chain.ts";
import { type Child, findFreePort, startedAt } from "../../../stack/process.ts";
import { beginProgram, startIndexer } from "../../../stack/services.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";

/** An indexer with a connection to the database of its own. */
type Indexer = { child: Child; proxy: DatabaseProxy; port: number; log: () => string };

const folder = mkdtempSync(join(tmpdir(), "earnest-takeover-"));
const all: Indexer[] = [];
let chain: TestChain;
let database: TestDatabase;
/** the one at work */
let live: Indexer;

beforeAll(async () => {
  [chain, database] = await Promise.all([forkChain(), createTestDatabase()]);
  live = await begin(startIndexer);
});
afterAll(async () => {
  for (const { child, proxy } of all) {
    child.kill("SIGCONT");
    await child.stop(10_000);
    await proxy.close();
  }
  await database?.close();
  await chain?.close();
  rmSync(folder, { recursive: true });
});

async function begin(how: (env: Record<string, string>, logFile: string) => Promise<Child>) {
  const proxy = await startDatabaseProxy(database.url);
  const port = await findFreePort();
  const logFile = join(folder, `${port}.log`);
  const env = {
    DATABASE_URL: proxy.url,
    METRICS_PORT: String(port),
    SIGNING_KEY_FILE: join(folder, "signing.json"),
    WEBHOOK_KEY_FILE: join(folder, "webhooks.key"),
    ...chain.env,
  };
  const child = await how(env, logFile);
  const indexer: Indexer = { child, proxy, port, log: () => readFileSync(logFile, "utf8") };
  all.push(indexer);
  return indexer;
}

/** Another indexer of the same version, which has loaded all that it needs and waits. */
async function beginWarm(): Promise<Indexer> {
  const warm = await begin((env, logFile) => beginProgram("indexer", { env, logFile }));
  await expect.poll(warm.log, { timeout: 30_000 }).toContain("this one waits for its end");
  return warm;
}

/** Waits until the index has all of the chain, with a block more. */
async function expectFollowing(by: Indexer) {
  await chain.node.mine({ blocks: 1 });
  const head = await chain.publicClient.getBlockNumber();
  await expect
    .poll(async () => (await readIndexedBlocks(database.db)).get(chain.chain.chain_id)?.block ?? -1n, {
      timeout: 30_000,
    })
    .toBeGreaterThanOrEqual(head);
  expect(startedAt(by.child.pid)).not.toBeNull();
}

const ask = async ({ port }: Indexer, path: string) =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).status;

test("a second indexer waits for the end of the first, and takes its place when that one is killed", async () => {
  const warm = await beginWarm();
  expect(await ask(warm, "/health")).toBe(200);
  expect(await ask(warm, "/metrics")).toBe(200);
  expect(await ask(warm, "/ready")).toBe(503);
  await expectFollowing(live);
  live.child.kill("SIGKILL");
  await live.child.exited;
  await expectFollowing(warm);
  expect(warm.log()).not.toContain("is locked by a different Ponder app");
  await expect.poll(() => ask(warm, "/ready")).toBe(200);
  live = warm;
});

test("it takes the place of one that is frozen, which writes nothing when it thaws, and ends", async () => {
  const warm = await beginWarm();
  const frozen = live;
  let mines = true;
  const mining = (async () => {
    while (mines) await chain.node.mine({ blocks: 1 });
  })();
  frozen.child.kill("SIGSTOP");
  await expect
    .poll(
      async () => {
        const { rows } = await database.db.$client.query(
          "select holder from earnest.lease where name like 'indexer %'",
        );
        return rows[0]?.holder.split(" ")[1];
      },
      { timeout: 30_000 },
    )
    .toBe(String(warm.child.pid));
  mines = false;
  await mining;
  await expectFollowing(warm);
  const said: string[] = [];
  frozen.proxy.faults.statement = (text) => {
    said.push(text);
    return null;
  };
  frozen.child.kill("SIGCONT");
  expect((await frozen.child.exited).code).toBe(75);
  const writes = said.filter((text) => /\b(begin|insert|delete|update|copy|commit|truncate)\b/i.test(text));
  // That it wants to go on, which it may not.
  expect(writes.filter((text) => !/update "earnest"\."lease" set until/.test(text))).toEqual([]);
  await expectFollowing(warm);
  live = warm;
});

test("it takes the place of one that cannot reach the database, which ends when it can", async () => {
  const warm = await beginWarm();
  const away = live;
  away.proxy.faults.refuse = true;
  away.proxy.cut();
  await expectFollowing(warm);
  away.proxy.faults.refuse = false;
  expect((await away.child.exited).code).toBe(75);
  await expectFollowing(warm);
  live = warm;
});

test("it takes the place of one that was told to end; one that waits ends at once when told to", async () => {
  const [warm, other] = [await beginWarm(), await beginWarm()];
  other.child.kill("SIGTERM");
  expect(await other.child.exited).toEqual({ code: 0, signal: null });
  live.child.kill("SIGTERM");
  expect((await live.child.exited).code).toBe(0);
  await expectFollowing(warm);
});
