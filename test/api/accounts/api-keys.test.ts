import { eq, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Caller, scopes } from "../../../api/http/caller.ts";
import { findRevokedCallers } from "../../../api/http/revoked-access.ts";
import { lockOrganisation } from "../../../api/organisations/membership.ts";
import { apiKey, organisationMember } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { caps } from "../../../trade/account-caps.ts";
import { createKey, expectStatus, type Session, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: TestApi;
let owner: Session;
beforeAll(async () => {
  api = await createDocumentedApi();
  owner = await signIn(api);
});
afterAll(() => api.close());

const none = {
  per_order: null,
  per_day: null,
  per_month: null,
  max_open_orders: null,
  agents: null,
  services: null,
  assets: null,
  approval_above: null,
};

const make = (body: unknown, token = owner.token) => api.request("POST", "/api-keys", { token, body });

describe("POST /api-keys", () => {
  test("shows the token once, and stores only its hash", async () => {
    const key = expectStatus(201, await make({ name: " nightly ", scopes: ["orders:read", "orders:write"] }));
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      name: "nightly",
      scopes: ["orders:read", "orders:write"],
      token: expect.stringMatching(/^esk_[\w-]{43}$/),
      token_hint: key.token.slice(-4),
      client_host: null,
      created_by: owner.accountId,
      limits: none,
      allowed_ips: null,
      expires_at: null,
      created_at: expect.any(String),
      last_used_at: null,
      revoked_at: null,
    });
    const stored = await api.db.select().from(apiKey).where(eq(apiKey.id, key.id));
    expect(JSON.stringify(stored)).not.toContain(key.token);
    const listed = expectStatus(200, await api.request("GET", "/api-keys", { token: owner.token }));
    expect(JSON.stringify(listed)).not.toContain(key.token);
  });

  test("stores each scope once", async () => {
    const key = expectStatus(201, await make({ name: "twice", scopes: ["orders:read", "orders:read"] }));
    expect(key.scopes).toEqual(["orders:read"]);
  });

  test("is 400 naming each unknown scope", async () => {
    const before = await api.db.$count(apiKey);
    const { status, body } = await make({ name: "x", scopes: ["orders:read", "orders:all", "admin"] });
    expect([status, body.error.code]).toEqual([400, "invalid_request"]);
    expect(body.error.details).toEqual([
      {
        path: "/scopes/1",
        keyword: "invalid_value",
        message: expect.stringMatching(/^"orders:all" is not a scope/),
      },
      {
        path: "/scopes/2",
        keyword: "invalid_value",
        message: expect.stringMatching(/^"admin" is not a scope/),
      },
    ]);
    expect(await api.db.$count(apiKey)).toBe(before);
  });

  test.each([
    ["no scopes", { name: "x", scopes: [] }, "/scopes"],
    ["scopes in one string", { name: "x", scopes: "orders:read" }, "/scopes"],
    ["no name", { scopes: ["orders:read"] }, "/name"],
    ["a name of blanks", { name: "  ", scopes: ["orders:read"] }, "/name"],
    ["a name without end", { name: "x".repeat(101), scopes: ["orders:read"] }, "/name"],
  ])("is 400 for %s, with its path", async (_, body, path) => {
    const answer = await make(body);
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path]);
  });
});

