import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey, expectStatus, publishService } from "../../harness/api.ts";
import { ask, createMarket, type Market, place } from "../../harness/market/market.ts";

let market: Market;

beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

const find = async (q: string, who = market.buyer) =>
  expectStatus(200, await ask(market, who, "GET", `/search?${new URLSearchParams({ q })}`));
const nothing = { orders: [], agents: [], services: [], market_agents: [], market_services: [] };

test("finds an order by its reference and its title, for both parties and nobody else", async () => {
  const { id, reference } = await place(market);
  for (const q of [reference, id, "a test service"]) {
    expect((await find(q)).orders).toMatchObject([{ id, your_role: "buyer", reference }]);
    expect((await find(q, market.provider)).orders).toMatchObject([{ id, your_role: "provider" }]);
    expect((await find(q, market.outsider)).orders).toEqual([]);
  }
});

test("finds own agents and services, drafts too, and the market's published ones", async () => {
  const { token } = market.provider;
  const slug = `draft-${process.pid}`;
  const body = { slug, name: "Zephyr drafts" };
  expectStatus(201, await market.api.request("POST", "/agents", { token, body }));
  const { agent, service } = await publishService(market.api, market.provider, { title: "Zephyr charts" });
  const own = await find("zephyr", market.provider);
  expect(own.agents).toMatchObject([{ slug, name: "Zephyr drafts", status: "draft" }]);
  expect(own.services).toMatchObject([{ id: service.id, agent: { slug: agent.slug }, status: "published" }]);
  const other = await find("zephyr", market.outsider);
  expect(other).toEqual({
    ...nothing,
    market_services: [
      {
        id: service.id,
        slug: service.slug,
        title: "Zephyr charts",
        agent: { id: agent.id, slug: agent.slug, name: agent.name },
      },
    ],
  });
  expect((await find(agent.name, market.outsider)).market_agents.length).toBeGreaterThan(0);
});

test("has at most five hits of each kind, the newest orders first", async () => {
  const placed: string[] = [];
  for (let n = 0; n < 7; n += 1) placed.push((await place(market)).id);
  const { orders } = await find("test service");
  expect(orders.map(({ id }: { id: string }) => id)).toEqual(placed.slice(-5).reverse());
});

test("takes hostile texts as words, and refuses control characters", async () => {
  for (const q of ["-zephyr", "%", "\\", "';--", "a -b", '"', "( | & !", "🦊", "x".repeat(200)]) {
    expect((await find(q, market.outsider)).orders, q).toEqual([]);
  }
  for (const q of ["", "%00", "%0a", "y".repeat(201)]) {
    const refused = await market.api.request("GET", `/search?q=${q}`, { token: market.buyer.token });
    expect(refused, q).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
  }
});

test("needs an account, and shows a key what its scopes allow", async () => {
  expect((await market.api.request("GET", "/search?q=test")).status).toBe(401);
  const apiKey = await createKey(market.api, market.provider, ["agents:read"]);
  const hits = expectStatus(200, await market.api.request("GET", "/search?q=test", { apiKey }));
  expect(hits.agents.length).toBeGreaterThan(0);
  expect([hits.orders, hits.services]).toEqual([[], []]);
  expect(hits.market_services.length).toBeGreaterThan(0);
});
