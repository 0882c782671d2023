import { eq, type SQL, sql } from "drizzle-orm";
import fc from "fast-check";
import { getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReceiptSigner } from "../../../config/keys/signing-key.ts";
import { lockOrder, type NewFact, recordFacts } from "../../../db/ledger.ts";
import { accountSettlement, fact, receipt } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { issueReceipts, revokeReceipt } from "../../../jobs/receipts/receipts.ts";
import { expectStatus, publishService, type Session } from "../../harness/api.ts";
import { ask, createMarket, type Market, randomHash } from "../../harness/market/market.ts";

let market: Market;
let people: Session[];
let services: string[];
beforeAll(async () => {
  market = await createMarket({ env: { RATE_LIMITS: "credential=100000,account=100000" } });
  people = [market.buyer, market.provider];
  // Both people buy and sell, so that an account has both roles.
  const own = await publishService(market.api, market.buyer, { acceptance_hours: 48 });
  const second = await publishService(market.api, market.provider, { acceptance_hours: 48 });
  services = [market.service.id, own.service.id, second.service.id];
});
afterAll(() => market?.api.close());

const rowsOf = async (statement: SQL) => (await market.api.db.execute(statement)).rows;

type Act = "fund" | "start" | "deliver" | "dispute" | "release" | "refund" | "split" | "revert" | "expire";
type Story = { service: number; acts: { act: Act; day: number }[] };

const story: fc.Arbitrary<Story> = fc.record({
  service: fc.integer({ min: 0, max: 2 }),
  acts: fc.array(
    fc.record({
      act: fc.constantFrom<Act>(
        ...([
          "fund",
          "start",
          "deliver",
          "dispute",
          "release",
          "refund",
          "split",
          "revert",
          "expire",
        ] as const),
      ),
      day: fc.integer({ min: 0, max: 40 }),
    }),
    { maxLength: 9 },
  ),
});

/** Places an order and records the facts of a story, each in its own transaction, as API and worker do. */
async function live({ service, acts }: Story): Promise<string> {
  const { api } = market;
  const who = service === 1 ? market.provider : market.buyer;
  const body = { service_id: services[service], input_payload: { text: "Guten Tag" } };
  const { id } = expectStatus(201, await ask(market, who, "POST", "/orders", body));
  for (const [at, { act, day }] of acts.entries()) {
    await inTransaction(api.db, async (tx) => {
      const row = await lockOrder(tx, id);
      if (!row) throw new Error("The order is not there.");
      const occurredAt = new Date(Date.UTC(2026, 8, 1 + day, 23 * (day % 2), 59));
      const chain = {
        ...{ chainId: row.chainId, blockNumber: BigInt(at), blockHash: randomHash() },
        ...{ transactionHash: randomHash(), logIndex: at },
      };
      const half = row.amount / 2n;
      const step = (type: NewFact["type"], data: Record<string, unknown> = {}): NewFact => ({
        ...{ type, actor: "provider", key: `${id}:${at}:${type}`, occurredAt, data },
      });
      const onChain = (type: NewFact["type"], amount: bigint): NewFact => ({
        ...step(type, {
          amount_base_units: amount.toString(),
          payer: getAddress(row.buyerAddress),
          party: "buyer",
        }),
        ...{ actor: "chain", chain },
      });
      const facts = {
        fund: () => [onChain("order.funded", row.amount)],
        start: () => [step("order.started")],
        deliver: () => [step("order.delivered", { acceptance_ends_at: occurredAt.toISOString() })],
        dispute: () => [onChain("order.disputed", 0n)],
        release: () => [onChain("order.released", row.amount)],
        refund: () => [onChain("order.refunded", row.amount)],
        split: () => [onChain("order.released", half), onChain("order.refunded", row.amount - half)],
        expire: () => [step("order.expired")],
        revert: () => [],
      }[act]();
      if (act !== "revert") {
        const result = await recordFacts(tx, row, facts);
        await issueReceipts(tx, row, result, readReceiptSigner(api.config), api.config.publicUrl);
        return;
      }
      const known = await tx.select().from(fact).where(eq(fact.orderId, id)).orderBy(fact.seq);
      const reverted = new Set(known.map(({ data }) => data.fact_id));
      const lost = known.findLast((one) => one.chainId !== null && !reverted.has(one.id));
      if (!lost) return;
      await recordFacts(tx, row, [{ ...step("fact.reverted", { fact_id: lost.id }), actor: "chain" }]);
      await revokeReceipt(tx, lost.id);
    });
  }
  return id;
}

