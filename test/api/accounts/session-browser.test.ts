import { eq, sql } from "drizzle-orm";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { auditEntry, session } from "../../../db/schema.ts";
import { type Answer, createKey, expectStatus, signIn, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: TestApi;
beforeAll(async () => {
  api = await createDocumentedApi();
});
afterAll(() => api.close());

const ofConsole = { "earnest-console": "1", "sec-fetch-site": "same-origin" };
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

async function prove(account = privateKeyToAccount(generatePrivateKey())) {
  const body = { address: account.address, chain_id: 31_337 };
  const { message, nonce } = expectStatus(200, await api.request("POST", "/auth/nonce", { body }));
  return { message, nonce, signature: await account.signMessage({ message }) };
}

/** Signs a browser in. Returns the headers of its requests and the session. */
async function signBrowserIn(account = privateKeyToAccount(generatePrivateKey())) {
  const headers = { ...ofConsole, "user-agent": firefox };
  const answer = await api.request("POST", "/session", { body: await prove(account), headers });
  const body = expectStatus(200, answer);
  const [set = ""] = answer.headers.getSetCookie();
  const cookie = set.split(";")[0] ?? "";
  return {
    account,
    set,
    cookie,
    body,
    headers: { ...ofConsole, cookie },
    session: body.session,
    accountId: String(body.account.id),
  };
}

const readMe = (headers: Record<string, string>) => api.request("GET", "/me", { headers });

describe("the cookie of a session", () => {
  test("is out of reach of scripts and of other sites, lasts 30 days, and holds the only copy of the token", async () => {
    const { set, session: own, body } = await signBrowserIn();
    expect(set).toMatch(/^earnest-42069=est_[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
    const days = (Date.parse(/Expires=([^;]+)/.exec(set)?.[1] ?? "") - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(30, 1);
    expect(own).toMatchObject({ holder: "browser", device: "Firefox on Linux", is_current: true });
    expect((Date.parse(own.expires_at) - Date.now()) / 86_400_000).toBeCloseTo(14, 1);
    expect(JSON.stringify(body)).not.toContain("est_");
    const [row] = await api.db.select().from(session).where(eq(session.id, own.id));
    expect(row?.tokenHash).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    ["https://market.example", /^__Host-earnest=[^;]+; Path=\/; .*HttpOnly; Secure; SameSite=Strict$/],
    [
      "https://example.org/market",
      /^__Host-earnest%2Fmarket=[^;]+; Path=\/; .*HttpOnly; Secure; SameSite=Strict$/,
    ],
    ["http://10.0.0.7/market", /^earnest%2Fmarket=[^;]+; Path=\/; .*HttpOnly; SameSite=Strict$/],
  ])("has the form of the public URL %s", async (publicUrl, form) => {
    const app = createApp({ ...api.context, config: { ...api.config, publicUrl } });
    const account = privateKeyToAccount(generatePrivateKey());
    const send = async (path: string, body: unknown) =>
      app.request(`/api/v1${path}`, {
        method: "POST",
        headers: { ...ofConsole, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const challenge = await send("/auth/nonce", { address: account.address, chain_id: 31_337 });
    const { message, nonce } = (await challenge.json()) as { message: string; nonce: string };
    const answer = await send("/session", {
      message,
      nonce,
      signature: await account.signMessage({ message }),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(form)]);
  });

  test("is the only one that counts: a cookie of a sibling host or of another service on the host signs nobody in", async () => {
    const [own, tossed] = [await signBrowserIn(), await signBrowserIn()];
    const tokenOf = ({ cookie }: { cookie: string }) => cookie.slice(cookie.indexOf("=") + 1);
    const config = { ...api.config, publicUrl: "https://example.org/market" };
    const app = createApp({ ...api.context, config });
    const read = async (cookie: string) => {
      const answer = await app.request("/api/v1/session", { headers: { ...ofConsole, cookie } });
      return ((await answer.json()) as Answer["body"]).current?.account.id ?? null;
    };
    // No page of another host can set a cookie with the prefix `__Host-`.
    const others = ["__Secure-earnest", "earnest", "__Host-earnest", "__Host-earnest%2Fother"];
    for (const name of others) expect(await read(`${name}=${tokenOf(tossed)}`)).toBeNull();
    const all = others.map((name) => `${name}=${tokenOf(tossed)}`);
    expect(await read([...all, `__Host-earnest%2Fmarket=${tokenOf(own)}`].join("; "))).toBe(own.accountId);
  });

  test("signs reads, writes, the stream and exports in, and its answers are stored nowhere", async () => {
    const { headers, account } = await signBrowserIn();
    const me = await readMe(headers);
    expect(expectStatus(200, me)).toMatchObject({
      primary_address: account.address,
      auth: { role: "owner" },
    });
    expect(me.headers.get("cache-control")).toBe("no-store");
    const body = { slug: `browser-${process.pid}`, name: "Of a browser" };
    expectStatus(201, await api.request("POST", "/agents", { headers, body }));
    expectStatus(200, await api.request("GET", "/streams/events?cursor=now", { headers }));
    expectStatus(200, await api.request("GET", "/exports/payments.csv", { headers }));
  });

  test("an export's link of the console needs no header, which a link cannot send", async () => {
    const { cookie } = await signBrowserIn();
    const follow = (path: string, site: string) =>
      api.request("GET", path, { headers: { cookie, "sec-fetch-site": site } });
    expectStatus(200, await follow("/exports/payments.csv", "same-origin"));
    for (const site of ["same-site", "cross-site", "none"]) {
      expectStatus(401, await follow("/exports/payments.csv", site));
    }
    expectStatus(401, await follow("/me", "same-origin"));
    expectStatus(401, await api.request("GET", "/exports/payments.csv", { headers: { cookie } }));
  });

  test("does nothing in a request that another page may have sent", async () => {
    const { cookie } = await signBrowserIn();
    const body = { slug: `forged-${process.pid}`, name: "Forged" };
    const refused: Record<string, string>[] = [
      { cookie },
      { cookie, "sec-fetch-site": "same-origin" },
      { cookie, "earnest-console": "1", "sec-fetch-site": "same-site" },
      { cookie, "earnest-console": "1", "sec-fetch-site": "cross-site" },
    ];
    for (const headers of refused) {
      expectStatus(401, await readMe(headers));
      expectStatus(401, await api.request("POST", "/agents", { headers, body }));
      expectStatus(401, await api.request("GET", "/streams/events", { headers }));
    }
    // A browser without `Sec-Fetch-Site` still needs a preflight for the header.
    expectStatus(200, await readMe({ cookie, "earnest-console": "1" }));
    const preflight = await api.app.request("/api/v1/me", {
      method: "OPTIONS",
      headers: {
        origin: "https://evil.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "earnest-console",
      },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("gives way to a token in a header, also to an invalid one", async () => {
    const [browser, program] = [await signBrowserIn(), await signIn(api)];
    const both = await api.request("GET", "/me", { headers: browser.headers, token: program.token });
    expect(expectStatus(200, both).id).toBe(program.accountId);
    expectStatus(401, await api.request("GET", "/me", { headers: browser.headers, token: "est_wrong" }));
    expectStatus(401, await readMe({ ...browser.headers, authorization: "Basic eDp5" }));
    const key = await createKey(api, program, ["orders:read"]);
    const byKey = await api.request("GET", "/me", { headers: browser.headers, apiKey: key });
    expect(expectStatus(200, byKey).auth.via_api_key).toBe(true);
  });

  test("is the only place of its token, and takes no token of a program", async () => {
    const { cookie } = await signBrowserIn();
    expectStatus(401, await api.request("GET", "/me", { token: cookie.split("=")[1] ?? "" }));
    const { token } = await signIn(api);
    expectStatus(401, await readMe({ ...ofConsole, cookie: `earnest-42069=${token}` }));
  });

  test("is set for no page of another origin, which could sign the browser in to its own account", async () => {
    for (const headers of [{}, { ...ofConsole, "sec-fetch-site": "same-site" }] as Record<string, string>[]) {
      const answer = await api.request("POST", "/session", { body: await prove(), headers });
      expect([answer.status, answer.body.error.code]).toEqual([403, "forbidden_origin"]);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  test("public answers for it are those of the owner, and are not shared", async () => {
    const { headers } = await signBrowserIn();
    const own = await api.request("GET", "/marketplace/services", { headers });
    expect(own.headers.get("cache-control")).toBe("no-store");
    const other = await api.request("GET", "/marketplace/services", { headers: { cookie: headers.cookie } });
    expect(other.headers.get("cache-control")).toBe("public, no-cache");
    expect(other.headers.get("vary")).toContain("Earnest-Console");
  });
});

describe("the life of a browser's session", () => {
  const change = (id: string, to: { lastUsedAt: ReturnType<typeof sql>; endsAt?: ReturnType<typeof sql> }) =>
    api.db.update(session).set(to).where(eq(session.id, id));
  const read = async (id: string) => {
    const [row] = await api.db.select().from(session).where(eq(session.id, id));
    return row as typeof session.$inferSelect;
  };

  test("its use prolongs it at most once an hour, and never beyond 30 days", async () => {
    const { session: own, headers } = await signBrowserIn();
    const before = await read(own.id);
    expectStatus(200, await readMe(headers));
    expect(await read(own.id)).toEqual(before);
    await change(own.id, { lastUsedAt: sql`now() - interval '61 minutes'` });
    await api.db
      .update(session)
      .set({ expiresAt: sql`now() + interval '5 minutes'` })
      .where(eq(session.id, own.id));
    expectStatus(200, await readMe(headers));
    const used = await read(own.id);
    expect(Date.now() - used.lastUsedAt.getTime()).toBeLessThan(60_000);
    expect((used.expiresAt.getTime() - Date.now()) / 86_400_000).toBeCloseTo(14, 1);
    await change(own.id, {
      lastUsedAt: sql`now() - interval '2 hours'`,
      endsAt: sql`now() + interval '1 day'`,
    });
    expectStatus(200, await readMe(headers));
    expect(((await read(own.id)).expiresAt.getTime() - Date.now()) / 86_400_000).toBeCloseTo(1, 1);
  });

  test("ends after 14 days without use", async () => {
    const { session: own, headers } = await signBrowserIn();
    await api.db
      .update(session)
      .set({ expiresAt: sql`now() - interval '1 second'` })
      .where(eq(session.id, own.id));
    expectStatus(401, await readMe(headers));
    expect(expectStatus(200, await api.request("GET", "/session", { headers }))).toEqual({ current: null });
  });

  test("nothing prolongs a program's session", async () => {
    const { token } = await signIn(api);
    const { items } = expectStatus(200, await api.request("GET", "/sessions", { token }));
    const [{ id, expires_at }] = items;
    await change(id, { lastUsedAt: sql`now() - interval '2 hours'` });
    expectStatus(200, await api.request("GET", "/me", { token }));
    const row = await read(id);
    expect([row.expiresAt.toISOString(), Date.now() - row.lastUsedAt.getTime() < 60_000]).toEqual([
      expires_at,
      true,
    ]);
  });
});

describe("GET /session", () => {
  test("answers a visitor without a session too", async () => {
    expect(expectStatus(200, await api.request("GET", "/session"))).toEqual({ current: null });
    const headers = { ...ofConsole, cookie: "earnest-42069=est_unknown" };
    expect(expectStatus(200, await api.request("GET", "/session", { headers }))).toEqual({ current: null });
  });

  test("describes the session, and no key", async () => {
    const { account, headers, session: own } = await signBrowserIn();
    const { current } = expectStatus(200, await api.request("GET", "/session", { headers }));
    expect(current).toMatchObject({
      session: { id: own.id, address: account.address, is_current: true },
      account: { primary_address: account.address },
    });
    const program = await signIn(api);
    const apiKey = await createKey(api, program, ["orders:read"]);
    expect(expectStatus(200, await api.request("GET", "/session", { apiKey }))).toEqual({ current: null });
  });
});

describe("the list of sessions", () => {
  test("has the person's valid sessions, newest first, and ends one, or all others", async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const [first, second] = [await signBrowserIn(account), await signBrowserIn(account)];
    const program = await signIn(api, account);
    const list = async (headers: Record<string, string>) =>
      expectStatus(200, await api.request("GET", "/sessions", { headers })).items as Record<
        string,
        unknown
      >[];
    const shown = await list(first.headers);
    expect(shown.map(({ holder, is_current }) => [holder, is_current])).toEqual([
      ["program", false],
      ["browser", false],
      ["browser", true],
    ]);
    expect(JSON.stringify(shown)).not.toContain("est_");

    const { headers } = first;
    expectStatus(200, await api.request("DELETE", `/sessions/${second.session.id}`, { headers }));
    expectStatus(401, await readMe(second.headers));
    expectStatus(404, await api.request("DELETE", `/sessions/${second.session.id}`, { headers }));
    expect(expectStatus(200, await api.request("DELETE", "/sessions", { headers }))).toEqual({ ended: 1 });
    expectStatus(401, await api.request("GET", "/me", { token: program.token }));
    expect(await list(headers)).toHaveLength(1);
    const entries = await api.db
      .select()
      .from(auditEntry)
      .where(eq(auditEntry.credentialId, first.session.id));
    expect(
      entries.filter(({ action }) => action === "session.ended").map(({ target }) => target),
    ).toHaveLength(2);
  });

  test("reaches no session of another account, and no key lists or ends sessions", async () => {
    const [own, other] = [await signBrowserIn(), await signBrowserIn()];
    const end = (id: string) => api.request("DELETE", `/sessions/${id}`, { headers: own.headers });
    expectStatus(404, await end(other.session.id));
    expectStatus(404, await end("ses_nothing"));
    expectStatus(200, await readMe(other.headers));
    const apiKey = await createKey(api, await signIn(api), ["orders:read"]);
    expectStatus(403, await api.request("GET", "/sessions", { apiKey }));
    expectStatus(403, await api.request("DELETE", "/sessions", { apiKey }));
  });

  test("sign-out in the console ends the session and removes the cookie", async () => {
    const { headers } = await signBrowserIn();
    const answer: Answer = await api.request("POST", "/auth/logout", { headers });
    expectStatus(200, answer);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^earnest-42069=; Max-Age=0; Path=\//),
    ]);
    expectStatus(401, await readMe(headers));
  });

  test("the 51st browser replaces the one that was used least recently, and says so in the audit log", async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const first = await signBrowserIn(account);
    const second = await signBrowserIn(account);
    await api.db
      .update(session)
      .set({ lastUsedAt: sql`now() - interval '10 minutes'` })
      .where(eq(session.id, second.session.id));
    await api.db.execute(sql`
      insert into earnest.session (id, account_id, holder, token_hash, expires_at, ends_at)
      select 'ses_' || lpad(number::text, 26, '0'), ${first.accountId}, 'browser', 'filled ' || number, now() + interval '1 day', now() + interval '2 days'
      from generate_series(1, 48) as number`);
    const next = await signBrowserIn(account);
    expectStatus(401, await readMe(second.headers));
    expectStatus(200, await readMe(first.headers));
    const [entry] = await api.db.select().from(auditEntry).where(eq(auditEntry.target, next.session.id));
    expect(entry?.data).toMatchObject({ replaced: [second.session.id] });
  });
});
