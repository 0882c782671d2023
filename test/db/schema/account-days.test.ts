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
import { baseChainSettings } from "../../harness/fixtures/fixture.ts";
import { serveChains } from "../../harness/manifests.ts";
import { ask, createMarket, type Market, randomHash } from "../../harness/market/market.ts";
import { randomRuns } from "../../harness/random-runs.ts";

let market: Market;
let people: Session[];
let services: string[];
let served: ReturnType<typeof serveChains>;
/** The tokens that pay for the orders, on two chains. */
let tokens: { chain_id: number; token: string }[];
beforeAll(async () => {
  const settings = await baseChainSettings();
  const chainIds = [31_337, 424_242] as const;
  const euro = { address: `0x${"e1".repeat(20)}` as const, symbol: "EUR.e", decimals: 18 };
  served = serveChains(
    chainIds.map((chainId) => ({
      chainId,
      manifestOf: 31_337,
      env: { ...settings, [`RPC_URL_${chainId}`]: settings.RPC_URL_31337 },
    })),
    (manifest) => ({
      ...manifest,
      token: { ...manifest.token, currency: "USD" },
      other_tokens: [{ ...euro, name: "Euro", version: "1", currency: "USD" }],
    }),
  );
  market = await createMarket({
    env: { ...served.env, RATE_LIMITS: "credential=100000,account=100000" },
  });
  // One address on two chains is two tokens.
  const standard = market.chain.token.address;
  tokens = [
    { chain_id: 31_337, token: standard },
    { chain_id: 424_242, token: standard },
    { chain_id: 31_337, token: euro.address },
  ];
  const accepting = { price_currency: "USD", accepts: tokens };
  const { agent, service, provider } = market;
  const path = `/agents/${agent.slug}/services/${service.slug}`;
  const change = { token: provider.token, body: accepting };
  expectStatus(200, await market.api.request("PATCH", path, change));
  people = [market.buyer, market.provider];
  // Both people buy and sell, so that an account has both roles.
  const own = await publishService(market.api, market.buyer, { acceptance_hours: 48, ...accepting });
  const second = await publishService(market.api, market.provider, { acceptance_hours: 48, ...accepting });
  services = [market.service.id, own.service.id, second.service.id];
});
afterAll(async () => {
  await market?.api.close();
  served?.remove();
});

const rowsOf = async (statement: SQL) => (await market.api.db.execute(statement)).rows;

type Act = "fund" | "start" | "deliver" | "dispute" | "release" | "refund" | "split" | "revert" | "expire";
type Story = { service: number; token: number; acts: { act: Act; day: number }[] };

const story: fc.Arbitrary<Story> = fc.record({
  service: fc.integer({ min: 0, max: 2 }),
  token: fc.integer({ min: 0, max: 2 }),
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
async function live({ service, token, acts }: Story): Promise<string> {
  const { api } = market;
  const who = service === 1 ? market.provider : market.buyer;
  const body = {
    service_id: services[service],
    input_payload: { text: "Guten Tag" },
    pay_with: tokens[token],
  };
  const { id } = expectStatus(201, await ask(market, who, "POST", "/orders", body));
  for (const [at, { act, day }] of acts.entries()) {
    await inTransaction(api.db, async (tx) => {
      const row = await lockOrder(tx, id);
      if (!row) throw new Error("The order is not there.");
      const occurredAt = new Date(Date.UTC(2026, 8, 1 + day, 23 * (day % 2), 59));
      const chain = {
        chainId: row.chainId,
        blockNumber: BigInt(at),
        blockHash: randomHash(),
        transactionHash: randomHash(),
        logIndex: at,
      };
      const half = row.amount / 2n;
      const step = (type: NewFact["type"], data: Record<string, unknown> = {}): NewFact => ({
        type,
        actor: "provider",
        key: `${id}:${at}:${type}`,
        occurredAt,
        data,
      });
      const onChain = (type: NewFact["type"], amount: bigint): NewFact => ({
        ...step(type, {
          amount_base_units: amount.toString(),
          payer: getAddress(row.buyerAddress),
          party: "buyer",
        }),
        actor: "chain",
        chain,
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
    sql`select account_id, role, chain_id, token, sum(amount)::text as held,
        sum(case status when 'disputed' then amount else 0 end)::text as disputed, count(*)::int as n
      from earnest."order", lateral (values (buyer_account_id, 'buyer'), (provider_account_id, 'provider')) as party (account_id, role)
      where status in ('funded', 'started', 'delivered', 'disputed') group by 1, 2, 3, 4`,
    sql`select account_id, role, chain_id, token, sum(held)::text as held, sum(disputed)::text as disputed, sum(orders)::int as n
      from earnest.escrow_sum group by 1, 2, 3, 4 having (sum(held), sum(disputed), sum(orders)) <> (0, 0, 0)`,
  ],
  "settlements by day": [
    sql`select s.account_id, (f.occurred_at at time zone 'UTC')::date::text as day, s.role, s.claim,
        case s.role when 'provider' then o.agent_id end as agent, o.chain_id, o.token,
        sum((f.data ->> 'amount_base_units')::numeric)::text as amount, count(*)::int as n
      from earnest.account_settlement s join earnest.receipt r on r.id = s.receipt_id
        join earnest.fact f on f.id = r.fact_id join earnest."order" o on o.id = r.order_id
      where r.revoked_at is null and (s.role = 'buyer' and s.claim <> 'released' or s.role = 'provider' and s.claim = 'released')
      group by 1, 2, 3, 4, 5, 6, 7`,
    sql`select account_id, day::text, role, claim, agent_id as agent, chain_id, token, sum(amount)::text as amount, sum(settlements)::int as n
      from earnest.settlement_day group by 1, 2, 3, 4, 5, 6, 7 having (sum(amount), sum(settlements)) <> (0, 0)`,
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

/** Adds up base units by a name of the token on its chain. */
function addUp(items: TokenItem[], name: string): Record<string, string> {
  const sums = new Map<string, bigint>();
  for (const item of items) {
    const key = `${item.chain_id} ${item.token_address.toLowerCase()}`;
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(String(item[name])));
  }
  return Object.fromEntries([...sums].map(([key, sum]) => [key, sum.toString()]));
}
type TokenItem = { chain_id: number; token_address: string; [name: string]: string | number };

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
      token: 0,
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
        const sums = items.map((item: SumItem) => ({
          month: item.month,
          chain_id: item.chain_id,
          token: item.token_address.toLowerCase(),
          received: item.received_base_units,
          paid: item.paid_base_units,
          payments: item.payments,
        }));
        expect(sums).toEqual(await sumOf(who, filters));
      }),
      { numRuns: randomRuns(60) },
    );
  });
});

