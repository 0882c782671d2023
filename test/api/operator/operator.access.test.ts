import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readQueues } from "../../../api/operator/service-state-reads.ts";
import { auditEntry, moderation as moderationTable, session } from "../../../db/schema.ts";
import { actsAnHour } from "../../../trade/moderation/act.ts";
import { grantOperator, listOperators, revokeOperator } from "../../../trade/moderation/operators.ts";
import { createKey, expectStatus, type Session, signIn } from "../../harness/api.ts";
import { createMarket, type Market } from "../../harness/market/market.ts";
import { createModeration, expectRefused, signInOperator } from "../../harness/market/moderation.ts";

let market: Market;
let moderation: ReturnType<typeof createModeration>;
let operator: Session;
beforeAll(async () => {
  market = await createMarket();
  moderation = createModeration(market.api);
  operator = await signInOperator(market.api);
});
afterAll(() => market?.api.close());

const routes = () =>
  [
    ["GET", "/operator/subjects"],
    ["GET", `/operator/subjects/${market.agent.id}`],
    ["POST", `/operator/subjects/${market.agent.id}/acts`, { act: "suspend", reason: "No." }],
    ["GET", "/operator/acts"],
    ["GET", "/operator/state"],
    ["POST", "/operator/files/fil_01jd3w8x2mfhz8w9q4t6n5k7ra/link"],
    ["POST", "/operator/deliveries/whd_01jd3w8x2mfhz8w9q4t6n5k7ra/resend", { reason: "No." }],
  ] as const;

describe("the operator API is closed", () => {
  test("to people, to every key of an operator, and to an operator's organisation", async () => {
    const { api, outsider } = market;
    const key = await createKey(api, operator, ["orders:read", "orders:write", "agents:write"]);
    for (const [method, path, body] of routes()) {
      expectRefused(await api.request(method, path, { body }), 401, "unauthenticated");
      expectRefused(
        await moderation.request(method, path, outsider, body),
        403,
        "insufficient_role",
        /operators/,
      );
      expectRefused(await api.request(method, path, { token: key, body }), 403, "insufficient_scope");
      const headers = { "x-organisation": outsider.accountId };
      const asMember = await api.request(method, path, { token: operator.token, body, headers });
      expect(asMember.status).toBe(403);
    }
    const acts = await api.db.$count(moderationTable);
    expect(acts).toBe(0);
  });

  test("to an operator who acts for an organisation that they belong to", async () => {
    const { api, provider } = market;
    const invitation = expectStatus(
      201,
      await moderation.request("POST", `/organisations/${provider.accountId}/invitations`, provider, {
        address: operator.account.address,
        role: "admin",
      }),
    );
    expectStatus(200, await moderation.request("POST", `/invitations/${invitation.id}/accept`, operator));
    const headers = { "x-organisation": provider.accountId };
    const answer = await api.request("GET", "/operator/state", { token: operator.token, headers });
    expectRefused(answer, 403, "insufficient_role", /X-Organisation/);
    // A member of the provider's organisation does not decide about it.
    expectRefused(
      await moderation.act(operator, market.agent.id, { act: "suspend", reason: "A rival." }),
      409,
      "conflict",
      /your own/,
    );
    expectStatus(
      200,
      await moderation.request(
        "DELETE",
        `/organisations/${provider.accountId}/members/${operator.accountId}`,
        provider,
      ),
    );
  });

  test("to a session that signed in more than twelve hours ago", async () => {
    const { db } = market.api;
    const who = await signInOperator(market.api);
    await db
      .update(session)
      .set({ createdAt: sql`now() - interval '12 hours 1 minute'` })
      .where(eq(session.accountId, who.accountId));
    expectRefused(
      await moderation.request("GET", "/operator/state", who),
      403,
      "insufficient_role",
      /Sign in/,
    );
    const again = await signIn(market.api, who.account);
    expectStatus(200, await moderation.request("GET", "/operator/state", again));
  });

  test("to another wallet of the operator's account, and after the role is taken back", async () => {
    const { api } = market;
    const who = await signIn(api);
    expect(expectStatus(200, await moderation.request("GET", "/me", who)).auth.operator).toBe(false);
    const wallet = { address: who.account.address, chainId: null };
    expect(await grantOperator(api.db, { ...wallet, chainId: 8453 })).toBe(true);
    // A contract of another chain is another wallet than the key of the same address.
    expect(expectStatus(200, await moderation.request("GET", "/me", who)).auth.operator).toBe(false);
    expect([await grantOperator(api.db, wallet), await grantOperator(api.db, wallet)]).toEqual([true, false]);
    expect(expectStatus(200, await moderation.request("GET", "/me", who)).auth.operator).toBe(true);
    expect((await listOperators(api.db)).some(({ accountId }) => accountId === who.accountId)).toBe(true);
    expect([await revokeOperator(api.db, wallet), await revokeOperator(api.db, wallet)]).toEqual([
      true,
      false,
    ]);
    expectRefused(await moderation.request("GET", "/operator/state", who), 403, "insufficient_role");
  });
});

