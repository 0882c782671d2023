import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Answer,
  createTestApi,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";
import { baseChainSettings } from "../../harness/fixtures/fixture.ts";
import { serveChains } from "../../harness/manifests.ts";

// Two chains. The default token and USDC pay prices in dollars, EUR.e pays prices in euros, and POINT only its own.
const [first, second] = [31_337, 424_242];
const tokens = {
  USDC: { address: `0x${"c1".repeat(20)}`, symbol: "USDC", currency: "USD", decimals: 6 },
  EURe: { address: `0x${"e1".repeat(20)}`, symbol: "EUR.e", currency: "EUR", decimals: 18 },
  POINT: { address: `0x${"d1".repeat(20)}`, symbol: "it's<b>|'\\", currency: undefined, decimals: 0 },
} as const;

let env: Record<string, string>;
let served: ReturnType<typeof serveChains>;
let api: TestApi;
let seller: Session;
let buyer: Session;
let standard: string;
beforeAll(async () => {
  const settings = await baseChainSettings();
  served = serveChains(
    [first, second].map((chainId) => ({
      chainId,
      manifestOf: first,
      env: { ...settings, [`RPC_URL_${chainId}`]: settings.RPC_URL_31337 },
    })),
    (manifest) => ({
      ...manifest,
      ...(manifest.chain_id === second ? { arbiter: null } : {}),
      token: { ...manifest.token, currency: "USD" },
      other_tokens: Object.values(tokens).map((token) => ({
        ...token,
        address: token.address as `0x${string}`,
        name: "Token",
        version: "1",
      })),
    }),
  );
  env = served.env;
  api = await createDocumentedApi({ env });
  [seller, buyer] = [await signIn(api), await signIn(api)];
  standard = String(api.config.defaultChain?.token.address);
  const at = (chain_id: number, token: string) => ({ chain_id, token });
  const sell = (title: string, price: string, more: object = {}) =>
    publishService(api, seller, { title, price, category: "tax", tags: ["paper"], ...more });
  await sell("standard", "5");
  await sell("dollars", "3", { price_currency: "USD", accepts: [at(second, tokens.USDC.address)] });
  await sell("usdc", "4", { accepts: [at(first, tokens.USDC.address), at(second, tokens.USDC.address)] });
  await sell("euros", "1", { price_currency: "EUR", accepts: [at(second, tokens.EURe.address)] });
  await sell("eurs", "2", { accepts: [at(first, tokens.EURe.address)] });
  await sell("points", "7", { accepts: [at(second, tokens.POINT.address)] });
});
afterAll(async () => {
  await api?.close();
  served?.remove();
});

const read = async (path: string, from = api): Promise<Answer["body"]> =>
  expectStatus(200, await from.request("GET", path));
const titles = async (query: string, from = api): Promise<string[]> =>
  (await read(`/marketplace/services?${query}`, from)).items.map(({ title }: { title: string }) => title);
/** The titles over pages of one service. */
async function walk(query: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await read(`/marketplace/services?${query}&limit=1${cursor && `&cursor=${cursor}`}`);
    found.push(...page.items.map(({ title }: { title: string }) => title));
    cursor = page.next_cursor;
  }
  return found;
}
const own = encodeURIComponent(tokens.POINT.symbol);

