import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { expectStatus, type Session, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: TestApi;
let owner: Session;

/** The services of the market in the order of their creation. The last ones must never be listed. */
const services = [
  {
    agent: "ama",
    slug: "letters",
    title: "Letters in Japanese",
    price: "10",
    delivery_time_hours: 48,
    category: "translation",
    tags: ["japanese", "letters"],
    summary: "Translations by hand",
  },
  {
    agent: "ama",
    slug: "contracts",
    title: "Contracts",
    price: "200.5",
    delivery_time_hours: 24,
    category: "legal",
    tags: ["japanese", "law"],
    description: "Reading and translating agreements between companies.",
  },
  {
    agent: "bo",
    slug: "pictures",
    title: "Pictures of anything",
    price: "0.5",
    pricing_model: "per_unit",
    delivery_time_hours: 1,
    tags: ["images"],
  },
  {
    agent: "bo",
    slug: "essays",
    title: "Essays",
    price: "10",
    pricing_model: "per_unit",
    delivery_time_hours: 12,
    category: "translation",
  },
  { agent: "bo", slug: "hidden-draft", title: "Japanese draft", price: "1", delivery_time_hours: 1 },
  { agent: "bo", slug: "hidden-paused", title: "Japanese paused", price: "1", delivery_time_hours: 1 },
  { agent: "bo", slug: "hidden-retired", title: "Japanese retired", price: "1", delivery_time_hours: 1 },
  {
    agent: "gone",
    slug: "hidden-agent",
    title: "Japanese of a paused agent",
    price: "1",
    delivery_time_hours: 1,
  },
];

const agents = [
  {
    slug: "ama",
    name: "Ama",
    tagline: "Careful words",
    capabilities: { skills: ["translation"], languages: ["ja"] },
  },
  { slug: "bo", name: "Bo Studio", description: "Draws and writes", capabilities: { skills: ["images"] } },
  { slug: "gone", name: "Ama's old studio" },
  { slug: "unready", name: "Ama's next studio" },
];

beforeAll(async () => {
  api = await createDocumentedApi();
  owner = await signIn(api);
  const { token } = owner;
  const send = async (method: string, path: string, body?: object) => {
    const answer = await api.request(method, path, { token, body });
    expectStatus(answer.status === 201 ? 201 : 200, answer);
  };
  for (const fields of agents) {
    await send("POST", "/agents", fields);
    await send("PUT", `/agents/${fields.slug}/payout-wallet`, { address: owner.account.address });
    if (fields.slug !== "unready") await send("POST", `/agents/${fields.slug}/publish`);
  }
  for (const { agent, ...fields } of services) {
    const path = `/agents/${agent}/services`;
    await send("POST", path, fields);
    if (fields.slug !== "hidden-draft") await send("POST", `${path}/${fields.slug}/publish`);
  }
  await send("POST", "/agents/bo/services/hidden-paused/pause");
  await send("POST", "/agents/bo/services/hidden-retired/retire");
  await send("POST", "/agents/gone/pause");
});
afterAll(() => api.close());

const find = async (query = "") =>
  expectStatus(200, await api.request("GET", `/marketplace/services${query}`));
const slugs = (body: { items: { slug: string }[] }) => body.items.map(({ slug }) => slug);

describe("GET /marketplace/services", () => {
  test("lists published services of published agents only, newest first, to everybody", async () => {
    const body = await find();
    expect(slugs(body)).toEqual(["essays", "pictures", "contracts", "letters"]);
    expect(body).toMatchObject({ total: 4, limit: 20, offset: 0, next_cursor: null });
    expect(body.items[3]).toMatchObject({
      title: "Letters in Japanese",
      price: "10.000000",
      price_base_units: "10000000",
      price_currency: "TUSD",
      agent: { slug: "ama", name: "Ama" },
      status: "published",
    });
  });

  test("shows an owner the same as everybody", async () => {
    const body = expectStatus(200, await api.request("GET", "/marketplace/services", owner));
    expect(body.total).toBe(4);
  });

  test.each([
    ["q=japanese", ["contracts", "letters"]],
    ["q=Letters", ["letters"]],
    ["q=translate", ["contracts", "letters"]],
    ["q=transl", ["contracts", "letters"]],
    ["q=agreement%20company", ["contracts"]],
    ["q=japanese%20-law", ["letters"]],
    ["q=pictures%20or%20contracts", ["contracts", "pictures"]],
    [`q=${encodeURIComponent('"by hand"')}`, ["letters"]],
    [`q=${encodeURIComponent('"hand translations"')}`, []],
    ["q=nothing", []],
    ["q=%26%20%7C%20!%20(%20%3A*", []],
    ["q=%27%3B%20drop%20table", []],
    ["category=translation", ["essays", "letters"]],
    ["category=Translation", ["essays", "letters"]],
    ["category=language", ["essays", "letters"]],
    ["category=language&pricing_model=per_unit&max_delivery_hours=24", ["essays"]],
    ["category=no-such-thing", []],
    ["max_delivery_hours=24", ["contracts", "essays", "pictures"]],
    ["max_delivery_hours=13", ["essays", "pictures"]],
    ["tags=japanese", ["contracts", "letters"]],
    ["tags=japanese,law", ["contracts"]],
    ["tags=Japanese,%20images", []],
    ["tags=,", ["contracts", "essays", "letters", "pictures"]],
    ["pricing_model=per_unit", ["essays", "pictures"]],
    ["min_price=10", ["contracts", "essays", "letters"]],
    ["min_price=10.000001", ["contracts"]],
    ["max_price=10", ["essays", "letters", "pictures"]],
    ["min_price=0&max_price=9.999999", ["pictures"]],
    ["max_delivery_hours=12", ["essays", "pictures"]],
    ["agent=ama", ["contracts", "letters"]],
    ["agent=gone", []],
    ["agent=nobody", []],
    ["q=japanese&category=legal&agent=ama&max_price=500", ["contracts"]],
  ])("filters by %s", async (query, expected) => {
    const body = await find(`?${query}`);
    expect(slugs(body).sort()).toEqual(expected);
    expect(body.total).toBe(expected.length);
  });

  test("refuses more distinct tags than a service may have", async () => {
    const tags = (count: number) => Array.from({ length: count }, (_, at) => `t${at % 31}`).join();
    for (const path of ["services", "filters"]) {
      const ask = (count: number) => api.request("GET", `/marketplace/${path}?tags=${tags(count)}`);
      const { status, body } = await ask(31);
      expect([path, status, body.error?.details[0].path]).toEqual([path, 400, "/tags"]);
      expect((await ask(30)).status).toBe(200);
    }
    expect(slugs(await find(`?tags=${Array(60).fill("japanese,law").join()}`))).toEqual(["contracts"]);
  });

  test("ranks a match in the title before one in the text", async () => {
    expect(slugs(await find("?q=letters%20or%20translating"))).toEqual(["letters", "contracts"]);
    expect(slugs(await find("?q=letters%20or%20translating&sort=newest"))).toEqual(["contracts", "letters"]);
  });

  test.each([
    ["price_low", ["pictures", "letters", "essays", "contracts"]],
    ["price_high", ["contracts", "essays", "letters", "pictures"]],
    ["most_completed", ["essays", "pictures", "contracts", "letters"]],
    ["newest", ["essays", "pictures", "contracts", "letters"]],
    ["relevance", ["essays", "pictures", "contracts", "letters"]],
  ])("sorts by %s, and pages in that order by cursor and by offset", async (sort, expected) => {
    const all = await find(`?sort=${sort}`);
    expect(slugs(all)).toEqual(expected);
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await find(`?sort=${sort}&limit=1${cursor}`);
      expect(page.total).toBe(4);
      expect(slugs(await find(`?sort=${sort}&limit=1&offset=${seen.length}`))).toEqual(slugs(page));
      seen.push(...slugs(page));
      cursor = page.next_cursor && `&cursor=${page.next_cursor}`;
    } while (cursor);
    expect(seen).toEqual(expected);
  });

  test("pages by relevance without gaps or repeats", async () => {
    const query = "?q=japanese%20or%20pictures%20or%20essays";
    const all = slugs(await find(query));
    expect(all).toHaveLength(4);
    const first = await find(`${query}&limit=2`);
    const second = await find(`${query}&limit=2&cursor=${first.next_cursor}`);
    expect([...slugs(first), ...slugs(second)]).toEqual(all);
    expect(second.next_cursor).toBeNull();
  });

  test("continues at its position when a new service appears between two pages", async () => {
    const first = await find("?limit=2");
    const { token } = owner;
    const path = "/agents/bo/services";
    await api.request("POST", path, {
      token,
      body: { slug: "late", title: "Late", price: "1", delivery_time_hours: 1 },
    });
    await api.request("POST", `${path}/late/publish`, { token });
    try {
      const second = await find(`?limit=2&cursor=${first.next_cursor}`);
      expect([...slugs(first), ...slugs(second)]).toEqual(["essays", "pictures", "contracts", "letters"]);
    } finally {
      await api.request("DELETE", `${path}/late`, { token });
    }
  });

  test.each([
    ["a sort it does not know", "sort=best", "/sort"],
    ["a pricing model it does not know", "pricing_model=auction", "/pricing_model"],
    ["a price in words", "min_price=cheap", "/min_price"],
    ["a price finer than the token", "max_price=1.0000001", "/max_price"],
    ["a price below zero", "min_price=-1", "/min_price"],
    ["hours of none", "max_delivery_hours=0", "/max_delivery_hours"],
    ["an endless search", `q=${"x".repeat(201)}`, "/q"],
    ["a limit over 100", "limit=101", "/limit"],
    ["a cursor of another order", "sort=price_low&cursor=WyJuZXdlc3QiLCIxIl0", "/cursor"],
  ])("is 400 for %s, with its path", async (_, query, path) => {
    const { status, body } = await api.request("GET", `/marketplace/services?${query}`);
    expect([status, body.error.code, body.error.details[0].path]).toEqual([400, "invalid_request", path]);
  });

  test("takes two queries, however long the page", async () => {
    const queries = vi.spyOn(api.context.db.$client, "query");
    try {
      for (const limit of [1, 4]) {
        queries.mockClear();
        await find(`?limit=${limit}`);
        expect(queries).toHaveBeenCalledTimes(2);
      }
    } finally {
      queries.mockRestore();
    }
  });
});

