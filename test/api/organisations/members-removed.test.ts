import { and, eq, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Address } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Role } from "../../../api/http/access.ts";
import { lockOrganisation } from "../../../api/organisations/membership.ts";
import { account, mailSetting, organisationInvitation, organisationMember } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { unsubscribeToken } from "../../../trade/mail/settings.ts";
import { readWebhookKey } from "../../../webhook-key.ts";
import {
  type Answer,
  createKey,
  expectStatus,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: TestApi;
/** whose account the organisation is */
let founder: Session;
beforeAll(async () => {
  api = await createDocumentedApi({
    env: { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "Earnest <mail@example.org>" },
  });
});
afterAll(() => api.close());
beforeEach(async () => {
  founder = await signIn(api);
});

const send = (who: Session, method: string, path: string, body?: object, of?: Session) =>
  api.request(method, path, {
    token: who.token,
    body,
    ...(of ? { headers: { "x-organisation": of.accountId } } : {}),
  });
const refusal = ({ status, body }: Answer) => [status, body.error?.code];
const fresh = () => privateKeyToAccount(generatePrivateKey());
const invite = (address: Address, role: Role, by = founder, of = founder) =>
  send(by, "POST", `/organisations/${of.accountId}/invitations`, { address, role });
const answerTo = (who: Session, id: string, action = "accept") =>
  send(who, "POST", `/invitations/${id}/${action}`);
const memberPath = (who: Session, of = founder) => `/organisations/${of.accountId}/members/${who.accountId}`;
const remove = (who: Session, { by = founder, query = "", of = founder } = {}) =>
  send(by, "DELETE", `${memberPath(who, of)}${query}`);
const members = async (of = founder) =>
  expectStatus(200, await send(of, "GET", `/organisations/${of.accountId}/members`)).items.map(
    ({ account_id }: { account_id: string }) => account_id,
  );
const statusOf = async (id: string) => {
  const { db } = api;
  const [row] = await db.select().from(organisationInvitation).where(eq(organisationInvitation.id, id));
  return row?.status;
};

/** Somebody who is in the organisation with this role. */
async function join(
  role: Role,
  { by = founder, of = founder, who }: { by?: Session; of?: Session; who?: Session } = {},
) {
  const member = who ?? (await signIn(api));
  const { id } = expectStatus(201, await invite(member.account.address, role, by, of));
  expectStatus(200, await answerTo(member, id));
  return member;
}

/** An invitation to a wallet that nobody has seen, as its sender may have another one. */
async function plant(role: Role, by: Session, of = founder) {
  const wallet = fresh();
  const { id } = expectStatus(201, await invite(wallet.address, role, by, of));
  return { id: id as string, wallet };
}

describe("who is removed", () => {
  test("does not come back by an invitation that they planted before, to a wallet nobody knew", async () => {
    const admin = await join("admin");
    const planted = await plant("admin", admin);
    const other = await plant("viewer", founder);
    const answer = expectStatus(200, await remove(admin));
    expect(answer).toMatchObject({ account_id: admin.accountId, revoked_invitations: 1 });
    const back = await signIn(api, planted.wallet);
    expect((await send(back, "GET", "/invitations")).body.items).toEqual([]);
    expect(refusal(await answerTo(back, planted.id))).toEqual([409, "invalid_state"]);
    expect(await members()).toEqual([founder.accountId]);
    expectStatus(200, await answerTo(await signIn(api, other.wallet), other.id));
  });

  test("keeps what they planted in another organisation, which did not remove them", async () => {
    const elsewhere = await signIn(api);
    const admin = await join("admin");
    await join("admin", { who: admin, by: elsewhere, of: elsewhere });
    const planted = await plant("developer", admin, elsewhere);
    const own = await plant("developer", admin, admin);
    expect(expectStatus(200, await remove(admin)).revoked_invitations).toBe(0);
    for (const { id, wallet } of [planted, own]) {
      expectStatus(200, await answerTo(await signIn(api, wallet), id));
    }
  });

  test("has let nobody in by an invitation that an older version left open: accepting looks at its sender", async () => {
    const { db } = api;
    const admin = await join("admin");
    const planted = await plant("admin", admin);
    await db.delete(organisationMember).where(eq(organisationMember.memberAccountId, admin.accountId));
    const back = await signIn(api, planted.wallet);
    const refused = await answerTo(back, planted.id);
    expect(refusal(refused)).toEqual([409, "invalid_state"]);
    expect(refused.body.error.message).toContain("no longer");
    expect([await statusOf(planted.id), await members()]).toEqual(["revoked", [founder.accountId]]);
  });

  test("leaves by name those whom they let in, and what these invited stands with them", async () => {
    const admin = await join("admin");
    const friend = await join("admin", { by: admin });
    const listed = expectStatus(
      200,
      await send(founder, "GET", `/organisations/${founder.accountId}/members`),
    );
    expect(listed.items.map((one: { invited_by: string | null }) => one.invited_by)).toEqual([
      null,
      founder.accountId,
      admin.accountId,
    ]);
    const planted = await plant("viewer", friend);
    const removed = expectStatus(200, await remove(admin));
    expect(removed.invited_members).toEqual([{ account_id: friend.accountId, role: "admin" }]);
    expect(await statusOf(planted.id)).toBe("open");
    expect(expectStatus(200, await remove(friend)).revoked_invitations).toBe(1);
  });

  test("and who accepts at the same time take turns: nobody is let in after the removal, and neither fails", async () => {
    for (let round = 0; round < 4; round += 1) {
      const admin = await join("admin");
      const planted = await plant("viewer", admin);
      const back = await signIn(api, planted.wallet);
      const [removed, accepted] = await Promise.all([remove(admin), answerTo(back, planted.id)]);
      expect(removed.status).toBe(200);
      expect([200, 409]).toContain(accepted.status);
      expect(removed.body.revoked_invitations).toBe(accepted.status === 200 ? 0 : 1);
      expect((await members()).includes(back.accountId)).toBe(accepted.status === 200);
      if (accepted.status === 200) expectStatus(200, await remove(back));
    }
  });
});

describe("who is made less", () => {
  test.each([
    ["owner", "admin", { owner: "revoked", viewer: "open" }],
    ["owner", "developer", { owner: "revoked", viewer: "revoked" }],
    ["admin", "viewer", { admin: "revoked", viewer: "revoked" }],
    ["admin", "owner", { admin: "open", viewer: "open" }],
  ] as const)("%s to %s: invitations to what they may no longer give end", async (from, to, after) => {
    const member = await join(from);
    const planted = new Map<string, string>();
    for (const role of Object.keys(after)) planted.set(role, (await plant(role as Role, member)).id);
    const changed = expectStatus(200, await send(founder, "PUT", memberPath(member), { role: to }));
    expect(changed.role).toBe(to);
    for (const [role, status] of Object.entries(after)) {
      expect([role, await statusOf(planted.get(role) ?? "")]).toEqual([role, status]);
    }
  });
});

/** What the newest entries of the organisation's trail say was done, and to what, without those of sessions. */
async function told(who: Session) {
  const { items } = expectStatus(200, await send(who, "GET", "/audit"));
  const entries = (items as { action: string; target: string }[]).map(({ action, target }) => [
    action,
    target,
  ]);
  const last = entries.findIndex(([action]) => action === "member.joined" || action === "key.created");
  return entries.slice(0, last).sort();
}

describe("what who is removed has set for the organisation", () => {
  const setMail = async (who: Session, address = "theirs@example.org") =>
    expectStatus(200, await send(who, "PUT", "/me/email", { address, events: ["*"] }, founder));
  const readMail = async () => (await send(founder, "GET", "/me/email")).body.address;
  const addEndpoint = async (who: Session, url = "http://localhost:9/theirs") =>
    expectStatus(201, await send(who, "POST", "/webhooks", { url, events: ["*"] }, founder));
  const endpoint = async (id: string) => expectStatus(200, await send(founder, "GET", `/webhooks/${id}`));
  const unsubscribe = async () => {
    const [setting] = await api.db
      .select()
      .from(mailSetting)
      .where(eq(mailSetting.accountId, founder.accountId));
    if (!setting) throw new Error("There is no setting.");
    return `/mail/unsubscribe?token=${unsubscribeToken(readWebhookKey(api.config), setting)}`;
  };

  test("ends and is named: mail, endpoints and invitations, in the answer and in the trail", async () => {
    const admin = await join("admin");
    await setMail(admin);
    const hook = await addEndpoint(admin);
    const ours = await addEndpoint(founder, "http://localhost:9/ours");
    const planted = await plant("viewer", admin);
    const link = await unsubscribe();
    const answer = expectStatus(200, await remove(admin));
    expect(answer).toMatchObject({
      invitations: [{ id: planted.id, address: planted.wallet.address, role: "viewer" }],
      email: "theirs@example.org",
      webhooks: [{ id: hook.id, url: hook.url, status: "disabled", disabled_reason: "member_left" }],
    });
    expect(await readMail()).toBeUndefined();
    expect((await endpoint(ours.id)).status).toBe("active");
    const { items } = expectStatus(200, await send(founder, "GET", "/audit"));
    expect(items.find((entry: { action: string }) => entry.action === "member.removed").data).toEqual({
      ...{ role: "admin", keys: [], email: "theirs@example.org" },
      ...{ invitations: [planted.id], webhooks: [hook.id] },
    });
    expect(items.map((entry: { action: string }) => entry.action)).toEqual(
      expect.arrayContaining(["email.removed", "webhook.disabled"]),
    );
    // The same address, set by somebody else, is not stopped by a link that was sent before.
    await setMail(founder);
    await api.app.request(link, { method: "POST" });
    expect((await send(founder, "GET", "/me/email")).body.status).toBe("unverified");
    await api.app.request(await unsubscribe(), { method: "POST" });
    expect((await send(founder, "GET", "/me/email")).body.status).toBe("unsubscribed");
  });

  test("sends nothing more to their endpoint, which goes on with a new secret alone", async () => {
    const admin = await join("admin");
    const hook = await addEndpoint(admin);
    expectStatus(200, await remove(admin));
    const path = `/webhooks/${hook.id}`;
    for (const status of ["active", "paused"]) {
      expect(refusal(await send(founder, "PATCH", path, { status }))).toEqual([409, "invalid_state"]);
    }
    const rotated = expectStatus(200, await send(founder, "POST", `${path}/rotate-secret`));
    expect(rotated.previous_secret_until).toBeNull();
    expect(rotated.secret).not.toBe(hook.secret);
    const goesOn = expectStatus(200, await send(founder, "PATCH", path, { status: "active" }));
    expect([goesOn.status, goesOn.disabled_reason]).toEqual(["active", null]);
    // Who let it go on is now who set it.
    const other = await join("admin");
    expect(expectStatus(200, await remove(other)).webhooks).toEqual([]);
  });

  test("counts by what a person knows: a URL that they set, and a secret that they were shown last", async () => {
    const [admin, developer] = [await join("admin"), await join("developer")];
    const [moved, rotated, ours] = [
      await addEndpoint(founder),
      await addEndpoint(founder),
      await addEndpoint(admin),
    ];
    const url = "http://localhost:9/elsewhere";
    expectStatus(200, await send(developer, "PATCH", `/webhooks/${moved.id}`, { url }, founder));
    expectStatus(
      200,
      await send(developer, "PATCH", `/webhooks/${ours.id}`, { description: "seen" }, founder),
    );
    expectStatus(
      200,
      await send(developer, "POST", `/webhooks/${rotated.id}/rotate-secret`, undefined, founder),
    );
    const { webhooks } = expectStatus(200, await remove(developer, { by: developer }));
    expect(webhooks.map(({ id }: { id: string }) => id).sort()).toEqual([moved.id, rotated.id].sort());
  });

  test("ends through a key that they made, too", async () => {
    const admin = await join("admin");
    const body = { name: "theirs", scopes: ["webhooks:write"] };
    const { token } = expectStatus(201, await send(admin, "POST", "/api-keys", body, founder));
    const request = { url: "http://localhost:9/theirs", events: ["*"] };
    const { id } = expectStatus(
      201,
      await api.request("POST", "/webhooks", { apiKey: token, body: request }),
    );
    expect(expectStatus(200, await remove(admin)).webhooks).toMatchObject([{ id }]);
  });

  test.each([
    ["owner", "admin", true, "active"],
    ["admin", "developer", false, "active"],
    ["owner", "viewer", false, "disabled"],
  ] as const)("%s to %s: mail stays: %s; an endpoint is %s", async (from, to, keepsMail, status) => {
    const member = await join(from);
    await setMail(member, `${member.accountId}@example.org`);
    const hook = await addEndpoint(member);
    const answer = expectStatus(200, await send(founder, "PUT", memberPath(member), { role: to }));
    expect([answer.email === null, answer.webhooks.length]).toEqual([keepsMail, status === "active" ? 0 : 1]);
    expect([(await readMail()) !== undefined, (await endpoint(hook.id)).status]).toEqual([keepsMail, status]);
  });

  test("is an address that they confirmed, whoever set it", async () => {
    const admin = await join("admin");
    await setMail(founder, "shared@example.org");
    await api.db.update(mailSetting).set({ verifiedBy: admin.accountId, verifiedAt: sql`now()` });
    expect(expectStatus(200, await remove(admin)).email).toBe("shared@example.org");
  });

  test.each([
    ["PUT", "/me/email", { address: "late@example.org", events: ["*"] }],
    ["POST", "/webhooks", { url: "http://localhost:9/late", events: ["*"] }],
  ] as const)("is nothing that they were about to set: %s %s", async (method, path, body) => {
    const admin = await join("admin");
    const late = await whileRemoved(admin, () => send(admin, method, path, body, founder));
    expect(late.status).toBe(403);
    expect([await readMail(), expectStatus(200, await send(founder, "GET", "/webhooks")).items]).toEqual([
      undefined,
      [],
    ]);
  });
});

/** Begins a request of a member, which waits while they are removed. */
async function whileRemoved(member: Session, begin: () => Promise<Answer>): Promise<Answer> {
  let begun: Promise<Answer> | undefined;
  await inTransaction(api.db, async (tx) => {
    await lockOrganisation(tx, founder.accountId);
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

describe("the keys of who is removed", () => {
  const works = async (apiKey: string) =>
    (await api.request("GET", "/agents/mine", { apiKey })).status === 200;
  const makeKey = async (who: Session) =>
    expectStatus(
      201,
      await send(who, "POST", "/api-keys", { name: "theirs", scopes: ["agents:read"] }, founder),
    );

  test("end with their role and are named, and nobody else's end", async () => {
    const admin = await join("admin");
    const [made, ours] = [await makeKey(admin), await makeKey(founder)];
    const own = await createKey(api, admin, ["agents:read"]);
    const { keys } = expectStatus(200, await remove(admin));
    expect(keys).toMatchObject([{ id: made.id, name: "theirs", revoked_at: expect.any(String) }]);
    expect(JSON.stringify(keys)).not.toContain(made.token);
    expect([await works(made.token), await works(ours.token), await works(own)]).toEqual([false, true, true]);
    expect(await told(founder)).toEqual([
      ["key.revoked", made.id],
      ["member.removed", admin.accountId],
    ]);
  });

  test("stand where whoever removes them says so, which nobody says of their own", async () => {
    const [admin, other] = [await join("admin"), await join("admin")];
    const [made, others] = [await makeKey(admin), await makeKey(other)];
    const kept = expectStatus(200, await remove(admin, { query: "?revoke_keys=false" }));
    expect(kept.keys).toMatchObject([{ id: made.id, revoked_at: null }]);
    expect(await works(made.token)).toBe(true);
    const leaving = await remove(other, { by: other, query: "?revoke_keys=false" });
    expect(refusal(leaving)).toEqual([403, "insufficient_role"]);
    const body = { role: "viewer", revoke_keys: false };
    expect(refusal(await send(other, "PUT", memberPath(other), body))).toEqual([403, "insufficient_role"]);
    expectStatus(200, await remove(other, { by: other }));
    expect(await works(others.token)).toBe(false);
  });

  test("end where a role is taken that makes keys, and no other change ends them unasked", async () => {
    const admin = await join("admin");
    const made = await makeKey(admin);
    const put = async (body: object) =>
      expectStatus(200, await send(founder, "PUT", memberPath(admin), body));
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

  test("are listed by their maker", async () => {
    const admin = await join("admin");
    const made = await makeKey(admin);
    await makeKey(founder);
    const path = `/api-keys?created_by=${admin.accountId}`;
    const { items } = expectStatus(200, await send(founder, "GET", path));
    expect(items.map(({ id }: { id: string }) => id)).toEqual([made.id]);
  });

  test("are none that they were about to make", async () => {
    const admin = await join("admin");
    const body = { name: "late", scopes: ["agents:read"] };
    const late = await whileRemoved(admin, () => send(admin, "POST", "/api-keys", body, founder));
    expect(late.status).toBe(403);
    expect((await send(founder, "GET", "/api-keys")).body.items).toEqual([]);
  });
});

describe("unwanted invitations", () => {
  /** Invitations to an address by organisations that nobody knows, each made just now. */
  async function flood(address: Address, many: number): Promise<void> {
    const ids = Array.from({ length: many }, () => typeid("acc").toString());
    await api.db.insert(account).values(ids.map((id) => ({ id })));
    await api.db.insert(organisationInvitation).values(
      ids.map((id) => ({
        id: typeid("inv").toString(),
        accountId: id,
        address,
        role: "viewer" as const,
        invitedBy: id,
        expiresAt: sql`now() + interval '14 days'`,
      })),
    );
  }

  test("hide no wanted one: it is on a page, and found by its organisation", async () => {
    const wanted = fresh();
    await flood(wanted.address, 60);
    const { id } = expectStatus(201, await invite(wanted.address, "developer"));
    await flood(wanted.address, 60);
    const me = await signIn(api, wanted);
    const found = expectStatus(200, await send(me, "GET", `/invitations?organisation=${founder.accountId}`));
    expect(found).toMatchObject({ total: 1, items: [{ id, organisation_id: founder.accountId }] });
    const ids: string[] = [];
    for (let cursor = ""; ; ) {
      const page = expectStatus(200, await send(me, "GET", `/invitations?limit=50${cursor}`));
      expect(page.total).toBe(121);
      ids.push(...page.items.map((one: { id: string }) => one.id));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect([ids.length, new Set(ids).size, ids.includes(id)]).toEqual([121, 121, true]);
    expectStatus(200, await answerTo(me, id));
  });

  test("are one from an organisation: inviting a wallet again takes the place of the first", async () => {
    const wanted = fresh();
    const first = expectStatus(201, await invite(wanted.address, "viewer")).id;
    const second = expectStatus(201, await invite(wanted.address, "admin")).id;
    const me = await signIn(api, wanted);
    const { items, total } = expectStatus(200, await send(me, "GET", "/invitations"));
    expect([items.map((one: { id: string }) => one.id), total]).toEqual([[second], 1]);
    expect(refusal(await answerTo(me, first))).toEqual([409, "invalid_state"]);
    const admin = await join("admin");
    expectStatus(201, await invite(wanted.address, "owner"));
    expect(refusal(await invite(wanted.address, "viewer", admin))).toEqual([403, "insufficient_role"]);
  });

  test("are a hundred of an organisation at most that are open, or made within a day", async () => {
    const { db } = api;
    const rows = Array.from({ length: 100 }, () => ({
      id: typeid("inv").toString(),
      accountId: founder.accountId,
      address: fresh().address,
      role: "viewer" as const,
      invitedBy: founder.accountId,
      createdAt: sql`now() - interval '2 days'`,
      expiresAt: sql`now() + interval '12 days'`,
    }));
    await db.insert(organisationInvitation).values(rows);
    expect(refusal(await invite(fresh().address, "viewer"))).toEqual([409, "conflict"]);
    const theirs = and(eq(organisationInvitation.accountId, founder.accountId));
    await db.update(organisationInvitation).set({ status: "revoked", createdAt: sql`now()` }).where(theirs);
    expect(refusal(await invite(fresh().address, "viewer"))).toEqual([429, "rate_limited"]);
    const other = await signIn(api);
    expectStatus(201, await invite(fresh().address, "viewer", other, other));
  });
});
