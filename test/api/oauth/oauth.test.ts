import type { ServerResponse } from "node:http";
import { OpenAPIHono } from "@hono/zod-openapi";
import { auth, Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addOauth } from "../../../api/oauth/index.ts";
import { mostAtOnce } from "../../../api/oauth/metadata-document.ts";
import { mayRegister } from "../../../api/oauth/registration.ts";
import type { App, Variables } from "../../../api/variables.ts";
import { apiKey, oauthRecord } from "../../../db/schema.ts";
import { removeOldRows } from "../../../jobs/retention.ts";
import { caps } from "../../../trade/account-caps.ts";
import { expectStatus } from "../../harness/api.ts";
import { createMarket, type Market } from "../../harness/market/market.ts";
import { use } from "../../harness/mcp.ts";
import {
  authorizationOf,
  Browser,
  createOauthState,
  postForm,
  register,
} from "../../harness/oauth/program.ts";
import { createAuthority, type Receiver, startReceiver } from "../../harness/outbound/receiver.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

const base = "http://localhost:42069";
const buying = ["marketplace:read", "orders:read", "orders:write", "subscriptions:read"];

/** Sends the requests of an official client to the app. */
const send = (url: string | URL, init?: RequestInit) =>
  Promise.resolve(market.api.app.request(String(url), init));

function connectionOf(state: ReturnType<typeof createOauthState>, path = "/mcp/account") {
  const transport = new StreamableHTTPClientTransport(new URL(`${base}${path}`), {
    authProvider: state,
    fetch: send,
  });
  return { transport, client: new Client({ name: "an-assistant", version: "1" }) };
}

describe("an official client", () => {
  test("connects by consent, buys within the limits, refreshes, and loses access when the key is revoked", async () => {
    const { api, buyer } = market;
    const state = createOauthState();
    const first = connectionOf(state);
    await expect(first.client.connect(first.transport)).rejects.toBeInstanceOf(UnauthorizedError);
    const asked = state.authorizationUrl?.searchParams;
    expect(asked?.get("scope")?.split(" ")).toEqual(expect.arrayContaining(buying));
    expect([asked?.get("code_challenge_method"), asked?.get("resource")]).toEqual([
      "S256",
      `${base}/mcp/account`,
    ]);

    const browser = new Browser(api.app);
    const page = await browser.open(state.authorizationUrl as URL);
    const shown = await browser.request(`${page}/request`, {
      headers: { authorization: `Bearer ${buyer.token}` },
    });
    expect(await shown.json()).toEqual({
      client_name: "An assistant",
      client_id_host: null,
      receiver: "localhost:6274",
      is_local: true,
      scopes: buying,
    });
    const limits = { per_order: "3", per_day: "4" };
    const decided = await browser.decide(page, buyer, { approved: true, scopes: buying, limits });
    const back = await browser.finish(expectStatus(200, { ...decided, headers: new Headers() }).url);
    expect([back.host, back.searchParams.get("iss")]).toEqual(["localhost:6274", base]);
    await first.transport.finishAuth(back.searchParams);

    const { client, transport } = connectionOf(state);
    await client.connect(transport);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("place_order");
    expect((await use(client, "get_account")).facts).toMatchObject({ account_id: buyer.accountId });
    const order = { service_id: market.service.id, input: { text: "x" } };
    expect((await use(client, "place_order", { ...order, idempotency_key: "1" })).code).toBeUndefined();
    expect((await use(client, "place_order", { ...order, idempotency_key: "2" })).code).toBe(
      "spend_limit_exceeded",
    );

    const before = state.saved;
    expect(await auth(state, { serverUrl: `${base}/mcp/account`, fetchFn: send })).toBe("AUTHORIZED");
    expect(state.saved?.access_token).not.toBe(before?.access_token);
    expect((await use(client, "get_account")).code).toBeUndefined();

    const keys = expectStatus(200, await api.request("GET", "/api-keys", { token: buyer.token }));
    const [key] = keys.items;
    expect(key).toMatchObject({
      name: "An assistant",
      scopes: buying,
      token_hint: null,
      client_host: "localhost:6274",
      limits: { per_order: "3", per_day: "4" },
    });
    expectStatus(200, await api.request("DELETE", `/api-keys/${key.id}`, { token: buyer.token }));
    const dead = await api.request("GET", "/me", { token: state.saved?.access_token ?? "" });
    expect(dead.status).toBe(401);
    const refreshed = await postForm(api.app, "/oauth/token", {
      grant_type: "refresh_token",
      refresh_token: state.saved?.refresh_token ?? "",
      client_id: (await state.clientInformation())?.client_id ?? "",
    });
    expect([refreshed.status, refreshed.body.error]).toEqual([400, "invalid_grant"]);
    await client.close();
  });
});