describe("GET /marketplace/services by price", () => {
  test("groups by currency, that of the default token first, and never orders a euro before a dollar by its number", async () => {
    const low = ["dollars", "usdc", "standard", "euros", "eurs", "points"];
    expect(await titles("sort=price_low")).toEqual(low);
    expect(await walk("sort=price_low")).toEqual(low);
    const high = ["standard", "usdc", "dollars", "points", "eurs", "euros"];
    expect(await titles("sort=price_high")).toEqual(high);
    expect(await walk("sort=price_high")).toEqual(high);
    // The order of matches of words and tags is the same.
    expect(await walk("sort=price_low&q=standard or usdc or euros or points")).toEqual([
      ...["usdc", "standard", "euros", "points"],
    ]);
    expect(await walk("sort=price_high&tags=paper")).toEqual(high);
  });

  test.each([
    ["max_price=4", ["dollars", "usdc"]],
    ["min_price=1&max_price=4&currency=USD", ["dollars", "usdc"]],
    ["max_price=4&currency=USDC", ["dollars", "usdc"]],
    ["max_price=4&currency=TUSD&tags=paper&q=paper", ["dollars", "usdc"]],
    ["max_price=1&currency=EUR", ["euros"]],
    ["max_price=1", []],
    ["currency=EUR", ["euros", "eurs"]],
    ["currency=EUR.e&category=tax", ["euros", "eurs"]],
    [`currency=${own}&max_price=7`, ["points"]],
    ["currency=none", []],
    ["currency=usd", []],
  ])("%s compares in one currency", async (query, expected) => {
    expect(await titles(`${query}&sort=price_low`)).toEqual(expected);
    expect((await titles(query)).toSorted()).toEqual(expected.toSorted());
    expect((await read(`/marketplace/services?${query}`)).total).toBe(expected.length);
  });

  test.each([
    [`chain_id=${first}`, ["eurs", "standard", "usdc"]],
    [`chain_id=${second}`, ["dollars", "euros", "points", "usdc"]],
    ["token=USDC", ["dollars", "usdc"]],
    [`token=${tokens.USDC.address.toUpperCase().replace("0X", "0x")}`, ["dollars", "usdc"]],
    [`token=USDC&chain_id=${first}`, ["usdc"]],
    [`token=TUSD&chain_id=${first}`, ["standard"]],
    [`token=TUSD&chain_id=${second}`, []],
    [`token=${own}`, ["points"]],
    [`token=EUR.e&chain_id=${second}&currency=EUR&max_price=1&q=euros&tags=paper&category=tax`, ["euros"]],
  ])("%s finds the services that accept it", async (query, expected) => {
    expect((await titles(query)).toSorted()).toEqual(expected);
    expect((await read(`/marketplace/services?${query}`)).total).toBe(expected.length);
  });

  test.each([
    ["chain_id=1", "/chain_id"],
    ["chain_id=0", "/chain_id"],
    ["chain_id=9007199254740993", "/chain_id"],
    ["token=NONE", "/token"],
    [`token=0x${"12".repeat(20)}`, "/token"],
    [`token=${"T".repeat(43)}`, "/token"],
    [`currency=${"C".repeat(101)}`, "/currency"],
    ["currency=", "/currency"],
  ])("%s is refused", async (query, path) => {
    for (const list of ["services", "filters"]) {
      const { status, body } = await api.request("GET", `/marketplace/${list}?${query}`);
      expect([status, body.error.details[0].path]).toEqual([400, path]);
    }
  });

  test("a forged cursor fails no statement", async () => {
    const forge = (...parts: string[]) =>
      `/marketplace/services?sort=price_low&cursor=${Buffer.from(JSON.stringify(["price_low_of_all", ...parts])).toString("base64url")}`;
    const id = `svc_${"0".repeat(26)}`;
    for (const group of ["", "ff", "c3", "7f", "f0".repeat(160)])
      expectStatus(200, await api.request("GET", forge("1", group, "1", id)));
    for (const group of ["00", "6100", "f", "zz", "61".repeat(401)])
      expectStatus(400, await api.request("GET", forge("1", group, "1", id)));
    // The cursor of one currency is no cursor of all.
    const { next_cursor } = await read("/marketplace/services?sort=price_low&currency=USD&limit=1");
    expectStatus(400, await api.request("GET", `/marketplace/services?sort=price_low&cursor=${next_cursor}`));
  });

  test("a service that changes its currency and tokens is found by the new ones alone", async () => {
    const { agent, service } = await publishService(api, seller, { title: "changed", price: "900" });
    const path = `/agents/${agent.slug}/services/${service.slug}`;
    const change = async (body: object) =>
      expectStatus(200, await api.request("PATCH", path, { token: seller.token, body }));
    expect(await titles("min_price=900")).toEqual(["changed"]);
    await change({
      accepts: [{ chain_id: second, token: tokens.EURe.address }],
      price_currency: "EUR",
    });
    expect(await titles("min_price=900")).toEqual([]);
    expect(await titles("min_price=900&currency=EUR&token=EUR.e")).toEqual(["changed"]);
    expect(await titles(`min_price=900&currency=EUR&chain_id=${first}`)).toEqual([]);
    expectStatus(200, await api.request("POST", `${path}/retire`, { token: seller.token }));
    const { rows } = await api.db.execute(sql`select price_currency, sum(services)::int as services
      from earnest.offer_tally group by 1 having sum(services) <> 0 order by 1`);
    expect(rows).toEqual(
      [
        { price_currency: "EUR", services: 1 },
        { price_currency: "EUR.e", services: 1 },
        { price_currency: "TUSD", services: 1 },
        { price_currency: "USD", services: 1 },
        { price_currency: "USDC", services: 1 },
        { price_currency: tokens.POINT.symbol, services: 1 },
      ].toSorted((a, b) => (a.price_currency < b.price_currency ? -1 : 1)),
    );
  });
});

