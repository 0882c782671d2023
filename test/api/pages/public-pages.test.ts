import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agent, receipt, service } from "../../../db/schema.ts";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import { createTestApi, publishService, signIn } from "../../harness/api.ts";
import { pack } from "../../harness/console/hostile.ts";
import { createMarket, type Market, placeDelivered } from "../../harness/market/market.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market.api.close());

const site = "http://localhost:42069";

async function open(path: string, init: RequestInit = {}) {
  const answer = await market.api.app.request(path, init);
  const page = await answer.text();
  const [, title] = /<title>([^<]*)<\/title>/.exec(page) ?? [];
  const meta = (name: string) =>
    new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(page)?.[1];
  const [, canonical] = /<link rel="canonical" href="([^"]*)">/.exec(page) ?? [];
  const [, data] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page) ?? [];
  const [, body = ""] = /<noscript>(.*)<\/noscript>/s.exec(page) ?? [];
  return { status: answer.status, headers: answer.headers, page, title, meta, canonical, data, body };
}

describe("a crawler without JavaScript", () => {
  test("reads what an agent is, and its services", async () => {
    const path = `/agents/${market.agent.slug}`;
    const { status, title, meta, canonical, data, body } = await open(path);
    expect(status).toBe(200);
    expect(title).toBe(`${market.agent.name} · Earnest`);
    expect(meta("og:title")).toBe(title);
    expect([meta("og:type"), meta("og:url"), canonical]).toEqual(["profile", site + path, site + path]);
    expect(meta("description")).toBe(meta("og:description"));
    expect(meta("robots")).toBeUndefined();
    expect(JSON.parse(data ?? "")).toMatchObject({
      "@type": "ProfilePage",
      mainEntity: { name: market.agent.name, identifier: market.agent.slug },
    });
    expect(body).toContain(`<a href="./market/${market.agent.slug}/${market.service.slug}">`);
  });

  test("reads a service with its price", async () => {
    const path = `/market/${market.agent.slug}/${market.service.slug}`;
    const { status, title, meta, data } = await open(path);
    expect([status, title]).toEqual([200, `${market.service.title} by ${market.agent.name} · Earnest`]);
    expect(meta("og:type")).toBe("product");
    const [row] = await market.api.db.select().from(service).where(eq(service.id, market.service.id));
    expect(meta("og:description")).toMatch(/^2\.50 TUSD\. /);
    expect(JSON.parse(data ?? "").offers).toMatchObject({
      price: formatAmount(row?.price ?? 0n, 6),
      priceCurrency: "TUSD",
    });
  });

  test("reads the stages of a service with their prices", async () => {
    const stages = [
      { title: "Draft <b>", amount: "1.50", hours: 24 },
      { title: "Final text", amount: "1.00", hours: 48 },
    ];
    const fields = { price: "2.50", stages, delivery_time_hours: 72 };
    const { agent: seller, service: staged } = await publishService(market.api, market.provider, fields);
    const { body } = await open(`/market/${seller.slug}/${staged.slug}`);
    expect(body).toContain(
      "<li><bdi>Draft &lt;b&gt;</bdi>: 1.50 TUSD</li><li><bdi>Final text</bdi>: 1.00 TUSD</li>",
    );
  });

  test.each(["/", "/market"])("reads live services at %s", async (path) => {
    const { status, title, canonical, meta, body } = await open(`${path}?q=anything`);
    expect([status, canonical, meta("og:title")]).toEqual([200, site + path, title]);
    expect(body).toMatch(/<h1>[^<]+<\/h1>/);
    expect(body).toContain(market.service.title);
  });

  test("gets the picture of the preview", async () => {
    const { meta } = await open("/");
    const url = new URL(String(meta("og:image")));
    expect(url.origin).toBe(site);
    const picture = await market.api.app.request(url.pathname, { headers: { "accept-encoding": "gzip" } });
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(picture.headers.get("content-encoding")).toBeNull();
    expect(
      Buffer.from(await picture.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
  });

  test("is told to leave a receipt out, which its id alone protects", async () => {
    const { id } = await placeDelivered(market, { translation: "Good day" });
    const receipts = await market.api.db.select().from(receipt).where(eq(receipt.orderId, id));
    const { status, title, meta } = await open(`/receipts/${receipts[0]?.id}/checks`);
    expect(status).toBe(200);
    expect(title).toMatch(/^Receipt: \d+\.\d\d TUSD funded · Earnest$/);
    expect(meta("robots")).toBe("noindex");
  });
});

describe("a German reader without JavaScript", () => {
  const german = { headers: { "accept-language": "fr, de-CH;q=0.8, en;q=0.5" } };
  const lang = (page: string) => /<html lang="(\w+)">/.exec(page)?.[1];

  test("reads German titles, headings and prices", async () => {
    const { page, title, meta, body, headers } = await open("/", german);
    expect(lang(page)).toBe("de");
    expect(title).toBe("Earnest: Dienste von Agenten mit Geld in Treuhand");
    expect([meta("og:title"), headers.get("vary")]).toEqual([title, "Accept, Accept-Language, Cookie"]);
    expect(body).toContain("<h1>KI-Agenten beauftragen.");
    expect((await open("/market", german)).title).toBe("Marktplatz · Earnest");
    const service = await open(`/market/${market.agent.slug}/${market.service.slug}`, german);
    expect(service.title).toBe(`${market.service.title} von ${market.agent.name} · Earnest`);
    expect(service.meta("og:description")).toMatch(/^2,50 TUSD\. /);
  });

  test("gets English by the cookie, whatever the browser's language is", async () => {
    const chosen = { headers: { ...german.headers, cookie: "earnest_language=en" } };
    const { page, title, headers } = await open("/market", chosen);
    expect([lang(page), title]).toEqual(["en", "Marketplace · Earnest"]);
    expect(headers.get("etag")).not.toBe((await open("/market", german)).headers.get("etag"));
    const unknown = { headers: { cookie: 'earnest_language=x"><script>' } };
    expect(lang((await open("/market", unknown)).page)).toBe("en");
  });

  test("gets the console of a page that needs a session in German", async () => {
    const { page } = await open("/keys", { headers: { ...german.headers, accept: "text/html" } });
    expect(lang(page)).toBe("de");
  });
});

test("answers 404 with the console for what is not there, hidden or malformed", async () => {
  const { db } = market.api;
  await db.insert(agent).values({
    ...(await ownAgent()),
    id: "agt_00000000000000000000000001",
    slug: "secret",
    name: "Secret",
    status: "draft",
  });
  for (const path of [
    "/agents/secret",
    "/records/secret",
    "/agents/no-such-agent",
    "/agents/A%22b",
    `/market/${market.agent.slug}/no-such-service`,
    "/receipts/rcp_1/checks",
    "/receipts/rcp_01kb6r5jf2fh7v7h4p8m7zq3tt/checks",
  ]) {
    const { status, page, meta, title } = await open(path);
    expect([status, meta("robots"), title], path).toEqual([404, "noindex", "Earnest"]);
    expect(page, path).toContain('<div id="console">');
    expect(page, path).not.toContain("Secret");
  }
});

test("answers HEAD, and 304 to a known tag", async () => {
  const path = `/agents/${market.agent.slug}`;
  const { headers } = await open(path);
  const head = await open(path, { method: "HEAD" });
  expect([head.status, head.page, head.headers.get("etag")]).toEqual([200, "", headers.get("etag")]);
  const again = await open(path, { headers: { "if-none-match": String(headers.get("etag")) } });
  expect([again.status, again.page]).toEqual([304, ""]);
});

test("reads the database at most once a second for all visitors of a page", async () => {
  const cached = await createTestApi({ env: { ANSWER_CACHE_MB: "4" } });
  try {
    const { agent: shown } = await publishService(cached, await signIn(cached));
    const read = async () => (await cached.app.request(`/agents/${shown.slug}`)).text();
    const rename = (name: string) => cached.db.update(agent).set({ name }).where(eq(agent.slug, shown.slug));
    let renamed = 0;
    const isRepeated = async () => {
      const before = await read();
      await rename(`Renamed ${++renamed}`);
      return (await read()) === before;
    };
    // Two reads within a second are equal, unless the machine is too slow for them.
    await expect.poll(isRepeated).toBe(true);
    await rename("Renamed at last");
    await expect.poll(read, { timeout: 30_000 }).toContain("Renamed at last");
  } finally {
    await cached.close();
  }
});

test("shows hostile names as text", async () => {
  const { db } = market.api;
  const slug = market.agent.slug;
  const own = await ownAgent();
  const [row] = await db.select().from(service).where(eq(service.id, market.service.id));
  for (const text of [
    ...pack(100),
    "\u202eevil",
    "a\u2028b",
    "</noscript><script>hx(1)</script>",
    "$& $` $'",
  ]) {
    await db.update(agent).set({ name: text, tagline: text }).where(eq(agent.id, own.id));
    await db.update(service).set({ title: text, summary: text }).where(eq(service.id, market.service.id));
    for (const path of [`/agents/${slug}`, `/market/${slug}/${market.service.slug}`, "/"]) {
      const { status, page, data } = await open(path);
      expect(status).toBe(200);
      // Each `<` of the page begins an element or a comment of ours.
      const tags = [...page.matchAll(/<\/?([^\s>/]*)[^>]*/g)];
      const names = new Set(tags.map(([, name]) => name));
      for (const name of names)
        expect(
          [
            "!doctype",
            "html",
            "head",
            "meta",
            "base",
            "!--",
            "link",
            "title",
            "script",
            "body",
            "div",
            "noscript",
            "h1",
            "h2",
            "p",
            "bdi",
            "ul",
            "ol",
            "li",
            "a",
          ],
          `${text} at ${path}`,
        ).toContain(name);
      const scripts = tags.filter(([, name]) => name === "script").map(([tag]) => tag);
      for (const tag of scripts)
        expect(tag).toMatch(
          /^<(\/script|script type="(module|application\/ld\+json)"|script type="module" )/,
        );
      expect(page.match(/<\/noscript>/g)).toHaveLength(1);
      expect(page.match(/<title>/g)).toHaveLength(1);
      expect(page).not.toMatch(/[\u202e\u2028]/);
      expect(() => JSON.parse(data ?? "")).not.toThrow();
      // Their texts add no attribute.
      for (const [tag] of tags)
        expect(tag.replaceAll(/"[^"]*"/g, "")).not.toMatch(/hx|\s(on\w+|autofocus|srcdoc)=/);
    }
  }
  await db.update(agent).set(own).where(eq(agent.id, own.id));
  await db
    .update(service)
    .set({ title: row?.title, summary: row?.summary })
    .where(eq(service.id, market.service.id));
});

async function ownAgent() {
  const [row] = await market.api.db.select().from(agent).where(eq(agent.slug, market.agent.slug));
  if (!row) throw new Error("The market has no agent.");
  const { search: _, ...columns } = row;
  return columns;
}
