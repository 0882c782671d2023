import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase } from "../../../db/client.ts";
import { type Claim, claimDeliveries } from "../../../jobs/webhooks/claim.ts";
import { judge } from "../../../jobs/webhooks/outcome.ts";
import { recordOutcomes } from "../../../jobs/webhooks/record.ts";
import { type DeliverBench, startDeliverBench } from "../../harness/jobs/deliveries.ts";

const pace = { hostPerSecond: 10_000, accountPerSecond: 10_000, trialSeconds: 1 };
const room = {
  ...{ slots: 10, slowSlots: 1, otherwise: 10, mostOfHost: 100, mostOfAccount: 100 },
  ...{ byEndpoint: new Map<string, number>(), heldByHost: new Map<string, number>(), slow: [] },
};

let bench: DeliverBench;
let one: Database;
beforeAll(async () => {
  bench = await startDeliverBench();
  // What is planned on a connection stays with it.
  one = openDatabase(bench.url, { max: 1 });
});
afterAll(async () => {
  await one?.$client.end();
  await bench?.close();
});

const claim = (lease: string) => claimDeliveries(one, room, { lease, leaseMs: 60_000, pace });
const acknowledge = (claims: readonly Claim[], status = 204) =>
  recordOutcomes(
    one,
    claims.map((each) => {
      const answer = { ok: true, status, headers: {}, body: "", truncated: false } as const;
      const result = { ...answer, address: "127.0.0.1", latencyMs: 1, headersMs: 1 };
      return judge(each, { result, startedAt: new Date(), signatures: {} }, 0.5);
    }),
    pace,
  );
/** Rows of deliveries, their attempts and endpoints that were read so far. */
const readRows = async () => {
  await one.execute(sql`select pg_stat_force_next_flush()`);
  const { rows } = await one.execute<{ read: number }>(sql`
    select sum(seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables
    where schemaname = 'earnest' and relname in ('webhook_delivery', 'webhook_attempt', 'webhook_endpoint')`);
  return rows[0]?.read ?? 0;
};

test("a batch reads no more rows in a burst that PostgreSQL has not counted, and among many endpoints", async () => {
  const endpoint = await bench.addEndpoint();
  const others = await bench.addAccount();
  for (let n = 0; n < 300; n++) await bench.addEndpoint({ accountId: others });
  await bench.tell(1);
  await one.execute(sql`vacuum analyze earnest.webhook_delivery, earnest.webhook_endpoint`);
  // Planned here, for one row; in the second that follows these plans are used again.
  await acknowledge(await claim("first"));
  await bench.tell(3000);

  const before = await readRows();
  const claimed = await claim("second");
  expect(claimed).toHaveLength(10);
  await acknowledge(claimed);
  expect((await readRows()) - before).toBeLessThan(200);
  const ends = (await bench.deliveries(endpoint.id)).filter(({ status }) => status === "succeeded");
  expect(ends).toHaveLength(11);
});

test("an endpoint that is gone costs the reading of what waits for it, among thousands that wait for another", async () => {
  const account = await bench.addAccount();
  const gone = await bench.addEndpoint({ accountId: account });
  await bench.tell(1000, { order: { id: "ord_1" } }, "order.funded", account);
  const claims = await claim("third");
  const own = claims.filter(({ endpoint }) => endpoint.id === gone.id);
  expect(own.length).toBeLessThan(claims.length);

  const before = await readRows();
  expect(await acknowledge(own, 410)).toEqual([{ id: gone.id, reason: "gone" }]);
  expect((await readRows()) - before).toBeLessThan(1200);
  const states = (await bench.deliveries(gone.id)).map(({ status }) => status);
  expect(states.filter((status) => status === "cancelled")).toHaveLength(1000 - own.length);
});