/** A program with tokens, which a person granted. */
async function connect({ scopes = buying, scope = buying.join(" ") } = {}) {
  const browser = new Browser(market.api.app);
  const { app } = market.api;
  const { client_id } = (
    await register(app, { client_name: "A program", redirect_uris: ["http://localhost:6274/callback"] })
  ).body;
  const { url, verifier, redirectUri } = authorizationOf(client_id, { scope });
  const page = await browser.open(url);
  const decided = await browser.decide(page, market.buyer, { approved: true, scopes });
  const back = await browser.finish(decided.body.url);
  const code = back.searchParams.get("code") ?? "";
  const exchange = { grant_type: "authorization_code", code, client_id, redirect_uri: redirectUri };
  return { client_id, exchange: { ...exchange, code_verifier: verifier }, page, decided };
}

const token = (fields: Record<string, string>) => postForm(market.api.app, "/oauth/token", fields);
const me = async (access: string) => (await market.api.request("GET", "/me", { token: access })).status;

describe("a thief", () => {
  test("who replays a code ends the grant of the first use", async () => {
    const { exchange } = await connect();
    const first = await token(exchange);
    expect([first.status, await me(first.body.access_token)]).toEqual([200, 200]);
    expect((await token(exchange)).body.error).toBe("invalid_grant");
    expect(await me(first.body.access_token)).toBe(401);
  });

  test("who sends one code twice at once gets one set of tokens at most", async () => {
    const { exchange } = await connect();
    const answers = await Promise.all([token(exchange), token(exchange), token(exchange)]);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  test("who lacks the verifier, or names another redirect, gets no token", async () => {
    const { exchange } = await connect();
    const other = { ...exchange, code_verifier: "x".repeat(43) };
    expect((await token(other)).body.error).toBe("invalid_grant");
    const { exchange: second } = await connect();
    const moved = { ...second, redirect_uri: "http://localhost:6274/other" };
    expect((await token(moved)).body.error).toBe("invalid_grant");
  });

  test("who uses an old refresh token ends the grant and its key", async () => {
    const { exchange, client_id } = await connect();
    const { body: first } = await token(exchange);
    const refresh = { grant_type: "refresh_token", refresh_token: first.refresh_token, client_id };
    const { body: second } = await token(refresh);
    expect(await me(second.access_token)).toBe(200);
    expect((await token(refresh)).body.error).toBe("invalid_grant");
    expect(await me(second.access_token)).toBe(401);
    const again = await token({ ...refresh, refresh_token: second.refresh_token });
    expect(again.body.error).toBe("invalid_grant");
    const log = await market.api.request("GET", "/audit", { token: market.buyer.token });
    expect(log.body.items[0]).toMatchObject({
      action: "key.revoked",
      data: { client_host: "localhost:6274" },
    });
  });

  test("who sends a consent page of an own browser to another person gets nothing", async () => {
    const { app } = market.api;
    const { client_id } = (await register(app, { redirect_uris: ["http://localhost:6274/callback"] })).body;
    const own = new Browser(app);
    const page = await own.open(authorizationOf(client_id).url);
    const victim = new Browser(app);
    const decided = await victim.decide(page, market.buyer, { approved: true, scopes: buying });
    expect([decided.status, decided.body.error.code]).toEqual([404, "not_found"]);
  });

  test("cannot decide without a session, with a key, or as a page of another site", async () => {
    const { app } = market.api;
    const { client_id } = (await register(app, { redirect_uris: ["http://localhost:6274/callback"] })).body;
    const browser = new Browser(app);
    const page = await browser.open(authorizationOf(client_id).url);
    const body = JSON.stringify({ approved: true, scopes: buying });
    const headers = { "content-type": "application/json", cookie: "earnest-42069=est_x" };
    const anonymous = await browser.request(`${page}/decision`, { method: "POST", headers, body });
    expect(anonymous.status).toBe(401);
    const { exchange } = await connect();
    const { body: tokens } = await token(exchange);
    const decided = await browser.decide(
      page,
      { ...market.buyer, token: tokens.access_token },
      { approved: true, scopes: buying },
    );
    expect([decided.status, decided.body.error.code]).toEqual([403, "insufficient_scope"]);
  });
});

describe("a request for authorization", () => {
  test("shows a page instead of a redirect if the redirect URI is not exactly a registered one", async () => {
    const { app } = market.api;
    const { client_id } = (await register(app, { redirect_uris: ["https://a.example/cb"] })).body;
    for (const redirect_uri of [
      "https://evil.example/cb",
      "https://a.example/cb/x",
      "https://a.example/cb?x=1",
      "https://a.example.evil.example/cb",
      "https://a.example/cb/../other",
      "javascript:alert(1)",
    ]) {
      const answer = await new Browser(app).request(authorizationOf(client_id, { redirect_uri }).url);
      expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
      expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    }
  });

  test("is refused without PKCE, with a plain challenge, and for another resource", async () => {
    const { app } = market.api;
    const { client_id } = (await register(app, { redirect_uris: ["http://localhost:6274/callback"] })).body;
    const errorOf = async (changes: Record<string, string>) => {
      const answer = await new Browser(app).request(authorizationOf(client_id, changes).url);
      const { search, hash } = new URL(answer.headers.get("location") ?? "about:blank");
      return new URLSearchParams(search || hash.slice(1)).get("error");
    };
    expect(await errorOf({ code_challenge_method: "plain" })).toBe("invalid_request");
    expect(await errorOf({ code_challenge: "", code_challenge_method: "" })).toBe("invalid_request");
    expect(await errorOf({ resource: "https://other.example/mcp" })).toBe("invalid_target");
    expect(await errorOf({ response_type: "token" })).toBe("unsupported_response_type");
  });

  test("gives the program no more scopes than were asked for and chosen", async () => {
    const { app } = market.api;
    const { client_id } = (await register(app, { redirect_uris: ["http://localhost:6274/callback"] })).body;
    const browser = new Browser(app);
    const asked = authorizationOf(client_id, { scope: "orders:read webhooks:write" });
    const page = await browser.open(asked.url);
    const wide = await browser.decide(page, market.buyer, {
      approved: true,
      scopes: ["orders:read", "orders:write"],
    });
    expect(wide.status).toBe(400);
    const { exchange } = await connect({
      scopes: ["orders:read"],
      scope: "openid orders:read offline_access",
    });
    const { body } = await token(exchange);
    expect([body.scope, body.id_token]).toEqual(["orders:read", undefined]);
    const account = await market.api.request("GET", "/me", { token: body.access_token });
    expect(account.body.auth.scopes).toEqual(["orders:read"]);
  });

  test("leaves no grant of an account that has the most keys", async () => {
    const { app, db } = market.api;
    const { client_id } = (await register(app, { redirect_uris: ["http://localhost:6274/callback"] })).body;
    const browser = new Browser(app);
    const page = await browser.open(authorizationOf(client_id, { scope: "orders:read" }).url);
    const { accountId } = market.buyer;
    const others = Array.from({ length: caps.keys }, (_, number) => ({
      id: `key_${number}`,
      accountId,
      name: "one of many",
      scopes: ["orders:read"],
      tokenHash: `hash ${number}`,
      tokenHint: "hint",
    }));
    await db.insert(apiKey).values(others);
    const grants = () => db.$count(oauthRecord, eq(oauthRecord.kind, "Grant"));
    const before = await grants();
    const { status } = await browser.decide(page, market.buyer, { approved: true, scopes: ["orders:read"] });
    await db.delete(apiKey).where(eq(apiKey.name, "one of many"));
    expect([status, await grants()]).toEqual([409, before]);
  });

  test("ends with access_denied when the person refuses, and is decided once", async () => {
    const { app } = market.api;
    const { client_id } = (await register(app, { redirect_uris: ["http://localhost:6274/callback"] })).body;
    const browser = new Browser(app);
    const page = await browser.open(authorizationOf(client_id).url);
    const refused = await browser.decide(page, market.buyer, { approved: false });
    const back = await browser.finish(refused.body.url);
    expect([back.searchParams.get("error"), back.searchParams.get("state")]).toEqual([
      "access_denied",
      "a-state",
    ]);
    expect((await browser.decide(page, market.buyer, { approved: true, scopes: buying })).status).toBe(404);
  });
});

describe("a program that a document describes", () => {
  let receiver: Receiver;
  let app: App;
  let document: Record<string, unknown> = {};
  let clientId = "";
  let slow = new Set<ServerResponse>();
  beforeAll(async () => {
    const authority = await createAuthority();
    const host = "assistant.example";
    receiver = await startReceiver(await authority.issue([host]), (request, answer) => {
      if (request.url?.startsWith("/slow")) return void slow.add(answer);
      if (!request.url?.startsWith("/client.json"))
        return void answer.writeHead(302, { location: clientId }).end();
      answer.setHeader("content-type", "application/json").end(JSON.stringify(document));
    });
    clientId = `https://${host}:${receiver.port}/client.json`;
    app = new OpenAPIHono<{ Variables: Variables }>();
    app.use(async (c, next) => {
      c.set("clientAddress", c.req.header("x-client") ?? null);
      await next();
    });
    addOauth(app, market.api.context, {
      ca: authority.ca,
      lookup: async (name) => [name === host ? "127.0.0.1" : "10.0.0.1"],
      policy: { allowsLocalhost: false, publicAddresses: ["127.0.0.1"] },
    });
  });
  afterAll(() => receiver?.close());

  test("is shown with the host of its document, and without hidden characters in its name", async () => {
    const redirect_uri = "https://assistant.example/callback";
    document = {
      client_id: clientId,
      client_name: "Ear\u202enest\u200b",
      redirect_uris: [redirect_uri],
      token_endpoint_auth_method: "none",
    };
    const browser = new Browser(app);
    const page = await browser.open(authorizationOf(clientId, { redirect_uri }).url);
    const headers = { authorization: `Bearer ${market.buyer.token}` };
    expect(await (await browser.request(`${page}/request`, { headers })).json()).toMatchObject({
      client_name: "Earnest",
      client_id_host: `assistant.example:${receiver.port}`,
      receiver: "assistant.example",
      is_local: false,
    });
  });

  test("is shown while another network has all its places with documents that never come", async () => {
    const redirect_uri = "https://assistant.example/callback";
    const from = async (client: string, id: string) =>
      app.request(String(authorizationOf(id, { redirect_uri }).url), { headers: { "x-client": client } });
    const hostile = Array.from({ length: 20 }, (_, n) =>
      from(`203.0.113.${n}`, clientId.replace("client.json", `slow.json?${n}`)),
    );
    // The others of the network are refused without a fetch.
    await expect.poll(() => slow.size).toBe(mostAtOnce / 4);
    document = { client_id: clientId, redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" };
    const id = clientId.replace("client.json", "client.json?fresh");
    document.client_id = id;
    const fresh = await from("198.51.100.7", id);
    expect(fresh.status).toBe(303);
    for (const answer of slow) answer.destroy();
    expect(new Set((await Promise.all(hostile)).map(({ status }) => status))).toEqual(new Set([400]));
    slow = new Set();
  });

  test("is refused at internal addresses, after a redirect, and with an unsafe redirect URI", async () => {
    const refusalOf = async (id: string, redirect_uri: string) => {
      const answer = await new Browser(app).request(authorizationOf(id, { redirect_uri }).url);
      return [answer.status, answer.headers.get("location")];
    };
    const redirect_uri = "https://assistant.example/callback";
    for (const id of [
      "https://internal.example/client.json",
      "https://169.254.169.254/client.json",
      "https://localhost/client.json",
      clientId.replace("client.json", "elsewhere.json"),
    ]) {
      expect(await refusalOf(id, redirect_uri), id).toEqual([400, null]);
    }
    const unsafe = "http://assistant.example/callback";
    const id = clientId.replace("client.json", "client.json?unsafe");
    document = { client_id: id, redirect_uris: [unsafe], token_endpoint_auth_method: "none" };
    expect(await refusalOf(id, unsafe)).toEqual([400, null]);
  });
});

describe("a registration", () => {
  test("makes a public client, whatever it asks for, and keeps only what counts", async () => {
    const { status, body } = await register(market.api.app, {
      redirect_uris: ["https://a.example/cb"],
      client_name: "A",
      token_endpoint_auth_method: "client_secret_basic",
      jwks_uri: "http://169.254.169.254/",
      logo_uri: "https://a.example/x.png",
    });
    expect([status, body.token_endpoint_auth_method]).toEqual([201, "none"]);
    expect(body).not.toHaveProperty("client_secret");
    expect(body).not.toHaveProperty("jwks_uri");
  });

  test("is refused with a redirect that others can read, and beyond its bounds", async () => {
    for (const redirect_uris of [
      ["http://a.example/cb"],
      ["javascript:alert(1)"],
      ["data:text/html,x"],
      ["https://a.example/#x"],
      ["https://user@a.example/"],
      ["myapp:/cb"],
      [],
      Array(11).fill("https://a.example/cb"),
    ]) {
      const { status, body } = await register(market.api.app, { redirect_uris });
      expect([status, body.error], redirect_uris[0]).toEqual([400, "invalid_client_metadata"]);
    }
    expect(await mayRegister(market.api.context, null, { network: 1, all: 1 })).toBe(false);
    const long = await register(market.api.app, {
      redirect_uris: ["https://a.example/"],
      x: "x".repeat(10_000),
    });
    expect(long.status).toBe(400);
  });
});

describe("a revocation by the program", () => {
  test("ends the grant and its key, which leaves the list", async () => {
    const { exchange, client_id } = await connect();
    const { body } = await token(exchange);
    const revoked = await postForm(market.api.app, "/oauth/revoke", { token: body.refresh_token, client_id });
    expect([revoked.status, await me(body.access_token)]).toEqual([200, 401]);
    const rows = await market.api.db.select().from(apiKey).where(eq(apiKey.clientHost, "localhost:6274"));
    expect(rows.filter(({ revokedAt }) => revokedAt === null).length).toBeLessThan(rows.length);
  });

  test("is not needed: retention revokes the key of a grant whose tokens are gone", async () => {
    const { exchange } = await connect();
    const { body } = await token(exchange);
    expect(await me(body.access_token)).toBe(200);
    await market.api.db.execute("update earnest.oauth_record set expires_at = now() - interval '1 day'");
    await market.api.db.execute("update earnest.api_key set created_at = now() - interval '1 day'");
    await removeOldRows(market.api.db);
    const rows = await market.api.db.select().from(apiKey).where(eq(apiKey.clientHost, "localhost:6274"));
    expect(rows.every(({ revokedAt }) => revokedAt !== null)).toBe(true);
  });

  test("or by the person leaves the record of its grant for an hour at most", async () => {
    const { exchange } = await connect();
    await token(exchange);
    const { db } = market.api;
    const grants = () => db.$count(oauthRecord, eq(oauthRecord.kind, "Grant"));
    await removeOldRows(db);
    expect(await grants()).toBeGreaterThan(0);
    await db.execute("update earnest.api_key set revoked_at = now() where grant_id is not null");
    await removeOldRows(db);
    expect(await grants()).toBeGreaterThan(0);
    await db.execute(
      "update earnest.oauth_record set expires_at = expires_at - interval '2 hours' where kind = 'Grant'",
    );
    await removeOldRows(db);
    expect(await grants()).toBe(0);
  });
});
