import { createHash, randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationsOfBanned } from "../../../api/http/banned-access.ts";
import { type Scope, scopes } from "../../../api/http/caller.ts";
import { apiKey, oauthRecord } from "../../../db/schema.ts";
import { createKey, expectStatus, publishService, type Session, signIn } from "../../harness/api.ts";
import { type Operation, operationsOf } from "../../harness/documented.ts";
import { ask, createMarket, type Market } from "../../harness/market/market.ts";
import { createModeration, signInOperator } from "../../harness/market/moderation.ts";
import { serveMcp, use } from "../../harness/mcp.ts";
import { organisationOf } from "../../harness/organisation.ts";

let market: Market;
let moderation: ReturnType<typeof createModeration>;
let operator: Session;
beforeAll(async () => {
  market = await createMarket();
  moderation = createModeration(market.api);
  operator = await signInOperator(market.api);
});
afterAll(() => market?.api.close());

const allScopes = (Object.keys(scopes) as Scope[]).filter((scope) => scope !== "subscriptions:read");
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  [status, body?.error?.code] as const;
const nameOf = ({ method, path }: Operation) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;

/** An access token of a program that a person has granted all scopes of a key. */
async function grantTo(who: Session): Promise<string> {
  await createKey(market.api, who, allScopes);
  const { items } = expectStatus(200, await moderation.request("GET", "/api-keys", who));
  const grantId = `grant-${items[0].id}`;
  await market.api.db.update(apiKey).set({ grantId, tokenHash: null }).where(eq(apiKey.id, items[0].id));
  const token = randomBytes(32).toString("base64url");
  await market.api.db.insert(oauthRecord).values({
    kind: "AccessToken",
    idHash: createHash("sha256").update(token).digest("hex"),
    grantId,
    payload: { scope: allScopes.join(" ") },
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  return token;
}

describe("a banned account", () => {
  test("writes by no operation but those that it keeps, whatever its credential", async () => {
    const who = await signIn(market.api);
    const tokens = [who.token, await createKey(market.api, who, allScopes), await grantTo(who)];
    await moderation.acted(operator, who.accountId, "ban");
    const writing = operationsOf(market.api).filter(
      ({ method, security }) => !["GET", "DELETE"].includes(method) && security.length > 0,
    );
    const closed = writing.filter(
      (one) =>
        !operationsOfBanned.includes(nameOf(one)) &&
        !one.security.some((scheme) => Object.keys(scheme).length === 0),
    );
    expect(closed.length).toBeGreaterThan(25);
    for (const operation of closed) {
      const isForKeys = operation.security.some((scheme) => "apiKey" in scheme);
      for (const token of isForKeys ? tokens : [who.token]) {
        const path = operation.path.replaceAll(/\{\w+\}/g, "nothing-like-it");
        const answer = await market.api.request(operation.method, path, { token });
        const isForOperators = operation.path.startsWith("/operator/");
        expect([operation.operationId, ...codeOf(answer)]).toEqual([
          operation.operationId,
          403,
          isForOperators ? "insufficient_role" : "account_banned",
        ]);
      }
    }
    for (const name of operationsOfBanned.filter((one) => !one.includes("/uploads"))) {
      expect(writing.map(nameOf), name).toContain(name);
    }
    for (const path of ["/me", "/orders", "/moderations", "/events", "/api-keys"]) {
      expectStatus(200, await moderation.request("GET", path, who));
    }
  });

  test("places no order by a tool of MCP and by a task of A2A", async () => {
    const who = await signIn(market.api);
    const { agent, service } = await publishService(market.api, market.provider);
    const token = await createKey(market.api, who, allScopes);
    await moderation.acted(operator, who.accountId, "ban");
    const mcp = await serveMcp(market.api.app);
    try {
      const client = await mcp.connect(token);
      const placed = await use(client, "place_order", {
        service_id: service.id,
        input: {},
        idempotency_key: "banned",
        settlement_rail: "escrow",
      });
      expect(placed.code).toBe("account_banned");
      const parts = [{ data: { agent: agent.slug, service: service.slug, input_payload: {} } }];
      const message = { messageId: "banned", role: "ROLE_USER", parts };
      const answer = await market.api.app.request(`/a2a/${agent.slug}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "a2a-version": "1.0",
          authorization: `Bearer ${token}`,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } }),
      });
      expect(await answer.text()).toMatch(/account_banned|has banned this account/);
    } finally {
      await mcp.close();
    }
    expect(expectStatus(200, await moderation.request("GET", "/orders", who)).items).toEqual([]);
  });

  test("acts for no organisation of others, and nobody acts for its own", async () => {
    const { api } = market;
    const [founder, person] = [await signIn(api), await signIn(api)];
    const organisation = organisationOf(api, founder);
    await organisation.join("developer", { who: person });
    const body = { service_id: market.service.id, input_payload: { text: "Guten Tag" } };
    const orderAs = (of?: Session) => organisation.send(person, "POST", "/orders", body, of);
    expectStatus(201, await orderAs(founder));
    const key = expectStatus(
      201,
      await organisation.send(founder, "POST", "/api-keys", { name: "A key", scopes: allScopes }),
    ).token;

    await moderation.acted(operator, founder.accountId, "ban");
    expect(codeOf(await orderAs(founder))).toEqual([403, "account_banned"]);
    expect(codeOf(await api.request("POST", "/orders", { token: key, body }))).toEqual([
      403,
      "account_banned",
    ]);
    expectStatus(200, await organisation.send(person, "GET", "/orders", undefined, founder));
    // Its own account is another matter.
    expectStatus(201, await orderAs());
    await moderation.acted(operator, founder.accountId, "restore");
    expectStatus(201, await orderAs(founder));

    await moderation.acted(operator, person.accountId, "ban");
    expect(codeOf(await orderAs(founder))).toEqual([403, "account_banned"]);
    expect(codeOf(await organisation.send(person, "GET", "/orders", undefined, founder))).toEqual([
      403,
      "account_banned",
    ]);
    expectStatus(200, await organisation.send(person, "GET", "/orders"));
    expectStatus(201, await ask(market, founder, "POST", "/orders", body));
  });
});
