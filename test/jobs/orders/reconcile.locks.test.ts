import { getTableName } from "drizzle-orm";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../../../config/config.ts";
import { readReadyBlock, viewsSchema } from "../../../db/chain-index.ts";
import { createDueCheck, type DueCondition } from "../../../jobs/due-jobs.ts";
import { listJobs } from "../../../jobs/worker.ts";
import * as ponderTables from "../../../ponder.schema.ts";
import { deploymentSchema } from "../../../tools/indexer/deployment-schema.ts";
import { readOrderViews } from "../../../trade/orders/order-views.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { chainActions, placeOrder, until } from "../../harness/jobs/ledger.ts";

let chain: TestChain;
let database: TestDatabase;
let orderId: string;
let schema: string;
/** The queries on the index. */
let questions: DueCondition[];

beforeAll(async () => {
  [chain, database] = await Promise.all([forkChain(), createTestDatabase()]);
  orderId = (await placeOrder(database.db, chain.chain)).id;
  const config = readConfig({ DATABASE_URL: database.url, ...chain.env });
  schema = deploymentSchema(config);
  const parts = {
    db: database.db,
    config,
    signer: {} as never,
    logSettings: null,
    relayer: null,
    checker: {} as never,
  };
  questions = listJobs({ ...parts, log: pino({ level: "silent" }), signal: new AbortController().signal })
    .filter(({ readsIndex }) => readsIndex)
    .map((job) => ({ ...job, wake: () => {} }));
});
afterAll(async () => {
  await database?.close();
  await chain?.close();
});

const tables = Object.values(ponderTables).map((table) => getTableName(table));
const admin = ["_ponder_meta", "_ponder_checkpoint"];

/** The statements of Ponder in one transaction that take strong locks, in its order. */
const transactions = {
  // At a start on a schema with data, and where blocks are reverted.
  "drops its triggers": () => [
    ...tables.map((name) => `drop trigger if exists reorg on ${schema}.${name}`),
    `drop trigger if exists live_query_notify on ${schema}._ponder_checkpoint`,
    ...tables.map((name) => `drop trigger if exists live_query on ${schema}.${name}`),
  ],
  // At the end of each start.
  "makes its views anew": () => [
    ...tables.flatMap((name) => renew(name)),
    ...admin.map((name) => `drop view if exists ${viewsSchema}.${name}`),
    ...admin.flatMap((name) => renew(name).slice(1)),
  ],
};

function renew(name: string): string[] {
  return [
    `drop view if exists ${viewsSchema}.${name}`,
    `create view ${viewsSchema}.${name} as select * from ${schema}.${name}`,
  ];
}

const readings = {
  "the reading of an order": (): Promise<unknown> =>
    readOrderViews(database.db, { chain: chain.chain, client: chainActions(chain).reader }, orderId),
  "the reading of the newest block": (): Promise<unknown> =>
    readReadyBlock(database.db, chain.chain.chain_id),
  "the due check": async (): Promise<unknown> => {
    for (const question of questions) await createDueCheck(database.db, [question])();
    return questions.length;
  },
};
const cases = Object.keys(transactions).flatMap((transaction) =>
  Object.keys(readings).map((reading) => ({ transaction, reading })),
) as { transaction: keyof typeof transactions; reading: keyof typeof readings }[];

test.each(cases)(
  "an indexer that $transaction and $reading block each other in neither order",
  async ({ transaction, reading }) => {
    const statements = transactions[transaction]();
    // The reading meets each of the locks that the indexer holds by then.
    for (let held = 1; held < statements.length; held += 1) {
      const indexer = await begin();
      for (const statement of statements.slice(0, held)) await indexer.query(statement);
      const read = watch(readings[reading]());
      await until(async () => read.over() || (await countWaiting()) === 1, "the reading waits, or is done");
      for (const statement of statements.slice(held)) await indexer.query(statement);
      await indexer.query("rollback");
      indexer.release();
      expect(await read.ended).not.toBeInstanceOf(Error);
    }
    // And the indexer comes while the reading holds some locks and waits for the next.
    for (const name of [...tables, ...admin]) {
      const gate = await begin();
      await gate.query(`lock table ${viewsSchema}.${name} in access exclusive mode`);
      const read = watch(readings[reading]());
      await until(async () => read.over() || (await countWaiting()) === 1, "the reading waits, or is done");
      const indexer = await begin();
      const waiting = await countWaiting();
      const work = watch(
        (async () => {
          for (const statement of statements) await indexer.query(statement);
          await indexer.query("rollback");
          return true;
        })(),
      );
      await until(
        async () => work.over() || (await countWaiting()) > waiting,
        "the indexer waits, or is done",
      );
      await gate.query("rollback");
      gate.release();
      expect(await work.ended).toBe(true);
      indexer.release();
      expect(await read.ended).not.toBeInstanceOf(Error);
    }
  },
  60_000,
);

async function begin() {
  const client = await database.db.$client.connect();
  await client.query("begin");
  return client;
}

function watch<T>(work: Promise<T>) {
  let over = false;
  const ended = work.catch((error: unknown) => error as Error);
  void ended.then(() => {
    over = true;
  });
  return { over: () => over, ended };
}

async function countWaiting(): Promise<number> {
  const { rows } = await database.db.$client.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.length;
}