describe("a service that accepts tokens of several chains", () => {
  test("has the acceptance window and the arbiters of each token's chain, and those of the first by itself", async () => {
    const here = { chain_id: first, token: tokens.USDC.address };
    const there = { chain_id: second, token: tokens.USDC.address };
    const publish = async (...accepts: object[]) => {
      const { agent, service } = await publishService(api, seller, {
        title: "windows",
        acceptance_hours: 2,
        accepts,
      });
      const path = `/agents/${agent.slug}/services/${service.slug}`;
      const shown = await read(path);
      expectStatus(200, await api.request("POST", `${path}/retire`, { token: seller.token }));
      return shown;
    };
    const nobody = "0x0000000000000000000000000000000000000000";
    const ofFirst = { acceptance_hours: 2, arbiters: [api.config.defaultChain?.arbiter, nobody] };
    // The second chain has a longer least window, and no arbiter.
    const ofSecond = { acceptance_hours: 24, arbiters: [nobody] };
    expect(await publish(here, there)).toMatchObject({ ...ofFirst, accepts: [ofFirst, ofSecond] });
    expect(await publish(there, here)).toMatchObject({ ...ofSecond, accepts: [ofSecond, ofFirst] });
  });
});

describe("a request with a budget", () => {
  const ask = (body: object) =>
    api.request("POST", "/requests", {
      token: buyer.token,
      body: { title: "Paper", description: "Some paper.", tags: ["paper"], ...body },
    });

  test("compares it with the quotes in its currency alone", async () => {
    const { id, ...made } = expectStatus(201, await ask({ budget: "3", currency: "EUR" }));
    expect(made).toMatchObject({ budget: "3.000000", currency: "EUR" });
    const quoted = async (title: string, price: string) => {
      // The last word of a search may be a prefix: "eurs" finds "euros" too.
      const found: Answer["body"][] = (await read(`/marketplace/services?q=${title}`)).items;
      const service = found.find((one) => one.title === title);
      const body = {
        agent_slug: service.agent.slug,
        service_id: service.id,
        price,
        delivery_time_hours: 24,
      };
      const path = `/requests/${id}/quotes`;
      return expectStatus(201, await api.request("POST", path, { token: seller.token, body }));
    };
    expect(await quoted("euros", "3")).toMatchObject({ currency: "EUR", within_budget: true });
    expect(await quoted("eurs", "3.01")).toMatchObject({ currency: "EUR.e", within_budget: false });
    expect(await quoted("usdc", "2")).toMatchObject({ currency: "USDC", within_budget: null });
    const quotes = await api.request("GET", `/requests/${id}/quotes`, { token: buyer.token });
    const shown = expectStatus(200, quotes).items.map(
      ({ price, within_budget }: Answer["body"]) => `${price} ${within_budget}`,
    );
    expect(shown.toSorted()).toEqual(["2.000000 null", "3.000000 true", "3.010000 false"]);
  });

  test("is in the default token's symbol by default, and in no unknown currency", async () => {
    expect(expectStatus(201, await ask({ budget: "3" }))).toMatchObject({ currency: "TUSD" });
    expect(expectStatus(201, await ask({ currency: "USD" }))).toMatchObject({
      budget: null,
      currency: "USD",
    });
    for (const currency of ["GBP", "", "usd"]) {
      const { status, body } = await ask({ budget: "3", currency });
      expect([currency, status, body.error.details[0].path]).toEqual([currency, 400, "/currency"]);
    }
  });
});

