import { eq, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createContext } from "../../../api/context.ts";
import { findOutage } from "../../../api/http/outages.ts";
import { openDatabase, statementSeconds } from "../../../db/client.ts";
import { account, agent, organisationMember, wallet } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { ask, createMarket, type Market, place, placeDelivered } from "../../harness/market/market.ts";

let market: Market;

beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market.api.close());

const list = async (path: string, who = market.buyer): Promise<Answer["body"]> =>
  expectStatus(200, await ask(market, who, "GET", path));

describe("lists of orders", () => {
  test("omit payloads unless a request includes them, and then have ten orders at most", async () => {
    await placeDelivered(market);
    for (let more = 0; more < 10; more += 1) await place(market);
    for (const [path, who] of [
      ["/orders", market.buyer],
      ["/orders/received", market.provider],
    ] as const) {
      const bare = await list(path, who);
      expect(bare.items).toHaveLength(11);
      for (const item of bare.items) {
        expect(item).not.toHaveProperty("input_payload");
        expect(item).not.toHaveProperty("output_payload");
        expect(item).toHaveProperty("status");
      }
      const whole = await list(`${path}?include=payloads&limit=100`, who);
      expect(whole).toMatchObject({ limit: 10, total: 11, next_cursor: expect.any(String) });
      expect(whole.items).toHaveLength(10);
      expect(whole.items[0].input_payload).toEqual({ text: expect.any(String) });
      const rest = await list(`${path}?include=payloads&cursor=${whole.next_cursor}`, who);
      expect(rest.items).toMatchObject([{ output_payload: { translation: "Good day" } }]);
    }
    const refused = await ask(market, market.buyer, "GET", "/orders?include=everything");
    expect(refused.status).toBe(400);
  });
});

describe("GET /agents/mine", () => {
  test("is a plain array, and the header Link leads through all agents, each once", async () => {
    const { accountId } = market.outsider;
    await market.api.db.insert(agent).values(
      Array.from({ length: 5 }, (_, at) => ({
        id: typeid("agt").toString(),
        accountId,
        slug: `paged-${at}-${accountId.slice(-8)}`,
        name: "Paged",
        capabilities: {
          skills: [],
          languages: [],
          protocols: [],
          input_modalities: [],
          output_modalities: [],
        },
      })),
    );
    const all = await list("/agents/mine", market.outsider);
    expect(all).toHaveLength(5);
    const seen: string[] = [];
    let path: string | undefined = "/agents/mine?limit=2&status=draft";
    let pages = 0;
    while (path) {
      const { status, body, headers } = await ask(market, market.outsider, "GET", path);
      expect(status).toBe(200);
      seen.push(...body.map(({ id }: { id: string }) => id));
      const next: string | null = headers.get("link");
      pages += 1;
      path = next?.match(/^<http:\/\/localhost:42069\/api\/v1(\/agents\/mine\?[^>]+)>; rel="next"$/)?.[1];
      expect(Boolean(path)).toBe(Boolean(next));
    }
    expect(pages).toBe(3);
    expect(seen).toEqual(all.map(({ id }: { id: string }) => id));
  });
});

describe("members of an organisation", () => {
  test("are paged, the founder first", async () => {
    const { accountId } = market.provider;
    const joined = Array.from({ length: 4 }, () => typeid("acc").toString());
    await market.api.db.insert(account).values(joined.map((id) => ({ id })));
    await market.api.db.insert(wallet).values(
      joined.map((id, at) => ({
        id: typeid("wal").toString(),
        accountId: id,
        isPrimary: true,
        provedBy: "key" as const,
        address: `0x${String(at).padStart(40, "7")}` as const,
      })),
    );
    await market.api.db
      .insert(organisationMember)
      .values(joined.map((memberAccountId) => ({ accountId, memberAccountId, role: "viewer" as const })));
    const path = `/organisations/${accountId}/members`;
    const first = await list(`${path}?limit=2`, market.provider);
    expect(first).toMatchObject({ total: 5, limit: 2, items: [{ is_founder: true, role: "owner" }, {}] });
    const second = await list(`${path}?limit=3&cursor=${first.next_cursor}`, market.provider);
    expect(second.next_cursor).toBeNull();
    const ids = [...first.items, ...second.items].map(({ account_id }) => account_id);
    expect(ids).toEqual([accountId, ...joined.sort()]);
  });
});

describe("a statement that does not end", () => {
  const timeoutOf = async (db: ReturnType<typeof openDatabase>) =>
    (await db.execute<{ statement_timeout: string }>(sql`show statement_timeout`)).rows[0]?.statement_timeout;

  test("is cancelled in every process", async () => {
    const url = market.api.config.databaseUrl;
    const { db: ofRequests } = createContext(market.api.config);
    const ofJobs = openDatabase(url, { max: 1 });
    const ofMigrations = openDatabase(url, { max: 1, statementSeconds: statementSeconds.migration });
    try {
      const timeouts = [ofRequests, ofJobs, ofMigrations].map(timeoutOf);
      expect(await Promise.all(timeouts)).toEqual(["15s", "2min", "0"]);
    } finally {
      await Promise.all([ofRequests, ofJobs, ofMigrations].map(({ $client }) => $client.end()));
    }
  });

  test("is 503, and so is a wait for a lock of another transaction", async () => {
    const impatient = openDatabase(market.api.config.databaseUrl, { max: 1, statementSeconds: 0.2 });
    try {
      const error = await inTransaction(market.api.db, async (tx) => {
        await tx.select().from(agent).where(eq(agent.id, market.agent.id)).for("update");
        return impatient
          .update(agent)
          .set({ name: "Never" })
          .where(eq(agent.id, market.agent.id))
          .catch((found: unknown) => found);
      });
      expect(findOutage(error)).toMatchObject({ code: "dependency_unavailable" });
    } finally {
      await impatient.$client.end();
    }
  });
});
