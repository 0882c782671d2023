import { type SQL, sql } from "drizzle-orm";
import { pino } from "pino";
import { typeid } from "typeid-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../../config/config.ts";
import { createDueCheck, watchDueJobs } from "../../jobs/due-jobs.ts";
import { type Job, runJobs } from "../../jobs/job.ts";
import { createPause } from "../../jobs/loop.ts";
import { listJobs } from "../../jobs/worker.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { baseChainSettings } from "../harness/fixtures/fixture.ts";

const hour = 3_600_000;
const log = pino({ level: "silent" });
let database: TestDatabase;
let jobs: Job[];
beforeAll(async () => {
  database = await createTestDatabase();
  const config = readConfig({
    DATABASE_URL: database.url,
    ...(await baseChainSettings()),
  });
  const unused = {} as never;
  const parts = {
    signer: unused,
    logSettings: null,
    relayer: null,
    checker: unused,
    signal: new AbortController().signal,
  };
  jobs = listJobs({ db: database.db, config, log, ...parts });
});
afterAll(() => database.close());

/** Runs jobs as a worker does, until the returned function is called. */
function work(given: Job[]): () => Promise<void> {
  const stop = new AbortController();
  const { db, url } = database;
  const ended = runJobs(given, { db, databaseUrl: url, log, signal: stop.signal });
  return async () => {
    stop.abort();
    await ended;
  };
}

function counted(job: Omit<Job, "run">): Job & { count: { runs: number } } {
  const count = { runs: 0 };
  const run = async () => {
    count.runs += 1;
  };
  return { ...job, count, run };
}

/** The row that alone makes each job due: its table, and the columns that matter. */
const past = new Date(Date.now() - 60_000);
const workOf: Record<string, [table: string, values: Record<string, unknown>][]> = {
  settling: [["idx.escrow_event", { id: "event", chain_id: 31337, block_number: 1000 }]],
  "reorganisations of chain 31337": [["earnest.fact", { id: "fct_one", chain_id: 31337, block_number: 90 }]],
  "feedback of chain 31337": [
    ["earnest.feedback", { order_id: "ord_feedback", status: "submitted", block_number: 1 }],
    ["idx.agent_feedback", { chain_id: 31337, block_number: 1000 }],
  ],
  "expiry of chain 31337": [
    ["earnest.order", { id: "ord_0", status: "created", fund_by: 1, settlement_rail: "contract" }],
  ],
  announcements: [["earnest.open_request", { id: "req_one", announced_at: null }]],
  "payments of chain 31337": [["earnest.payment", { id: "pay_one", status: "accepted" }]],
  "fresh deposits of chain 31337": [
    [
      "earnest.order",
      {
        id: typeid("ord").toString(),
        escrow_id: "0x1",
        status: "created",
        fund_by: 2 ** 31 - 1,
        settlement_rail: "x402",
      },
    ],
  ],
  deliveries: [["earnest.webhook_delivery", { id: "whd_one", status: "pending", next_attempt_at: past }]],
  executions: [["earnest.execution", { id: "exe_one", status: "pending", next_attempt_at: past }]],
  recoveries: [["earnest.webhook_recovery", { id: "rec_one", status: "running" }]],
  records: [["earnest.record_due", { agent_id: "agt_one", due_at: past }]],
  "long records": [
    ["earnest.agent_record", { id: "agt_two", outcomes: 100_000, as_of: new Date() }],
    ["earnest.record_due", { agent_id: "agt_two", due_at: past }],
  ],
  "provenance of chain 31337": [
    ["earnest.provenance", { provider_account_id: "acc_one", chain_id: 31337, next_check_at: past }],
  ],
  "record statements": [["earnest.agent_record", { id: "agt_one", outcomes_root: "0x1", as_of: new Date() }]],
  market: [["earnest.market_figures_due", { id: "svc_one" }]],
  "relay of chain 31337": [["earnest.relay", { id: "rly_one", chain_id: 31337, status: "queued" }]],
};

let inserted = 0;

/** Writes a row without triggers, and so without notifications; other columns are filled in. */
async function insert(table: string, values: Record<string, unknown>): Promise<void> {
  const client = await database.db.$client.connect();
  try {
    await client.query("begin; set local session_replication_role = replica");
    const [schema, name] = table.split(".");
    const { rows } = await client.query<{ name: string; type: string }>(
      `select column_name as name, data_type as type from information_schema.columns
       where table_schema = $1 and table_name = $2 and is_generated = 'NEVER' and is_identity = 'NO'
         and ((is_nullable = 'NO' and column_default is null) or $1 = 'idx')`,
      [schema, name],
    );
    const madeUp: Record<string, unknown> = {
      ARRAY: [],
      boolean: false,
      json: "{}",
      jsonb: "{}",
      text: `made-up-${++inserted}`,
    };
    const filled = rows.map(({ name: column, type }) => [
      column,
      type.startsWith("timestamp") ? past : (madeUp[type] ?? 0),
    ]);
    const row = { ...Object.fromEntries(filled), ...values };
    const columns = Object.keys(row).map((column) => `"${column}"`);
    const placeholders = columns.map((_, index) => `$${index + 1}`);
    await client.query(
      `insert into ${schema}."${name}" (${columns}) values (${placeholders})`,
      Object.values(row),
    );
    await client.query("commit");
  } finally {
    client.release();
  }
}