describe("GET /api-keys", () => {
  test("lists the caller's own keys, newest first, without the revoked ones", async () => {
    const session = await signIn(api);
    for (const name of ["first", "second", "third"]) {
      expectStatus(201, await make({ name, scopes: ["orders:read"] }, session.token));
    }
    const { items } = (await api.request("GET", "/api-keys", session)).body;
    expectStatus(200, await api.request("DELETE", `/api-keys/${items[1].id}`, session));
    const { body } = await api.request("GET", "/api-keys", session);
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(["third", "first"]);
    expect(body).toMatchObject({ total: 2, limit: 20, offset: 0, next_cursor: null });
  });

  test("shows when a key was last used", async () => {
    const session = await signIn(api);
    const key = await createKey(api, session, ["orders:read"]);
    await api.request("GET", "/me", { apiKey: key });
    const { items } = (await api.request("GET", "/api-keys", session)).body;
    expect(Date.now() - Date.parse(items[0].last_used_at)).toBeLessThan(60_000);
  });

  test("writes the last use once a minute, not at each request", async () => {
    const session = await signIn(api);
    const key = await createKey(api, session, ["orders:read"]);
    const mine = eq(apiKey.accountId, session.accountId);
    const useAfter = async (seconds: number) => {
      const earlier = new Date(Date.now() - seconds * 1000);
      await api.db.update(apiKey).set({ lastUsedAt: earlier }).where(mine);
      await api.request("GET", "/me", { apiKey: key });
      const [row] = await api.db.select().from(apiKey).where(mine);
      return Number(row?.lastUsedAt) !== Number(earlier);
    };
    expect(await useAfter(30)).toBe(false);
    expect(await useAfter(70)).toBe(true);
  });
});

test("GET /api-keys/scopes lists every scope with what it grants", async () => {
  const { body } = await api.request("GET", "/api-keys/scopes", owner);
  expect(
    Object.fromEntries(
      body.items.map((item: { scope: string; grants: string }) => [item.scope, item.grants]),
    ),
  ).toEqual(scopes);
});

describe("DELETE /api-keys/{id}", () => {
  test("revokes the key at once, and is 404 the second time", async () => {
    const key = expectStatus(201, await make({ name: "short-lived", scopes: ["orders:read"] }));
    expect((await api.request("GET", "/me", { apiKey: key.token })).status).toBe(200);
    const revoked = expectStatus(200, await api.request("DELETE", `/api-keys/${key.id}`, owner));
    expect(revoked.revoked_at).not.toBeNull();
    expect(revoked.token).toBeUndefined();
    const refused = await api.request("GET", "/me", { apiKey: key.token });
    expect([refused.status, refused.body.error.code]).toEqual([401, "unauthenticated"]);
    expect((await api.request("DELETE", `/api-keys/${key.id}`, owner)).status).toBe(404);
  });

  test("is 404 for the key of another account, which stays valid", async () => {
    const key = expectStatus(201, await make({ name: "mine", scopes: ["orders:read"] }));
    const outsider = await signIn(api);
    const answer = await api.request("DELETE", `/api-keys/${key.id}`, outsider);
    expect([answer.status, answer.body.error.code]).toEqual([404, "not_found"]);
    expect((await api.request("GET", "/me", { apiKey: key.token })).status).toBe(200);
  });
});

