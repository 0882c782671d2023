import { type SQL, sql } from "drizzle-orm";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withSubcategories } from "../../../api/services/category-tree.ts";
import { createTestApi, expectStatus, signIn, type TestApi } from "../../harness/api.ts";
import { baseChainSettings } from "../../harness/fixtures/fixture.ts";
import { serveChains } from "../../harness/manifests.ts";
import { randomRuns } from "../../harness/random-runs.ts";

/** More agents are published than one walk along an index order visits. */
const [services, agents] = [1200, 1000];
const words = [
  ...[
    "paper",
    "letter",
    "the",
    "of",
    "maps",
    "mapping",
    "well-known",
    "known",
    "o'neill",
    "deed",
    "or",
    "it's",
  ],
  ...[
    "größe",
    "東京",
    "naïve",
    "a@b.example",
    "http://x.example/y",
    "3.14",
    "-5",
    "c++",
    "b\\s",
    "Ⅷ",
    "x&y",
    "🎉",
  ],
];
const tags = ["it's", "b\\s", "plain", "ß", "x y", "a|b", "'", "\\"];
const someCategories = ["translation", "proofreading", "copywriting", "language"];
const models = ["fixed", "per_unit", "negotiated"];
const languages = ["en", "ja", "pt-BR"];

/** The names of prices that are compared with each other. The first ones are those of the default token. */
const currencies = { USD: ["USD", "TUSD", "USDC"], EUR: ["EUR", "EUR.e"], OLD: ["OLD"] };
const namesOf = (name: string) => Object.values(currencies).find((names) => names.includes(name)) ?? [name];
/** Tokens besides the default one, on two chains. The last one is not configured. */
const chainIds = [31_337, 424_242] as const;
const tokens = {
  USDC: `0x${"c1".repeat(20)}`,
  "EUR.e": `0x${"e1".repeat(20)}`,
  gone: `0x${"0f".repeat(20)}`,
} as const;

let served: ReturnType<typeof serveChains>;
let api: TestApi;
beforeAll(async () => {
  const env = await baseChainSettings();
  const otherTokens = [
    { address: tokens.USDC, symbol: "USDC", currency: "USD", decimals: 6, name: "USDC", version: "2" },
    { address: tokens["EUR.e"], symbol: "EUR.e", currency: "EUR", decimals: 18, name: "EUR", version: "1" },
  ];
  served = serveChains(
    chainIds.map((chainId) => ({
      chainId,
      manifestOf: 31_337,
      env: { ...env, [`RPC_URL_${chainId}`]: env.RPC_URL_31337 as string },
    })),
    (manifest) => ({
      ...manifest,
      token: { ...manifest.token, currency: "USD" },
      other_tokens: otherTokens,
    }),
  );
  api = await createTestApi({ env: served.env });
  const standard = api.config.defaultChain?.token.address as string;
  const accepted = [
    null,
    ...Object.values(tokens).map((token) => [{ chain_id: 31_337, token }]),
    [
      { chain_id: 424_242, token: tokens.USDC },
      { chain_id: 31_337, token: standard },
    ],
    [
      { chain_id: 424_242, token: tokens["EUR.e"] },
      { chain_id: 31_337, token: tokens.gone },
    ],
  ].map((list) => (list === null ? "null" : JSON.stringify(list)));
  const { accountId } = await signIn(api);
  const wordOf = sql`words.word[1 + floor(random() * ${words.length})::int]`;
  const drawn = (list: (string | number)[]) =>
    sql`(array[${sql.join(list, sql`, `)}])[1 + floor(random() * ${list.length})::int]`;
  const figures = sql`floor(power(random(), 4) * 40)::int, ${drawn([0, 0, 100, 499, 500, 1000])}::int,
    ${drawn([0, 100, 400, 450, 500])}::int, ${drawn([0, 80, 95, 100])}::int,
    (array['{}', '{domain}', '{domain,erc8004}'])[1 + floor(random() * 3)::int]::text[],
    now() - floor(random() * 300) * interval '1 second',
    ${drawn(["published", "published", "published", "paused", "draft"])}`;
  await api.db.execute(sql`select setseed(0.5)`);
  await api.db.execute(sql`
    insert into earnest.agent (id, account_id, slug, name, tagline, capabilities, completed_orders, score, rating, on_time,
      verified, created_at, status)
    select 'agt_' || lpad(n::text, 26, '0'), ${accountId}, 'a-' || n, ${wordOf} || ' ' || ${wordOf}, ${wordOf},
      jsonb_build_object('skills', array[${drawn(tags)}], 'languages', array[${drawn(languages)}], 'protocols', array[]::text[],
        'input_modalities', array[]::text[], 'output_modalities', array[]::text[]), ${figures}
    from generate_series(1, ${agents}::int) as n, (select ${sql.param(words)}::text[] as word) as words`);
  await api.db.execute(sql`
    insert into earnest.service (id, agent_id, slug, title, summary, tags, category, pricing_model, price, price_currency,
      accepts, delivery_time_hours, acceptance_hours, completed_orders, score, rating, on_time, verified, created_at, status)
    select 'svc_' || lpad(n::text, 26, '0'), 'agt_' || lpad((1 + n % 40)::text, 26, '0'), 's-' || n, ${wordOf} || ' ' || ${wordOf},
      ${wordOf} || ' ' || ${wordOf}, array[${drawn(tags)}, ${drawn(tags)}], ${drawn(someCategories)}, ${drawn(models)},
      case when random() < 0.1 then 0 else floor(power(10, random() * 20)) end,
      ${drawn(Object.values(currencies).flat())}, nullif(${drawn(accepted)}::jsonb, 'null'),
      ${drawn([1, 6, 24, 25, 72, 720, 8760])}::int, 1, ${figures}
    from generate_series(1, ${services}::int) as n, (select ${sql.param(words)}::text[] as word) as words`);
});
afterAll(async () => {
  await api?.close();
  served?.remove();
});

