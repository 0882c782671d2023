import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiKey, auditEntry } from "../../../db/schema.ts";
import {
  createKey,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: TestApi;
beforeAll(async () => {
  api = await createDocumentedApi();
});
afterAll(() => api.close());

type Entry = {
  id: string;
  action: string;
  target: string;
  actor: { account_id: string; credential_id: string };
  data: Record<string, unknown>;
  request_id: string;
};

/** The audit trail of the account, oldest entry first. */
async function readTrail({ token }: Session): Promise<Entry[]> {
  return expectStatus(200, await api.request("GET", "/audit?limit=100", { token })).items.reverse();
}

test("changes of keys, sessions, payout wallets and webhook secrets are recorded for the owner alone", async () => {
  const owner = await signIn(api);
  const { token } = owner;
  const body = { name: "nightly", scopes: ["orders:read"] };
  const key = expectStatus(201, await api.request("POST", "/api-keys", { token, body }));
  const slug = `audited-${process.pid}`;
  expectStatus(201, await api.request("POST", "/agents", { token, body: { slug, name: "Audited" } }));
  const wallet = { address: owner.account.address };
  const agent = expectStatus(
    200,
    await api.request("PUT", `/agents/${slug}/payout-wallet`, { token, body: wallet }),
  );
  const hook = expectStatus(
    201,
    await api.request("POST", "/webhooks", { token, body: { url: "http://localhost:9/", events: ["*"] } }),
  );
  const rotated = expectStatus(
    200,
    await api.request("POST", `/webhooks/${hook.id}/rotate-secret`, { token }),
  );
  const revoked = await api.request("DELETE", `/api-keys/${key.id}`, { token });
  expectStatus(200, revoked);

  const trail = await readTrail(owner);
  const session = trail[0]?.target;
  expect(session).toMatch(/^ses_/);
  expect(trail.map(({ action, target, data }) => [action, target, data])).toEqual([
    ["session.created", session, { address: owner.account.address, chain_id: null }],
    [
      "key.created",
      key.id,
      { name: "nightly", scopes: ["orders:read"], limits: null, allowed_ips: null, expires_at: null },
    ],
    [
      "agent.payout_wallet_changed",
      agent.id,
      { from: null, to: expect.stringMatching(new RegExp(`^${owner.account.address}$`, "i")) },
    ],
    ["webhook.secret_rotated", hook.id, {}],
    ["key.revoked", key.id, { name: "nightly" }],
  ]);
  for (const { actor } of trail) {
    expect(actor).toEqual({ account_id: owner.accountId, credential_id: session });
  }
  expect(trail.at(-1)?.request_id).toBe(revoked.headers.get("x-request-id"));
  const text = JSON.stringify(trail);
  for (const secret of [token, key.token, hook.secret, rotated.secret]) expect(text).not.toContain(secret);

  expect((await readTrail(await signIn(api))).map(({ action }) => action)).toEqual(["session.created"]);
});

test("a new execution endpoint of a service is recorded, with the key that changed it", async () => {
  const owner = await signIn(api);
  const { agent, service } = await publishService(api, owner);
  const key = await createKey(api, owner, ["services:write"]);
  const path = `/agents/${agent.slug}/services/${service.slug}`;
  const first = { endpoint: "http://localhost:9/orders", timeout_seconds: 30 };
  const changes = [{ execution: first }, { execution: first }, { title: "Another" }, { execution: null }];
  for (const body of changes) expectStatus(200, await api.request("PATCH", path, { apiKey: key, body }));

  const executionChanges = (await readTrail(owner)).filter(
    ({ action }) => action === "service.execution_changed",
  );
  expect(executionChanges.map(({ target, data }) => [target, data])).toEqual([
    [service.id, { from: null, to: first.endpoint }],
    [service.id, { from: first.endpoint, to: null }],
  ]);
  expect(executionChanges[0]?.actor.credential_id).toMatch(/^key_/);
});

test("a request that failed or changed nothing is not recorded", async () => {
  const owner = await signIn(api);
  const before = await readTrail(owner);
  for (const [method, path, body] of [
    ["DELETE", "/api-keys/key_none"],
    ["POST", "/api-keys", { name: "", scopes: [] }],
    ["PUT", "/agents/none/payout-wallet", { address: owner.account.address }],
  ] as const) {
    const answer = await api.request(method, path, { token: owner.token, ...(body ? { body } : {}) });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  }
  expect(await readTrail(owner)).toEqual(before);
});

test("a key is not created when the trail cannot be written", async () => {
  const owner = await signIn(api);
  await api.db.execute(sql`alter table earnest.audit_entry rename to audit_entry_away`);
  try {
    const body = { name: "unheard of", scopes: ["orders:read"] };
    expect((await api.request("POST", "/api-keys", { token: owner.token, body })).status).toBe(500);
  } finally {
    await api.db.execute(sql`alter table earnest.audit_entry_away rename to audit_entry`);
  }
  expect(await api.db.$count(apiKey, eq(apiKey.accountId, owner.accountId))).toBe(0);
});

test("signing out is recorded, and the next session of the account reads the entry", async () => {
  const first = await signIn(api);
  await api.request("POST", "/auth/logout", { token: first.token });
  const trail = await readTrail(await signIn(api, first.account));
  expect(trail.map(({ action }) => action)).toEqual(["session.created", "session.ended", "session.created"]);
  expect(trail[1]?.target).toBe(trail[0]?.target);
});

describe("the audit trail", () => {
  test("is for sessions only", async () => {
    const owner = await signIn(api);
    const token = await createKey(api, owner, ["orders:read", "agents:write"]);
    const { status, body } = await api.request("GET", "/audit", { token });
    expect([status, body.error.code]).toEqual([403, "insufficient_scope"]);
    expect((await api.request("GET", "/audit")).status).toBe(401);
  });

  test("is read in pages, newest first", async () => {
    const owner = await signIn(api);
    for (let at = 0; at < 4; at += 1) await createKey(api, owner, ["orders:read"]);
    const all = (await readTrail(owner)).reverse().map(({ id }) => id);
    const pages: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const path: string = `/audit?limit=2${cursor ? `&cursor=${cursor}` : ""}`;
      const page = expectStatus(200, await api.request("GET", path, { token: owner.token }));
      expect(page.total).toBe(5);
      pages.push(...page.items.map(({ id }: Entry) => id));
      cursor = page.next_cursor;
    }
    expect(pages).toEqual(all);
  });

  test("cannot be changed: the database refuses it", async () => {
    await signIn(api);
    for (const statement of [
      api.db.update(auditEntry).set({ action: "key.created" }),
      api.db.delete(auditEntry),
    ]) {
      await expect(statement).rejects.toThrow(/append-only/);
    }
  });
});