describe("a list (of keys)", () => {
  let session: Session;
  const names: string[] = [];
  const list = async (query: string) => api.request("GET", `/api-keys${query}`, session);
  const namesOf = (body: { items: { name: string }[] }) => body.items.map(({ name }) => name);

  beforeAll(async () => {
    session = await signIn(api);
    for (let at = 0; at < 7; at++) {
      names.unshift(`key ${at}`);
      await make({ name: `key ${at}`, scopes: ["orders:read"] }, session.token);
    }
    // Several keys share a millisecond, and two share a microsecond. Paging may lose none of them.
    await api.db.execute(sql`
      update earnest.api_key set created_at = '2026-01-01 00:00:00.000001+00'::timestamptz
        + interval '1 microsecond' * (right(name, 1)::int / 2)
      where account_id = ${session.accountId}`);
    const { rows } = await api.db.execute<{ name: string }>(sql`
      select name from earnest.api_key where account_id = ${session.accountId} order by created_at desc, id desc`);
    names.splice(0, names.length, ...rows.map(({ name }) => name));
  });

  test("is paged by cursor without gaps or repeats", async () => {
    const seen: string[] = [];
    let query = "?limit=2";
    for (let pages = 1; ; pages++) {
      const { body } = await list(query);
      expect(body.total).toBe(7);
      seen.push(...namesOf(body));
      if (body.next_cursor === null) {
        expect(pages).toBe(4);
        break;
      }
      query = `?limit=2&cursor=${encodeURIComponent(body.next_cursor)}`;
    }
    expect(seen).toEqual(names);
  });

  test("is paged by offset", async () => {
    const { body } = await list("?limit=3&offset=3");
    expect(namesOf(body)).toEqual(names.slice(3, 6));
    expect(body).toMatchObject({ total: 7, limit: 3, offset: 3 });
    expect((await list("?offset=7")).body).toMatchObject({ items: [], total: 7, next_cursor: null });
  });

  test("has no next page when the last item ends a page", async () => {
    expect((await list("?limit=7")).body.next_cursor).toBeNull();
    expect((await list("?limit=6")).body.next_cursor).not.toBeNull();
  });

  const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const id = "key_01jd3w8x2mfhz8w9q4t6n5k7ra";
  test.each([
    ["limit of 0", "limit=0", "/limit"],
    ["limit over 100", "limit=101", "/limit"],
    ["limit below 0", "limit=-1", "/limit"],
    ["limit in words", "limit=ten", "/limit"],
    ["limit of a half", "limit=1.5", "/limit"],
    ["offset below 0", "offset=-1", "/offset"],
    ["offset over 10000", "offset=10001", "/offset"],
    ["offset beside a cursor", `offset=1&cursor=${forged(["newest", "1", id])}`, "/offset"],
    ["cursor that is no base64", "cursor=%22", "/cursor"],
    ["cursor that is no JSON", "cursor=abcd", "/cursor"],
    ["cursor of another order", `cursor=${forged(["price_low", "1", id])}`, "/cursor"],
    ["cursor with a part missing", `cursor=${forged(["newest", "1"])}`, "/cursor"],
    ["cursor with SQL in it", `cursor=${forged(["newest", "1", "x'; drop table earnest.agent"])}`, "/cursor"],
    ["cursor with a time beyond all", `cursor=${forged(["newest", "1".repeat(30), id])}`, "/cursor"],
  ])("is 400 for a %s", async (_, query, path) => {
    const { status, body } = await list(`?${query}`);
    expect([status, body.error.code, body.error.details[0].path]).toEqual([400, "invalid_request", path]);
  });

  test("accepts any well-formed cursor", async () => {
    expect((await list(`?cursor=${forged(["newest", "9".repeat(16), id])}`)).status).toBe(200);
    expect((await list(`?cursor=${forged(["newest", "0", id])}`)).body.items).toEqual([]);
  });
});