const word = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...words) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("pap", "MAPS", "deeds", "kno", "nothing", "'", '"', ":*", "&", "(", "\u3000"),
  },
);
const named = fc.constantFrom(...words.filter((one) => /^\p{L}/u.test(one)));
const part = fc.oneof(
  { weight: 4, arbitrary: word },
  { weight: 1, arbitrary: fc.tuple(word, word).map((pair) => `"${pair.join(" ")}"`) },
  { weight: 1, arbitrary: named.map((one) => `-${one}`) },
  { weight: 1, arbitrary: word.map((one) => `or ${one}`) },
);
const text = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(" "));
const oneOf = (...values: string[]): fc.Arbitrary<string> => fc.constantFrom(...values);
const ofBoth = {
  // A query of spaces only is refused.
  q: fc.oneof(word, text).filter((candidate) => candidate.trim() !== ""),
  verified: oneOf("domain", "domain,erc8004"),
  min_score: oneOf("1", "100", "499", "500", "1000"),
  min_rating: oneOf("1", "4.5", "4.51", "5"),
  min_orders: oneOf("1", "2", "10"),
  on_time: oneOf("1", "80", "96"),
};
type Parameters = Record<string, string>;

/** The words as PostgreSQL splits them. The last plain word may be a prefix. */
function searchOf(text: string): SQL {
  // The API trims white space of every script, which PostgreSQL may take for a word.
  const q = text.trim();
  // Characters without spaces between them form a phrase and never a prefix.
  const parts = q.split('"').map((part, at) => (at % 2 === 0 ? part.replaceAll("東京", '"東京"') : part));
  const tsQuery = sql`websearch_to_tsquery('english', earnest.fold_text(${parts.join('"')}))`;
  if (q.includes("東京") || !/^([\p{L}\p{N}]+ )*[\p{L}\p{N}]{3,}$/u.test(q)) return tsQuery;
  return sql`(${tsQuery} || to_tsquery('english', earnest.fold_text(${`${q.replaceAll(" ", " & ")}:*`})))`;
}

