import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { orderStatuses } from "../../../protocol/settlement/vocabulary.ts";
import { type Answer, expectStatus, publishService } from "../../harness/api.ts";
import { copyOrders } from "../../harness/market/many-orders.ts";
import { ask, createMarket, type Market, place, rowOf } from "../../harness/market/market.ts";
import { organisationOf } from "../../harness/organisation.ts";
import { randomRuns } from "../../harness/random-runs.ts";

const titles = ["Documents, English to Japanese", "100%_off \\ 'quotes'", "翻訳サービス", "=SUM(A1)"];
const many = 2000;
let market: Market;
let slugs: string[];

beforeAll(async () => {
  market = await createMarket();
  const { api, buyer, outsider } = market;
  const seeds: string[] = [];
  slugs = [];
  for (const title of titles) {
    const { agent, service } = await publishService(api, market.provider, { title, price: "3" });
    slugs.push(agent.slug);
    seeds.push((await place(market, { service_id: service.id })).id);
  }
  await copyOrders(api.db, seeds, { buyerId: buyer.accountId, many, first: 1 });
  await copyOrders(api.db, seeds, { buyerId: outsider.accountId, many: 200, first: 10_001 });
});
afterAll(() => market?.api.close());

const query = (filters: Record<string, string | undefined>) =>
  new URLSearchParams(
    Object.entries(filters).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] satisfies [string, string]],
    ),
  ).toString();
const list = async (
  filters: Record<string, string | undefined>,
  who = market.buyer,
): Promise<Answer["body"]> => expectStatus(200, await ask(market, who, "GET", `/orders?${query(filters)}`));

type Filters = { [Name in (typeof names)[number]]?: string | undefined };
const names = [
  ...["q", "status", "agent", "service", "created_after", "created_before", "min_amount", "max_amount"],
  ...["currency", "sort"],
] as const;

/** The ids of a list, as plain SQL has them. */
async function inSql(filters: Filters): Promise<string[]> {
  const { q, status, agent, service, created_after, created_before, min_amount, max_amount, currency } =
    filters;
  const sorts: Record<string, string> = {
    newest: "created_at desc, id desc",
    oldest: "created_at, id",
    amount_high: "token_symbol desc, amount desc, id desc",
    amount_low: "token_symbol, amount, id",
    deadline_first: "coalesce(delivery_deadline, to_timestamp(fund_by)), id",
    deadline_last: "coalesce(delivery_deadline, to_timestamp(fund_by)) desc, id desc",
  };
  const or = (value: string | undefined) => value ?? null;
  const { rows } = await market.api.db.execute<{ id: string }>(sql`
    select id from earnest."order"
    where buyer_account_id = ${market.buyer.accountId}
      and (${or(q)}::text is null or id = ${or(q)} or starts_with(reference, 'E-' || upper(replace(${or(q)}, 'E-', '')))
        and length(replace(${or(q)}, 'E-', '')) >= 3
        or (select bool_and(position(word in lower(service_title || chr(10) || agent_name)) > 0)
          from string_to_table(lower(${or(q)}), ' ') as word))
      and (${or(status)}::text is null or status = any(string_to_array(${or(status)}, ',')))
      and (${or(agent)}::text is null or agent_slug = ${or(agent)})
      and (${or(service)}::text is null or service_id = ${or(service)})
      and (${or(created_after)}::timestamptz is null or created_at >= ${or(created_after)})
      and (${or(created_before)}::timestamptz is null or created_at < ${or(created_before)})
      and (${or(min_amount)}::numeric is null or amount >= ${or(min_amount)}::numeric * 1000000)
      and (${or(max_amount)}::numeric is null or amount <= ${or(max_amount)}::numeric * 1000000)
      and (${or(currency)}::text is null or token_symbol = ${or(currency)})
    order by ${sql.raw(sorts[filters.sort ?? "newest"] ?? "")}`);
  return rows.map(({ id }) => id);
}

const ids = ({ items }: Answer["body"]): string[] => items.map(({ id }: { id: string }) => id);