test("nothing is due in an empty installation, and each job is woken for its work without a notification", async () => {
  await insert("earnest.chain_watch", { chain_id: 31337, indexed_block: 100, index_state: "ok" });
  const checkedJobs = jobs.filter(({ due, news }) => due || news);
  // A new job with a due check needs an example of its work here.
  expect(checkedJobs.map(({ name }) => name).sort()).toEqual(Object.keys(workOf).sort());
  for (const { name, due = sql`false` } of checkedJobs) {
    const { rows } = await database.db.execute(sql`select (${due}) is true as due`);
    expect([name, rows]).toEqual([name, [{ due: false }]]);
  }

  const waiting = checkedJobs.map(({ run: _, wokenBy: __, isWokenBy: ___, end: ____, ...job }) =>
    counted({ ...job, runsAnywayAfter: hour, pause: createPause() }),
  );
  const begun = waiting.map(({ count }) => count);
  const witness = counted({ name: "witness", every: 1000, runsAnywayAfter: hour, due: sql`true` });
  const stop = work([...waiting, witness]);
  // Each job runs at the start. Jobs with news run again when they first learn them.
  await expect.poll(() => witness.count.runs).toBeGreaterThan(5);
  const before = begun.map(({ runs }) => runs);
  for (const rows of Object.values(workOf)) for (const row of rows) await insert(...row);
  const idle = () =>
    waiting.filter(({ count }, index) => count.runs <= (before[index] ?? 0)).map(({ name }) => name);
  await expect.poll(idle).toEqual([]);
  expect(Math.max(...before)).toBeLessThanOrEqual(2);
  await stop();
});

test("a job runs while its condition is true and once more when it ends, and not while nothing is due", async () => {
  await database.db.execute(sql`create table due_test (place int); insert into due_test values (1)`);
  const job = counted({
    name: "due",
    every: 1000,
    runsAnywayAfter: hour,
    due: sql`exists (select from due_test)`,
  });
  const witness = counted({ name: "witness", every: 1000, runsAnywayAfter: hour, due: sql`true` });
  const stop = work([job, witness]);
  await expect.poll(() => job.count.runs).toBeGreaterThan(2);
  await database.db.execute(sql`delete from due_test`);
  const passes = (checks: number) => {
    const { runs } = witness.count;
    return expect.poll(() => witness.count.runs).toBeGreaterThanOrEqual(runs + checks);
  };
  await passes(2);
  const { runs } = job.count;
  await passes(2);
  expect(job.count.runs).toBe(runs);
  await stop();
});

test("without an index the other jobs are woken all the same, and no failure is recorded", async () => {
  const lines: string[] = [];
  const stop = new AbortController();
  const [indexed, other] = [
    counted({
      name: "indexed",
      every: 1000,
      readsIndex: true,
      due: sql`exists (select from index_not_there.escrow)`,
    }),
    counted({ name: "other", every: 1000, due: sql`true` }),
  ];
  const ended = runJobs([indexed, other], {
    db: database.db,
    databaseUrl: database.url,
    signal: stop.signal,
    log: pino({}, { write: (line: string) => lines.push(line) }),
  });
  await expect.poll(() => other.count.runs).toBeGreaterThan(2);
  expect(indexed.count.runs).toBe(1);
  expect(lines).toEqual([]);
  stop.abort();
  await ended;
});

test("a failing query on the index does not block the other queries", async () => {
  const stop = new AbortController();
  const woken: string[] = [];
  const question = (name: string, due: SQL) => ({
    due,
    every: 1000,
    readsIndex: true,
    wake: () => woken.push(name),
  });
  const log = pino({ level: "silent" });
  const ended = watchDueJobs([question("broken", sql`1 / 0 = 1`), question("good", sql`true`)], {
    db: database.db,
    log,
    signal: stop.signal,
  });
  await expect.poll(() => woken).toContain("good");
  stop.abort();
  await ended;
  expect(woken).not.toContain("broken");
});

test("the statement has only the queries of the moment, and is prepared once", async () => {
  const woken: string[] = [];
  const question = (name: string, every: number) => ({
    due: sql`1 = 1`,
    every,
    wake: () => woken.push(name),
  });
  const look = createDueCheck(database.db, [question("each", 1000), question("fourth", 4000)]);
  for (let checks = 0; checks < 5; checks++) await look();
  expect(woken).toEqual(["each", "fourth", "each", "each", "each", "each", "fourth"]);
  const { rows } = await database.db.execute<{ calls: number }>(
    sql`select generic_plans::int as calls from pg_prepared_statements where name like 'due_jobs_%' and statement like '%1 = 1%' order by 1`,
  );
  expect(rows.map(({ calls }) => calls)).toEqual([2, 3]);
});
