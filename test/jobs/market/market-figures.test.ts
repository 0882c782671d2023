import { type SQL, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../../db/client.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { hasDueFigures, updateFigures } from "../../../jobs/market/market-figures.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";

const services = 130;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await run(sql`insert into earnest.account (id) values ('acc_1')`);
  await run(sql`
    insert into earnest.agent (id, account_id, slug, name, capabilities, status)
    values ('agt_1', 'acc_1', 'ama', 'Ama', '{}', 'published')`);
  await run(sql`
    insert into earnest.service (id, agent_id, slug, title, pricing_model, price, price_currency, delivery_time_hours,
      acceptance_hours, status)
    select 'svc_' || n, 'agt_1', 's-' || n, 'maps', 'fixed', 1, 'TUSD', 1, 1,
      case when n <= 120 then 'published' else 'draft' end
    from generate_series(1, ${services}::int) as n`);
});
afterAll(() => database?.close());

const run = (statement: SQL) => database.db.execute(statement);
const one = async (statement: SQL) => (await run(statement)).rows[0];
const isDue = async () => (await one(sql`select ${hasDueFigures} as due`))?.due;
/** Gives each service a record with its number as the score. */
const record = (shift: number) =>
  run(sql`
    insert into earnest.agent_record (id, agent_id, service_id, record, score, upper, evidence, orders, on_time, outcomes, as_of, version)
    select id, agent_id, id, '{}', points, 1000, 1, 1, 950, 1, now(), 1
    from (select *, substr(id, 5)::int + ${shift}::int as points from earnest.service) as numbered
    on conflict (id) do update set score = excluded.score`);

test("the figures of an agent with many services reach all published ones, a few in a transaction", async () => {
  expect(await isDue()).toBe(false);
  await run(sql`update earnest.agent set verified = '{domain}'`);
  expect(await one(sql`select count(*)::int as n from earnest.service where verified = '{domain}'`)).toEqual({
    n: 0,
  });
  expect(await isDue()).toBe(true);
  await updateFigures(database.db);
  expect(await isDue()).toBe(false);
  expect(
    await one(sql`
      select count(*)::int as n, count(*) filter (where 'domain' = any(offer.verified))::int as offered
      from earnest.service left join earnest.offer on service_id = id where service.verified = '{domain}'`),
  ).toEqual({ n: 120, offered: 120 });
  const { rows } = await run(sql`
    select count(*)::int as n from earnest.service where verified = '{domain}' group by xmin::text order by n desc`);
  expect(rows.length).toBeGreaterThanOrEqual(5);
  expect(rows[0]?.n).toBeLessThanOrEqual(25);
});

test("with several workers and concurrent changes of records, each offer finally equals its record", async () => {
  const other = openDatabase(database.url);
  const done = { yet: false };
  const change = async () => {
    for (let shift = 1; shift <= 12; shift += 1) await record(shift * 7);
    done.yet = true;
  };
  const work = async (db: typeof other) => {
    while (!done.yet) await updateFigures(db);
  };
  await Promise.all([change(), work(database.db), work(other), work(other)]);
  await updateFigures(other);
  await other.$client.end();
  expect(await isDue()).toBe(false);
  expect(
    await one(sql`
      select count(*)::int as n from earnest.service join earnest.agent_record as record using (id)
      left join earnest.offer on offer.service_id = id left join earnest.ranked_offer as shelved on shelved.service_id = id
      where service.score <> record.score or service.on_time <> 95
        or (listed and (offer.score, offer.on_time, shelved.score, shelved.on_time)
          is distinct from (record.score::smallint, 95::smallint, record.score::smallint, 95::smallint))`),
  ).toEqual({ n: 0 });
});

test("a write of a record and a worker never wait for each other", async () => {
  await inTransaction(database.db, async (tx) => {
    await tx.execute(sql`update earnest.agent_record set score = 999 where id = 'svc_7'`);
    await tx.execute(sql`set local lock_timeout = '2s'`);
    await run(sql`update earnest.agent_record set score = 998 where id = 'svc_8'`);
    await updateFigures(database.db);
    expect(await one(sql`select score from earnest.offer where service_id = 'svc_8'`)).toEqual({
      score: 998,
    });
  });
  await updateFigures(database.db);
  expect(await one(sql`select score from earnest.offer where service_id = 'svc_7'`)).toEqual({ score: 999 });
});

test("without a record every figure is unknown", async () => {
  await run(sql`delete from earnest.agent_record`);
  await updateFigures(database.db);
  expect(
    await one(sql`select max(score) as score, max(on_time) as on_time from earnest.ranked_offer`),
  ).toEqual({
    score: 0,
    on_time: 0,
  });
});
