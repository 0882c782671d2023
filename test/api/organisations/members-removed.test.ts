import { and, eq, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Address } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Role } from "../../../api/http/access.ts";
import { lockOrganisation } from "../../../api/organisations/membership.ts";
import { account, organisationInvitation, organisationMember } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
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
  api = await createDocumentedApi();
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

describe("the keys of who is removed", () => {
  const works = async (apiKey: string) =>
    (await api.request("GET", "/agents/mine", { apiKey })).status === 200;
  const makeKey = async (who: Session) =>
    expectStatus(
      201,
      await send(who, "POST", "/api-keys", { name: "theirs", scopes: ["agents:read"] }, founder),
    );

  test("are shown when they go, and stand unless they are to be revoked", async () => {
    const admin = await join("admin");
    const made = await makeKey(admin);
    await makeKey(founder);
    const { keys } = expectStatus(200, await remove(admin));
    expect(keys).toMatchObject([{ id: made.id, name: "theirs", scopes: ["agents:read"], revoked_at: null }]);
    expect(JSON.stringify(keys)).not.toContain(made.token);
    expect(await works(made.token)).toBe(true);
  });

  test("are revoked in the same step where asked, and nobody else's", async () => {
    const admin = await join("admin");
    const [made, ours] = [await makeKey(admin), await makeKey(founder)];
    const own = await createKey(api, admin, ["agents:read"]);
    const { keys } = expectStatus(200, await remove(admin, { query: "?revoke_keys=true" }));
    expect(keys).toMatchObject([{ id: made.id, revoked_at: expect.any(String) }]);
    expect([await works(made.token), await works(ours.token), await works(own)]).toEqual([false, true, true]);
    const { items } = expectStatus(200, await send(founder, "GET", "/audit"));
    const told = items
      .slice(0, 2)
      .map((entry: { action: string; target: string }) => [entry.action, entry.target]);
    expect(told.sort()).toEqual([
      ["key.revoked", made.id],
      ["member.removed", admin.accountId],
    ]);
  });

  test("are shown and revoked in the same way when a role is taken instead", async () => {
    const admin = await join("admin");
    const made = await makeKey(admin);
    const body = { role: "viewer" };
    const shown = expectStatus(200, await send(founder, "PUT", memberPath(admin), body));
    expect(shown.keys).toMatchObject([{ id: made.id, revoked_at: null }]);
    const again = { ...body, revoke_keys: true };
    expectStatus(200, await send(founder, "PUT", memberPath(admin), again));
    expect(await works(made.token)).toBe(false);
  });

  test("are listed by their maker", async () => {
    const admin = await join("admin");
    const made = await makeKey(admin);
    await makeKey(founder);
    const path = `/api-keys?created_by=${admin.accountId}`;
    const { items } = expectStatus(200, await send(founder, "GET", path));
    expect(items.map(({ id }: { id: string }) => id)).toEqual([made.id]);
  });

  test("are not for a developer who leaves to revoke", async () => {
    const member = await join("admin");
    const made = await makeKey(member);
    expectStatus(200, await send(founder, "PUT", memberPath(member), { role: "developer" }));
    const refused = await remove(member, { by: member, query: "?revoke_keys=true" });
    expect(refusal(refused)).toEqual([403, "insufficient_role"]);
    expectStatus(200, await remove(member, { by: member }));
    expect(await works(made.token)).toBe(true);
  });

  test("are none that they were about to make", async () => {
    const admin = await join("admin");
    let making: Promise<Answer> | undefined;
    await inTransaction(api.db, async (tx) => {
      await lockOrganisation(tx, founder.accountId);
      making = send(admin, "POST", "/api-keys", { name: "late", scopes: ["agents:read"] }, founder);
      const isWaiting = async () => {
        const { rows } = await api.db.execute(sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%for no key update%'`);
        return rows.length > 0;
      };
      await expect.poll(isWaiting).toBe(true);
      const theirs = eq(organisationMember.memberAccountId, admin.accountId);
      await tx.delete(organisationMember).where(theirs);
    });
    expect((await making)?.status).toBe(403);
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