/** The sums of single rows, and the sums of the counts, which must be equal. */
const pairs: Record<string, [single: SQL, counted: SQL]> = {
  "orders by day and status": [
    sql`select account_id, (created_at at time zone 'UTC')::date::text as day, role, agent, status, count(*)::int as n
      from earnest."order", lateral (values (buyer_account_id, 'buyer', null), (provider_account_id, 'provider', agent_id))
        as party (account_id, role, agent)
      group by 1, 2, 3, 4, 5`,
    sql`select account_id, day::text, role, agent_id as agent, status, sum(orders)::int as n from earnest.order_day
      group by 1, 2, 3, 4, 5 having sum(orders) <> 0`,
  ],
  "money in escrow": [
    sql`select account_id, role, token, sum(amount)::text as held,
        sum(case status when 'disputed' then amount else 0 end)::text as disputed, count(*)::int as n
      from earnest."order", lateral (values (buyer_account_id, 'buyer'), (provider_account_id, 'provider')) as party (account_id, role)
      where status in ('funded', 'started', 'delivered', 'disputed') group by 1, 2, 3`,
    sql`select account_id, role, token, sum(held)::text as held, sum(disputed)::text as disputed, sum(orders)::int as n
      from earnest.escrow_sum group by 1, 2, 3 having (sum(held), sum(disputed), sum(orders)) <> (0, 0, 0)`,
  ],
  "settlements by day": [
    sql`select s.account_id, (f.occurred_at at time zone 'UTC')::date::text as day, s.role, s.claim,
        case s.role when 'provider' then o.agent_id end as agent, o.token,
        sum((f.data ->> 'amount_base_units')::numeric)::text as amount, count(*)::int as n
      from earnest.account_settlement s join earnest.receipt r on r.id = s.receipt_id
        join earnest.fact f on f.id = r.fact_id join earnest."order" o on o.id = r.order_id
      where r.revoked_at is null and (s.role = 'buyer' and s.claim <> 'released' or s.role = 'provider' and s.claim = 'released')
      group by 1, 2, 3, 4, 5, 6`,
    sql`select account_id, day::text, role, claim, agent_id as agent, token, sum(amount)::text as amount, sum(settlements)::int as n
      from earnest.settlement_day group by 1, 2, 3, 4, 5, 6 having (sum(amount), sum(settlements)) <> (0, 0)`,
  ],
  "deliveries by day": [
    sql`select provider_account_id as account_id, (settled_at at time zone 'UTC')::date::text as day, agent_id,
        case when delivered_at is null then 'none'
          when delivered_at <= funded_at + promised_seconds * interval '1 second' then 'on_time' else 'late' end as delivery,
        count(*)::int as n
      from earnest.order_outcome where delivered_at is not null or ended <> 'declined' group by 1, 2, 3, 4`,
    sql`select account_id, day::text, agent_id, delivery, sum(orders)::int as n from earnest.delivery_day
      group by 1, 2, 3, 4 having sum(orders) <> 0`,
  ],
};

const sorted = (rows: Record<string, unknown>[]) => rows.map((row) => JSON.stringify(row)).sort();

describe("the daily counts of accounts", () => {
  test("equal the sums of the rows after any facts, reverts and concurrent writers", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(story, { minLength: 4, maxLength: 6 }), async (stories) => {
        await Promise.all(stories.map(live));
        for (const [what, [single, counted]] of Object.entries(pairs)) {
          const rows = await rowsOf(single);
          expect(sorted(await rowsOf(counted)), what).toEqual(sorted(rows));
        }
      }),
      { numRuns: 12 },
    );
    // The random stories reach every count.
    for (const [what, [single]] of Object.entries(pairs)) expect(await rowsOf(single), what).not.toEqual([]);
  });

  test("give the sums of payments in any range of time, as the single settlements do", async () => {
    await live({
      service: 0,
      acts: [
        { act: "fund", day: 3 },
        { act: "release", day: 5 },
      ],
    });
    await spreadReceipts();
    const time = fc
      .integer({ min: -6 * 24 * 60, max: 24 * 60 })
      .map((minutes) => new Date(Date.now() + minutes * 60_000).toISOString());
    const query = fc.record(
      {
        since: time,
        until: time,
        role: fc.constantFrom("buyer", "provider"),
        claim: fc.constantFrom("funded", "released", "refunded"),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(query, fc.constantFrom(...people), async (filters, who) => {
        const search = new URLSearchParams(filters as Record<string, string>);
        const { items } = expectStatus(200, await ask(market, who, "GET", `/payments/sums?${search}`));
        const sums = items.map(({ month, received_base_units, paid_base_units, payments }: SumItem) => ({
          ...{ month, received: received_base_units, paid: paid_base_units, payments },
        }));
        expect(sums).toEqual(await sumOf(who, filters));
      }),
      { numRuns: 60 },
    );
  });
});

type SumItem = { month: string; received_base_units: string; paid_base_units: string; payments: number };

/** Gives receipts other times. The daily counts follow a revocation and its end, which are not real here. */
async function spreadReceipts(): Promise<void> {
  const { db } = market.api;
  const standing = sql`id in (select id from earnest.receipt where revoked_at is null)`;
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`create temporary table spread on commit drop as
      select id, now() - (abs(hashtext(id)) % 7200) * interval '1 minute' as at from earnest.receipt where revoked_at is null`);
    await tx.update(receipt).set({ revokedAt: new Date() }).where(standing);
    await tx.execute(
      sql`update ${accountSettlement} set created_at = at from spread where receipt_id = spread.id`,
    );
    await tx.execute(
      sql`update ${receipt} set created_at = at, revoked_at = null from spread where receipt.id = spread.id`,
    );
  });
}

/** Sums the single settlements of an account. */
async function sumOf(who: Session, { since, until, role, claim }: Record<string, string | undefined>) {
  return rowsOf(sql`
    select to_char(f.occurred_at at time zone 'UTC', 'YYYY-MM') as month,
      coalesce(sum((f.data ->> 'amount_base_units')::numeric) filter (where s.claim <> 'funded'), 0)::text as received,
      coalesce(sum((f.data ->> 'amount_base_units')::numeric) filter (where s.claim = 'funded'), 0)::text as paid,
      count(*)::int as payments
    from earnest.account_settlement s join earnest.receipt r on r.id = s.receipt_id join earnest.fact f on f.id = r.fact_id
    where s.account_id = ${who.accountId} and r.revoked_at is null
      and (s.role = 'buyer' and s.claim <> 'released' or s.role = 'provider' and s.claim = 'released')
      and s.created_at >= coalesce(${since ?? null}::timestamptz, '-infinity')
      and s.created_at < coalesce(${until ?? null}::timestamptz, 'infinity')
      and s.role = coalesce(${role ?? null}, s.role) and s.claim = coalesce(${claim ?? null}, s.claim)
    group by 1 order by 1 desc`);
}
