import { type SQL, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectStatus, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

const agents = 2500;

let api: TestApi;
beforeAll(async () => {
  api = await createDocumentedApi();
  const { token } = await signIn(api);
  expectStatus(201, await api.request("POST", "/agents", { token, body: { slug: "ama", name: "Ama" } }));
  // Texts of few words, so that words meet as phrases. Many agents have the same number of completed
  // orders.
  await api.db.execute(sql`select setseed(0.25)`);
  await api.db.execute(sql`
    insert into earnest.agent (id, account_id, slug, name, tagline, capabilities, status, completed_orders, verified, score,
      rating, on_time, created_at)
    select 'agt_' || lpad(n::text, 26, '0'), account_id, 'a-' || n, word[1 + n % 7] || ' ' || word[1 + floor(random() * 9)::int],
      word[1 + floor(random() * 9)::int] || ' ' || word[1 + floor(random() * 9)::int],
      jsonb_build_object('skills', array[(array['it''s', 'b\\s', 'deep sea maps'])[1 + n % 3], 'skill-' || n % 40],
        'languages', array['en', (array['ja', 'pt-BR'])[1 + n % 2]], 'input_modalities', '[]'::jsonb,
        'output_modalities', '[]'::jsonb, 'protocols', '[]'::jsonb),
      case when n % 10 = 0 then 'paused' else 'published' end, floor(power(random(), 4) * 1500)::int,
      (array['{}', '{domain}', '{domain,erc8004}'])[1 + n % 3]::text[], floor(random() * 1001), 100 + floor(random() * 401),
      floor(random() * 101), now() - (n % 1000) * interval '1 minute'
    from generate_series(1, ${agents}::int) as n, earnest.agent,
      (select array['paper', 'letter', 'the', 'maps', 'well-known', 'mapping', 'o''neill', 'deed', 'of'] as word) as words
    where slug = 'ama'`);
});
afterAll(() => api.close());

const read = async (path: string) => expectStatus(200, await api.request("GET", path));

async function walk(query: string): Promise<{ slugs: string[]; totals: unknown[] }> {
  const slugs: string[] = [];
  const totals = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await read(`/marketplace/agents?${query}&limit=100${cursor && `&cursor=${cursor}`}`);
    slugs.push(...page.items.map(({ slug }: { slug: string }) => slug));
    totals.add(`${page.total} ${page.total_relation}`);
    cursor = page.next_cursor;
  }
  return { slugs, totals: [...totals] };
}

/** The result of a scan of every agent, in this order. */
async function plainly(where: SQL, order: SQL): Promise<string[]> {
  const { rows } = await api.db.execute<{ slug: string }>(
    sql`select slug from earnest.agent where status = 'published' and ${where} order by ${order}`,
  );
  return rows.map(({ slug }) => slug);
}

async function plainlyRelevant(q: string, where = sql`true`): Promise<string[]> {
  const tsQuery = sql`websearch_to_tsquery('english', ${q})`;
  const { rows } = await api.db.execute<{ slug: string }>(sql`
    with matching as (
      select *, row_number() over (order by completed_orders desc, id desc) as place
      from earnest.agent where status = 'published' and search @@ ${tsQuery} and ${where})
    select slug from matching
    order by case when place <= 1000 then 1 + (ts_rank(search, ${tsQuery}) * 1000000)::int else 0 end desc,
      completed_orders desc, id desc`);
  return rows.map(({ slug }) => slug);
}

test.each([
  "paper!",
  "maps!",
  '"paper letter"',
  '"letter of maps"',
  'paper or "maps deed"',
  'maps -"paper letter"',
  'paper -letter or "well-known deed"',
  '"o\'neill maps" -deed',
  "well-known!",
  "the",
])("%s finds the same in the same order as a scan of all agents", async (q) => {
  const expected = await plainlyRelevant(q);
  const found = await walk(`q=${encodeURIComponent(q)}`);
  expect(found.slugs).toEqual(expected);
  expect(found.totals).toEqual([`${expected.length} eq`]);
});

