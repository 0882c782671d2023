import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectStatus, publishService, type Session, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: TestApi;
let owner: Session;

const services = [
  { slug: "letters", title: "Japanese letters", tags: ["letters"], category: "translation", price: "10" },
  { slug: "legal", title: "Legal translation", category: "legal", price: "0.5", delivery_time_hours: 6 },
  { slug: "reports", title: "Reports on documents", tags: ["letters", "data"], category: "language" },
  { slug: "charts", title: "Charts", tags: ["data"], category: "charts", pricing_model: "per_unit" },
];

beforeAll(async () => {
  api = await createDocumentedApi();
  owner = await signIn(api);
  const { token } = owner;
  const send = async (method: string, path: string, body?: object) => {
    const answer = await api.request(method, path, { token, body });
    expectStatus(answer.status === 201 ? 201 : 200, answer);
  };
  const capabilities = { skills: ["translation"], languages: ["ja"] };
  await send("POST", "/agents", { slug: "ama", name: "Ama the translator", capabilities });
  await send("PUT", "/agents/ama/payout-wallet", { address: owner.account.address });
  await send("POST", "/agents/ama/publish");
  for (const fields of services) {
    await send("POST", "/agents/ama/services", { price: "2", delivery_time_hours: 24, ...fields });
    await send("POST", `/agents/ama/services/${fields.slug}/publish`);
  }
});
afterAll(() => api.close());

const read = async (path: string) => expectStatus(200, await api.request("GET", path));
const find = (query: string) => read(`/marketplace/services?${query}`);
const slugs = (body: { items: { slug: string }[] }) => body.items.map(({ slug }) => slug);

describe("a search with typing errors", () => {
  test.each([
    ["japanse", "japanese", ["letters"]],
    ["japaneese letters", "japanese letters", ["letters"]],
    ["Lgeal", "legal", ["legal"]],
    ["translatoin", "translation", ["legal"]],
    ["trnslaton", "translation", ["legal"]],
    ['"legal translaton"', '"legal translation"', ["legal"]],
    ["chrats -japanese", "charts -japanese", ["charts"]],
  ])("corrects %s to %s, and says so", async (q, corrected, expected) => {
    const body = await find(`q=${encodeURIComponent(q)}`);
    expect([body.corrected_query, slugs(body), body.total]).toEqual([corrected, expected, expected.length]);
  });

  test("is not corrected while its words match", async () => {
    const body = await find("q=japanese%20or%20lgeal");
    expect([body.corrected_query, slugs(body)]).toEqual([null, ["letters"]]);
  });

  test("is corrected within its filters, or not at all", async () => {
    expect(await find("q=lgeal&category=legal")).toMatchObject({ corrected_query: "legal", total: 1 });
    expect(await find("q=lgeal&category=charts")).toMatchObject({ corrected_query: null, total: 0 });
    expect(await find("q=legal&category=charts")).toMatchObject({ corrected_query: null, total: 0 });
  });

  test.each(["xylophone", "zz", "the", "lgeal xylophone", "qqqqq wwwww eeeee rrrrr"])(
    "stays as it is where no word is close: %s",
    async (q) => {
      expect(await find(`q=${encodeURIComponent(q)}`)).toMatchObject({ corrected_query: null, total: 0 });
    },
  );

  test("is never corrected to words of drafts", async () => {
    const body = { slug: "secret", title: "Archipelago", price: "1", delivery_time_hours: 1 };
    expectStatus(201, await api.request("POST", "/agents/ama/services", { token: owner.token, body }));
    expect(await find("q=archipelgo")).toMatchObject({ corrected_query: null, total: 0 });
  });

  test("is corrected for agents the same way", async () => {
    const body = await read("/marketplace/agents?q=translatr");
    expect([body.corrected_query, slugs(body)]).toEqual(["translator", ["ama"]]);
  });
});

