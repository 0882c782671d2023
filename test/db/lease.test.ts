import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { openDatabase } from "../../db/client.ts";
import { isFenced, type Lease, takeLease } from "../../db/lease.ts";
import { inTransaction } from "../../db/transaction.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../harness/database-proxy.ts";

let database: TestDatabase;
let proxy: DatabaseProxy;
let count = 0;
const held: Lease[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database.url);
  await database.db.execute(sql`create table earnest.written (by text)`);
});
afterEach(async () => {
  vi.useRealTimers();
  for (const lease of held.splice(0)) await lease.release();
});
afterAll(async () => {
  await proxy?.close();
  await database?.close();
});

const newName = () => `lease ${count++}`;

async function take(name: string, options?: Parameters<typeof takeLease>[2], db = database.db) {
  const lease = await takeLease(db, name, options);
  if (lease) held.push(lease);
  return lease;
}

/** Takes the lease as after its end; its holder may renew it in between. */
async function overtake(name: string): Promise<Lease> {
  for (;;) {
    await database.db.execute(sql`update earnest.lease set until = '-infinity' where name = ${name}`);
    const lease = await take(name);
    if (lease) return lease;
  }
}

/** The lease of a process that was killed or frozen: nobody renews it. */
async function leaveLease(fence: bigint, left: string): Promise<Pick<Lease, "name" | "fence">> {
  const name = newName();
  await database.db.execute(
    sql`insert into earnest.lease values (${name}, 'dead', ${fence}, now() + ${left}::interval)`,
  );
  return { name, fence };
}

const secondsLeft = async (name: string) => {
  const { rows } = await database.db.execute<{ left: number }>(
    sql`select extract(epoch from until - now())::float8 as left from earnest.lease where name = ${name}`,
  );
  return rows[0]?.left ?? Number.NaN;
};

const ended = ({ signal }: Lease) => expect.poll(() => signal.aborted).toBe(true);

/** Writes a row under the lease only. Returns whether it did. */
async function write({ name, fence }: Pick<Lease, "name" | "fence">): Promise<boolean> {
  const { rows } = await database.db.execute(sql`
    insert into earnest.written select ${name}::text where ${isFenced({ name, fence })} returning by`);
  return rows.length > 0;
}

describe("a lease", () => {
  test("is taken by one of many that race; the others get it after its release, each with a greater fence", async () => {
    const name = newName();
    const taken = await Promise.all(Array.from({ length: 8 }, () => take(name)));
    const winners = taken.filter((each) => each !== null);
    expect(winners).toHaveLength(1);
    const [first] = winners as [Lease];
    expect(await take(name)).toBeNull();
    await first.release();
    expect(first.signal.aborted).toBe(true);
    const next = await take(name);
    expect(next?.fence).toBe(first.fence + 1n);
  });

  test("is independent of a lease of another name", async () => {
    expect(await take(newName())).not.toBeNull();
    expect(await take(newName())).not.toBeNull();
  });

  test("is renewed while its holder lives, beyond its term", async () => {
    const name = newName();
    const lease = (await take(name, { term: 2000 })) as Lease;
    const fences = new Set<bigint | undefined>();
    const begun = performance.now();
    await expect
      .poll(async () => {
        fences.add((await take(name, { term: 2000 }))?.fence);
        return performance.now() - begun;
      })
      .toBeGreaterThan(2500);
    expect([...fences]).toEqual([undefined]);
    expect(lease.signal.aborted).toBe(false);
  });

  test("of a dead holder can be taken after its term", async () => {
    const { name } = await leaveLease(7n, "2 s");
    expect(await take(name, { term: 2000 })).toBeNull();
    await expect.poll(async () => (await take(name, { term: 2000 }))?.fence).toBe(8n);
  });

  test("that another process took ends at the next renewal, and its holder's writes fail", async () => {
    const name = newName();
    const first = (await take(name, { term: 900 })) as Lease;
    expect(await write(first)).toBe(true);
    const second = await overtake(name);
    expect(await write(first)).toBe(false);
    expect(await write(second)).toBe(true);
    await ended(first);
    // The late release by the first holder does not free the lease of the second.
    await first.release();
    expect(await secondsLeft(name)).toBeGreaterThan(0);
    expect(await write(second)).toBe(true);
  });

  test("is not taken while a write under it is in progress", async () => {
    const over = await leaveLease(3n, "-1 s");
    let second: Promise<Lease | null> | undefined;
    await inTransaction(database.db, async (tx) => {
      await tx.execute(sql`insert into earnest.written select 'slow' where ${isFenced(over)}`);
      second = take(over.name);
      await expect
        .poll(async () => {
          const { rows } = await database.db.execute(
            sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return rows.length;
        })
        .toBe(1);
    });
    expect((await second)?.fence).toBe(4n);
  });

  test("of a holder that is frozen within a transaction is freed, and the transaction is aborted", async () => {
    const over = await leaveLease(3n, "-1 s");
    const frozen = inTransaction(database.db, async (tx) => {
      await tx.execute(sql`insert into earnest.written select 'frozen' where ${isFenced(over)}`);
      expect((await take(over.name))?.fence).toBe(4n);
    });
    await expect(frozen).rejects.toThrow();
    const { rows } = await database.db.execute(sql`select from earnest.written where by = 'frozen'`);
    expect(rows).toEqual([]);
  });

  test("does not use the clock of its own machine, which may jump by hours", async () => {
    const name = newName();
    vi.useFakeTimers({ toFake: ["Date"] });
    const lease = (await take(name, { term: 2000 })) as Lease;
    for (const hours of [5, -5]) {
      vi.setSystemTime(Date.now() + hours * 3_600_000);
      const begun = performance.now();
      await expect.poll(() => performance.now() - begun).toBeGreaterThan(2500);
      expect(lease.signal.aborted).toBe(false);
      expect(await take(name, { term: 2000 })).toBeNull();
      const left = await secondsLeft(name);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(2);
    }
  });

  test("from before the database's clock went back by an hour does not last for that hour", async () => {
    const { name } = await leaveLease(3n, "1 hour");
    expect((await take(name))?.fence).toBe(4n);
  });

  test("whose holder cannot reach the database ends before another process can take it", async () => {
    const name = newName();
    const cut = await startDatabaseProxy(database.url);
    const far = openDatabase(cut.url, { max: 2 });
    const lease = (await take(name, { term: 1500 }, far)) as Lease;
    await cut.close();
    await ended(lease);
    // The check comes after the end of the lease, later still on a busy machine.
    expect(await secondsLeft(name)).toBeGreaterThan(-2);
    await far.$client.end();
  });

  test("is released although the connections of its release are cut", async () => {
    const name = newName();
    const far = openDatabase(proxy.url, { max: 4 });
    const lease = (await take(name, {}, far)) as Lease;
    let losses = 3;
    proxy.faults.statement = (text) => (text.includes("-infinity") && losses-- > 0 ? "lose" : null);
    await lease.release();
    expect(losses).toBeLessThan(1);
    expect((await take(name))?.fence).toBe(lease.fence + 1n);
    await far.$client.end();
  });
});
