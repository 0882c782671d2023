import { eq, sql } from "drizzle-orm";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { marketWord } from "../../db/schema.ts";
import { removeOldRows } from "../../jobs/retention.ts";
import { caps } from "../../trade/account-caps.ts";
import { expectStatus, publishService, type Session, signIn } from "../harness/api.ts";
import { ask, createMarket, type Market } from "../harness/market/market.ts";

let market: Market;
let owner: Session;
let offer: Awaited<ReturnType<typeof publishService>>;
let plan: Awaited<ReturnType<typeof publishService>>;
beforeAll(async () => {
  market = await createMarket();
  owner = await signIn(market.api);
  offer = await publishService(market.api, owner);
  plan = await publishService(market.api, market.provider, {
    pricing_model: "subscription",
    interval: "month",
  });
});
afterAll(() => market?.api.close());

const post = (path: string, body: object, who = owner) => ask(market, who, "POST", path, body);
const postRequest = async () => {
  const request = { title: "A manual", description: "By Friday.", tags: ["manuals"] };
  return expectStatus(201, await post("/requests", request, market.buyer)).id as string;
};

/**
 * A capped resource: its cap, rows inserted as if the owner had created them, and a request for one more.
 */
const kinds = {
  agents: {
    most: caps.agents,
    fill: (count: number) => sql`
      insert into earnest.agent (id, account_id, slug, name, capabilities, status)
      select 'agt_' || n, ${owner.accountId}, 'filled-' || n, 'Filled', '{}', 'retired' from generate_series(1, ${count}) n`,
    have: () => sql`from earnest.agent where account_id = ${owner.accountId}`,
    make: async (turn: number) => post("/agents", { slug: `another-${turn}`, name: "Another" }),
  },
  services: {
    most: caps.services,
    fill: (count: number) => sql`
      insert into earnest.service
        (id, agent_id, slug, title, pricing_model, price, price_currency, delivery_time_hours, acceptance_hours, status)
      select 'svc_' || n, ${offer.agent.id}, 'filled-' || n, 'Filled', 'fixed', 1, 'TUSD', 1, 24, 'retired'
      from generate_series(1, ${count}) n`,
    have: () => sql`
      from earnest.service where agent_id in (select id from earnest.agent where account_id = ${owner.accountId})`,
    // Each service has an agent of its own, whose row no other request locks.
    make: async (turn: number) => {
      const body = { title: "Another", pricing_model: "fixed", price: "1", delivery_time_hours: 1 };
      return post(`/agents/${agents[turn]}/services`, { ...body, slug: `another-${turn}` });
    },
  },
  keys: {
    most: caps.keys,
    fill: (count: number) => sql`
      insert into earnest.api_key (id, account_id, name, scopes, token_hash, token_hint)
      select 'key_' || n, ${owner.accountId}, 'filled', '{}', 'hash ' || n, 'hint' from generate_series(1, ${count}) n`,
    have: () => sql`from earnest.api_key where account_id = ${owner.accountId} and revoked_at is null`,
    make: async () => post("/api-keys", { name: "another", scopes: ["orders:read"] }),
  },
  wallets: {
    most: caps.wallets,
    fill: (count: number) => sql`
      insert into earnest.wallet (id, account_id, address, proved_by)
      select 'wal_' || n, ${owner.accountId}, '0x' || lpad(to_hex(n), 40, '0'), 'key' from generate_series(1, ${count}) n`,
    have: () => sql`from earnest.wallet where account_id = ${owner.accountId}`,
    make: async () => {
      const signer = privateKeyToAccount(generatePrivateKey());
      const request = { address: signer.address, chain_id: 31_337, purpose: "link_wallet" };
      const { message, nonce } = expectStatus(200, await post("/auth/nonce", request));
      const signature = await signer.signMessage({ message });
      return post("/auth/me/wallets", { message, nonce, signature });
    },
  },
  subscriptions: {
    most: caps.subscriptions,
    fill: (count: number) => sql`
      insert into earnest.subscription (
        id, account_id, service_id, agent_id, provider_account_id, price, price_currency, interval, settlement_rail,
        chain_id, token, buyer_address, arbiter, started_at, next_order_at)
      select 'sub_' || n, ${owner.accountId}, ${plan.service.id}, ${plan.agent.id}, ${market.provider.accountId}, 1, 'TUSD',
        'month', 'escrow', 31337, '0x', decode(repeat('00', 20), 'hex'), decode(repeat('00', 20), 'hex'), now(), now()
      from generate_series(1, ${count}) n`,
    have: () => sql`from earnest.subscription where account_id = ${owner.accountId} and status = 'active'`,
    make: async () => post("/subscriptions", { service_id: plan.service.id }),
  },
  quotes: {
    most: caps.quotesADay,
    fill: (count: number) => sql`
      insert into earnest.quote (
        id, request_id, account_id, agent_id, service_id, price, price_currency, delivery_time_hours, status, expires_at)
      select 'quo_' || n, ${requests[0]}, ${owner.accountId}, ${offer.agent.id}, ${offer.service.id}, 1, 'TUSD', 1,
        'withdrawn', now() from generate_series(1, ${count}) n`,
    have: () => sql`from earnest.quote where account_id = ${owner.accountId}`,
    make: async (turn: number) =>
      post(`/requests/${requests[turn]}/quotes`, {
        agent_slug: offer.agent.slug,
        service_id: offer.service.id,
        price: "1",
        delivery_time_hours: 1,
      }),
  },
};