describe("a hostile search", () => {
  test.each([
    "!!!(((&&&|||:*<->",
    "'",
    "\\",
    "%_%",
    "a".repeat(200),
    "🦊 ✨ 👩‍👩‍👧",
    "-".repeat(200),
    "- ".repeat(100),
    '-"'.repeat(66),
    `legal${" -b".repeat(60)}`,
    `legal --${"-x".repeat(90)}`,
    "or -".repeat(50),
    "(".repeat(200),
    `"${"'".repeat(199)}`,
    ":*",
    "a:* & !b",
    "日本語の翻訳",
    "\u202egnirts",
    "or or or",
    "-",
    "%27%20or%201%3D1",
    Array.from({ length: 50 }, (_, n) => `w${n}`).join(" "),
    Array.from({ length: 40 }, () => "zzzz").join(" "),
  ])("is answered: %s", async (q) => {
    for (const path of ["services", "agents", "filters"]) {
      const { status } = await api.request("GET", `/marketplace/${path}?q=${encodeURIComponent(q)}`);
      expect([path, status]).toEqual([path, 200]);
    }
  });

  test.each(["q", "category", "tags", "agent"])("is 400 for a zero byte in %s", async (name) => {
    for (const path of ["services", "filters"]) {
      const { status } = await api.request("GET", `/marketplace/${path}?${name}=a%00b`);
      expect(status).toBe(400);
    }
  });

  test.each(["q", "skill", "language"])("of agents is 400 for a zero byte in %s", async (name) => {
    const { status } = await api.request("GET", `/marketplace/agents?${name}=a%00b`);
    expect(status).toBe(400);
  });

  test.each(["-legal", "-legal -letters", "legal or -letters"])("is 400 for a query of: %s", async (q) => {
    const { status, body } = await api.request("GET", `/marketplace/services?q=${encodeURIComponent(q)}`);
    expect([status, body.error.details?.[0].path]).toEqual([400, "/q"]);
  });

  test.each([
    ["no base64", "%%%"],
    ["no JSON", Buffer.from("{").toString("base64url")],
    ["another order", Buffer.from('["newest","1","svc_0"]').toString("base64url")],
    ["SQL", Buffer.from('["relevance","1","1","x\' or 1=1"]').toString("base64url")],
    ["too few keys", Buffer.from('["relevance","1"]').toString("base64url")],
    [
      "a number below zero",
      Buffer.from(`["relevance","-1","1","1","svc_${"0".repeat(26)}"]`).toString("base64url"),
    ],
  ])("is 400 for a forged cursor of %s", async (_, cursor) => {
    const { status, body } = await api.request(
      "GET",
      `/marketplace/services?q=legal&cursor=${encodeURIComponent(cursor)}`,
    );
    expect([status, body.error.details[0].path]).toEqual([400, "/cursor"]);
  });

  test.each([
    `["relevance","0","0","0","svc_${"0".repeat(26)}"]`,
    `["relevance","${"9".repeat(78)}","${"9".repeat(78)}","1","svc_${"z".repeat(26)}"]`,
    `["relevance","0","${"9".repeat(78)}","${"9".repeat(78)}","svc_${"z".repeat(26)}"]`,
  ])("is answered for a cursor past either end: %s", async (position) => {
    const cursor = Buffer.from(position).toString("base64url");
    expect((await find(`q=legal&cursor=${cursor}`)).total).toBe(1);
  });
});

describe("more matches than are ranked", () => {
  const many = 1203;

  beforeAll(async () => {
    await api.db.execute(sql`
      insert into earnest.service (id, agent_id, slug, title, pricing_model, price, price_currency, delivery_time_hours,
        acceptance_hours, status, completed_orders)
      select 'svc_' || lpad(n::text, 26, '0'), agent.id, 'plenty-' || n, 'Plenty' || repeat(' of plenty', (n % 7)::int),
        'fixed', 1, 'TUSD', 1, 1, 'published', n % 50
      from generate_series(1, ${many}::int) as n, earnest.agent where agent.slug = 'ama'`);
  });
  afterAll(async () => {
    await api.db.execute(sql`delete from earnest.service where slug like 'plenty-%'`);
  });

  const walk = async (query: string) => {
    const seen: { slug: string; completed_order_count: number }[] = [];
    let cursor = "";
    do {
      const page = await find(`${query}&limit=100${cursor}`);
      expect(page.total).toBe(many);
      seen.push(...page.items);
      cursor = page.next_cursor && `&cursor=${page.next_cursor}`;
    } while (cursor);
    return seen;
  };

  test("is paged through, each match once: the most completed ranked, then the rest by completed orders", async () => {
    const seen = await walk("q=plenty");
    expect(new Set(seen.map(({ slug }) => slug)).size).toBe(many);
    const completed = seen.map(({ completed_order_count }) => completed_order_count);
    const [first, rest] = [completed.slice(0, 1000), completed.slice(1000)];
    expect(Math.min(...first)).toBeGreaterThanOrEqual(Math.max(...rest));
    expect(rest).toEqual([...rest].sort((a, b) => b - a));
  });

  test("is paged by offset in the same order, across the border too", async () => {
    const seen = (await walk("q=plenty")).map(({ slug }) => slug);
    for (const offset of [0, 980, 995, 1000, 1190]) {
      expect(slugs(await find(`q=plenty&offset=${offset}`))).toEqual(seen.slice(offset, offset + 20));
    }
  });

  test("loses no match when a new one appears between two pages", async () => {
    const before = await walk("q=plenty");
    const first = await find("q=plenty&limit=100");
    await api.db.execute(sql`
      update earnest.service set title = 'plenty of plenty of plenty', completed_orders = 1000 where slug = 'charts'`);
    try {
      const seen = new Set(slugs(first));
      for (let cursor = first.next_cursor; cursor; ) {
        const page = await find(`q=plenty&limit=100&cursor=${cursor}`);
        for (const slug of slugs(page)) seen.add(slug);
        cursor = page.next_cursor;
      }
      expect(before.filter(({ slug }) => !seen.has(slug))).toEqual([]);
    } finally {
      await api.db.execute(
        sql`update earnest.service set title = 'Charts', completed_orders = 0 where slug = 'charts'`,
      );
    }
  });
});