test("some of these searches have more matches than are ranked, and paging continues", async () => {
  expect((await plainlyRelevant("maps!")).length).toBeGreaterThan(1000);
  const page = await read("/marketplace/agents?q=maps!&offset=990&limit=20");
  expect(page.items.map(({ slug }: { slug: string }) => slug)).toEqual(
    (await plainlyRelevant("maps!")).slice(990, 1010),
  );
});

const fitting: [string, SQL][] = [
  ["skill=skill-7", sql`capabilities -> 'skills' ? 'skill-7'`],
  [`skill=${encodeURIComponent("It's")}`, sql`capabilities -> 'skills' ? 'it''s'`],
  [`skill=${encodeURIComponent("b\\s")}`, sql`capabilities -> 'skills' ? 'b\\s'`],
  [
    "skill=Deep%20%20sea%20maps&language=pt-br",
    sql`capabilities -> 'skills' ? 'deep sea maps' and capabilities -> 'languages' ? 'pt-BR'`,
  ],
  ["language=xx", sql`false`],
  ["verified=domain,erc8004", sql`verified @> '{domain,erc8004}'`],
  ["min_score=431", sql`score >= 431`],
  ["min_score=990&min_rating=4.51", sql`score >= 990 and rating >= 451`],
  ["on_time=93&verified=domain", sql`on_time >= 93 and verified @> '{domain}'`],
  ["min_orders=700", sql`completed_orders >= 700`],
  ["min_orders=3&language=ja", sql`completed_orders >= 3 and capabilities -> 'languages' ? 'ja'`],
  ["q=paper!&skill=skill-7", sql`search @@ 'paper' and capabilities -> 'skills' ? 'skill-7'`],
];
const orders: [string, SQL][] = [
  ["newest", sql`created_at desc, id desc`],
  ["most_completed", sql`completed_orders desc, id desc`],
  ["score", sql`score desc, completed_orders desc, id desc`],
];

test.each(
  fitting.flatMap(([query, where]) => orders.map(([sort, order]) => [query, sort, where, order] as const)),
)("%s sorted by %s finds the same as a scan of all agents", async (query, sort, where, order) => {
  const expected = await plainly(where, order);
  const found = await walk(`${query}&sort=${sort}`);
  expect(found.slugs).toEqual(expected);
  expect(found.totals).toEqual([`${expected.length} eq`]);
});

test("a changed agent is found by its new text", async () => {
  const id = "agt_00000000000000000000000001";
  const find = async (query: string) =>
    (await walk(query)).slugs.filter((slug) => slug === "a-1").length === 1;
  const change = (set: SQL) => api.db.execute(sql`update earnest.agent set ${set} where id = ${id}`);
  await change(
    sql`name = 'Xylophone', capabilities = capabilities || '{"skills": ["tuning"], "languages": ["de"]}'`,
  );
  expect([await find("q=xylophone"), await find("skill=tuning"), await find("language=de")]).toEqual([
    true,
    true,
    true,
  ]);
  await change(
    sql`score = 1000, rating = 500, on_time = 100, completed_orders = 3000, verified = '{erc8004}'`,
  );
  expect(await find("min_score=1000&min_rating=5&on_time=100&min_orders=3000&verified=erc8004")).toBe(true);
  await change(sql`score = 999`);
  expect([await find("min_score=1000"), await find("min_score=999")]).toEqual([false, true]);
  await change(sql`completed_orders = 2`);
  expect((await walk("q=xylophone")).slugs).toEqual(["a-1"]);
  await change(sql`status = 'paused'`);
  expect(await find("q=xylophone")).toBe(false);
  await change(sql`status = 'published', name = 'Marimba'`);
  expect([await find("q=xylophone"), await find("q=marimba")]).toEqual([false, true]);
  await api.db.execute(sql`delete from earnest.agent where id = ${id}`);
  expect(await find("q=marimba")).toBe(false);
});