let agents: string[] = [];
let requests: string[] = [];
const turns = [0, 1, 2, 3, 4, 5];

test.each(["keys", "wallets", "subscriptions", "quotes", "services", "agents"] as const)(
  "an account has at most its cap of %s, even when requests race",
  async (name) => {
    const { most, fill, have, make } = kinds[name];
    const { db } = market.api;
    const count = async () => {
      const { rows } = await db.execute<{ count: number }>(sql`select count(*)::int ${have()}`);
      return rows[0]?.count ?? 0;
    };
    if (name === "quotes") requests = await Promise.all(turns.map(postRequest));
    if (name === "services") {
      agents = turns.map((turn) => `home-${turn}`);
      for (const slug of agents) expectStatus(201, await post("/agents", { slug, name: "Home" }));
    }
    await db.execute(fill(most - 2 - (await count())));
    const answers = await Promise.all(turns.map(make));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 201, 409, 409, 409, 409]);
    const { error } = answers.find(({ status }) => status === 409)?.body ?? {};
    expect(error.code).toBe("conflict");
    expect(error.message).toMatch(new RegExp(`^An account has at most ${most} `));
    expect(await count()).toBe(most);
  },
);

test("the cap of one account does not affect another", async () => {
  const other = await signIn(market.api);
  await publishService(market.api, other);
  expectStatus(201, await post("/api-keys", { name: "first", scopes: ["orders:read"] }, other));
  expectStatus(201, await post("/subscriptions", { service_id: plan.service.id }, other));
});

test("a revoked key, or the next day, makes room again", async () => {
  const { db } = market.api;
  await db.execute(sql`update earnest.api_key set revoked_at = now() where id = 'key_1'`);
  expectStatus(201, await kinds.keys.make());
  expect((await kinds.keys.make()).status).toBe(409);

  await db.execute(sql`update earnest.quote set created_at = now() - interval '25 hours' where id = 'quo_1'`);
  requests = [await postRequest()];
  await db.execute(sql`update earnest.quote set status = 'withdrawn' where account_id = ${owner.accountId}`);
  expectStatus(201, await kinds.quotes.make(0));
});

test("the words of the market are capped, and only unused ones are removed", async () => {
  const { db } = market.api;
  await db.execute(sql`insert into earnest.market_word select 'madeup' || n from generate_series(1, 5000) n`);
  const before = await db.$count(marketWord);
  expect(await removeOldRows(db)).toMatchObject({ words: 0 });
  expect(await removeOldRows(db, { mostWords: before })).toMatchObject({ words: 0 });
  expect(await removeOldRows(db, { mostWords: 300 })).toMatchObject({ words: before - 300 });
  expect(await db.$count(marketWord)).toBe(300);

  // A word that the market has comes back with the next service that uses it.
  await db.execute(sql`delete from earnest.market_word`);
  await publishService(market.api, await signIn(market.api), { title: "Cartography" });
  expect(await db.$count(marketWord, eq(marketWord.word, "cartography"))).toBe(1);
});