/** The condition on a row named `one`. */
function conditionsOf(asked: Parameters): SQL[] {
  // Prices are compared in one currency, by default that of the default token.
  const isPriced = Boolean(asked.min_price ?? asked.max_price);
  const parameters: Parameters = isPriced ? { currency: "USD", ...asked } : asked;
  const { chain_id: chainId, token } = parameters;
  const number = (text: string) => sql`${text}::numeric`;
  const conditions: Record<string, (text: string) => SQL> = {
    q: (text) => sql`one.search @@ ${searchOf(text)}`,
    verified: (text) => sql`one.verified @> ${sql.param(text.split(","))}::text[]`,
    min_score: (text) => sql`one.score >= ${number(text)}`,
    min_rating: (text) => sql`one.rating >= 100 * ${number(text)}`,
    min_orders: (text) => sql`one.completed_orders >= ${number(text)}`,
    on_time: (text) => sql`one.on_time >= ${number(text)}`,
    skill: (text) => sql`one.capabilities -> 'skills' ? ${text}`,
    language: (text) => sql`one.capabilities -> 'languages' ? ${text}`,
    category: (text) => sql`one.category = any(${sql.param(withSubcategories(text))}::text[])`,
    tags: (text) => sql`one.tags @> ${sql.param(text.split(","))}::text[]`,
    pricing_model: (text) => sql`one.pricing_model = ${text}`,
    min_price: (text) => sql`one.price > 0 and one.price >= 1000000 * ${number(text)}`,
    max_price: (text) => sql`one.price > 0 and one.price <= 1000000 * ${number(text)}`,
    max_delivery_hours: (text) => sql`one.delivery_time_hours <= ${number(text)}`,
    agent: (text) => sql`owner.slug = ${text}`,
    currency: (text) => sql`one.price_currency = any(${sql.param(namesOf(text))}::text[])`,
    chain_id: () => accepts(chainId, token),
    token: () => accepts(chainId, token),
  };
  return Object.entries(parameters).flatMap(([name, text]) => conditions[name]?.(text) ?? []);
}

/** The condition that a service accepts a configured token of this chain, or with this address or symbol. */
function accepts(chainId: string | undefined, token: string | undefined): SQL {
  const standard = String(api.config.defaultChain?.token.address).toLowerCase();
  const configured = { TUSD: standard, USDC: tokens.USDC, "EUR.e": tokens["EUR.e"] };
  const wanted = Object.entries(configured)
    .filter(([symbol, address]) => token === undefined || token === symbol || token.toLowerCase() === address)
    .map(([, address]) => address);
  const list = sql`coalesce(one.accepts, ${JSON.stringify([{ chain_id: 31_337, token: standard }])}::jsonb)`;
  return sql`exists (select from jsonb_array_elements(${list}) as item
    where lower(item ->> 'token') = any(${sql.param(wanted)}::text[])
      and (${chainId ?? null}::text is null or item ->> 'chain_id' = ${chainId ?? null}::text))`;
}

const isFirst = sql`price_currency = any(${sql.param(currencies.USD)}::text[])`;
const mixedOrders: Record<string, SQL> = {
  price_low: sql`${isFirst} desc, case when ${isFirst} then '' else price_currency end, price, id`,
  price_high: sql`${isFirst} desc, case when ${isFirst} then '' else price_currency end desc, price desc, id desc`,
};
const orders: Record<string, SQL> = {
  newest: sql`created_at desc, id desc`,
  most_completed: sql`completed_orders desc, id desc`,
  score: sql`score desc, completed_orders desc, id desc`,
  price_low: sql`price, id`,
  price_high: sql`price desc, id desc`,
};
const markets = {
  services: {
    rows: sql`earnest.service as one join earnest.agent as owner on owner.id = one.agent_id and owner.status = 'published'`,
    place: sql`completed_orders desc, earnest.tiebreak_of(id) desc, id desc`,
    parameters: {
      ...ofBoth,
      category: oneOf(...someCategories),
      tags: oneOf(...tags, "plain,ß", "none"),
      pricing_model: oneOf(...models),
      min_price: oneOf("0.000001", "1", "30", "100000"),
      max_price: oneOf("0.000001", "1", "5000", "99999999999"),
      max_delivery_hours: oneOf("1", "24", "25", "719", "8760", "9000"),
      agent: oneOf("a-1", "a-2", "nobody"),
      currency: oneOf("USD", "USDC", "EUR.e", "OLD", "none"),
      chain_id: oneOf("31337", "424242"),
      token: oneOf("USDC", "TUSD", tokens["EUR.e"].toUpperCase().replace("0X", "0x"), tokens.USDC),
      sort: oneOf(...Object.keys(orders), "relevance"),
    },
  },
  agents: {
    rows: sql`earnest.agent as one`,
    place: sql`completed_orders desc, id desc`,
    parameters: {
      ...ofBoth,
      skill: oneOf(...tags, "none"),
      language: oneOf(...languages, "fr"),
      sort: oneOf("newest", "most_completed", "score", "relevance"),
    },
  },
};