describe("GET /marketplace/filters", () => {
  type Facet = { complete: boolean; items: { value: string; count: number }[] };
  const counts = ({ items }: Facet) => Object.fromEntries(items.map(({ value, count }) => [value, count]));

  test("counts everything on offer", async () => {
    const body = await read("/marketplace/filters");
    expect(body.total).toBe(4);
    expect(counts(body.category)).toEqual({ language: 2, translation: 1, data: 1, charts: 1, legal: 1 });
    expect(counts(body.pricing_model)).toEqual({ fixed: 3, per_unit: 1 });
    expect(body.tags.items).toEqual([
      { value: "data", count: 2 },
      { value: "letters", count: 2 },
    ]);
    expect(counts(body.max_delivery_hours)).toMatchObject({ 1: 0, 6: 1, 24: 4, 72: 4 });
    expect(body.price.items).toEqual([
      { min_price: "0.100000", max_price: "0.999999", count: 1 },
      { min_price: "1.000000", max_price: "9.999999", count: 2 },
      { min_price: "10.000000", max_price: "99.999999", count: 1 },
    ]);
  });

  test.each([
    "",
    "category=language",
    "pricing_model=fixed&max_delivery_hours=24",
    "q=letters%20or%20legal%20or%20charts",
    "q=japanese&category=charts",
    "min_price=1&tags=data",
    "agent=ama&max_delivery_hours=7&category=data",
    "q=letters%20or%20legal%20or%20charts&category=language&pricing_model=fixed&min_price=1&max_delivery_hours=24",
  ])("counts for '%s' the total of each narrowed search", async (query) => {
    const body = await read(`/marketplace/filters?${query}`);
    expect(body.total).toBe((await find(query)).total);
    const { total, total_relation, ...facets } = body;
    expect(Object.values<Facet>(facets).map(({ complete }) => complete)).toEqual(Array(12).fill(true));
    const without = (...names: string[]) => {
      const left = new URLSearchParams(query);
      for (const name of names) left.delete(name);
      return left;
    };
    const expectCount = async (left: URLSearchParams, choice: Record<string, string>, expected: number) => {
      for (const [name, value] of Object.entries(choice)) left.set(name, value);
      expect([left.toString(), (await find(left.toString())).total]).toEqual([left.toString(), expected]);
    };
    for (const { value, count } of body.category.items)
      await expectCount(without("category"), { category: value }, count);
    for (const { value, count } of body.pricing_model.items)
      await expectCount(without("pricing_model"), { pricing_model: value }, count);
    for (const { value, count } of body.max_delivery_hours.items)
      await expectCount(without("max_delivery_hours"), { max_delivery_hours: String(value) }, count);
    for (const { count, ...range } of body.price.items)
      await expectCount(without("min_price", "max_price"), range, count);
    for (const { value, count } of body.tags.items) {
      const tags = [...(without().get("tags")?.split(",") ?? []), value].join(",");
      await expectCount(without(), { tags }, count);
    }
  });

  test("is 400 for a malformed price", async () => {
    const { status, body } = await api.request("GET", "/marketplace/filters?min_price=cheap");
    expect([status, body.error.details[0].path]).toEqual([400, "/min_price"]);
  });
});

