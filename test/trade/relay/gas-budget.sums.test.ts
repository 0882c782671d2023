import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Database, Transaction } from "../../../db/client.ts";
import { account } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { removeOldRows } from "../../../jobs/retention.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { randomRuns } from "../../harness/random-runs.ts";

const accounts = ["acc_one", "acc_two"];
const chains = [1, 2];
let bench: TestDatabase;
let db: Database;
beforeAll(async () => {
  bench = await createTestDatabase();
  db = bench.db;
  for (const id of accounts) await db.insert(account).values({ id });
});
beforeEach(async () => {
  await db.execute(sql`delete from earnest.relay`);
  await db.execute(sql`delete from earnest.relay_gas`);
});
afterAll(() => bench?.close());

type Sums = Record<"used" | "ended" | "funded" | "unfunded", number>;

/** The basis of the budget: the sums of all relays of the hour, computed and stored. */
async function readBoth(tx: Transaction): Promise<[plain: Sums, kept: Sums][]> {
  const all: [Sums, Sums][] = [];
  for (const accountId of accounts) {
    for (const chainId of chains) {
      const stored = await tx.execute<Sums>(sql`
        select used, ended, funded, unfunded
        from earnest.lock_relay_gas(${accountId}::text, ${chainId}::int, 1e15::bigint, true)`);
      const plain = await tx.execute<Sums>(sql`
        select
          coalesce(sum(gas) filter (where account_id = ${accountId}), 0)::float8 as used,
          coalesce(sum(case when status in ('mined', 'failed') then gas else gas_charged_before end)
            filter (where account_id = ${accountId}), 0)::float8 as ended,
          coalesce(sum(gas) filter (where chain_id = ${chainId}::int and for_funded), 0)::float8 as funded,
          coalesce(sum(gas) filter (where chain_id = ${chainId}::int and not for_funded), 0)::float8 as unfunded
        from (select *, gas_charged + gas_charged_before as gas from earnest.relay) as relay
        where account_id is not null and queued_at > now() - interval '1 hour'`);
      all.push([plain.rows[0] as Sums, stored.rows[0] as Sums]);
    }
  }
  return all;
}

async function expectAlike(): Promise<void> {
  // All in one instant, because the hour ends differently for each transaction.
  for (const [plain, stored] of await inTransaction(db, readBoth)) expect(stored).toEqual(plain);
}

const change = fc.record({
  key: fc.integer({ min: 0, max: 11 }),
  does: fc.constantFrom("queue", "queue", "end", "start over", "sign", "move", "take", "remove"),
  accountId: fc.constantFrom(...accounts, null),
  chainId: fc.constantFrom(...chains),
  gas: fc.integer({ min: 0, max: 1_000_000 }),
  /** Seconds ago, around the beginning of the hour too. */
  age: fc.oneof(
    fc.integer({ min: 0, max: 3599 }),
    fc.integer({ min: 3500, max: 3700 }),
    fc.integer({ min: 7100, max: 7300 }),
  ),
  isFunded: fc.boolean(),
  status: fc.constantFrom("mined", "failed"),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

async function make(tx: Transaction, { key, does, accountId, chainId, gas, age, isFunded, status }: Change) {
  const name = `key ${key}`;
  const at = sql`now() - make_interval(secs => ${age}::float8)`;
  const statements = {
    queue: sql`
      insert into earnest.relay (id, key, chain_id, account_id, to_address, data, for_funded, gas_charged, queued_at)
      values (${name}, ${name}, ${chainId}, ${accountId}, '0x', '0x', ${isFunded}, ${gas}, ${at})
      on conflict (key) do nothing`,
    end: sql`update earnest.relay set status = ${status}, gas_charged = ${gas} where key = ${name}`,
    "start over": sql`
      update earnest.relay set status = 'queued', for_funded = ${isFunded}, queued_at = ${at},
        account_id = coalesce(${accountId}, account_id), gas_charged = ${gas},
        gas_charged_before = case when queued_at > now() - interval '1 hour' then gas_charged_before + gas_charged else 0 end
      where key = ${name}`,
    sign: sql`update earnest.relay set status = 'signed' where key = ${name}`,
    move: sql`update earnest.relay set queued_at = ${at}, chain_id = ${chainId} where key = ${name}`,
    take: sql`update earnest.relay set account_id = ${accountId} where key = ${name}`,
    remove: sql`delete from earnest.relay where key = ${name}`,
  };
  await tx.execute(statements[does]);
}

test("the stored sums equal those of all relays of the hour, whatever becomes of the relays", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 25 }), async (changes) => {
      await db.execute(sql`delete from earnest.relay`);
      for (const each of changes) await inTransaction(db, (tx) => make(tx, each));
      await expectAlike();
    }),
    { numRuns: randomRuns(60) },
  );
});

test("they stay equal under concurrent writes and rollbacks, and no write waits for another's sums", async () => {
  const changes = fc.sample(change, 400);
  const outcomes = await Promise.allSettled(
    changes.map((each, at) =>
      inTransaction(db, async (tx) => {
        // Each writer has relays of its own: only the sums are shared.
        await make(tx, {
          ...each,
          key: each.key + 100 * (at % 20),
          does: at < 200 ? "queue" : each.does,
        });
        if (at % 7 === 0) throw new Error("taken back");
      }),
    ),
  );
  const failures = outcomes.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
  expect(new Set(failures)).toEqual(new Set(["Error: taken back"]));
  await expectAlike();
  await inTransaction(db, async (tx) => {
    await make(tx, {
      key: 9000,
      does: "queue",
      accountId: "acc_one",
      chainId: 1,
      gas: 5,
      age: 0,
      isFunded: true,
      status: "mined",
    });
    // This relay has not ended: another of the same account is queued beside it.
    await inTransaction(db, (other) =>
      make(other, {
        key: 9001,
        does: "queue",
        accountId: "acc_one",
        chainId: 1,
        gas: 7,
        age: 0,
        isFunded: true,
        status: "mined",
      }),
    );
  });
  await expectAlike();
});

test("the sums of a minute that left the hour long ago are deleted, and those of the hour stay", async () => {
  const one = {
    does: "queue",
    accountId: "acc_one",
    chainId: 1,
    gas: 5,
    isFunded: false,
    status: "mined",
  } as const;
  await inTransaction(db, (tx) => make(tx, { ...one, key: 1, age: 60 }));
  await db.execute(sql`
    insert into earnest.relay_gas (scope, minute, charged, ended, funded)
    select 'acc_one', now() - make_interval(hours => n), 5, 5, 5 from generate_series(4, 10) as n`);
  expect(await removeOldRows(db)).toMatchObject({ gas: 7 });
  await expectAlike();
});
