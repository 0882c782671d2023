import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPaths, ownPaths, signInPaths } from "../../../console/src/paths.ts";
import { createTestApi, publishService, signIn, type TestApi } from "../../harness/api.ts";

const agents = 21_000;

let api: TestApi;
let slug: string;
let serviceSlug: string;
beforeAll(async () => {
  api = await createTestApi();
  const published = await publishService(api, await signIn(api));
  slug = published.agent.slug;
  serviceSlug = published.service.slug;
  await api.db.execute(sql`
    insert into earnest.agent (id, account_id, slug, name, capabilities, status)
    select 'agt_' || lpad(n::text, 26, '0'), account_id, 'a-' || n, 'Agent', capabilities,
      case when n % 1000 = 0 then 'paused' else 'published' end
    from generate_series(1, ${agents}::int) as n, earnest.agent where slug = ${slug}`);
});
afterAll(() => api.close());

const site = "http://localhost:42069";

async function read(path: string) {
  const answer = await api.app.request(path);
  const text = await answer.text();
  const urls = [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => String(url));
  return { status: answer.status, type: answer.headers.get("content-type"), text, urls };
}

test("lists every public page once, in parts of at most 10,000", async () => {
  const index = await read("/sitemap.xml");
  expect([index.status, index.type]).toEqual([200, "application/xml; charset=utf-8"]);
  expect(index.urls).toEqual(
    ["pages", "agents-1", "agents-2", "agents-3", "services-1"].map((name) => `${site}/sitemap/${name}.xml`),
  );
  const parts = [];
  for (const url of index.urls) parts.push(await read(new URL(url).pathname));
  for (const part of parts) expect(part.urls.length).toBeLessThanOrEqual(10_000);
  const urls = parts.flatMap((part) => part.urls);
  expect(new Set(urls).size).toBe(urls.length);
  expect(urls).toHaveLength(5 + (agents - 21) + 1 + 1);
  expect(urls).toContain(`${site}/agents/a-20999`);
  expect(urls).toContain(`${site}/market/${slug}/${serviceSlug}`);
  expect(urls).not.toContain(`${site}/agents/a-1000`);
  for (const url of [urls[0], urls.at(-1)])
    expect((await api.app.request(new URL(String(url)).pathname)).status, url).toBe(200);
});

test("has no other parts, and answers 304 to a known tag", async () => {
  for (const name of ["agents-0", "agents-4", "agents", "services-2", "orders-1", "pages-1"])
    expect((await api.app.request(`/sitemap/${name}.xml`)).status, name).toBe(404);
  const { headers } = await api.app.request("/sitemap.xml");
  const again = await api.app.request("/sitemap.xml", {
    headers: { "if-none-match": String(headers.get("etag")) },
  });
  expect(again.status).toBe(304);
  expect((await api.app.request("/sitemap.xml", { method: "HEAD" })).status).toBe(200);
});

test("allows crawlers the public pages alone", async () => {
  const answer = await api.app.request("/robots.txt", { headers: { accept: "text/html,*/*" } });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  const text = await answer.text();
  expect(text).toContain(`\nSitemap: ${site}/sitemap.xml\n`);
  const refused = [...text.matchAll(/^Disallow: (.*)$/gm)].map(([, path]) => String(path));
  const isRefused = (path: string) =>
    refused.some((rule) => (rule.endsWith("$") ? path === rule.slice(0, -1) : path.startsWith(rule)));
  for (const path of openPaths) expect(isRefused(path), path).toBe(signInPaths.some((one) => one === path));
  for (const path of ownPaths) expect(isRefused(path), path).toBe(true);
  expect(isRefused("/api/v1/marketplace/services")).toBe(false);
});