describe("the stored market counts", () => {
  const readCounts = async () => {
    const { rows } = await api.db.execute<Record<string, number>>(sql`
      select (select count(*)::int from earnest.offer) as offers,
        (select coalesce(sum(services), 0)::int from earnest.offer_tally) as tallied,
        (select count(*)::int from earnest.offer join earnest.ranked_offer as shelved using (service_id)
          where shelved.tier = earnest.tier_of(offer.completed_orders, shelved.tiebreak)
            and shelved.tiebreak = earnest.tiebreak_of(service_id)
            and (shelved.completed_orders, shelved.category, shelved.tags, shelved.price, shelved.pricing_model,
              shelved.delivery_time_hours) is not distinct from (offer.completed_orders, offer.category, offer.tags,
              offer.price, offer.pricing_model, offer.delivery_time_hours)) as placed,
        (select count(*)::int from earnest.ranked_offer) as shelved,
        (select count(*)::int from earnest.service join earnest.agent on agent.id = agent_id
          where service.status = 'published' and agent.status = 'published') as published`);
    const { offers, tallied, placed, shelved, published } = rows[0] ?? {};
    expect([offers, tallied, placed, shelved]).toEqual([published, published, published, published]);
    return published;
  };

  test("follow every change of agents and services", async () => {
    const { token } = owner;
    const send = async (method: string, path: string, body?: object) =>
      expectStatus(200, await api.request(method, path, { token, body }));
    const found = async (q: string) => (await find(`q=${q}`)).total;
    const { agent } = await publishService(api, owner, { title: "Ephemeral things", category: "tax" });
    const at = `/agents/${agent.slug}`;
    const before = await readCounts();
    expect(await found("ephemeral")).toBe(1);

    await send("POST", `${at}/pause`);
    expect([await readCounts(), await found("ephemeral")]).toEqual([(before ?? 0) - 1, 0]);
    await send("POST", `${at}/publish`);
    expect([await readCounts(), await found("ephemeral")]).toEqual([before, 1]);

    await send("PATCH", `${at}/services/a-service`, {
      title: "Perpetual things",
      category: "music",
      price: "77",
    });
    expect([await readCounts(), await found("ephemeral"), await found("perpetual")]).toEqual([before, 0, 1]);
    expect((await find("category=music&min_price=77&max_price=77")).total).toBe(1);
    expect((await find("category=tax")).total).toBe(0);

    await send("POST", `${at}/services/a-service/pause`);
    expect([await readCounts(), await found("perpetual")]).toEqual([(before ?? 0) - 1, 0]);
    await send("POST", `${at}/services/a-service/publish`);
    await send("POST", `${at}/retire`);
    expect([await readCounts(), await found("perpetual")]).toEqual([(before ?? 0) - 1, 0]);
  });

  test("stay correct under concurrent changes of agents and services", async () => {
    const { token } = owner;
    const { agent } = await publishService(api, owner);
    const moves = ["pause", "publish", "services/a-service/pause", "services/a-service/publish"];
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const path = `/agents/${agent.slug}/${moves[(n * 7) % 4]}`;
        return (await api.request("POST", path, { token })).status;
      }),
    );
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    await readCounts();
  });

  test("follow the number of completed orders up and down", async () => {
    const { agent, service } = await publishService(api, owner, { title: "Countable" });
    const complete = async (orders: number) => {
      await api.db.execute(sql`update earnest.agent set completed_orders = ${orders} where id = ${agent.id}`);
      await api.db.execute(
        sql`update earnest.service set completed_orders = ${orders} where id = ${service.id}`,
      );
    };
    const count = async () => {
      const [item] = (await find("q=countable&sort=most_completed")).items;
      return [item.completed_order_count, (await read(`/agents/${agent.slug}`)).completed_orders];
    };
    expect(await count()).toEqual([0, 0]);
    await complete(1);
    expect(await count()).toEqual([1, 1]);
    expect(slugs(await find("sort=most_completed&limit=1"))).toEqual(["a-service"]);
    await complete(0);
    expect(await count()).toEqual([0, 0]);
    await readCounts();
  });
});