describe("GET /marketplace/filters", () => {
  const filters = (query: string, from = api) => read(`/marketplace/filters?${query}`, from);

  test("counts currencies and accepted tokens, and prices in one currency", async () => {
    const { currency, token, price } = await filters("");
    expect(currency.items).toEqual([
      { value: "USD", count: 3 },
      { value: "EUR", count: 2 },
      { value: tokens.POINT.symbol, count: 1 },
    ]);
    const at = (chain_id: number, symbol: string, address: string, count: number) => ({
      chain_id,
      symbol,
      network_name: api.config.defaultChain?.network_name,
      count,
      token: expect.stringMatching(new RegExp(`^${address}$`, "i")),
    });
    expect(token.items).toEqual(
      expect.arrayContaining([
        at(first, "TUSD", standard, 1),
        at(first, "USDC", tokens.USDC.address, 1),
        at(first, "EUR.e", tokens.EURe.address, 1),
        at(second, "USDC", tokens.USDC.address, 2),
        at(second, "EUR.e", tokens.EURe.address, 1),
        at(second, tokens.POINT.symbol, tokens.POINT.address, 1),
      ]),
    );
    expect(token.items).toHaveLength(6);
    expect(price).toEqual({
      complete: true,
      currency: "USD",
      items: [{ min_price: "1.000000", max_price: "9.999999", count: 3 }],
    });
    expect((await filters("currency=EUR.e")).price).toMatchObject({
      currency: "EUR.e",
      items: [{ count: 2 }],
    });
  });

  test.each([
    "",
    "category=tax",
    "q=paper",
    "max_price=4",
    "max_price=4&currency=EUR&q=paper",
    "currency=EUR&tags=paper",
    "token=USDC&q=paper&min_price=1",
    `chain_id=${second}&max_price=3&pricing_model=fixed`,
    `currency=${own}&min_price=2&max_delivery_hours=720`,
  ])("counts for '%s' the total of each narrowed search", async (query) => {
    const body = await filters(query);
    const total = async (change: (query: URLSearchParams) => void) => {
      const narrowed = new URLSearchParams(query);
      change(narrowed);
      return (await read(`/marketplace/services?${narrowed}`)).total;
    };
    expect(body.total).toBe(await total(() => {}));
    for (const { value, count } of body.currency.items)
      expect([value, count]).toEqual([value, await total((left) => left.set("currency", value))]);
    for (const { count, min_price, max_price } of body.price.items)
      expect([min_price, count]).toEqual([
        min_price,
        await total((left) => {
          left.set("min_price", min_price);
          left.set("max_price", max_price);
          if (body.price.currency) left.set("currency", body.price.currency);
        }),
      ]);
    if (/chain_id|token/.test(query)) return;
    for (const { chain_id, token, symbol, count } of body.token.items)
      expect([symbol, count]).toEqual([
        symbol,
        await total((left) => {
          left.set("chain_id", chain_id);
          left.set("token", token);
          // A query of prices is in the currency that the facet counted in.
          if (/price/.test(query) && !left.has("currency")) left.set("currency", "USD");
        }),
      ]);
  });
});

describe("tokens that are no longer configured", () => {
  test("keep no service out of the market, and are no filter", async () => {
    served.change((manifest) => ({ ...manifest, token: { ...manifest.token, currency: "USD" } }));
    const now = await createTestApi({ env: { ...env, DATABASE_URL: api.config.databaseUrl } });
    try {
      expect(await titles("sort=price_low", now)).toEqual([
        ...["dollars", "standard", "euros", "eurs", "usdc", "points"],
      ]);
      const { items } = await read("/marketplace/services?currency=USDC", now);
      expect(items).toMatchObject([{ title: "usdc", accepts: [], price_currency: "USDC", buy_url: null }]);
      const { token, currency } = await read("/marketplace/filters", now);
      expect(token.items).toMatchObject([{ symbol: "TUSD", count: 1 }]);
      expect(currency.items).toHaveLength(5);
      expectStatus(400, await now.request("GET", "/marketplace/services?token=USDC"));
      expect(await titles(`chain_id=${second}`, now)).toEqual([]);
    } finally {
      await now.context.db.$client.end();
    }
  });
});
