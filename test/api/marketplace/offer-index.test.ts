import { type SQL, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { priceTerms } from "../../../api/marketplace/offer-index.ts";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import { expectStatus, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

const services = 3000;
const crowd = 10_050;

let api: TestApi;
beforeAll(async () => {
  api = await createDocumentedApi();
  const { token, account } = await signIn(api);
  expectStatus(201, await api.request("POST", "/agents", { token, body: { slug: "ama", name: "Ama" } }));
  const wallet = { token, body: { address: account.address } };
  expectStatus(200, await api.request("PUT", "/agents/ama/payout-wallet", wallet));
  expectStatus(200, await api.request("POST", "/agents/ama/publish", { token }));
  // Texts of few words, so that words meet as phrases, across stop words and fields too.
  await api.db.execute(sql`select setseed(0.25)`);
  await api.db.execute(sql`
    insert into earnest.service (id, agent_id, slug, title, summary, tags, category, pricing_model, price, price_currency,
      delivery_time_hours, acceptance_hours, status, completed_orders)
    select 'svc_' || lpad(n::text, 26, '0'), agent.id, 's-' || n, word[1 + n % 7] || ' ' || word[1 + floor(random() * 9)::int],
      word[1 + floor(random() * 9)::int] || ' ' || word[1 + floor(random() * 9)::int] || ' '
        || word[1 + floor(random() * 9)::int],
      array[(array['it''s', 'b\\s', 'plain'])[1 + n % 3], 'tag-' || n % 4],
      (array['translation', 'legal', 'charts', null])[1 + floor(random() * 4)::int],
      (array['fixed', 'per_unit'])[1 + floor(random() * 2)::int], floor(power(10, random() * 20)), 'TUSD',
      1 + floor(random() * 900)::int, 1, case when n % 10 = 0 then 'paused' else 'published' end,
      floor(power(random(), 4) * 40)::int
    from generate_series(1, ${services}::int) as n, earnest.agent,
      (select array['paper', 'letter', 'the', 'maps', 'well-known', 'mapping', 'o''neill', 'deed', 'of'] as word) as words
    where agent.slug = 'ama'`);
});
afterAll(() => api.close());

const find = async (query: string) =>
  expectStatus(200, await api.request("GET", `/marketplace/services?${query}`));

/** The result of a scan of every service, by relevance. */
async function plainly(q: string, where = sql`true`): Promise<string[]> {
  const tsQuery = sql`websearch_to_tsquery('english', ${q})`;
  const { rows } = await api.db.execute<{ slug: string }>(sql`
    with matching as (
      select *, row_number() over (order by completed_orders desc, earnest.tiebreak_of(id) desc, id desc) as place
      from earnest.service where listed and search @@ ${tsQuery} and ${where})
    select slug from matching
    order by case when place <= 1000 then 1 + (ts_rank(search, ${tsQuery}) * 1000000)::int else 0 end desc,
      completed_orders desc, earnest.tiebreak_of(id) desc, id desc`);
  return rows.map(({ slug }) => slug);
}

async function walk(query: string): Promise<{ slugs: string[]; totals: unknown[] }> {
  const slugs: string[] = [];
  const totals = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await find(`${query}&limit=100${cursor && `&cursor=${cursor}`}`);
    slugs.push(...page.items.map((item: { slug: string }) => item.slug));
    totals.add(`${page.total} ${page.total_relation}`);
    cursor = page.next_cursor;
  }
  return { slugs, totals: [...totals] };
}

test.each([
  "paper!",
  "paper letter!",
  '"paper letter"',
  '"letter of maps"',
  '"paper letter deed"',
  'paper or "maps deed"',
  'maps -"paper letter"',
  'paper -letter or "well-known deed"',
  '"o\'neill maps" -deed',
  "well-known!",
])("in a market of thousands %s finds the same in the same order as a scan", async (q) => {
  const expected = await plainly(q);
  expect(expected.length).toBeGreaterThan(0);
  const found = await walk(`q=${encodeURIComponent(q)}`);
  expect(found.slugs).toEqual(expected);
  expect(found.totals).toEqual([`${expected.length} eq`]);
});

test.each([
  ["q=paper!&min_price=0.5&max_price=30000", sql`price between 500000 and 30000000000`],
  ["q=paper!&max_price=0.0005", sql`price between 1 and 500`],
  ["q=paper!&min_price=1000000000", sql`price >= 1000000000000000`],
  ["q=paper!&max_delivery_hours=5", sql`delivery_time_hours <= 5`],
  ["q=paper!&max_delivery_hours=800", sql`delivery_time_hours <= 800`],
  [
    "q=paper!&category=language&pricing_model=fixed",
    sql`category = 'translation' and pricing_model = 'fixed'`,
  ],
  [`q=paper!&tags=${encodeURIComponent("it's,tag-1")}`, sql`tags @> array['it''s', 'tag-1']`],
  [`q=paper!&tags=${encodeURIComponent("b\\s")}`, sql`tags @> array['b\\s']`],
  [`q=paper!&tags=${"x".repeat(900)}`, sql`false`],
  ["q=paper!&agent=ama", sql`true`],
  ["q=paper!&agent=nobody", sql`false`],
])("%s finds the same as a scan", async (query, where) => {
  const expected = await plainly("paper", where);
  expect((await walk(query)).slugs).toEqual(expected);
  for (const sort of ["newest", "price_low"]) {
    expect((await walk(`${query}&sort=${sort}`)).slugs.sort()).toEqual([...expected].sort());
  }
});

test.each([1, 30, 300, 700, 1000, 5000])(
  "offers are counted up to %i, and never above their number, even if a part of the index estimates more",
  async (most) => {
    for (const q of [
      "paper",
      "paper & letter",
      "maps | deed",
      "paper <-> letter",
      "well-known",
      "o''neill & deed",
    ]) {
      const { rows } = await api.db.execute<{ counted: number; all: number }>(sql`
        select earnest.count_offers(earnest.terms_of(asked), asked, 0, 1e78, 2147483647, ${most}::int) as counted, (
          select count(*)::int from earnest.service where listed and search @@ asked) as all
        from to_tsquery('english', ${q}) as asked`);
      expect([q, rows[0]?.counted]).toEqual([q, Math.min(most, rows[0]?.all ?? 0)]);
    }
  },
);

test("words whose hash collides with a phrase do not match it", async () => {
  const expected = await plainly('"paper letter"');
  await api.db.execute(sql`
    insert into earnest.service (id, agent_id, slug, title, pricing_model, price, price_currency, delivery_time_hours,
      acceptance_hours, status, completed_orders)
    select 'svc_' || repeat('z', 26), id, 'alike', 'lograxi quokagra', 'fixed', 1, 'TUSD', 1, 1, 'published', 90
    from earnest.agent where slug = 'ama'`);
  const { rows } = await api.db.execute(sql`
    select service_id from earnest.ranked_offer, to_tsquery('english', 'paper <-> letter') as asked
    where earnest.offer_terms(service_id) @@ earnest.terms_of(asked) and completed_orders = 90`);
  expect(rows).toHaveLength(1);
  for (const sort of ["relevance", "newest", "most_completed"]) {
    const found = await walk(`q=${encodeURIComponent('"paper letter"')}&sort=${sort}`);
    expect([...found.slugs].sort()).toEqual([...expected].sort());
    expect(found.totals).toEqual([`${expected.length} eq`]);
  }
  await api.db.execute(sql`delete from earnest.service where slug = 'alike'`);
});

test("a count of a prefix skips index rows without matches, and misses none", async () => {
  const mark = (which: SQL) =>
    api.db.execute(sql`
      update earnest.service set tags = tags || '{odd}'::text[] where listed and not tags @> '{odd}' and ${which}`);
  const odd = sql`('''' || chr(2) || 'todd''')::tsquery`;
  const counts = async () => {
    const { rows } = await api.db.execute<{ bare: number[]; counted: number[]; all: number }>(sql`
      select earnest.empty_tiers(${odd}, 25::smallint) as bare, (
          select array_agg(earnest.count_offers('pap:*', null, 0, 1e78, 2147483647, most, filters => ${odd}))
          from unnest('{1,30,300,10001}'::integer[]) as most) as counted, (
          select count(*)::int from earnest.service where listed and tags @> '{odd}' and search @@ 'pap:*') as all`);
    const { bare = [], counted = [], all = 0 } = rows[0] ?? {};
    expect(counted).toEqual([1, 30, 300, 10_001].map((most) => Math.min(most, all)));
    return { bare, all };
  };
  await mark(sql`completed_orders >= 2`);
  const first = await counts();
  expect(first.all).toBeGreaterThan(300);
  expect(first.bare).toEqual([15, 14, 13, 12, 11, 10, 5, 4, 3, 2, 1, 0]);
  await mark(sql`id = (
    select service_id from earnest.ranked_offer join earnest.service on id = service_id
    where tier = 11 and search @@ 'pap:*' limit 1)`);
  const second = await counts();
  expect(second).toEqual({ bare: first.bare.filter((tier) => tier !== 11), all: first.all + 1 });
  // A match of the highest lots may be in lower index rows too.
  await mark(sql`completed_orders = 0`);
  const third = await counts();
  expect(third.bare).toEqual([15, 14, 13, 12, 10]);
  expect(third.all).toBeGreaterThan(second.all + 100);
  await api.db.execute(
    sql`update earnest.service set tags = array_remove(tags, 'odd') where tags @> '{odd}'`,
  );
});

test("ANALYZE makes no statistics of terms, because each would read a text", async () => {
  const { rows } = await api.db.execute<{ parts: number; without: number }>(sql`
    select count(*)::int as parts, count(*) filter (where attstattarget = 0)::int as without
    from pg_partition_tree('earnest.ranked_offer_terms') join pg_attribute on attrelid = relid`);
  expect(rows).toEqual([{ parts: 38, without: 38 }]);
});

test("a price range covers all its prices in few terms", () => {
  const termsOf = (price: bigint) => {
    const digits = String(price);
    return [`p${Math.min(digits.length, 16)}`, `p${digits.length}:${digits[0]}`];
  };
  let seed = 7n;
  const draw = () => {
    seed = (seed * 48_271n) % 2_147_483_647n;
    return 1n + ((seed * seed) % 10n ** (seed % 20n));
  };
  for (let n = 0; n < 2000; n += 1) {
    const [from, price, to] = [draw(), draw(), draw()].sort((a, b) => (a < b ? -1 : 1)) as [
      bigint,
      bigint,
      bigint,
    ];
    const terms = priceTerms(from, to);
    expect(terms.length).toBeLessThanOrEqual(40);
    expect(termsOf(price).some((term) => terms.includes(term))).toBe(true);
  }
});

test("above the bound of counting a total is a lower bound, and each order still pages correctly", async () => {
  await api.db.execute(sql`
    insert into earnest.service (id, agent_id, slug, title, pricing_model, price, price_currency, delivery_time_hours,
      acceptance_hours, status, completed_orders, tags)
    select 'svc_7' || lpad(n::text, 25, '0'), agent.id, 'c-' || n, 'crowd', 'fixed', n, 'TUSD', 1, 1, 'published', n % 3,
      array['crowd']
    from generate_series(1, ${crowd}::int) as n, earnest.agent where agent.slug = 'ama'`);
  for (const query of [
    "q=crowd!",
    "q=crowd!&sort=newest",
    "tags=crowd",
    "min_price=0.000001&sort=price_low",
  ]) {
    const page = await find(query);
    expect([query, page.total, page.total_relation, page.items.length]).toEqual([query, 10_000, "gte", 20]);
  }
  expect((await find("sort=newest")).total).toBe(2700 + crowd);
  const cheapest = (await find("q=crowd!&sort=price_low&limit=3")).items;
  expect(cheapest.map(({ slug }: { slug: string }) => slug)).toEqual(["c-1", "c-2", "c-3"]);
  const deep = await find("q=crowd!&sort=price_low&offset=10000&limit=100");
  expect([deep.items.length, deep.items[0].slug, deep.next_cursor]).toEqual([50, "c-10001", null]);
  const unranked = await find("q=crowd!&offset=9990&limit=20");
  const after = await find(`q=crowd!&limit=100&cursor=${unranked.next_cursor}`);
  expect([unranked.items.length, after.items.length]).toEqual([20, 40]);
  const filters = expectStatus(200, await api.request("GET", "/marketplace/filters?q=crowd!"));
  expect([filters.total, filters.total_relation, filters.tags.complete]).toEqual([10_000, "gte", false]);
  const chosen = expectStatus(
    200,
    await api.request("GET", "/marketplace/filters?q=crowd!&pricing_model=fixed&min_score=100"),
  );
  expect([chosen.pricing_model, chosen.min_score]).toEqual([
    { complete: true, items: [] },
    { complete: false, items: [100, 300, 500, 700].map((value) => ({ value, count: 0 })) },
  ]);
});

test("a redraw of lots takes 442 services of the highest 32nd to raise a total to 10,000", async () => {
  const publish = (count: number) =>
    api.db.execute(sql`
      insert into earnest.service (id, agent_id, slug, title, pricing_model, price, price_currency, delivery_time_hours,
        acceptance_hours, status)
      select drawn.id, agent.id, 'l-' || n, 'lucky', 'fixed', n, 'TUSD', 1, 1, 'published'
      from generate_series(1, 30000) as n cross join lateral (select 'svc_6' || lpad(n::text, 25, '0') as id) as drawn,
        earnest.agent
      where agent.slug = 'ama' and earnest.tiebreak_of(drawn.id) >= 2080374784
        and not exists (select from earnest.service where service.id = drawn.id)
      order by n limit ${count}::int`);
  await publish(441);
  expect(await find("q=lucky!&sort=newest")).toMatchObject({ total: 441, total_relation: "eq" });
  await publish(1);
  expect(await find("q=lucky!&sort=newest")).toMatchObject({ total: 10_000, total_relation: "gte" });
});

test("the facets of a large result are counted among the most completed services", async () => {
  const { category, min_orders, verified } = expectStatus(
    200,
    await api.request("GET", "/marketplace/filters"),
  );
  expect([category.complete, min_orders.complete, verified.complete]).toEqual([true, false, false]);
  // More than 2,000 services have two orders.
  expect(min_orders.items[0].count).toBeGreaterThanOrEqual(2000);
  const found = await find("min_orders=10&limit=1");
  expect(min_orders.items[1]).toEqual({ value: 10, count: found.total });
});

test("the proofs of agents are counted in the index", async () => {
  await api.db.execute(sql`
    update earnest.service set verified = case when right(slug, 1) = '1' then '{domain,erc8004}' else '{domain}' end::text[]
    where slug like 's-%' and right(slug, 1) in ('1', '2', '3')`);
  const { rows: proved } = await api.db.execute(sql`
    select kind as value, count(*)::int as count from earnest.service, unnest(verified) as kind
    where listed and search @@ 'paper' group by kind order by kind`);
  const { verified } = expectStatus(200, await api.request("GET", "/marketplace/filters?q=paper!"));
  expect(verified.items).toEqual(proved);
});

test.each([
  [1, 9999, 5],
  [1, 10_000, 5],
  [1, 10_000, undefined],
  [2, 99_999, undefined],
  [50, 10_100, 24],
  [50, 10_101, 24],
  [10, 9_999_999, 8760],
  [100, 99, undefined],
])("prices from %i to %i, within %j hours, are counted exactly up to 10,000", async (from, to, hours) => {
  const { rows } = await api.db.execute<{ services: number }>(sql`
    select count(*)::int as services from earnest.offer
    where price between ${from} and ${to} and delivery_time_hours <= ${hours ?? 8760}`);
  const services = rows[0]?.services ?? 0;
  const range = `min_price=${formatAmount(BigInt(from), 6)}&max_price=${formatAmount(BigInt(to), 6)}`;
  const { total, total_relation } = await find(`${range}${hours ? `&max_delivery_hours=${hours}` : ""}`);
  expect([total, total_relation]).toEqual(services > 10_000 ? [10_000, "gte"] : [services, "eq"]);
});

test.each([
  ["crowd", { hours: 24, price: 100_000_000, orders: 1 }],
  ["crowd", { hours: 24, price: 100_000_000, orders: 3 }],
  ["crowd", { hours: 72, price: 5_000_000_000 }],
  ["paper", { hours: 72, price: 100_000_000_000, orders: 2 }],
  ["paper", { hours: 300, orders: 9 }],
  ["crowd", { hours: 72, price: 5_000_000_000, slow: true }],
])("facets of %s within %j are each counted as if their own filter were not set", async (q, chosen) => {
  const { hours, price, orders, slow } = { price: undefined, orders: undefined, slow: false, ...chosen };
  // Fewer than 2,000 of the 3,000 most completed services are fast enough; among the next there are enough.
  if (slow) {
    await api.db.execute(sql`
      update earnest.service set delivery_time_hours = 100
      where title = 'crowd' and completed_orders = 2 and right(slug, 1) in ('0', '1', '5', '6')`);
  }
  const bounds = {
    hours: sql`delivery_time_hours <= ${hours}`,
    price: price ? sql`price between 1 and ${price}` : sql`true`,
    orders: orders ? sql`completed_orders >= ${orders}` : sql`true`,
  };
  const count = async (without: keyof typeof bounds, conditions: SQL[]) => {
    const others = Object.entries(bounds).flatMap(([name, bound]) => (name === without ? [] : [bound]));
    const { rows } = await api.db.execute<{ counts: number[]; seen: number }>(sql`
      select array[${sql.join(
        conditions.map((one) => sql`count(*) filter (where ${one})::int`),
        sql`, `,
      )}] as counts, count(*)::int as seen
      from (select * from earnest.service where listed and search @@ ${q}::tsquery and ${sql.join(others, sql` and `)}
        order by completed_orders desc, earnest.tiebreak_of(id) desc, id desc limit 2001) as fitting`);
    return { complete: rows[0]?.seen !== 2001, counts: rows[0]?.counts.filter((n) => n > 0) };
  };
  const query = [
    `q=${q}!&max_delivery_hours=${hours}`,
    price ? `&max_price=${formatAmount(BigInt(price), 6)}` : "",
    orders ? `&min_orders=${orders}` : "",
  ].join("");
  const filters = expectStatus(200, await api.request("GET", `/marketplace/filters?${query}`));
  const shown = (facet: string) => ({
    complete: filters[facet].complete,
    counts: filters[facet].items.map((item: { count: number }) => item.count).filter((n: number) => n > 0),
  });
  const steps = [1, 6, 24, 72, 168, 720, 8760].map((step) => sql`delivery_time_hours <= ${step}`);
  const digits = Array.from({ length: 25 }, (_, at) => sql`length(price::text) = ${at + 1} and price > 0`);
  const least = [1, 10, 100].map((n) => sql`completed_orders >= ${n}`);
  expect(shown("max_delivery_hours")).toEqual(await count("hours", steps));
  expect(shown("price")).toEqual(await count("price", digits));
  expect(shown("min_orders")).toEqual(await count("orders", least));
});
