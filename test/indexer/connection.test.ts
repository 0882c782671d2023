import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { readConfig } from "../../config.ts";
import { liveChannel } from "../../db/chain.ts";
import { IndexerConnection } from "../../db/indexer-connection.ts";
import { deploymentSchema } from "../../indexer/ponder.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";

const makeTable = "CREATE TEMP TABLE live_query_tables (table_name TEXT PRIMARY KEY) ON COMMIT DROP";
let database: TestDatabase;
let client: IndexerConnection;
let listener: pg.Client;
let schema: string;
const told: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  schema = deploymentSchema(
    readConfig({
      DATABASE_URL: database.url,
      DEPLOYMENTS_DIR: inject("baseDeployments"),
      RPC_URL_31337: inject("baseRpcUrl"),
    }),
  );
  client = new IndexerConnection({ connectionString: database.url });
  listener = new pg.Client({ connectionString: database.url });
  await Promise.all([client.connect(), listener.connect()]);
  listener.on("notification", ({ payload }) => told.push(payload ?? ""));
  await listener.query(`listen ${liveChannel}`);
});
afterAll(async () => {
  await Promise.all([client?.end(), listener?.end()]);
  await database?.close();
});

/** Moves the checkpoint on as Ponder does, in the words of its query builder. */
const moveOn = (time: string) =>
  client.query({
    text: `update "${schema}"."_ponder_checkpoint" set "latest_checkpoint" = $1 where "${schema}"."_ponder_checkpoint"."chain_name" = $2`,
    values: [time.padEnd(75, "0"), "chain_31337"],
  });
const readCheckpoint = async () => {
  const { rows } = await listener.query(
    `select substr(latest_checkpoint, 1, 10) as time from ${schema}._ponder_checkpoint`,
  );
  return rows;
};
const hasMadeTables = async () => {
  const { rows } = await client.query("select pg_my_temp_schema() <> 0 as made");
  return rows[0].made;
};
const insertTally = () =>
  client.query(
    `insert into "${schema}".escrow_tally (chain_id, escrow_id, name, token, times, amount, first, last)
     values (31337, '0x1', 'name', '0x2', 1, 1, '[]', '{}')`,
  );

test("a block without rows moves the checkpoint on, makes no table, and is told of as by Ponder's trigger", async () => {
  await client.query("begin");
  await client.query(makeTable);
  await moveOn("1800000001");
  await client.query("commit");
  await expect.poll(() => told).toEqual(["[]"]);
  expect(await readCheckpoint()).toEqual([{ time: "1800000001" }]);
  expect(await hasMadeTables()).toBe(false);
});

test("a block with rows is told of with its tables; one that is rolled back leaves nothing, and spoils none after it", async () => {
  told.length = 0;
  await client.query("begin");
  await client.query(makeTable);
  await insertTally();
  await client.query("rollback");
  await client.query("begin");
  await client.query(makeTable);
  await client.query("rollback");

  await client.query("begin");
  await client.query(makeTable);
  await insertTally();
  await moveOn("1800000002");
  await client.query("commit");
  await client.query("begin");
  await client.query(makeTable);
  await moveOn("1800000003");
  await client.query("commit");
  // A transaction that has nothing to do with blocks tells of none.
  await client.query("begin");
  await client.query("select 1");
  await client.query("commit");
  await client.query("notify idx_live_query, 'end'");
  await expect.poll(() => told).toEqual(['["escrow_tally"]', "[]", "end"]);
  expect(await readCheckpoint()).toEqual([{ time: "1800000003" }]);
  expect(await hasMadeTables()).toBe(true);
});

test("queries by callback, and those that bring their own way of being sent, pass as they are", async () => {
  const rows = await new Promise((resolve, reject) =>
    client.query("select 1 as one", (error: Error | null, result: pg.QueryResult) =>
      error ? reject(error) : resolve(result.rows),
    ),
  );
  expect(rows).toEqual([{ one: 1 }]);
  const query = client.query(new pg.Query("select 2 as two"));
  const row = await new Promise((resolve, reject) => query.on("row", resolve).on("error", reject));
  expect(row).toEqual({ two: 2 });
});