describe("filters of orders", () => {
  test("find in any combination what plain SQL finds, in its order and in pages", async () => {
    const [one] = (await list({ limit: "1" })).items;
    const hours = (n: number) => new Date(Date.now() - n * 3_600_000).toISOString();
    const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 1 });
    const amount = maybe(fc.integer({ min: 0, max: 4500 }).map((cents) => (cents / 100).toFixed(2)));
    const filters = fc.record<Filters>({
      q: maybe(
        fc.constantFrom(
          "japan",
          "ENGLISH doc",
          "100%_",
          "\\ 'q",
          "翻訳",
          "test agent",
          one.id,
          one.reference,
          "a1",
          "%",
        ),
      ),
      status: maybe(fc.subarray([...orderStatuses], { minLength: 1 }).map((some) => some.join(","))),
      agent: maybe(fc.constantFrom(...slugs, "nobody")),
      service: maybe(fc.constantFrom(one.service.id, "svc_01jd3w8x2mfhz8w9q4t6n5k7ra")),
      created_after: maybe(fc.integer({ min: 0, max: 900 }).map(hours)),
      created_before: maybe(fc.integer({ min: 0, max: 900 }).map(hours)),
      min_amount: amount,
      max_amount: amount,
      currency: maybe(fc.constantFrom(one.currency, "NONE")),
      sort: maybe(
        fc.constantFrom("newest", "oldest", "amount_high", "amount_low", "deadline_first", "deadline_last"),
      ),
    });
    await fc.assert(
      fc.asyncProperty(filters, async (drawn) => {
        const hasBound = drawn.min_amount !== undefined || drawn.max_amount !== undefined;
        const chosen = hasBound ? { ...drawn, currency: drawn.currency ?? one.currency } : drawn;
        const expected = await inSql(chosen);
        const first = await list({ ...chosen, limit: "7" });
        expect([first.total, ids(first)]).toEqual([expected.length, expected.slice(0, 7)]);
        if (first.next_cursor) {
          const second = await list({ ...chosen, limit: "7", cursor: first.next_cursor });
          expect(ids(second)).toEqual(expected.slice(7, 14));
        } else expect(expected.length).toBeLessThanOrEqual(7);
        const { sort: _, status, ...counted } = chosen;
        const counts = expectStatus(
          200,
          await ask(market, market.buyer, "GET", `/orders/counts?${query(counted)}`),
        );
        const sum = counts.items
          .filter((item: { status: string }) => !status || status.split(",").includes(item.status))
          .reduce((total: number, item: { total: number }) => total + item.total, 0);
        expect(sum).toBe(expected.length);
      }),
      { numRuns: randomRuns(80) },
    );
  });

  test("sort by amount within each token, so that unlike tokens are never compared", async () => {
    const { items } = await list({ limit: "6" });
    const [first, second] = items.map(({ id }: { id: string }) => id);
    await market.api.db.execute(
      sql`update earnest."order" set token_symbol = 'AEUR' where id = any(${sql.param([first, second])}::text[])`,
    );
    const low = (await list({ sort: "amount_low", limit: "100" })).items;
    expect(
      low
        .slice(0, 2)
        .map(({ id }: { id: string }) => id)
        .sort(),
    ).toEqual([first, second].sort());
    expect(new Set(low.slice(2).map(({ currency }: { currency: string }) => currency)).size).toBe(1);
    const [highest] = (await list({ sort: "amount_high", limit: "1" })).items;
    expect(highest.currency).not.toBe("AEUR");
    expect(ids(await list({ min_amount: "0", currency: "AEUR" })).sort()).toEqual([first, second].sort());
  });

  test("find each order by its reference, its beginning, and letters mistaken for digits", async () => {
    const { items } = await list({ limit: "100" });
    for (const { id, reference } of items.slice(0, 20)) {
      expect(ids(await list({ q: reference }))).toContain(id);
      expect(ids(await list({ q: reference.toLowerCase().slice(2) }))).toContain(id);
      expect(ids(await list({ q: reference.slice(0, 6) }))).toContain(id);
      expect(ids(await list({ q: reference.replaceAll("0", "O").replaceAll("1", "l") }))).toContain(id);
      expect(ids(await list({ q: id }))).toEqual([id]);
    }
    expect((await list({ q: "E-" })).total).toBe(0);
  });

  test("find an order by the names it was placed under, after both were changed", async () => {
    const { provider, api } = market;
    const { agent, service } = await publishService(api, provider, { title: "Old words", price: "3" });
    const old = await place(market, { service_id: service.id });
    const { token } = provider;
    expectStatus(
      200,
      await api.request("PATCH", `/agents/${agent.slug}`, { token, body: { name: "Renamed" } }),
    );
    const path = `/agents/${agent.slug}/services/${service.slug}`;
    expectStatus(200, await api.request("PATCH", path, { token, body: { title: "New words" } }));
    const late = await place(market, { service_id: service.id });
    expect(late).toMatchObject({ service: { title: "New words" }, agent: { name: "Renamed" } });
    expect(ids(await list({ q: "old words" }))).toEqual([old.id]);
    expect(ids(await list({ q: "words renamed" }))).toEqual([late.id]);
    expect(ids(await list({ q: "words" }))).toEqual([late.id, old.id]);
    expect((await list({ q: "old words" })).items).toMatchObject([{ service: { title: "Old words" } }]);
    expect((await rowOf(market, old.id)).agreement).toMatchObject({ service_title: "Old words" });
  });

  test.each([
    ["status=paid", "status"],
    ["status=", "status"],
    ["status=funded,", "status"],
    ["min_amount=1e3", "min_amount"],
    ["max_amount=-1", "max_amount"],
    ["min_amount=NaN", "min_amount"],
    ["min_amount=1", "min_amount"],
    ["max_amount=1&sort=amount_low", "max_amount"],
    ["created_after=yesterday", "created_after"],
    ["q=", "q"],
    [`q=${"a".repeat(201)}`, "q"],
    ["q=%07", "q"],
    ["sort=price", "sort"],
    ["sort=amount_high&cursor=AAAA", "cursor"],
    ["approval=lapsed", "approval"],
    ["title=a", "title"],
  ])("refuse %s with a pointer to it", async (text, at) => {
    for (const path of ["/orders", "/exports/orders.csv", "/exports/orders.json"]) {
      if (at === "cursor" && path !== "/orders") continue;
      const refused = await ask(market, market.buyer, "GET", `${path}?${text}`);
      expect(refused).toMatchObject({
        status: 400,
        body: { error: { code: "invalid_request", details: [{ path: expect.stringMatching(`^/${at}`) }] } },
      });
    }
  });

  test.each([
    "%",
    "_",
    "\\",
    "'; drop table earnest.order --",
    "(a|b)*",
    "]]>",
    "🦊",
    "a".repeat(200),
    "E-%%%",
  ])("take %s as plain words", async (q) => {
    const expected = await inSql({ q });
    expect(ids(await list({ q, limit: "100" })).length).toBe(Math.min(100, expected.length));
  });
});

