import { eq, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { MemberRole } from "../../../api/http/caller.ts";
import { organisationInvitation, wallet } from "../../../db/schema.ts";
import {
  type Answer,
  createKey,
  expectStatus,
  publishService,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { createDocumentedApi, type Operation, operationsOf } from "../../harness/documented.ts";

let api: TestApi;
/** The user whose account is the organisation. */
let founder: Session;
beforeAll(async () => {
  api = await createDocumentedApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  founder = await signIn(api);
});

const send = (who: Session, method: string, path: string, body?: object, headers?: Record<string, string>) =>
  api.request(method, path, { token: who.token, body, headers });
const asMember = (who: Session, method: string, path: string, body?: object, of = founder) =>
  send(who, method, path, body, { "x-organisation": of.accountId });
const invite = (address: string, role: MemberRole, by = founder, of = founder) =>
  send(by, "POST", `/organisations/${of.accountId}/invitations`, { address, role });
const members = async (who = founder) =>
  expectStatus(200, await send(who, "GET", `/organisations/${founder.accountId}/members`)).items.map(
    (member: { account_id: string; role: MemberRole; is_founder: boolean }) => [
      member.account_id,
      member.role,
    ],
  );
const memberPath = (who: Session) => `/organisations/${founder.accountId}/members/${who.accountId}`;
const refusal = ({ status, body }: Answer) => [status, body.error?.code];

/** A new user who is in the organisation with this role. */
async function join(role: MemberRole, who?: Session): Promise<Session> {
  const member = who ?? (await signIn(api));
  const { id } = expectStatus(201, await invite(member.account.address, role));
  expectStatus(200, await send(member, "POST", `/invitations/${id}/accept`));
  return member;
}

describe("an organisation", () => {
  test("is every account from its first sign-in, owned by its user", async () => {
    const { items } = expectStatus(200, await send(founder, "GET", "/organisations"));
    expect(items).toMatchObject([{ id: founder.accountId, role: "owner", is_own: true, name: null }]);
    const listed = await send(founder, "GET", `/organisations/${founder.accountId}/members`);
    expect(listed.body.items).toMatchObject([
      {
        account_id: founder.accountId,
        primary_address: founder.account.address,
        role: "owner",
        is_founder: true,
      },
    ]);
  });

  test("is acted for by its members under X-Organisation, and each acts for themselves without it", async () => {
    const member = await join("developer");
    const made = await publishService(api, founder);
    const mine = expectStatus(200, await asMember(member, "GET", "/agents/mine"));
    expect(mine.map(({ slug }: { slug: string }) => slug)).toEqual([made.agent.slug]);
    expectStatus(200, await asMember(member, "PATCH", `/agents/${made.agent.slug}`, { name: "Ours" }));
    expect((await send(member, "GET", "/agents/mine")).body).toEqual([]);
    expect((await send(member, "PATCH", `/agents/${made.agent.slug}`, { name: "Mine" })).status).toBe(404);
    const me = expectStatus(200, await asMember(member, "GET", "/me"));
    expect(me).toMatchObject({
      id: founder.accountId,
      primary_address: founder.account.address,
      auth: { role: "developer", member_account_id: member.accountId },
    });
    expect((await send(member, "GET", "/me")).body.auth).toMatchObject({ role: "owner" });
  });

  test("shows a draft to its members, viewers included, and to nobody else", async () => {
    const viewer = await join("viewer");
    const slug = `draft-${founder.accountId.slice(-8)}`;
    expectStatus(201, await send(founder, "POST", "/agents", { slug, name: "A draft" }));
    expect((await asMember(viewer, "GET", `/agents/${slug}`)).status).toBe(200);
    expect((await send(viewer, "GET", `/agents/${slug}`)).status).toBe(404);
  });

  test("owns the agents of its members: an agent stays when its developer leaves", async () => {
    const member = await join("developer");
    const slug = `ours-${founder.accountId.slice(-8)}`;
    expectStatus(201, await asMember(member, "POST", "/agents", { slug, name: "Ours" }));
    expectStatus(200, await send(member, "DELETE", memberPath(member)));
    const mine = expectStatus(200, await send(founder, "GET", "/agents/mine"));
    expect(mine.map((one: { slug: string }) => one.slug)).toEqual([slug]);
  });

  test("has a name set by owners and admins, which its members see", async () => {
    const [admin, viewer] = [await join("admin"), await join("viewer")];
    const path = `/organisations/${founder.accountId}`;
    expect(expectStatus(200, await send(admin, "PATCH", path, { name: "Lingua" })).name).toBe("Lingua");
    expect(refusal(await send(viewer, "PATCH", path, { name: "Mine" }))).toEqual([403, "insufficient_role"]);
    const { items } = expectStatus(200, await send(viewer, "GET", "/organisations"));
    expect(items.map((one: { name: string; role: MemberRole }) => [one.name, one.role])).toEqual([
      [null, "owner"],
      ["Lingua", "viewer"],
    ]);
  });
});

describe("the permissions of a role", () => {
  /** Operations on the user's own account, which are never called for an organisation. */
  const aboutOneself = (operation: Operation) =>
    /^\/(auth\/logout|auth\/me\/wallets\/|exports\/account|me\/(erasure|export)|operator\/|organisations|invitations|sessions?(\/|$))/.test(
      operation.path,
    ) || operation.operationId === "addWallet";
  const isForSessions = ({ security }: Operation) =>
    security.length > 0 && security.every((scheme) => "session" in scheme);
  const scopeOf = ({ security }: Operation) => security.flatMap((scheme) => scheme.apiKey ?? [])[0] ?? "";

  function isAllowed(role: MemberRole, operation: Operation): boolean {
    if (aboutOneself(operation)) return false;
    if (isForSessions(operation)) return role === "owner" || role === "admin";
    return role !== "viewer" || !scopeOf(operation).endsWith(":write");
  }

  test.each(["owner", "admin", "developer", "viewer"] as const)(
    "%s: every guarded operation is allowed or refused by the role",
    async (role) => {
      const member = await join(role);
      const guarded = operationsOf(api).filter(({ security }) =>
        security.some((scheme) => "session" in scheme),
      );
      expect(guarded.length).toBeGreaterThan(60);
      for (const operation of guarded) {
        const isOpen = operation.security.some((scheme) => Object.keys(scheme).length === 0);
        if (isOpen) continue;
        const path = operation.path.replaceAll(/\{\w+\}/g, "nothing-like-it");
        const answer = await asMember(member, operation.method, path);
        const refused = answer.status === 403 && answer.body.error.code === "insufficient_role";
        expect([operation.operationId, !refused]).toEqual([
          operation.operationId,
          isAllowed(role, operation),
        ]);
      }
    },
  );

  test("no member adds a wallet to the organisation's account, which would give ownership", async () => {
    const owner = await join("owner");
    const { address } = privateKeyToAccount(generatePrivateKey());
    const body = { address, chain_id: 31_337, purpose: "link_wallet" };
    expect(refusal(await asMember(owner, "POST", "/auth/nonce", body))).toEqual([403, "insufficient_role"]);
  });

  test("keys act for the organisation, name their creator, and stay on request when the creator leaves", async () => {
    const admin = await join("admin");
    const body = { name: "ours", scopes: ["agents:read"] };
    const key = expectStatus(201, await asMember(admin, "POST", "/api-keys", body));
    expect(key.created_by).toBe(admin.accountId);
    const me = expectStatus(200, await api.request("GET", "/me", { apiKey: key.token }));
    expect(me).toMatchObject({ id: founder.accountId, auth: { via_api_key: true, role: null } });
    expectStatus(200, await send(founder, "DELETE", `${memberPath(admin)}?revoke_keys=false`));
    expectStatus(200, await api.request("GET", "/agents/mine", { apiKey: key.token }));
    const { items } = expectStatus(200, await send(founder, "GET", "/api-keys"));
    expect(items).toMatchObject([{ id: key.id, created_by: admin.accountId }]);
  });

  test("a key acts for its own organisation only", async () => {
    const member = await join("owner");
    const key = await createKey(api, member, ["agents:read"]);
    const ask = (organisation: string) =>
      api.request("GET", "/agents/mine", { token: key, headers: { "x-organisation": organisation } });
    expect((await ask(member.accountId)).status).toBe(200);
    expect(refusal(await ask(founder.accountId))).toEqual([403, "insufficient_role"]);
  });

  test("a user who is no member is 403 under X-Organisation, for an existing and an unknown organisation alike", async () => {
    const outsider = await signIn(api);
    const nobody = { ...founder, accountId: "acc_01jd3w8x2mfhz8w9q4t6n5k7ra" };
    for (const of of [
      founder,
      nobody,
      { ...founder, accountId: "" },
      { ...founder, accountId: "' or 1=1" },
    ]) {
      for (const path of ["/agents/mine", "/me", "/orders", "/agents/any"]) {
        expect(refusal(await asMember(outsider, "GET", path, undefined, of))).toEqual([
          403,
          "insufficient_role",
        ]);
      }
    }
    for (const path of ["members", "invitations"]) {
      const answer = await send(outsider, "GET", `/organisations/${founder.accountId}/${path}`);
      expect(refusal(answer)).toEqual([404, "not_found"]);
    }
  });
});

describe("members", () => {
  test("lose their permissions at once when they are removed or their role is lowered", async () => {
    const member = await join("developer");
    const write = () => asMember(member, "POST", "/agents", {});
    expect((await write()).status).toBe(400);
    expectStatus(200, await send(founder, "PUT", memberPath(member), { role: "viewer" }));
    expect(refusal(await write())).toEqual([403, "insufficient_role"]);
    expect((await asMember(member, "GET", "/agents/mine")).status).toBe(200);
    expectStatus(200, await send(founder, "DELETE", memberPath(member)));
    expect(refusal(await asMember(member, "GET", "/agents/mine"))).toEqual([403, "insufficient_role"]);
    expect(await members()).toEqual([[founder.accountId, "owner"]]);
  });

  test("who are admins manage everybody except owners", async () => {
    const [owner, admin, viewer] = [await join("owner"), await join("admin"), await join("viewer")];
    const no = [403, "insufficient_role"];
    expect(refusal(await send(admin, "PUT", memberPath(owner), { role: "viewer" }))).toEqual(no);
    expect(refusal(await send(admin, "PUT", memberPath(viewer), { role: "owner" }))).toEqual(no);
    expect(refusal(await send(admin, "PUT", memberPath(admin), { role: "owner" }))).toEqual(no);
    expect(refusal(await send(admin, "DELETE", memberPath(owner)))).toEqual(no);
    expect(refusal(await invite(privateKeyToAccount(generatePrivateKey()).address, "owner", admin))).toEqual(
      no,
    );
    expectStatus(200, await send(admin, "PUT", memberPath(viewer), { role: "developer" }));
    expectStatus(200, await send(owner, "PUT", memberPath(admin), { role: "owner" }));
    expectStatus(200, await send(admin, "DELETE", memberPath(owner)));
    expect(await members()).toEqual([
      [founder.accountId, "owner"],
      [admin.accountId, "owner"],
      [viewer.accountId, "developer"],
    ]);
  });

  test.each(["developer", "viewer"] as const)("who are a %s manage nobody, and may leave", async (role) => {
    const [member, other] = [await join(role), await join("viewer")];
    const no = [403, "insufficient_role"];
    expect(refusal(await send(member, "DELETE", memberPath(other)))).toEqual(no);
    expect(refusal(await send(member, "PUT", memberPath(member), { role: "admin" }))).toEqual(no);
    expect(refusal(await invite(other.account.address, "viewer", member))).toEqual(no);
    const list = await send(member, "GET", `/organisations/${founder.accountId}/invitations`);
    expect(refusal(list)).toEqual(no);
    expect((await members(member)).length).toBe(3);
    expectStatus(200, await send(member, "DELETE", memberPath(member)));
    expect((await members()).length).toBe(2);
  });

  test("include the founder, whose role cannot change: an owner always remains", async () => {
    const owner = await join("owner");
    for (const who of [founder, owner]) {
      expect(refusal(await send(who, "DELETE", memberPath(founder)))).toEqual([409, "conflict"]);
      const demoted = await send(who, "PUT", memberPath(founder), { role: "viewer" });
      expect(refusal(demoted)).toEqual([409, "conflict"]);
    }
    expectStatus(200, await send(owner, "DELETE", memberPath(owner)));
    expect(await members()).toEqual([[founder.accountId, "owner"]]);
  });

  test("who do not exist are 404", async () => {
    const outsider = await signIn(api);
    expect(refusal(await send(founder, "PUT", memberPath(outsider), { role: "admin" }))).toEqual([
      404,
      "not_found",
    ]);
    expect(refusal(await send(founder, "DELETE", memberPath(outsider)))).toEqual([404, "not_found"]);
    expect(refusal(await send(outsider, "DELETE", memberPath(outsider)))).toEqual([404, "not_found"]);
  });
});

describe("invitations", () => {
  const received = async (who: Session) => expectStatus(200, await send(who, "GET", "/invitations")).items;
  const answerTo = (who: Session, id: string, action: string) =>
    send(who, "POST", `/invitations/${id}/${action}`);

  test("are found when the wallet signs in, later too, and joined by accepting", async () => {
    const signer = privateKeyToAccount(generatePrivateKey());
    const { id } = expectStatus(201, await invite(signer.address, "developer"));
    const member = await signIn(api, signer);
    expect(await received(member)).toMatchObject([
      { id, organisation_id: founder.accountId, address: signer.address, role: "developer", status: "open" },
    ]);
    expect(expectStatus(200, await answerTo(member, id, "accept")).status).toBe("accepted");
    expect(await received(member)).toEqual([]);
    expect(await members()).toEqual([
      [founder.accountId, "owner"],
      [member.accountId, "developer"],
    ]);
    expect(refusal(await answerTo(member, id, "accept"))).toEqual([409, "invalid_state"]);
  });

  test("let nobody in after a decline, a revocation or the expiry", async () => {
    const member = await signIn(api);
    const open = async () => expectStatus(201, await invite(member.account.address, "viewer")).id as string;
    const ends: [(id: string) => Promise<unknown>, string][] = [
      [(id) => answerTo(member, id, "decline"), "declined"],
      [(id) => send(founder, "DELETE", `/organisations/${founder.accountId}/invitations/${id}`), "revoked"],
      [
        (id) =>
          api.db
            .update(organisationInvitation)
            .set({ expiresAt: sql`now() - interval '1 second'` })
            .where(eq(organisationInvitation.id, id)),
        "expired",
      ],
    ];
    for (const [end, status] of ends) {
      const id = await open();
      await end(id);
      for (const action of ["accept", "decline"]) {
        const answer = await answerTo(member, id, action);
        expect(refusal(answer)).toEqual([409, "invalid_state"]);
        expect(answer.body.error.message).toContain(status);
      }
      expect(await received(member)).toEqual([]);
    }
    const listed = await send(founder, "GET", `/organisations/${founder.accountId}/invitations`);
    expect(listed.body.items.map((one: { status: string }) => one.status)).toEqual([
      "expired",
      "revoked",
      "declined",
    ]);
    expect(await members()).toHaveLength(1);
  });

  test("are 404 except to the owner of the invited wallet and the organisation", async () => {
    const [member, outsider] = [await signIn(api), await signIn(api)];
    const { id } = expectStatus(201, await invite(member.account.address, "viewer"));
    for (const who of [outsider, founder]) {
      expect(refusal(await answerTo(who, id, "accept"))).toEqual([404, "not_found"]);
    }
    expect(refusal(await answerTo(member, "inv_nothing", "accept"))).toEqual([404, "not_found"]);
    const elsewhere = `/organisations/${outsider.accountId}/invitations/${id}`;
    expect(refusal(await send(outsider, "DELETE", elsewhere))).toEqual([404, "not_found"]);
    expectStatus(200, await answerTo(member, id, "accept"));
  });

  test("make one member when two acceptances race, and let no removed member back in", async () => {
    const member = await signIn(api);
    const wallets = [0, 1].map(() => privateKeyToAccount(generatePrivateKey()).address);
    const { accountId } = member;
    await api.db.insert(wallet).values(
      wallets.map((address) => ({
        id: typeid("wal").toString(),
        accountId,
        address,
        provedBy: "key" as const,
      })),
    );
    const ids: string[] = [];
    for (const address of [member.account.address, ...wallets]) {
      ids.push(expectStatus(201, await invite(address, "viewer")).id);
    }
    const answers = await Promise.all(ids.slice(0, 2).map((id) => answerTo(member, id, "accept")));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await members()).toHaveLength(2);
    expectStatus(200, await send(founder, "DELETE", memberPath(member)));
    expect(refusal(await answerTo(member, ids[2] ?? "", "accept"))).toEqual([409, "invalid_state"]);
    expect(await members()).toHaveLength(1);
  });

  test("are refused for a member, for oneself, and for an unknown role", async () => {
    const member = await join("viewer");
    for (const who of [member, founder]) {
      expect(refusal(await invite(who.account.address, "admin"))).toEqual([409, "conflict"]);
    }
    const bad = await invite(member.account.address, "king" as MemberRole);
    expect([bad.status, bad.body.error.details[0].path]).toEqual([400, "/role"]);
  });
});

test("record changes of members in the organisation's audit trail, with their author", async () => {
  const admin = await join("admin");
  const member = await signIn(api);
  const { id } = expectStatus(201, await invite(member.account.address, "viewer", admin));
  expectStatus(200, await send(member, "POST", `/invitations/${id}/accept`));
  expectStatus(200, await send(founder, "PUT", memberPath(member), { role: "developer" }));
  expectStatus(200, await send(admin, "DELETE", memberPath(member)));
  const { items } = expectStatus(200, await asMember(admin, "GET", "/audit"));
  type Entry = { action: string; actor: { account_id: string } };
  expect(items.slice(0, 4).map((entry: Entry) => [entry.action, entry.actor.account_id])).toEqual([
    ["member.removed", admin.accountId],
    ["member.role_changed", founder.accountId],
    ["member.joined", member.accountId],
    ["member.invited", admin.accountId],
  ]);
});