describe("searches that are planned once, by form", () => {
  const words = [
    ...[
      "legal",
      "le",
      "japanese let",
      "legal  translation",
      "l or",
      "or",
      "or legal",
      "legal OR charts",
      "legal or charts",
    ],
    ...[
      '"legal translation"',
      '"legal',
      "legal -charts",
      "legal - charts",
      "charts!",
      "été",
      "データ",
      "a&b|c",
      "'; legal",
      "100%",
    ],
    ...["the", "x".repeat(60), "it's legal", "legal:*", "(legal)", "😀 legal", " legal ", "legal charts "],
  ];

  test.each(["services", "agents"])("are all answered, in any order and repeatedly: %s", async (market) => {
    for (const q of [...words, ...words.toReversed()]) {
      for (const sort of ["", "&sort=relevance"]) {
        const answer = await api.request("GET", `/marketplace/${market}?q=${encodeURIComponent(q)}${sort}`);
        expect([q, answer.status]).toEqual([q, 200]);
      }
    }
  });

  test("find the same as a statement of their own", async () => {
    for (const q of words) {
      const [usual, other] = [
        await find(`q=${encodeURIComponent(q)}`),
        await find(`q=${encodeURIComponent(q)}&limit=21`),
      ];
      expect([q, slugs(usual), usual.total]).toEqual([q, slugs(other), other.total]);
    }
  });
});

describe("a search in any language", () => {
  const offers = {
    russian: "Перевод документов",
    french: "Menu du CAFÉ",
    greek: "ΜΕΤΆΦΡΑΣΗ ΟΔΟΣ",
    japanese: "日本語から英語への技術翻訳",
    chinese: "合同文件翻译服务",
    korean: "한국어 번역",
  };

  beforeAll(async () => {
    const { token } = owner;
    for (const [slug, title] of Object.entries(offers)) {
      const body = { slug, title, price: "2", delivery_time_hours: 24 };
      expectStatus(201, await api.request("POST", "/agents/ama/services", { token, body }));
      expectStatus(200, await api.request("POST", `/agents/ama/services/${slug}/publish`, { token }));
    }
    const body = {
      slug: "polyglot",
      name: "ÉCLAIR Переводчик 翻訳者",
      capabilities: { skills: ["ÜBERSETZUNG"] },
    };
    expectStatus(201, await api.request("POST", "/agents", { token, body }));
    const { address } = owner.account;
    expectStatus(
      200,
      await api.request("PUT", "/agents/polyglot/payout-wallet", { token, body: { address } }),
    );
    expectStatus(200, await api.request("POST", "/agents/polyglot/publish", { token }));
  });

  test.each([
    ["перевод", "russian"],
    ["ПЕРЕВОД", "russian"],
    ["перевод ДОКУМ", "russian"],
    ['"ПЕРЕВОД документов"', "russian"],
    ["café", "french"],
    ["cafe\u0301", "french"],
    ["CAFE\u0301", "french"],
    ["μετάφραση", "greek"],
    ["οδός".replace("ό", "ο"), "greek"],
    ["Οδοσ", "greek"],
    ["技術", "japanese"],
    ["術翻", "japanese"],
    ["英語", "japanese"],
    ["への", "japanese"],
    ['"技術翻訳"', "japanese"],
    ["翻译", "chinese"],
    ["同文", "chinese"],
    ["文件 服务", "chinese"],
    ["번역", "korean"],
  ])("finds %s in another case, form or within a text", async (q, expected) => {
    expect(slugs(await find(`q=${encodeURIComponent(q)}`))).toEqual([expected]);
  });

  test.each(["翻術", "译翻", "術英", "документы-нет"])(
    "finds nothing for %s, which no text has",
    async (q) => {
      expect((await find(`q=${encodeURIComponent(q)}`)).items).toEqual([]);
    },
  );

  test.each([
    ["первеод", "перевод", "russian"],
    ["μετάφραη", "μετάφραση", "greek"],
  ])("finds %s in %s, through an index in any locale", async (q, corrected, slug) => {
    const body = await find(`q=${encodeURIComponent(q)}`);
    expect([body.corrected_query, slugs(body)]).toEqual([corrected, [slug]]);
  });

  test("omits texts with the excluded characters", async () => {
    expect(slugs(await find(`q=${encodeURIComponent("翻 -技術")}`))).toEqual(["chinese"]);
  });

  test.each(["éclair", "переводчик", "翻訳", "übersetzung", "ÜBERSETZ"])("finds agents by %s", async (q) => {
    const body = await read(`/marketplace/agents?q=${encodeURIComponent(q)}`);
    expect(slugs(body)).toEqual(["polyglot"]);
  });
});