describe("the limits of a key", () => {
  const change = (id: string, body: unknown, token = owner.token) =>
    api.request("PATCH", `/api-keys/${id}`, { token, body });
  const plain = { name: "bounded", scopes: ["orders:read", "orders:write"] };

  test("are changed one by one: a limit that the request omits keeps its value", async () => {
    const limits = { per_order: "10", per_day: "50.5", assets: ["TUSD"] };
    const key = expectStatus(201, await make({ ...plain, limits }));
    expect(key.limits).toEqual({ ...none, ...limits });
    const changed = expectStatus(
      200,
      await change(key.id, { limits: { per_day: null, max_open_orders: 3 } }),
    );
    expect(changed.limits).toEqual({ ...none, per_order: "10", assets: ["TUSD"], max_open_orders: 3 });
    expect(expectStatus(200, await change(key.id, { name: "other" })).limits).toEqual(changed.limits);
    expect(expectStatus(200, await change(key.id, { limits: none })).limits).toEqual(none);
    const { items } = expectStatus(200, await api.request("GET", "/audit?limit=4", owner));
    expect(items.map(({ action }: { action: string }) => action)).toEqual([
      "key.changed",
      "key.changed",
      "key.changed",
      "key.created",
    ]);
    expect(items[0].data).toMatchObject({
      name: "other",
      from: { limits: { per_order: "10", assets: ["TUSD"], max_open_orders: 3 } },
      to: { limits: null },
    });
  });

  test.each([
    ["a finer amount than the token's", { limits: { per_day: "1.0000001" } }, "/limits/per_day"],
    ["a negative amount", { limits: { per_order: "-1" } }, "/limits/per_order"],
    ["an amount in exponents", { limits: { approval_above: "1e3" } }, "/limits/approval_above"],
    ["a list of nothing", { limits: { agents: [] } }, "/limits/agents"],
    ["a long list", { limits: { services: Array(51).fill("svc_x") } }, "/limits/services"],
    ["a token of no form", { limits: { assets: ["0x12"] } }, "/limits/assets"],
    ["half an order", { limits: { max_open_orders: 0.5 } }, "/limits/max_open_orders"],
    ["an unknown limit", { limits: { per_week: "1" } }, "/limits"],
    ["an end that is over", { expires_at: new Date(Date.now() - 1000).toISOString() }, "/expires_at"],
    ["an end without end", { expires_at: "2100-01-01T00:00:00Z" }, "/expires_at"],
    ["a name for a network", { allowed_ips: ["localhost"] }, "/allowed_ips/0"],
    ["a network that is too wide", { allowed_ips: ["10.0.0.0/33"] }, "/allowed_ips/0"],
    ["no network", { allowed_ips: [] }, "/allowed_ips"],
    ["wrapped IPv4", { allowed_ips: ["::ffff:10.0.0.1"] }, "/allowed_ips/0"],
  ])("are 400 for %s, on creation and on change", async (_, bounds, path) => {
    const key = expectStatus(201, await make(plain));
    for (const answer of [await make({ ...plain, ...bounds }), await change(key.id, bounds)]) {
      expect([answer.status, answer.body.error.details?.[0].path]).toEqual([400, path]);
    }
  });

  test("are changed by sessions of owners and admins only", async () => {
    const key = expectStatus(201, await make({ ...plain, limits: { per_order: "1" } }));
    const wider = { limits: none, allowed_ips: null, expires_at: null };
    const itself = await change(key.id, wider, key.token);
    expect([itself.status, itself.body.error.code]).toEqual([403, "insufficient_scope"]);
    const more = await make(plain, key.token);
    expect(more.status).toBe(403);
    const member = await signIn(api);
    expect((await change(key.id, wider, member.token)).status).toBe(404);
    const as = { token: member.token, headers: { "x-organisation": owner.accountId } };
    await api.db
      .insert(organisationMember)
      .values({ accountId: owner.accountId, memberAccountId: member.accountId, role: "developer" });
    for (const [method, path, body] of [
      ["PATCH", `/api-keys/${key.id}`, wider],
      ["POST", "/orders/ord_01jd3w8x2mfhz8w9q4t6n5k7ra/approval", { decision: "approve" }],
    ] as const) {
      const answer = await api.request(method, path, { ...as, body });
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 403, "insufficient_role"]);
    }
    // An admin may change limits. A member who is removed while the change waits may not.
    const setRole = (role: "admin" | null) =>
      role
        ? api.db
            .update(organisationMember)
            .set({ role })
            .where(eq(organisationMember.memberAccountId, member.accountId))
        : api.db.delete(organisationMember).where(eq(organisationMember.memberAccountId, member.accountId));
    await setRole("admin");
    const body = { limits: { per_order: "2" } };
    expectStatus(200, await api.request("PATCH", `/api-keys/${key.id}`, { ...as, body }));
    const pending = await inTransaction(api.db, async (tx) => {
      await lockOrganisation(tx, owner.accountId);
      const waits = api.request("PATCH", `/api-keys/${key.id}`, { ...as, body: wider });
      await vi.waitFor(
        async () => {
          const { rows } = await api.db.execute<{ n: number }>(sql`
            select count(*)::int as n from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`);
          expect(rows[0]?.n).toBe(1);
        },
        { timeout: 120_000, interval: 20 },
      );
      await tx.delete(organisationMember).where(eq(organisationMember.memberAccountId, member.accountId));
      return { waits };
    });
    expect((await pending.waits).status).toBe(403);
    const [row] = await api.db.select().from(apiKey).where(eq(apiKey.id, key.id));
    expect(row?.limits).toMatchObject({ per_order: "2" });
  });

  test("expire the key: 401 says so, the list shows it, the cap does not count it, and it cannot be revived", async () => {
    const session = await signIn(api);
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const key = expectStatus(201, await make({ ...plain, expires_at: soon }, session.token));
    expect(key.expires_at).toBe(soon);
    expectStatus(200, await api.request("GET", "/me", { apiKey: key.token }));
    await api.db
      .update(apiKey)
      .set({ expiresAt: new Date(Date.now() - 1000) })
      .where(eq(apiKey.id, key.id));
    const refused = await api.request("GET", "/me", { apiKey: key.token });
    expect([refused.status, refused.body.error.code]).toEqual([401, "unauthenticated"]);
    expect(refused.body.error.message).toMatch(/expired at/);
    expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer/);
    // Public routes answer so too, because the sender believes that the key is valid.
    expect((await api.request("GET", "/agents/nobody", { apiKey: key.token })).status).toBe(401);
    expect((await change(key.id, { expires_at: null }, session.token)).status).toBe(404);
    const caller = { credentialId: key.id, accountId: session.accountId, role: null } as Caller;
    expect(await findRevokedCallers(api.db, [{ caller }])).toHaveLength(1);

    await api.db.insert(apiKey).values(
      Array.from({ length: caps.keys - 1 }, (_, at) => ({
        id: typeid("key").toString(),
        accountId: session.accountId,
        name: `key ${at}`,
        scopes: [],
        tokenHash: `${session.accountId} ${at}`,
        tokenHint: "0000",
      })),
    );
    expectStatus(201, await make(plain, session.token));
    const over = await make(plain, session.token);
    expect([over.status, over.body.error.code]).toEqual([409, "conflict"]);
    const { items } = expectStatus(200, await api.request("GET", "/me/spend", session));
    expect(items).toHaveLength(caps.keys);
  });

  test("bind the key to networks, by the address that the service sees", async () => {
    const allowed_ips = ["203.0.113.0/24", "198.51.100.7", "2001:db8::/32"];
    const key = expectStatus(201, await make({ ...plain, allowed_ips }));
    expect(key.allowed_ips).toEqual(allowed_ips);
    const from = async (remoteAddress: string | null, headers: Record<string, string> = {}) => {
      const response = await api.app.request(
        "/api/v1/me",
        { headers: { "x-api-key": key.token, ...headers } },
        remoteAddress === null ? undefined : { incoming: { socket: { remoteAddress } } },
      );
      const body = (await response.json()) as { error?: { code: string } };
      return body.error?.code ?? response.status;
    };
    for (const address of ["203.0.113.9", "198.51.100.7", "::ffff:203.0.113.9", "2001:db8::1"]) {
      expect([address, await from(address)]).toEqual([address, 200]);
    }
    for (const address of ["203.0.114.9", "198.51.100.8", "2001:db9::1", "127.0.0.1", null]) {
      expect([address, await from(address)]).toEqual([address, "address_not_allowed"]);
    }
    // The service does not believe an address that a client claims.
    expect(await from("127.0.0.1", { "x-forwarded-for": "203.0.113.9" })).toBe("address_not_allowed");
    expectStatus(200, await change(key.id, { allowed_ips: null }));
    expect(await from("127.0.0.1")).toBe(200);
  });
});
