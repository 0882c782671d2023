import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { publicRoutes } from "../../api/pages/public-pages.ts";
import { readConfig } from "../../config/config.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { createKey, expectStatus } from "../harness/api.ts";
import { blockOf, documents, readTable, wordsOf } from "../harness/documents/blocks.ts";
import { compared, withoutChanges } from "../harness/documents/outputs.ts";
import {
  ask,
  createMarket,
  indexer,
  type Market,
  place,
  rowOf,
  settleNow,
} from "../harness/market/market.ts";
import { root } from "../harness/programs.ts";

const read = (file: string) => readFileSync(join(root, file), "utf8");

let market: Market;
beforeAll(async () => {
  // The default limits of an installation.
  const { rateLimits } = readConfig({});
  const RATE_LIMITS = Object.entries(rateLimits ?? {})
    .map(([policy, most]) => `${policy}=${most}`)
    .join();
  market = await createMarket({ env: { RATE_LIMITS } });
});
afterAll(() => market?.api.close());

test("docs/errors.md shows a real answer", async () => {
  const refused = await ask(market, market.buyer, "POST", "/orders", {
    service_id: market.service.id,
    input_payload: {},
  });
  expect(refused.status).toBe(422);
  const [answer, sample] = compared(refused.body, "docs/errors.md: Errors");
  expect(answer).toEqual(sample);
});

test("docs/limits.md shows a real answer", async () => {
  const made = expectStatus(
    201,
    await market.api.request("POST", "/api-keys", {
      token: market.buyer.token,
      body: { name: "shopper", scopes: ["orders:read", "orders:write"], limits: { per_day: "4" } },
    }),
  );
  const order = { service_id: market.service.id, input_payload: { text: "Guten Tag" } };
  const buy = () => market.api.request("POST", "/orders", { token: made.token, body: order });
  expectStatus(201, await buy());
  const refused = await buy();
  expect(refused.status).toBe(403);
  const [answer, sample] = compared(refused.body, "docs/limits.md: A refusal");
  expect(answer).toEqual(sample);
  expect(withoutChanges(refused.body.error.message)).toMatch(/^This key has spent/);
});

test("docs/api.md shows a real empty list and real limit headers", async () => {
  const key = await createKey(market.api, market.provider, ["orders:read"]);
  const list = await market.api.request("GET", "/orders", { token: key });
  const [answer, sample] = compared(list.body, "docs/api.md: Lists");
  expect(answer).toEqual(sample);
  const headers = ["RateLimit-Policy", "RateLimit"]
    .map((name) => `${name}: ${list.headers.get(name)}\n`)
    .join("");
  const leftOut = (text: string) => text.replaceAll(/\b([rt])=\d+/g, "$1=<number>");
  expect(leftOut(headers)).toBe(leftOut(blockOf("docs/api.md: Limits")));
});

test("docs/webhooks.md shows a real event", async () => {
  const order = await place(market);
  await indexer(market, await rowOf(market, order.id)).funded();
  await settleNow(market);
  const feed = expectStatus(200, await ask(market, market.provider, "GET", "/events?type=order.funded"));
  const [event] = feed.items;
  const [answer, sample] = compared({ ...event, id: "whd_01jd..." }, "docs/webhooks.md: A delivery");
  expect(answer).toEqual(sample);
});

test("docs/api.md lists the paths at the root of the host", () => {
  const atRoot = new Set(
    market.api.app.routes
      .filter(({ path, method }) => method !== "ALL" && !path.startsWith(apiPath))
      .map(({ path }) => path),
  );
  const documentedPaths = readTable("docs/api.md", "| path | holds |").flatMap(([cell = ""]) =>
    wordsOf(cell),
  );
  const isDocumentedBy = (path: string, one: string) =>
    one.endsWith("/...") ? path.startsWith(one.slice(0, -3)) : path === one.replaceAll(/\{(\w+)\}/g, ":$1");
  expect(documentedPaths.filter((one) => ![...atRoot].some((path) => isDocumentedBy(path, one)))).toEqual([]);
  // The console is listed with the other pages. The script of the receipt page exists only after a build.
  const ofPages: string[] = [...publicRoutes, "/assets/:name", "/receipt-page.js"];
  const untold = [...atRoot].filter((path) => !documentedPaths.some((one) => isDocumentedBy(path, one)));
  expect(untold.filter((path) => !ofPages.includes(path))).toEqual([]);
});

test("each metric has a help text", async () => {
  const page = await market.api.metrics();
  const served = [...page.matchAll(/^# TYPE (\w+)/gm)].map(([, name = ""]) => name);
  const documentedMetrics = [...page.matchAll(/^# HELP (\w+) \S+ .*\.$/gm)].map(([, name = ""]) => name);
  expect(served.length).toBeGreaterThan(25);
  expect(documentedMetrics).toEqual(served);
});

test("each request in a document is one of the API", () => {
  const shape = (path: string) =>
    path.replaceAll(/\{\w+\}|:\w+|<\w+>/g, "{}").replace(/^\/api\/v1(?=\/)/, "");
  const known = new Set(market.api.app.routes.map(({ method, path }) => `${method} ${shape(path)}`));
  // These pages are about requests of other programs.
  const ofOthers = ["docs/witness.md", "clients/scenarios/README.md"];
  const unknown = documents.flatMap((file) =>
    [...read(file).matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`\s?,]*)/g)]
      .map(([, method, path = ""]) => `${method} ${shape(path)}`)
      .filter((request) => !known.has(request) && !/\.\.\.|\*/.test(request) && !ofOthers.includes(file))
      .map((request) => `${file}: ${request}`),
  );
  expect([...new Set(unknown)]).toEqual([]);
});