describe("GET /marketplace/agents", () => {
  const findAgents = async (query = "") =>
    expectStatus(200, await api.request("GET", `/marketplace/agents${query}`));

  test("lists published agents only, newest first, with their counts", async () => {
    const body = await findAgents();
    expect(slugs(body)).toEqual(["bo", "ama"]);
    expect(body).toMatchObject({ total: 2, next_cursor: null });
    expect(
      body.items.map((item: { published_service_count: number }) => item.published_service_count),
    ).toEqual([2, 2]);
  });

  test.each([
    ["q=ama", ["ama"]],
    ["q=careful", ["ama"]],
    ["q=drawing", ["bo"]],
    ["q=translations", ["ama"]],
    ["q=stud", ["bo"]],
    ["skill=images", ["bo"]],
    ["language=ja", ["ama"]],
    ["skill=images&language=ja", []],
    ["q=ama&sort=newest", ["ama"]],
  ])("filters by %s", async (query, expected) => {
    const body = await findAgents(`?${query}`);
    expect(slugs(body)).toEqual(expected);
    expect(body.total).toBe(expected.length);
  });

  test("pages by cursor", async () => {
    const first = await findAgents("?limit=1");
    const second = await findAgents(`?limit=1&cursor=${first.next_cursor}`);
    expect([...slugs(first), ...slugs(second)]).toEqual(["bo", "ama"]);
  });
});

