import { sql } from "drizzle-orm";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase, prepareOnce } from "../../db/client.ts";
import { agent } from "../../db/schema.ts";
import { runDemo } from "../../tools/demo/order.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { startStack, type TestStack } from "../harness/stack.ts";
import { startTransactionPooler, type TransactionPooler } from "../harness/transaction-pooler.ts";

let database: TestDatabase;
let pooler: TransactionPooler;
let stack: TestStack | undefined;

const findNothing = prepareOnce("nothing", (db) => db.select({ id: agent.id }).from(agent).limit(0));
const codeOf = (error: { code?: string }) => error.code;

beforeAll(async () => {
  database = await createTestDatabase();
  pooler = await startTransactionPooler(database.url);
});
afterAll(async () => {
  await stack?.close();
  await pooler.close();
});

test("the pooler gives each statement another session, where a prepared name is unknown", async () => {
  const named = openDatabase(pooler.url, { max: 1 });
  const pids = [];
  for (let n = 0; n < 4; n++) {
    const { rows } = await named.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    pids.push(rows[0]?.pid);
  }
  expect(new Set(pids).size).toBe(4);
  const answers = [];
  for (let n = 0; n < 2; n++) answers.push(await findNothing(named).execute().catch(codeOf));
  expect(answers).toEqual([[], "26000"]);
  await named.$client.end();

  const nameless = openDatabase(pooler.url, { max: 1, keepsStatements: false });
  for (let n = 0; n < 5; n++) expect(await findNothing(nameless).execute()).toEqual([]);
  await nameless.$client.end();
});

test("two trade through a transaction pooler as they do without one", async () => {
  stack = await startStack({
    database,
    env: { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url, DATABASE_PREPARED: "false" },
  });
  const buyer = privateKeyToAccount(generatePrivateKey());
  const provider = privateKeyToAccount(generatePrivateKey());
  await stack.chain.fund(buyer);
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const { baseUrl, chain } = stack;
  await runDemo({ baseUrl, rpcUrl: chain.rpcUrl, buyer, provider, commerce: true, print });
  expect(lines.join("\n")).toMatch(/released {2,}2\.500000/);
  expect(pooler.transactions()).toBeGreaterThan(100);
  // A transaction's lock, which the worker may hold at any moment, is freed; a session's lock never would
  // be.
  const readHeld = async () => {
    const { rows } = await database.db.execute(
      sql`select pid from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and application_name = 'pooler'`,
    );
    return rows;
  };
  await expect.poll(readHeld).toEqual([]);
});
