import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
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
const insertTally = (escrowId = "0x1") =>
  client.query(
    `insert into "${schema}".escrow_tally (chain_id, escrow_id, name, token, times, amount, first, last)
     values (31337, $1, 'name', '0x2', 1, 1, '[]', '{}')`,
    [escrowId],
  );
const countTallies = async () => {
  const { rows } = await listener.query(`select count(*)::int as count from "${schema}".escrow_tally`);
  return rows[0].count;
};
/** What Ponder says of a table's rows that a reorganisation would undo. */
const dateRows = () =>
  client.query({
    text: `update "${schema}"."_reorg__escrow_tally" set "checkpoint" = $1 where "${schema}"."_reorg__escrow_tally"."checkpoint" = $2`,
    values: ["1".padEnd(75, "0"), "9".repeat(75)],
  });

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

test("a block's rows are sent before anything is answered, and all of it counts with the commit", async () => {
  const before = await countTallies();
  const answered: string[] = [];
  await client.query("begin");
  await client.query(makeTable);
  await client.query("SAVEPOINT flush");
  const rows = ["0x2", "0x3"].map((escrowId) => insertTally(escrowId).then(() => answered.push(escrowId)));
  await Promise.all(rows);
  await client.query("RELEASE flush");
  await Promise.all([dateRows(), dateRows()]);
  await moveOn("1800000004");
  expect(await countTallies()).toBe(before);
  await client.query("commit");
  expect(answered).toEqual(["0x2", "0x3"]);
  expect(await countTallies()).toBe(before + 2);
  expect(await readCheckpoint()).toEqual([{ time: "1800000004" }]);
});

test("what fails unanswered fails the next statement that is read, or the commit, by its own words; nothing of it counts", async () => {
  const before = await countTallies();
  const wrong = () =>
    client.query({
      text: `update "${schema}"."_reorg__escrow_tally" set "checkpoint" = $1 where nothing`,
      values: ["1"],
    });
  await client.query("begin");
  await client.query(makeTable);
  await client.query("SAVEPOINT flush");
  await insertTally("0x4");
  await wrong();
  await expect(insertTally("0x5")).rejects.toThrow(/"nothing" does not exist/);
  await client.query("rollback");

  await client.query("begin");
  await client.query(makeTable);
  await client.query("SAVEPOINT flush");
  await insertTally("0x4");
  await wrong();
  await moveOn("1800000005");
  await expect(client.query("commit")).rejects.toThrow(/"nothing" does not exist/);
  await client.query("rollback");

  // A row that fails is told at once, and Ponder goes back to where the rows began.
  await client.query("begin");
  await client.query(makeTable);
  await client.query("SAVEPOINT flush");
  await insertTally("0x4");
  await expect(insertTally("0x4")).rejects.toThrow(/duplicate key/);
  await client.query("ROLLBACK to flush");
  await insertTally("0x6");
  await moveOn("1800000006");
  await client.query("commit");
  expect(await countTallies()).toBe(before + 1);
  expect(await readCheckpoint()).toEqual([{ time: "1800000006" }]);
});

test("a copy within a block waits for what was sent before it, and the rest for the copy", async () => {
  const { from } = createRequire(fileURLToPath(import.meta.resolve("ponder")))("pg-copy-streams");
  const before = await countTallies();
  await client.query("begin");
  await client.query(makeTable);
  await client.query("SAVEPOINT flush");
  const row = insertTally("0x7");
  const stream = client.query(
    from(
      `copy "${schema}".escrow_tally (chain_id, escrow_id, name, token, times, amount, first, last) from stdin`,
    ),
  ) as unknown as NodeJS.WritableStream;
  const copied = new Promise((resolve, reject) => stream.on("finish", resolve).on("error", reject));
  stream.end(`31337\t0x8\tname\t0x2\t1\t1\t[]\t{}`);
  await Promise.all([row, copied, insertTally("0x9")]);
  await client.query("RELEASE flush");
  await dateRows();
  await moveOn("1800000007");
  await client.query("commit");
  expect(await countTallies()).toBe(before + 3);
  expect(await readCheckpoint()).toEqual([{ time: "1800000007" }]);
});

test("a block whose connection is lost fails, at its commit too", async () => {
  const other = new IndexerConnection({ connectionString: database.url });
  await other.connect();
  const { rows } = await other.query("select pg_backend_pid() as pid");
  await other.query("begin");
  await other.query(makeTable);
  await other.query("SAVEPOINT flush");
  await listener.query("select pg_terminate_backend($1)", [rows[0].pid]);
  await expect(other.query("commit")).rejects.toThrow();
  await expect(other.query("rollback")).rejects.toThrow();
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
