import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../../../config/config.ts";
import { service } from "../../../db/schema.ts";
import { expectStatus, publishService } from "../../harness/api.ts";
import { getFixture } from "../../harness/fixtures/fixture.ts";
import { ask, createMarket, type Market, place, rowOf } from "../../harness/market/market.ts";

let market: Market;
let path: string;

beforeAll(async () => {
  market = await createMarket({ env: { MIN_ACCEPTANCE_HOURS_31337: "24" } });
  path = `/agents/${market.agent.slug}/services/${market.service.slug}`;
});
afterAll(() => market?.api.close());

const change = (acceptance_hours: number) =>
  market.api.request("PATCH", path, { token: market.provider.token, body: { acceptance_hours } });

test("a service with an acceptance time under the chain's least is 400, naming the least", async () => {
  const short = publishService(market.api, market.provider, { acceptance_hours: 23 });
  await expect(short).rejects.toThrow("use at least 24");
  await publishService(market.api, market.provider, { acceptance_hours: 24 });
  const refused = await change(1);
  expect([refused.status, refused.body.error.details]).toEqual([
    400,
    [{ path: "/acceptance_hours", keyword: "minimum", message: expect.stringContaining("at least 24") }],
  ]);
  expectStatus(200, await change(30));
  expect((await market.api.request("GET", "/chain/status")).body.min_acceptance_hours).toBe(24);
});

test("a stored service under the least is read, listed and sold with the least, and its orders agree on it", async () => {
  const { db } = market.api;
  await db.update(service).set({ acceptanceHours: 1 }).where(eq(service.id, market.service.id));
  expect(expectStatus(200, await market.api.request("GET", path)).acceptance_hours).toBe(24);
  const listed = expectStatus(200, await market.api.request("GET", "/marketplace/services"));
  const found = listed.items.find(({ id }: { id: string }) => id === market.service.id);
  expect(found.acceptance_hours).toBe(24);
  // Another field can change without a change of this one.
  const titled = { token: market.provider.token, body: { title: "Another title" } };
  expectStatus(200, await market.api.request("PATCH", path, titled));

  const { id } = await place(market);
  expect((await rowOf(market, id)).acceptanceWindow).toBe(86_400);
  const agreement = await ask(market, market.buyer, "GET", `/orders/${id}/agreement`);
  expect(expectStatus(200, agreement).acceptance_window_seconds).toBe(86_400);
});

test("the least is a day on a public chain and an hour on a local one, unless it is configured", async () => {
  const { deployments } = await getFixture("baseChain");
  const folder = mkdtempSync(join(tmpdir(), "earnest-acceptance-"));
  try {
    const manifest = JSON.parse(readFileSync(join(deployments, "31337.json"), "utf8"));
    for (const chain_id of [31_337, 8453]) {
      writeFileSync(join(folder, `${chain_id}.json`), JSON.stringify({ ...manifest, chain_id }));
    }
    const least = (env: Record<string, string> = {}) =>
      readConfig({ DEPLOYMENTS_DIR: folder, RPC_URL_8453: "http://127.0.0.1:1", ...env }).chains.map(
        ({ min_acceptance_hours }) => min_acceptance_hours,
      );
    expect(least()).toEqual([24, 1]);
    expect(least({ MIN_ACCEPTANCE_HOURS_8453: "72" })).toEqual([72, 1]);
    expect(() => least({ MIN_ACCEPTANCE_HOURS_8453: "0" })).toThrow("MIN_ACCEPTANCE_HOURS_8453");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