describe("GET /categories", () => {
  test("shows the whole tree, with the number of services in each category and below", async () => {
    const { items } = expectStatus(200, await api.request("GET", "/categories"));
    const language = items.find(({ slug }: { slug: string }) => slug === "language");
    expect(language).toMatchObject({ title: "Language", service_count: 2 });
    expect(language.children[0]).toMatchObject({ slug: "translation", service_count: 2 });
    const filled = items.filter(({ service_count }: { service_count: number }) => service_count > 0);
    expect(filled.map(({ slug }: { slug: string }) => slug)).toEqual(["language", "legal"]);
  });

  test("names each category once", async () => {
    const { items } = expectStatus(200, await api.request("GET", "/categories"));
    const slugsOf = (some: { slug: string; children?: never[] }[]): string[] =>
      some.flatMap(({ slug, children = [] }) => [slug, ...slugsOf(children)]);
    const all = slugsOf(items);
    expect(new Set(all).size).toBe(all.length);
    expect(all.every((slug) => /^[a-z-]+$/.test(slug))).toBe(true);
  });

  test("an unknown category is 400 in a service, naming the known ones", async () => {
    const { status, body } = await api.request("PATCH", "/agents/ama/services/letters", {
      token: owner.token,
      body: { category: "alchemy" },
    });
    expect([status, body.error.code, body.error.details[0].path]).toEqual([
      400,
      "invalid_request",
      "/category",
    ]);
    expect(body.error.message).toContain("translation");
  });
});
