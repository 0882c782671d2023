import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Chain, type Config, readConfig } from "../../../config/config.ts";
import { type Database, openDatabase } from "../../../db/client.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { watchIndex } from "../../../jobs/chain/index-watch.ts";
import { reconcile } from "../../../jobs/orders/reconcile.ts";
import { hasFresh, sweepDeposits } from "../../../jobs/payments/sweep-deposits.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { baseChainSettings } from "../../harness/fixtures/fixture.ts";
import { placeOrder } from "../../harness/jobs/ledger.ts";
import { forwardRequests } from "../../harness/jobs/processes.ts";

/** Unpaid orders, placed two hours ago. */
const unpaid = 1200;

let database: TestDatabase;
let proxy: DatabaseProxy;
let node: Awaited<ReturnType<typeof forwardRequests>>;
let db: Database;
let config: Config;
let statements = 0;
let addresses: string[] = [];

beforeAll(async () => {
  const env = await baseChainSettings();
  node = await forwardRequests(env.RPC_URL_31337, {
    treat: ({ params }) => {
      addresses.push(JSON.stringify(params));
      return "forward";
    },
  });
  config = readConfig({ ...env, RPC_URL_31337: node.url });
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database.url);
  proxy.faults.statement = () => {
    statements += 1;
    return null;
  };
  db = openDatabase(proxy.url);
  const chain = config.defaultChain as Chain;
  const { id } = await placeOrder(database.db, chain);
  await inTransaction(database.db, async (tx) => {
    // The test needs neither parties nor facts.
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`
      insert into earnest."order"
      select filled.*
      from earnest."order" o, generate_series(1, ${unpaid}::int) n, lateral jsonb_populate_record(o, jsonb_build_object(
        'id', ${oldId()}::text || lpad(n::text, 16, '0'),
        'reference', 'E-' || n,
        'escrow_id', '0xe' || lpad(to_hex(n), 63, '0'),
        'deposit_address', '0xb' || lpad(to_hex(n), 39, '0')
      )) filled
      where o.id = ${id}`);
    await tx.execute(sql`delete from earnest."order" where id = ${id}`);
  });
  await watchIndex(database.db, config);
});
afterAll(async () => {
  await db?.$client.end();
  await proxy?.close();
  await node?.close();
  await database?.close();
});

/** The first ten characters of an id are its time. */
function oldId(at = Date.now() - 2 * 3_600_000): string {
  let time = BigInt(at);
  let text = "";
  for (let place = 0; place < 10; place += 1) {
    text = "0123456789abcdefghjkmnpqrstvwxyz"[Number(time & 31n)] + text;
    time >>= 5n;
  }
  return `ord_${text}`;
}

const addressOf = (n: number) => `b${n.toString(16).padStart(39, "0")}`;

test("four rounds check once the deposit address of each order that waits for long", async () => {
  const calls: number[] = [];
  addresses = [];
  for (let part = 0; part < 4; part += 1) {
    const before = addresses.length;
    await sweepDeposits(db, config, "open", { part });
    calls.push(addresses.length - before);
  }
  const all = addresses.join();
  for (let n = 1; n <= unpaid; n += 1) expect(all.split(addressOf(n))).toHaveLength(2);
  // A round over all of them takes eight calls.
  expect(Math.max(...calls)).toBeLessThanOrEqual(3);
});

test("rounds over new orders check the newest each time, and the others in turn", async () => {
  await inTransaction(database.db, async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`
      update earnest."order"
      set id = ${oldId(Date.now() - 1_800_000)}::text || substr(id, 15), settlement_rail = 'x402', created_at = now()`);
  });
  const newest = Array.from({ length: 8 }, () => placeOrder(database.db, config.defaultChain as Chain));
  for (const { id } of await Promise.all(newest))
    await database.db.execute(sql`update earnest."order" set settlement_rail = 'x402' where id = ${id}`);
  const { rows } = await database.db.execute<{ address: string }>(sql`
    select substr(deposit_address, 3) as address from earnest."order" order by id desc limit 8`);
  addresses = [];
  for (let part = 0; part < 32; part += 1) await sweepDeposits(db, config, "fresh", { part });
  const all = addresses.join();
  for (let n = 1; n <= unpaid; n += 1) expect(all.split(addressOf(n))).toHaveLength(2);
  for (const { address } of rows) expect(all.split(address).length).toBeGreaterThanOrEqual(33);
  const { rows: found } = await database.db.execute(sql`select (${hasFresh}) as fresh`);
  expect(found).toEqual([{ fresh: true }]);
});

test("comparing matching orders takes fewer statements than there are orders, twice", async () => {
  await inTransaction(database.db, async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`delete from earnest."order"`);
  });
  for (let n = 0; n < 40; n += 1) await placeOrder(database.db, config.defaultChain as Chain);
  statements = 0;
  expect(await reconcile(db, config)).toEqual({ compared: 40, diverging: 0 });
  expect(statements).toBeLessThan(80);
});