describe("orders of other accounts", () => {
  test("are in no list, count, search or export, whatever names them", async () => {
    const own = await list({ limit: "100" });
    const { id, reference } = own.items[0];
    for (const q of [id, reference, reference.slice(0, 6)]) {
      for (const path of ["/orders", "/orders/received"]) {
        const { items } = expectStatus(
          200,
          await ask(market, market.outsider, "GET", `${path}?${query({ q })}`),
        );
        expect(items.map((item: { id: string }) => item.id)).not.toContain(id);
      }
      const hits = expectStatus(200, await ask(market, market.outsider, "GET", `/search?${query({ q })}`));
      expect(hits.orders.map((order: { id: string }) => order.id)).not.toContain(id);
    }
    const table = await ask(market, market.outsider, "GET", "/exports/orders.csv");
    expect(table.body).not.toContain(id);
    const { items } = expectStatus(200, await ask(market, market.outsider, "GET", "/orders/counts"));
    expect(items.reduce((sum: number, { total }: { total: number }) => sum + total, 0)).toBe(200);
  });

  test("are not found by a member who was removed", async () => {
    const { api, buyer, outsider } = market;
    const { invite, answerTo, remove } = organisationOf(api, buyer);
    const { id } = expectStatus(201, await invite(outsider.account.address, "viewer"));
    expectStatus(200, await answerTo(outsider, id));
    const { items } = await list({ limit: "1" });
    const headers = { "x-organisation": buyer.accountId };
    const find = (path: string) =>
      ask(market, outsider, "GET", `${path}?${query({ q: items[0].id })}`, undefined, { headers });
    const found = expectStatus(200, await find("/search"));
    expect(found.orders).toMatchObject([{ id: items[0].id, your_role: "buyer" }]);
    const response = await api.app.request(`/exports/orders.json`, {
      headers: { ...headers, authorization: `Bearer ${outsider.token}` },
    });
    expect((await remove(outsider)).status).toBeLessThan(300);
    for (const path of ["/search", "/orders", "/orders/counts", "/exports/orders.csv"]) {
      expect((await find(path)).status, path).toBe(403);
    }
    await expect(response.text()).rejects.toThrow("may not read this table now");
  });
});

describe("exports of orders", () => {
  test("have the rows of the list in its order, as a table and as JSON", async () => {
    const filters = { status: "released", q: "japanese", sort: "amount_low" };
    const expected = await inSql(filters);
    expect(expected.length).toBeGreaterThan(50);
    const json = expectStatus(
      200,
      await ask(market, market.buyer, "GET", `/exports/orders.json?${query(filters)}`),
    );
    expect(ids(json)).toEqual(expected);
    expect(json.items.slice(0, 20)).toEqual((await list({ ...filters, limit: "20" })).items);
    const csv = await ask(market, market.buyer, "GET", `/exports/orders.csv?${query(filters)}`);
    expect(csv.headers.get("content-type")).toMatch(/^text\/csv/);
    const lines = (csv.body as string).trimEnd().split("\r\n");
    expect(lines.slice(1).map((line) => line.split(",")[0])).toEqual(expected);
    const all = expectStatus(200, await ask(market, market.buyer, "GET", "/exports/orders.json"));
    expect(all.items.length).toBeGreaterThanOrEqual(many);
    expect(new Set(ids(all)).size).toBe(all.items.length);
    const received = expectStatus(
      200,
      await ask(market, market.provider, "GET", "/exports/received-orders.json?status=released"),
    );
    expect(received.items.length).toBeGreaterThan(json.items.length);
  });

  test("write no name as a formula", async () => {
    const { body } = await ask(market, market.buyer, "GET", `/exports/orders.csv?${query({ q: "=SUM" })}`);
    expect(body).toContain(",'=SUM(A1),");
    expect(body).not.toMatch(/(^|,|")=/m);
  });
});

test("few pages of an index answer a search for a reference, among many orders", async () => {
  const { items } = await list({ limit: "1" });
  const { rows } = await market.api.db.execute<{ "QUERY PLAN": string }>(sql`
    explain select id from earnest."order"
    where reference like ${`${items[0].reference}%`} and buyer_account_id = ${market.buyer.accountId} limit 100`);
  expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(/Index Scan using order_reference/);
});
