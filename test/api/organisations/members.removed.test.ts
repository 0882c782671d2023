import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { lockOrganisation } from "../../../api/organisations/membership.ts";
import { readWebhookKey } from "../../../config/keys/webhook-key.ts";
import { mailSetting, organisationMember } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { unsubscribeToken } from "../../../trade/mail/mail-settings.ts";
import {
  type Answer,
  createKey,
  expectStatus,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";
import { organisationOf, refusal } from "../../harness/organisation.ts";

let api: TestApi;
let on: ReturnType<typeof organisationOf>;
beforeAll(async () => {
  api = await createDocumentedApi({
    env: { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "Earnest <mail@example.org>" },
  });
});
afterAll(() => api.close());
beforeEach(async () => {
  on = organisationOf(api, await signIn(api));
});

/** The newest entries of the organisation's trail, as action and subject, without those of sessions. */
async function readRemovals(who: Session) {
  const { items } = expectStatus(200, await on.send(who, "GET", "/audit"));
  const entries = (items as { action: string; target: string }[]).map(({ action, target }) => [
    action,
    target,
  ]);
  const last = entries.findIndex(([action]) => action === "member.joined" || action === "key.created");
  return entries.slice(0, last).sort();
}

describe("the data that a removed member set for the organisation", () => {
  const setMail = async (who: Session, address = "theirs@example.org") =>
    expectStatus(200, await on.send(who, "PUT", "/me/email", { address, events: ["*"] }, on.founder));
  const readMail = async () => (await on.send(on.founder, "GET", "/me/email")).body.address;
  const addEndpoint = async (who: Session, url = "http://localhost:9/theirs") =>
    expectStatus(201, await on.send(who, "POST", "/webhooks", { url, events: ["*"] }, on.founder));
  const endpoint = async (id: string) =>
    expectStatus(200, await on.send(on.founder, "GET", `/webhooks/${id}`));
  const unsubscribe = async () => {
    const [setting] = await api.db
      .select()
      .from(mailSetting)
      .where(eq(mailSetting.accountId, on.founder.accountId));
    if (!setting) throw new Error("There is no setting.");
    return `/mail/unsubscribe?token=${unsubscribeToken(readWebhookKey(api.config), setting)}`;
  };

  test("is removed and named: mail, endpoints and invitations, in the answer and in the trail", async () => {
    const admin = await on.join("admin");
    await setMail(admin);
    const hook = await addEndpoint(admin);
    const ours = await addEndpoint(on.founder, "http://localhost:9/ours");
    const planted = await on.plant("viewer", admin);
    const link = await unsubscribe();
    const answer = expectStatus(200, await on.remove(admin));
    expect(answer).toMatchObject({
      invitations: [{ id: planted.id, address: planted.wallet.address, role: "viewer" }],
      email: "theirs@example.org",
      webhooks: [{ id: hook.id, url: hook.url, status: "disabled", disabled_reason: "member_left" }],
    });
    expect(await readMail()).toBeUndefined();
    expect((await endpoint(ours.id)).status).toBe("active");
    const { items } = expectStatus(200, await on.send(on.founder, "GET", "/audit"));
    expect(items.find((entry: { action: string }) => entry.action === "member.removed").data).toEqual({
      role: "admin",
      keys: [],
      email: "theirs@example.org",
      invitations: [planted.id],
      webhooks: [hook.id],
    });
    expect(items.map((entry: { action: string }) => entry.action)).toEqual(
      expect.arrayContaining(["email.removed", "webhook.disabled"]),
    );
    const events = expectStatus(200, await on.send(on.founder, "GET", "/events?type=webhook.disabled"));
    expect(events.items.map(({ data }: { data: unknown }) => data)).toEqual([
      expect.objectContaining({ endpoint_id: hook.id, host: "localhost", reason: "member_left" }),
    ]);
    // A link that was sent earlier does not stop the same address set by another member.
    await setMail(on.founder);
    await api.app.request(link, { method: "POST" });
    expect((await on.send(on.founder, "GET", "/me/email")).body.status).toBe("unverified");
    await api.app.request(await unsubscribe(), { method: "POST" });
    expect((await on.send(on.founder, "GET", "/me/email")).body.status).toBe("unsubscribed");
  });

  test("an endpoint of theirs gets nothing more, unless a new secret is set", async () => {
    const admin = await on.join("admin");
    const hook = await addEndpoint(admin);
    expectStatus(200, await on.remove(admin));
    const path = `/webhooks/${hook.id}`;
    for (const status of ["active", "paused"]) {
      expect(refusal(await on.send(on.founder, "PATCH", path, { status }))).toEqual([409, "invalid_state"]);
    }
    const rotated = expectStatus(200, await on.send(on.founder, "POST", `${path}/rotate-secret`));
    expect(rotated.previous_secret_until).toBeNull();
    expect(rotated.secret).not.toBe(hook.secret);
    const resumed = expectStatus(200, await on.send(on.founder, "PATCH", path, { status: "active" }));
    expect([resumed.status, resumed.disabled_reason]).toEqual(["active", null]);
    // The member who resumed the endpoint is now the one who set it.
    const other = await on.join("admin");
    expect(expectStatus(200, await on.remove(other)).webhooks).toEqual([]);
  });

  test("includes a URL that they set, and a secret that they were shown last", async () => {
    const [admin, developer] = [await on.join("admin"), await on.join("developer")];
    const [moved, rotated, ours] = [
      await addEndpoint(on.founder),
      await addEndpoint(on.founder),
      await addEndpoint(admin),
    ];
    const url = "http://localhost:9/elsewhere";
    expectStatus(200, await on.send(developer, "PATCH", `/webhooks/${moved.id}`, { url }, on.founder));
    expectStatus(
      200,
      await on.send(developer, "PATCH", `/webhooks/${ours.id}`, { description: "seen" }, on.founder),
    );
    expectStatus(
      200,
      await on.send(developer, "POST", `/webhooks/${rotated.id}/rotate-secret`, undefined, on.founder),
    );
    const { webhooks } = expectStatus(200, await on.remove(developer, { by: developer }));
    expect(webhooks.map(({ id }: { id: string }) => id).sort()).toEqual([moved.id, rotated.id].sort());
  });

  test("is removed although a key of theirs made it", async () => {
    const admin = await on.join("admin");
    const body = { name: "theirs", scopes: ["webhooks:write"] };
    const { token } = expectStatus(201, await on.send(admin, "POST", "/api-keys", body, on.founder));
    const request = { url: "http://localhost:9/theirs", events: ["*"] };
    const { id } = expectStatus(
      201,
      await api.request("POST", "/webhooks", { apiKey: token, body: request }),
    );
    expect(expectStatus(200, await on.remove(admin)).webhooks).toMatchObject([{ id }]);
  });

  test.each([
    ["owner", "admin", true, "active"],
    ["admin", "developer", false, "active"],
    ["owner", "viewer", false, "disabled"],
  ] as const)("%s to %s: mail stays: %s; an endpoint is %s", async (from, to, keepsMail, status) => {
    const member = await on.join(from);
    await setMail(member, `${member.accountId}@example.org`);
    const hook = await addEndpoint(member);
    const answer = expectStatus(200, await on.send(on.founder, "PUT", on.memberPath(member), { role: to }));
    expect([answer.email === null, answer.webhooks.length]).toEqual([keepsMail, status === "active" ? 0 : 1]);
    expect([(await readMail()) !== undefined, (await endpoint(hook.id)).status]).toEqual([keepsMail, status]);
  });

  test("includes an address that they confirmed, whoever set it", async () => {
    const admin = await on.join("admin");
    await setMail(on.founder, "shared@example.org");
    await api.db.update(mailSetting).set({ verifiedBy: admin.accountId, verifiedAt: sql`now()` });
    expect(expectStatus(200, await on.remove(admin)).email).toBe("shared@example.org");
  });

  test.each([
    ["PUT", "/me/email", { address: "late@example.org", events: ["*"] }],
    ["POST", "/webhooks", { url: "http://localhost:9/late", events: ["*"] }],
  ] as const)("is not set by a request in progress: %s %s", async (method, path, body) => {
    const admin = await on.join("admin");
    const late = await whileRemoved(admin, () => on.send(admin, method, path, body, on.founder));
    expect(late.status).toBe(403);
    expect([
      await readMail(),
      expectStatus(200, await on.send(on.founder, "GET", "/webhooks")).items,
    ]).toEqual([undefined, []]);
  });
});

/** Starts a request of a member, which waits while they are removed. */
async function whileRemoved(member: Session, begin: () => Promise<Answer>): Promise<Answer> {
  let begun: Promise<Answer> | undefined;
  await inTransaction(api.db, async (tx) => {
    await lockOrganisation(tx, on.founder.accountId);
    begun = begin();
    const isWaiting = async () => {
      const { rows } = await api.db.execute(sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%for no key update%'`);
      return rows.length > 0;
    };
    await expect.poll(isWaiting).toBe(true);
    await tx.delete(organisationMember).where(eq(organisationMember.memberAccountId, member.accountId));
  });
  if (!begun) throw new Error("Nothing was begun.");
  return begun;
}

describe("the keys of a removed member", () => {
  const works = async (apiKey: string) =>
    (await api.request("GET", "/agents/mine", { apiKey })).status === 200;
  const makeKey = async (who: Session) =>
    expectStatus(
      201,
      await on.send(who, "POST", "/api-keys", { name: "theirs", scopes: ["agents:read"] }, on.founder),
    );

  test("are revoked and named, and keys of others stay", async () => {
    const admin = await on.join("admin");
    const [made, ours] = [await makeKey(admin), await makeKey(on.founder)];
    const own = await createKey(api, admin, ["agents:read"]);
    const { keys } = expectStatus(200, await on.remove(admin));
    expect(keys).toMatchObject([{ id: made.id, name: "theirs", revoked_at: expect.any(String) }]);
    expect(JSON.stringify(keys)).not.toContain(made.token);
    expect([await works(made.token), await works(ours.token), await works(own)]).toEqual([false, true, true]);
    expect(await readRemovals(on.founder)).toEqual([
      ["key.revoked", made.id],
      ["member.removed", admin.accountId],
    ]);
  });

  test("stay where the remover asks for that, who cannot be the removed member", async () => {
    const [admin, other] = [await on.join("admin"), await on.join("admin")];
    const [made, others] = [await makeKey(admin), await makeKey(other)];
    const removal = expectStatus(200, await on.remove(admin, { query: "?revoke_keys=false" }));
    expect(removal.keys).toMatchObject([{ id: made.id, revoked_at: null }]);
    expect(await works(made.token)).toBe(true);
    const leaving = await on.remove(other, { by: other, query: "?revoke_keys=false" });
    expect(refusal(leaving)).toEqual([403, "insufficient_role"]);
    const body = { role: "viewer", revoke_keys: false };
    expect(refusal(await on.send(other, "PUT", on.memberPath(other), body))).toEqual([
      403,
      "insufficient_role",
    ]);
    expectStatus(200, await on.remove(other, { by: other }));
    expect(await works(others.token)).toBe(false);
  });

  test("are revoked with a role that makes keys, and by no other change", async () => {
    const admin = await on.join("admin");
    const made = await makeKey(admin);
    const put = async (body: object) =>
      expectStatus(200, await on.send(on.founder, "PUT", on.memberPath(admin), body));
    expect((await put({ role: "owner" })).keys).toMatchObject([{ id: made.id, revoked_at: null }]);
    expect((await put({ role: "viewer", revoke_keys: false })).keys).toMatchObject([{ revoked_at: null }]);
    expect((await put({ role: "viewer", revoke_keys: true })).keys).toMatchObject([
      { revoked_at: expect.any(String) },
    ]);
    await put({ role: "admin" });
    const again = await makeKey(admin);
    expect((await put({ role: "developer" })).keys).toMatchObject([
      { id: again.id, revoked_at: expect.any(String) },
    ]);
    expect([await works(made.token), await works(again.token)]).toEqual([false, false]);
  });

  test("are listed by their creator", async () => {
    const admin = await on.join("admin");
    const made = await makeKey(admin);
    await makeKey(on.founder);
    const path = `/api-keys?created_by=${admin.accountId}`;
    const { items } = expectStatus(200, await on.send(on.founder, "GET", path));
    expect(items.map(({ id }: { id: string }) => id)).toEqual([made.id]);
  });

  test("are not created by a request in progress", async () => {
    const admin = await on.join("admin");
    const body = { name: "late", scopes: ["agents:read"] };
    const late = await whileRemoved(admin, () => on.send(admin, "POST", "/api-keys", body, on.founder));
    expect(late.status).toBe(403);
    expect((await on.send(on.founder, "GET", "/api-keys")).body.items).toEqual([]);
  });
});