test("the age of a queue is that of its oldest row, also if only a part is counted", async () => {
  const { db } = market.api;
  await db.execute(sql`
    insert into earnest.log_queue (kind, subject, created_at)
    select 'receipt', 'rcp_of_queue_' || n, now() - make_interval(hours => 10 - n) from generate_series(1, 3) n`);
  const [log] = (await readQueues(db, 2)).filter(({ name }) => name === "log");
  expect([log?.waiting, Math.round((log?.age ?? 0) / 3600)]).toEqual([2, 9]);
  await db.execute(sql`delete from earnest.log_queue where subject like 'rcp_of_queue_%'`);
});

describe("an operator's session", () => {
  test("acts a bounded number of times in an hour, each in the audit log with its reason", async () => {
    const { api } = market;
    const who = await signInOperator(api);
    const seller = await signIn(api);
    const acted = await moderation.acted(who, seller.accountId, "ban");
    const [entry] = await api.db.select().from(auditEntry).where(eq(auditEntry.target, seller.accountId));
    expect(entry).toMatchObject({
      action: "operator.acted",
      accountId: who.accountId,
      data: { act: "ban", reason: "It breaks the rules.", moderation: acted.id },
    });
    await api.db.execute(sql`
      insert into earnest.moderation (id, act, subject_kind, subject_id, owner_account_id, operator_account_id, reason)
      select id || n, 'dismiss', subject_kind, subject_id, owner_account_id, operator_account_id, reason
      from earnest.moderation, generate_series(1, ${actsAnHour - 1}) n where id = ${acted.id}`);
    expectRefused(
      await moderation.act(who, seller.accountId, { act: "restore", reason: "Enough." }),
      429,
      "rate_limited",
    );
    await moderation.acted(operator, seller.accountId, "restore");
  });

  test("gives a reason for each act, and bans no other operator", async () => {
    const other = await signInOperator(market.api);
    for (const reason of [undefined, "", "x".repeat(1001), "\u2067"]) {
      expectRefused(
        await moderation.act(operator, market.agent.id, { act: "suspend", reason }),
        400,
        "invalid_request",
      );
    }
    expectRefused(
      await moderation.act(operator, other.accountId, { act: "ban", reason: "Mine." }),
      409,
      "conflict",
      /operator's/,
    );
    expectRefused(
      await moderation.act(operator, operator.accountId, { act: "ban", reason: "Me." }),
      409,
      "conflict",
      /your own/,
    );
    expectRefused(
      await moderation.act(operator, "agt_01jd3w8x2mfhz8w9q4t6n5k7ra", { act: "suspend", reason: "Who?" }),
      404,
      "not_found",
    );
    expectRefused(
      await moderation.act(operator, market.agent.id, { act: "ban", reason: "A wrong act." }),
      409,
      "invalid_state",
      /suspend/,
    );
  });
});
