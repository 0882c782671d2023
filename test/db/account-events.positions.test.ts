import { sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assignPositions, insertEvents } from "../../db/account-events.ts";
import { account } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";

let database: TestDatabase;
const accountId = typeid("acc").toString();
let count = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.db.insert(account).values({ id: accountId });
});
afterAll(() => database?.close());

/** Gives a new event its position; the sequence is first set to the clock, as after a pause. */
const place = (then?: () => Promise<void>) =>
  inTransaction(database.db, async (tx) => {
    await tx.execute(sql`select setval('earnest.event_position', 1)`);
    await insertEvents(tx, [
      { accountId, type: "order.created", orderId: null, data: {}, key: `${count++}` },
    ]);
    await assignPositions(tx, [accountId]);
    await then?.();
  });

/** Returns the lock on setting the sequence, held by any connection. */
async function countLocks(): Promise<number> {
  const { rows } = await database.db.execute<{ n: number }>(sql`
    select count(*)::int as n from pg_locks, (select hashtextextended('event places', 0) as key) as of
    where locktype = 'advisory' and classid = ((key >> 32) & 4294967295)::oid and objid = (key & 4294967295)::oid`);
  return rows[0]?.n ?? Number.NaN;
}

test("the lock on setting positions to the clock is freed at once, within a transaction that continues", async () => {
  await place(async () => expect(await countLocks()).toBe(0));
  const { rows } = await database.db.execute<{ behind: number }>(sql`
    select extract(epoch from now())::float8 - last_value / 100000.0 as behind from earnest.event_position`);
  expect(Math.abs(rows[0]?.behind ?? Number.NaN)).toBeLessThan(10);
});

test("positions that cannot be set leave no lock on the pooled connection", async () => {
  await database.db.execute(sql`alter sequence earnest.event_position maxvalue 1000 restart 1`);
  await expect(place()).rejects.toThrow();
  expect(await countLocks()).toBe(0);
  await database.db.execute(sql`alter sequence earnest.event_position no maxvalue`);
  await place();
});
