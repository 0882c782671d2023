import { and, eq, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Address } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { MemberRole } from "../../../api/http/caller.ts";
import { account, organisationInvitation, organisationMember } from "../../../db/schema.ts";
import { expectStatus, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";
import { fresh, organisationOf, refusal } from "../../harness/organisation.ts";

let api: TestApi;
let on: ReturnType<typeof organisationOf>;
beforeAll(async () => {
  api = await createDocumentedApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  on = organisationOf(api, await signIn(api));
});

const statusOf = async (id: string) => {
  const { db } = api;
  const [row] = await db.select().from(organisationInvitation).where(eq(organisationInvitation.id, id));
  return row?.status;
};

describe("a removed member", () => {
  test("does not return by an invitation that they sent earlier, to an unknown wallet", async () => {
    const admin = await on.join("admin");
    const planted = await on.plant("admin", admin);
    const other = await on.plant("viewer", on.founder);
    const answer = expectStatus(200, await on.remove(admin));
    expect(answer).toMatchObject({ account_id: admin.accountId, revoked_invitations: 1 });
    const back = await signIn(api, planted.wallet);
    expect((await on.send(back, "GET", "/invitations")).body.items).toEqual([]);
    expect(refusal(await on.answerTo(back, planted.id))).toEqual([409, "invalid_state"]);
    expect(await on.members()).toEqual([on.founder.accountId]);
    expectStatus(200, await on.answerTo(await signIn(api, other.wallet), other.id));
  });

  test("keeps invitations in another organisation, which did not remove them", async () => {
    const elsewhere = await signIn(api);
    const admin = await on.join("admin");
    await on.join("admin", { who: admin, by: elsewhere, of: elsewhere });
    const planted = await on.plant("developer", admin, elsewhere);
    const own = await on.plant("developer", admin, admin);
    expect(expectStatus(200, await on.remove(admin)).revoked_invitations).toBe(0);
    for (const { id, wallet } of [planted, own]) {
      expectStatus(200, await on.answerTo(await signIn(api, wallet), id));
    }
  });

  test("lets nobody in by an open invitation, because accepting checks its sender", async () => {
    const { db } = api;
    const admin = await on.join("admin");
    const planted = await on.plant("admin", admin);
    await db.delete(organisationMember).where(eq(organisationMember.memberAccountId, admin.accountId));
    const back = await signIn(api, planted.wallet);
    const refused = await on.answerTo(back, planted.id);
    expect(refusal(refused)).toEqual([409, "invalid_state"]);
    expect(refused.body.error.message).toContain("may not give this role");
    expect([await statusOf(planted.id), await on.members()]).toEqual(["revoked", [on.founder.accountId]]);
  });

  test("leaves the members whom they invited, by name, with those members' own invitations", async () => {
    const admin = await on.join("admin");
    const friend = await on.join("admin", { by: admin });
    const listed = expectStatus(
      200,
      await on.send(on.founder, "GET", `/organisations/${on.founder.accountId}/members`),
    );
    expect(listed.items.map((one: { invited_by: string | null }) => one.invited_by)).toEqual([
      null,
      on.founder.accountId,
      admin.accountId,
    ]);
    const planted = await on.plant("viewer", friend);
    const removed = expectStatus(200, await on.remove(admin));
    expect(removed.invited_members).toEqual([{ account_id: friend.accountId, role: "admin" }]);
    expect(await statusOf(planted.id)).toBe("open");
    expect(expectStatus(200, await on.remove(friend)).revoked_invitations).toBe(1);
  });

  test("and an invited wallet that accepts at the same time take turns: nobody joins after the removal, and neither fails", async () => {
    for (let round = 0; round < 4; round += 1) {
      const admin = await on.join("admin");
      const planted = await on.plant("viewer", admin);
      const back = await signIn(api, planted.wallet);
      const [removed, accepted] = await Promise.all([on.remove(admin), on.answerTo(back, planted.id)]);
      expect(removed.status).toBe(200);
      expect([200, 409]).toContain(accepted.status);
      expect(removed.body.revoked_invitations).toBe(accepted.status === 200 ? 0 : 1);
      expect((await on.members()).includes(back.accountId)).toBe(accepted.status === 200);
      if (accepted.status === 200) expectStatus(200, await on.remove(back));
    }
  });
});

describe("a member with a lowered role", () => {
  test.each([
    ["owner", "admin", { owner: "revoked", viewer: "open" }],
    ["owner", "developer", { owner: "revoked", viewer: "revoked" }],
    ["admin", "viewer", { admin: "revoked", viewer: "revoked" }],
    ["admin", "owner", { admin: "open", viewer: "open" }],
  ] as const)("%s to %s: invitations to roles beyond the new one end", async (from, to, after) => {
    const member = await on.join(from);
    const planted = new Map<string, string>();
    for (const role of Object.keys(after)) planted.set(role, (await on.plant(role as MemberRole, member)).id);
    const changed = expectStatus(200, await on.send(on.founder, "PUT", on.memberPath(member), { role: to }));
    expect(changed.role).toBe(to);
    for (const [role, status] of Object.entries(after)) {
      expect([role, await statusOf(planted.get(role) ?? "")]).toEqual([role, status]);
    }
  });
});

describe("unwanted invitations", () => {
  /** Invitations to an address by unknown organisations, each sent just now. */
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

  test("do not hide a wanted one, which has its page and is found by its organisation", async () => {
    const wanted = fresh();
    await flood(wanted.address, 60);
    const { id } = expectStatus(201, await on.invite(wanted.address, "developer"));
    await flood(wanted.address, 60);
    const me = await signIn(api, wanted);
    const found = expectStatus(
      200,
      await on.send(me, "GET", `/invitations?organisation=${on.founder.accountId}`),
    );
    expect(found).toMatchObject({ total: 1, items: [{ id, organisation_id: on.founder.accountId }] });
    const ids: string[] = [];
    for (let cursor = ""; ; ) {
      const page = expectStatus(200, await on.send(me, "GET", `/invitations?limit=50${cursor}`));
      expect(page.total).toBe(121);
      ids.push(...page.items.map((one: { id: string }) => one.id));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect([ids.length, new Set(ids).size, ids.includes(id)]).toEqual([121, 121, true]);
    expectStatus(200, await on.answerTo(me, id));
  });

  test("are one for each organisation: a new invitation of a wallet replaces the first", async () => {
    const wanted = fresh();
    const first = expectStatus(201, await on.invite(wanted.address, "viewer")).id;
    const second = expectStatus(201, await on.invite(wanted.address, "admin")).id;
    const me = await signIn(api, wanted);
    const { items, total } = expectStatus(200, await on.send(me, "GET", "/invitations"));
    expect([items.map((one: { id: string }) => one.id), total]).toEqual([[second], 1]);
    expect(refusal(await on.answerTo(me, first))).toEqual([409, "invalid_state"]);
    const admin = await on.join("admin");
    expectStatus(201, await on.invite(wanted.address, "owner"));
    expect(refusal(await on.invite(wanted.address, "viewer", admin))).toEqual([403, "insufficient_role"]);
  });

  test("are a hundred of an organisation at most, open or made within a day", async () => {
    const { db } = api;
    const rows = Array.from({ length: 100 }, () => ({
      id: typeid("inv").toString(),
      accountId: on.founder.accountId,
      address: fresh().address,
      role: "viewer" as const,
      invitedBy: on.founder.accountId,
      createdAt: sql`now() - interval '2 days'`,
      expiresAt: sql`now() + interval '12 days'`,
    }));
    await db.insert(organisationInvitation).values(rows);
    expect(refusal(await on.invite(fresh().address, "viewer"))).toEqual([409, "conflict"]);
    const theirs = and(eq(organisationInvitation.accountId, on.founder.accountId));
    await db.update(organisationInvitation).set({ status: "revoked", createdAt: sql`now()` }).where(theirs);
    expect(refusal(await on.invite(fresh().address, "viewer"))).toEqual([429, "rate_limited"]);
    const other = await signIn(api);
    expectStatus(201, await on.invite(fresh().address, "viewer", other, other));
  });
});
