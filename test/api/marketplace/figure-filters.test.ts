import { type SQL, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { updateFigures } from "../../../jobs/market/market-figures.ts";
import { expectStatus, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

const services = 600;
const crowd = 10_050;

let api: TestApi;
beforeAll(async () => {
  api = await createDocumentedApi();
  const { token, account } = await signIn(api);
  for (const slug of ["ama", "bo", "cy"]) {
    expectStatus(201, await api.request("POST", "/agents", { token, body: { slug, name: slug } }));
    const wallet = { token, body: { address: account.address } };
    expectStatus(200, await api.request("PUT", `/agents/${slug}/payout-wallet`, wallet));
    expectStatus(200, await api.request("POST", `/agents/${slug}/publish`, { token }));
  }
  await api.db.execute(sql`select setseed(0.5)`);
  await api.db.execute(sql`
    insert into earnest.service (id, agent_id, slug, title, tags, category, pricing_model, price, price_currency,
      delivery_time_hours, acceptance_hours, status, completed_orders, created_at)
    select 'svc_' || lpad(n::text, 26, '0'), agent.id, 's-' || n, (array['paper maps', 'paper', 'letter'])[1 + n % 3],
      array['tag-' || n % 4], (array['translation', 'charts'])[1 + n % 2], 'fixed', n * 1000, 'TUSD', 1 + n % 100, 1,
      case when n % 10 = 0 then 'paused' else 'published' end, floor(power(random(), 4) * 40)::int,
      now() - n * 7919 % 400 * interval '1 second'
    from generate_series(1, ${services}::int) as n join earnest.agent on agent.slug = (array['ama', 'bo', 'cy'])[1 + n % 3]`);
  await draw(sql`random() < 0.6`);
  await updateFigures(api.db);
});
afterAll(() => api.close());

/** Gives services another record and other reviews, and their agents too. */
async function draw(which: SQL): Promise<void> {
  await api.db.execute(sql`
    insert into earnest.agent_record (id, agent_id, service_id, record, score, upper, evidence, orders, on_time, outcomes, as_of, version)
    select id, agent_id, id, '{}', points, least(1000, points + 50), 1000, 1 + floor(random() * 9)::int,
      case when random() < 0.9 then floor(power(random(), 0.3) * 1001)::int end, 10, now(), 1
    from (
      select id, agent_id, case when random() < 0.9 then case when random() < 0.02 then 1000 else floor(power(random(), 2) * 1001)::int end end as points
      from earnest.service where ${which}) as drawn
    on conflict (id) do update set score = excluded.score, on_time = excluded.on_time`);
  await api.db.execute(sql`
    insert into earnest.review_tally (service_id, agent_id, rated_1, rated_2, rated_3, rated_4, rated_5, marked, withdrawn)
    select id, agent_id, floor(random() * 2)::int, 0, floor(random() * 2)::int, floor(random() * 4)::int,
      floor(random() * 9)::int, 0, 0
    from earnest.service where ${which}
    on conflict (service_id) do update set rated_1 = excluded.rated_1, rated_5 = excluded.rated_5`);
}

const find = async (query: string) =>
  expectStatus(200, await api.request("GET", `/marketplace/services?${query}`));

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

const orders = {
  score: sql`coalesce(points, 0) desc, completed_orders desc, id desc`,
  newest: sql`created_at desc, id desc`,
  price_low: sql`price, id`,
  price_high: sql`price desc, id desc`,
  most_completed: sql`completed_orders desc, id desc`,
};

/** The slugs that a scan of services, records and reviews finds, the highest score first. */
async function plainly(where: SQL, order = orders.score): Promise<string[]> {
  const { rows } = await api.db.execute<{ slug: string }>(sql`
    select slug from (
      select service.*, record.score as points, record.on_time as punctual,
        (rated_1 + 2 * rated_2 + 3 * rated_3 + 4 * rated_4 + 5 * rated_5)::numeric
          / nullif(rated_1 + rated_2 + rated_3 + rated_4 + rated_5, 0) as stars
      from earnest.service left join earnest.agent_record as record on record.id = service.id
      left join earnest.review_tally on review_tally.service_id = service.id) as service
    where listed and ${where}
    order by ${order}`);
  return rows.map(({ slug }) => slug);
}

const paper = sql`search @@ 'paper'`;
const queries: [string, SQL][] = [
  ["", sql`true`],
  ["q=paper!", paper],
  ["tags=tag-3", sql`tags @> '{tag-3}'`],
  ["category=translation", sql`category = 'translation'`],
  ...[1, 99, 100, 437, 1000].map((n): [string, SQL] => [`min_score=${n}`, sql`points >= ${n}::int`]),
  ...[1, 3, 5, 31, 10_000].map((n): [string, SQL] => [`min_orders=${n}`, sql`completed_orders >= ${n}::int`]),
  ...[1, 50, 93, 100].map((n): [string, SQL] => [`on_time=${n}`, sql`punctual >= ${n * 10}::int`]),
  ...["1", "3.5", "4.5", "4.67", "5"].map((n): [string, SQL] => [
    `min_rating=${n}`,
    sql`round(stars, 2) >= ${n}::numeric`,
  ]),
  ["q=paper!&min_score=250&on_time=40", sql`${paper} and points >= 250 and punctual >= 400`],
  [
    "q=paper!&min_orders=2&min_rating=4&max_price=1",
    sql`${paper} and completed_orders >= 2 and round(stars, 2) >= 4 and price <= 1000000`,
  ],
  [
    "min_orders=4&max_price=0.9&max_delivery_hours=50",
    sql`completed_orders >= 4 and price <= 900000 and delivery_time_hours <= 50`,
  ],
  ["q=pap&min_score=250", sql`search @@ 'pap:*' and points >= 250`],
  ["q=pap&min_score=1000", sql`search @@ 'pap:*' and points >= 1000`],
  ["agent=bo&min_score=1", sql`points >= 1 and agent_id = (select id from earnest.agent where slug = 'bo')`],
];

test.each(queries)("%j finds the same as a scan, ordered by score", async (query, where) => {
  const expected = await plainly(where);
  expect(expected.length > 0).toBe(query !== "min_orders=10000");
  const found = await walk(`${query}&sort=score`);
  expect(found.slugs).toEqual(expected);
  if (expected.length > 0) expect(found.totals).toEqual([`${expected.length} eq`]);
  for (const [sort, order] of Object.entries(orders)) {
    const { slugs, totals } = await walk(`${query}&sort=${sort}`);
    expect([sort, slugs]).toEqual([sort, await plainly(where, order)]);
    if (expected.length > 0) expect([sort, totals]).toEqual([sort, [`${expected.length} eq`]]);
  }
  expect((await walk(`${query}&sort=relevance`)).slugs.sort()).toEqual([...expected].sort());
  expect((await read(`/marketplace/filters?${query}`)).total).toBe(expected.length);
});

const read = async (path: string) => expectStatus(200, await api.request("GET", path));

test("a changed record is found by its new values, and a removed one no longer counts", async () => {
  await draw(sql`random() < 0.3`);
  await api.db.execute(sql`delete from earnest.agent_record where hashtext(id) % 5 = 0`);
  await api.db.execute(sql`
    update earnest.service set completed_orders = completed_orders + 1 where hashtext(id) % 7 = 0`);
  await updateFigures(api.db);
  for (const [query, where] of queries) {
    expect([query, (await walk(`${query}&sort=score`)).slugs]).toEqual([query, await plainly(where)]);
  }
});

test("a service shows its figures with their basis, and its agent's score", async () => {
  const { rows } = await api.db.execute<{ id: string; agent_id: string }>(sql`
    select id, agent_id from earnest.service where slug = 's-7'`);
  const { id, agent_id: agentId } = rows[0] ?? { id: "", agent_id: "" };
  const record = {
    score: 612,
    upper: 941,
    evidence: 8250,
    orders: 14,
    on_time: 928,
    outcomes: 15,
  };
  for (const [subject, points] of [
    [id, 612],
    [agentId, 700],
  ] as const) {
    await api.db.execute(sql`
      insert into earnest.agent_record (id, agent_id, service_id, record, score, upper, evidence, orders, on_time, outcomes, as_of, version)
      values (${subject}, ${agentId}, ${subject === id ? id : null}, '{}', ${points}, ${record.upper},
        ${record.evidence}, ${record.orders}, ${record.on_time}, ${record.outcomes}, now(), 1)
      on conflict (id) do update set score = excluded.score, upper = excluded.upper,
        evidence = excluded.evidence, orders = excluded.orders, on_time = excluded.on_time`);
  }
  await api.db.execute(sql`
    update earnest.review_tally set rated_1 = 0, rated_2 = 0, rated_3 = 0, rated_4 = 1, rated_5 = 2 where service_id = ${id}`);
  await api.db.execute(sql`
    insert into earnest.review_tally (service_id, agent_id, rated_1, rated_2, rated_3, rated_4, rated_5, marked, withdrawn)
    values (${id}, ${agentId}, 0, 0, 0, 1, 2, 0, 0) on conflict do nothing`);
  await updateFigures(api.db);
  const reputation = {
    score: { value: 612, upper: 941, evidence: 8250 },
    orders: 14,
    on_time: 92,
    rating: 4.67,
    reviews: 3,
  };
  const { slug } = (await read("/marketplace/agents?min_score=700")).items[0];
  const shown = await read(`/agents/${slug}/services/s-7`);
  expect([shown.reputation, shown.agent.score]).toEqual([reputation, 700]);
  const listed = (await find(`agent=${slug}&limit=100&min_score=612&min_rating=4.67&on_time=92`)).items;
  expect(listed.find((one: { slug: string }) => one.slug === "s-7").reputation).toEqual(reputation);
  const untried = (await find("q=paper!&limit=100")).items.filter(
    (one: { reputation: { score: unknown; reviews: number } }) =>
      one.reputation.score === null && one.reputation.reviews === 0,
  );
  expect(untried[0].reputation).toMatchObject({ score: null, rating: null, reviews: 0 });
});

test.each([
  "",
  "q=paper!",
  "q=paper!&min_score=300&on_time=80",
  "category=translation&min_rating=4",
  "min_orders=2&max_price=1",
  "min_score=700&min_rating=4.5&min_orders=1&on_time=95&verified=domain",
])("the facets of %j equal the totals of the narrowed searches", async (query) => {
  await api.db.execute(sql`update earnest.agent set verified = '{domain}' where slug = 'bo'`);
  await api.db.execute(sql`update earnest.agent set verified = '{domain,erc8004}' where slug = 'cy'`);
  await updateFigures(api.db);
  const filters = await read(`/marketplace/filters?${query}`);
  const parameters = new URLSearchParams(query);
  for (const name of ["min_score", "min_rating", "min_orders", "on_time", "verified"]) {
    const { complete, items } = filters[name];
    expect([name, complete]).toEqual([name, true]);
    for (const { value, count } of items) {
      const narrowed = new URLSearchParams(parameters);
      const both = name === "verified" && parameters.has(name) && parameters.get(name) !== value;
      narrowed.set(name, both ? "domain,erc8004" : String(value));
      expect([name, value, count]).toEqual([name, value, (await find(`${narrowed}&limit=1`)).total]);
    }
  }
  const least = filters.min_score.items.map(({ count }: { count: number }) => count);
  expect(least).toEqual(least.toSorted((a: number, b: number) => b - a));
  if (query === "") expect(Math.min(...least, filters.verified.items[1].count)).toBeGreaterThan(0);
});

test("agents are sorted by their score and filtered by the same figures", async () => {
  const agents = async (query: string) =>
    (await read(`/marketplace/agents?${query}`)).items.map((one: { slug: string }) => one.slug);
  const best = (await agents("sort=score"))[0];
  await api.db.execute(sql`
    insert into earnest.agent_record (id, agent_id, record, score, upper, evidence, orders, on_time, outcomes, as_of, version)
    select id, id, '{}', 300, 400, 1000, 5, 955, 5, now(), 1 from earnest.agent where slug <> ${best}`);
  await api.db.execute(sql`update earnest.agent set completed_orders = 20 + length(slug) where slug = 'ama'`);
  await updateFigures(api.db);
  const others = ["ama", "bo", "cy"].filter((slug) => slug !== best);
  expect((await agents("sort=score"))[0]).toBe(best);
  expect((await agents("sort=score")).slice(1).sort()).toEqual(others);
  expect(await agents("min_score=301")).toEqual([best]);
  expect((await agents("on_time=95")).sort()).toEqual(others);
  expect(await agents("min_orders=23")).toEqual(["ama"]);
  const first = await read("/marketplace/agents?sort=score&limit=1");
  const rest = await read(`/marketplace/agents?sort=score&cursor=${first.next_cursor}`);
  expect([...first.items, ...rest.items].length).toBe(3);
  const rated = await read("/marketplace/agents?min_rating=1");
  const least = Math.min(
    ...rated.items.map((one: { reputation: { rating: number } }) => one.reputation.rating),
  );
  expect((await agents(`min_rating=${least.toFixed(2)}`)).length).toBe(rated.total);
  expect((await agents(`min_rating=${(least + 0.01).toFixed(2)}`)).length).toBeLessThan(rated.total);
});

test.each([
  "min_score=0",
  "min_score=1001",
  "min_score=a",
  "min_rating=0.9",
  "min_rating=5.1",
  "min_rating=4.555",
  "min_rating=4,5",
  "min_orders=0",
  "min_orders=1000000000",
  "on_time=0",
  "on_time=101",
  "sort=best",
])("%s is refused", async (query) => {
  for (const list of ["services", "agents"]) {
    expect((await api.request("GET", `/marketplace/${list}?${query}`)).status).toBe(400);
  }
});

test("above the bound of counting a total is a lower bound, and each order still pages correctly", async () => {
  await api.db.execute(sql`
    insert into earnest.service (id, agent_id, slug, title, pricing_model, price, price_currency, delivery_time_hours,
      acceptance_hours, status, completed_orders, score, rating, on_time)
    select 'svc_7' || lpad(n::text, 25, '0'), agent.id, 'c-' || n, 'crowd', 'fixed', n, 'TUSD', 1, 1, 'published', n % 3 + 1,
      1 + n % 500, 450, 95
    from generate_series(1, ${crowd}::int) as n, earnest.agent where agent.slug = 'ama'`);
  for (const query of ["q=crowd!&sort=score", "min_rating=4.5&sort=score", "on_time=95", "min_orders=1"]) {
    const page = await find(query);
    expect([query, page.total, page.total_relation, page.items.length]).toEqual([query, 10_000, "gte", 20]);
  }
  const last = await find("q=crowd!&sort=score&offset=10000&limit=100");
  expect([last.items.length, last.next_cursor]).toEqual([50, null]);
  const rare = await find("q=crowd!&min_score=500&sort=score&limit=100");
  expect([rare.total, rare.total_relation]).toEqual([20, "eq"]);
  expect(rare.items.map((one: { completed_order_count: number }) => one.completed_order_count)).toEqual(
    rare.items
      .map((one: { completed_order_count: number }) => one.completed_order_count)
      .sort()
      .reverse(),
  );
  // The newest services have no score, so an order's index skips them.
  await api.db.execute(sql`
    update earnest.service set created_at = now() - interval '1 day' where completed_orders > 3`);
  const newest = await find("min_orders=30&sort=newest");
  expect(newest.items.length).toBe(Math.min(20, newest.total));
});