/**
 * The result of a scan of every row in the requested order. Relevance ranks the thousand most completed.
 */
async function lookPlainly(
  market: keyof typeof markets,
  { sort, ...parameters }: Parameters,
): Promise<string[]> {
  const { rows: table, place } = markets[market];
  const where = sql.join([sql`one.status = 'published'`, ...conditionsOf(parameters)], sql` and `);
  const rank =
    parameters.q &&
    sql`case when place <= 1000 then 1 + (ts_rank(search, ${searchOf(parameters.q)}) * 1000000)::int else 0 end`;
  const isOfOne = parameters.currency ?? parameters.min_price ?? parameters.max_price;
  const order =
    (isOfOne ? undefined : mixedOrders[sort ?? ""]) ??
    orders[sort ?? ""] ??
    (rank ? sql`${rank} desc, ${place}` : orders.newest);
  const { rows } = await api.db.execute<{ slug: string }>(sql`
    with fitting as (select one.* from ${table} where ${where}),
      placed as (select *, row_number() over (order by ${place}) as place from fitting)
    select slug from placed order by ${order}`);
  return rows.map(({ slug }) => slug);
}

/** All pages in turn; null for a search that is refused because it has no word. */
async function walk(path: string, parameters: Parameters, limit: number, byOffset: boolean) {
  const query = new URLSearchParams(parameters);
  const slugs: string[] = [];
  const totals = new Set<string>();
  let corrected: string | null = null;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const place = byOffset ? `&offset=${slugs.length}` : cursor && `&cursor=${cursor}`;
    const answer = await api.request("GET", `${path}?${query}&limit=${limit}${place}`);
    if (answer.status === 400 && /add a word to search for/.test(answer.body.error.message)) return null;
    const page = expectStatus(200, answer);
    slugs.push(...page.items.map(({ slug }: { slug: string }) => slug));
    totals.add(`${page.total} ${page.total_relation}`);
    corrected = page.corrected_query;
    cursor = page.next_cursor;
  }
  return { slugs, totals: [...totals], corrected };
}

test.each(["services", "agents"] as const)(
  "%s: for each query the pages and the total equal a scan of every row",
  async (market) => {
    let compared = 0;
    const agrees = async (query: Parameters, limit: number, byOffset: boolean) => {
      const found = await walk(`/marketplace/${market}`, query, limit, byOffset);
      if (!found) return;
      const expected = await lookPlainly(market, query);
      compared += 1;
      // Fast-check takes a returned object for a failure, so the predicate returns nothing.
      if (found.corrected !== null) {
        expect(expected).toEqual([]);
        return;
      }
      expect(found.slugs).toEqual(expected);
      expect(found.totals).toEqual([`${expected.length} eq`]);
    };
    const limits = fc.constantFrom(100, 83);
    const parameters: Record<string, fc.Arbitrary<string>> = markets[market].parameters;
    // Few filters are set, so that some rows match.
    const names = fc.subarray(Object.keys(parameters), { maxLength: 4 });
    const queries = fc
      .tuple(fc.record(parameters), names)
      .map(([query, some]) =>
        Object.fromEntries(Object.entries(query).filter(([name]) => some.includes(name))),
      );
    await fc.assert(fc.asyncProperty(queries, limits, fc.boolean(), agrees), { numRuns: randomRuns(150) });
    expect(compared).toBeGreaterThan(randomRuns(60));
  },
);
