import { eq, like, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Chain, readConfig } from "../../../config/config.ts";
import { readIndexedBlocks } from "../../../db/chain-index.ts";
import { order, relay } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { settleDue } from "../../../jobs/orders/due-settlements.ts";
import { deploymentSchema } from "../../../tools/indexer/deployment-schema.ts";
import { selectDisputed, selectOpen } from "../../../trade/orders/due-settlements.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { baseChainSettings } from "../../harness/fixtures/fixture.ts";
import { placeOrder } from "../../harness/jobs/ledger.ts";

/** Orders in the table; of each hundred, 40 are open. */
const orders = 60_000;
/** The number of due orders: more than two pages. */
const due = 250;

const config = readConfig(await baseChainSettings());
const chain = config.defaultChain as Chain;
let database: TestDatabase;
let now: bigint;

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  now = (await readIndexedBlocks(db)).get(chain.chain_id)?.timestamp ?? 0n;
  const { id } = await placeOrder(db, chain);
  const escrows = sql`${sql.identifier(deploymentSchema(config))}.escrow`;
  await inTransaction(db, async (tx) => {
    // The test needs neither parties nor facts, and Ponder's triggers need its connections' state.
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`
      insert into earnest."order"
      select filled.*
      from earnest."order" o, generate_series(1, ${orders}::int) n, lateral jsonb_populate_record(o, jsonb_build_object(
        'id', 'ord_' || lpad(n::text, 26, '0'),
        'reference', 'E-' || n,
        'escrow_id', '0x' || lpad(to_hex(n), 64, '0'),
        'status', case when n % 5 < 3 then 'released' when n % 1000 = 3 then 'disputed' else 'funded' end,
        'delivery_deadline', to_timestamp(${now.toString()}::bigint)
          + case when n % (${orders / due}::int) = 4 then interval '-1 minute' else interval '1 day' end
      )) filled
      where o.id = ${id}`);
    await tx.execute(sql`
      insert into ${escrows} (chain_id, escrow_id, contract, order_hash, status, buyer, provider, token, amount, arbiter,
        funded_at, delivery_deadline, delivery_count, paid_amount, earned_amount, part_count, decide_by, released_amount, refunded_amount)
      select chain_id, escrow_id, escrow_contract, order_hash, status, buyer_address, provider_address, token, amount,
        arbiter, 0, extract(epoch from delivery_deadline), 0, 0, 0, 0,
        case when status = 'disputed' then ${now.toString()}::bigint + 1000 end, 0, 0
      from earnest."order" where reference like 'E-%' and id <> ${id}`);
    await tx.execute(sql`analyze earnest."order"`);
    await tx.execute(sql`analyze ${escrows}`);
  });
});
afterAll(() => database?.close());

test.each([
  ["orders under way", selectOpen, /Index Scan using order_due/],
  // Any index with the status will do, because few orders have it.
  ["disputes", selectDisputed, /Index Scan using order_(open|agent|service)/],
] as const)(`among ${orders} orders, due ones of %s are found by an index`, async (_what, select, index) => {
  const query = select(database.db, chain, now);
  const { rows } = await database.db.execute<{ "QUERY PLAN": string }>(sql`explain ${query.getSQL()}`);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toMatch(index);
  expect(plan).not.toMatch(/Seq Scan on "?(order|escrow)/);
});

test("more than a page is due, and two workers poll at once: each order is queued once, and none is left over", async () => {
  const { db } = database;
  const [first, second] = await Promise.all([settleDue(db, config), settleDue(db, config)]);
  expect(first + second).toBe(due);
  const queued = await db
    .select({ orderId: relay.orderId })
    .from(relay)
    .where(like(relay.key, "%:due:refund"));
  expect(new Set(queued.map(({ orderId }) => orderId)).size).toBe(due);
  expect(queued).toHaveLength(due);
  expect(await settleDue(db, config)).toBe(0);
});

test("orders at the front that are not served block none behind them", async () => {
  const { db } = database;
  await db.delete(relay).where(like(relay.key, "%:due:%"));
  const smallest = chain.min_relay_amount + 1n;
  const [last] = await db
    .select({ id: order.id })
    .from(order)
    .where(sql`${order.deliveryDeadline} < to_timestamp(${now.toString()}::bigint)`)
    .orderBy(sql`${order.id} desc`)
    .limit(1);
  // All but the last are under the minimum for which the service pays gas.
  await db.execute(sql`
    update earnest."order" set amount = 0
    where delivery_deadline < to_timestamp(${now.toString()}::bigint) and id <> ${last?.id}`);
  expect(await settleDue(db, { chains: [{ ...chain, min_relay_amount: smallest }] })).toBe(1);
  expect(
    await db
      .select()
      .from(relay)
      .where(eq(relay.orderId, last?.id ?? "")),
  ).toHaveLength(1);
});
