import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase } from "../../../db/client.ts";
import { leaseDeliveries } from "../../../jobs/webhooks/delivery-leases.ts";
import { type DeliverBench, startDeliverBench } from "../../harness/jobs/deliveries.ts";
import { makeParty } from "../../harness/party.ts";

let bench: DeliverBench;
let one: Database;
beforeAll(async () => {
  bench = await startDeliverBench();
  // PostgreSQL counts the rows that each connection reads.
  one = openDatabase(bench.url, { max: 1 });
});
afterAll(async () => {
  await one?.$client.end();
  await bench?.close();
});

const pace = { hostPerSecond: 10_000, accountPerSecond: 10_000, trialSeconds: 1 };
const claim = (lease: string, slots = 200) => {
  const room = { slots, carefulSlots: 10, held: [], slow: [] };
  return leaseDeliveries(one, room, { lease, leaseMs: 60_000, pace });
};
/** Returns the number of delivery rows read so far. */
const readRows = async () => {
  await one.execute(sql`select pg_stat_force_next_flush()`);
  const { rows } = await one.execute<{ read: number }>(sql`
    select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables where relname = 'webhook_delivery'`);
  return rows[0]?.read ?? 0;
};

test("however many deliveries wait for one endpoint, each of the others has its turn, and only their rows are read", async () => {
  const busy = await bench.addEndpoint();
  // PostgreSQL has no statistics of these rows yet.
  await bench.tell(3000);
  const others = [];
  for (let n = 0; n < 60; n++) {
    const accountId = await bench.addAccount();
    others.push(await bench.addEndpoint({ accountId, host: `h${n}.example.org` }));
    await bench.tell(1, undefined, undefined, accountId);
  }
  const before = await readRows();
  const claimed = await claim("one");
  expect((await readRows()) - before).toBeLessThan(1500);
  const own = claimed.filter(({ endpoint }) => endpoint.id === busy.id);
  expect(own).toHaveLength(64);
  expect(claimed).toHaveLength(64 + others.length);
});

test("free accounts with unproven endpoints delay no party of a funded order", async () => {
  const add = async (host: string) => {
    const accountId = await bench.addAccount();
    await bench.addEndpoint({ accountId, host, acknowledgedAt: null });
    await bench.tell(1, undefined, undefined, accountId);
    return accountId;
  };
  for (let n = 0; n < 15; n++) await add(`crowd${n}.example.org`);
  await add("shared.example.org");
  const party = await add("shared.example.org");
  await makeParty(one, party);
  const claimed = await claim("crowd");
  const careful = claimed.filter(({ isTrial }) => isTrial).map(({ endpoint }) => endpoint.accountId);
  expect([careful.length, careful.includes(party)]).toEqual([10, true]);
});

test("where slots are few, every account has one before any has its second", async () => {
  const accounts = [bench.accountId as string];
  for (let n = 0; n < 5; n++) {
    const accountId = await bench.addAccount();
    accounts.push(accountId);
    await bench.addEndpoint({ accountId, host: `few${n}.example.org` });
    await bench.tell(5, undefined, undefined, accountId);
  }
  const claimed = await claim("two", accounts.length);
  expect(new Set(claimed.map(({ endpoint }) => endpoint.accountId))).toEqual(new Set(accounts));
});