test("figures and balances of two tokens on two chains are never added", async () => {
  const paid = (token: number) =>
    live({
      service: 0,
      token,
      acts: [
        { act: "fund", day: 8 },
        { act: "release", day: 9 },
      ],
    });
  const held = (token: number) => live({ service: 0, token, acts: [{ act: "fund", day: 8 }] });
  for (const token of [0, 1, 2]) await Promise.all([paid(token), held(token)]);
  const buyer = market.buyer;
  const read = async (path: string) => expectStatus(200, await ask(market, buyer, "GET", path));
  const { spending } = (await read("/analytics?since=2026-09-01&until=2026-11-30")).buyer;
  const spent = await rowsOf(sql`
    select chain_id || ' ' || token as key, sum(amount)::text as sum from earnest.settlement_day
    where account_id = ${buyer.accountId} and role = 'buyer' and claim = 'funded' group by 1 having sum(amount) > 0`);
  expect(Object.keys(addUp(spending, "paid_base_units")).length).toBe(3);
  expect(addUp(spending, "paid_base_units")).toEqual(
    Object.fromEntries(spent.map(({ key, sum }) => [key, sum])),
  );
  const { items } = await read("/payments/sums?role=buyer&claim=funded");
  expect(addUp(items, "paid_base_units")).toEqual(addUp(spending, "paid_base_units"));
  const { escrow } = await read("/balances");
  expect(escrow.map(({ chain_id, token_address }: TokenItem) => `${chain_id} ${token_address}`)).toHaveLength(
    new Set(escrow.map(({ chain_id, token_address }: TokenItem) => `${chain_id} ${token_address}`)).size,
  );
  const inEscrow = await rowsOf(sql`
    select chain_id || ' ' || token as key, sum(amount)::text as sum from earnest."order"
    where buyer_account_id = ${buyer.accountId} and status in ('funded', 'started', 'delivered', 'disputed') group by 1`);
  expect(inEscrow).toHaveLength(3);
  expect(addUp(escrow, "paid_into_escrow_base_units")).toMatchObject(
    Object.fromEntries(inEscrow.map(({ key, sum }) => [key, sum])),
  );
  const csv = await market.api.request("GET", "/exports/payments.csv", { token: buyer.token });
  const [names = "", ...rows] = String(csv.body).trim().split("\r\n");
  const at = (name: string) => names.split(",").indexOf(name);
  const keys = rows
    .map((row) => row.split(","))
    .map((row) => `${row[at("chain_id")]} ${row[at("token_address")]}`);
  expect(new Set(keys).size).toBe(3);
});

type SumItem = {
  month: string;
  chain_id: number;
  token_address: string;
  received_base_units: string;
  paid_base_units: string;
  payments: number;
};

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
    select to_char(f.occurred_at at time zone 'UTC', 'YYYY-MM') as month, o.chain_id, o.token,
      coalesce(sum((f.data ->> 'amount_base_units')::numeric) filter (where s.claim <> 'funded'), 0)::text as received,
      coalesce(sum((f.data ->> 'amount_base_units')::numeric) filter (where s.claim = 'funded'), 0)::text as paid,
      count(*)::int as payments
    from earnest.account_settlement s join earnest.receipt r on r.id = s.receipt_id join earnest.fact f on f.id = r.fact_id
      join earnest."order" o on o.id = r.order_id
    where s.account_id = ${who.accountId} and r.revoked_at is null
      and (s.role = 'buyer' and s.claim <> 'released' or s.role = 'provider' and s.claim = 'released')
      and s.created_at >= coalesce(${since ?? null}::timestamptz, '-infinity')
      and s.created_at < coalesce(${until ?? null}::timestamptz, 'infinity')
      and s.role = coalesce(${role ?? null}, s.role) and s.claim = coalesce(${claim ?? null}, s.claim)
    group by 1, 2, 3 order by 1 desc, 2, 3`);
}
