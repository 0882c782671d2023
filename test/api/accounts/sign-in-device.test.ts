import { eq, sql } from "drizzle-orm";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditEntry, deviceSignIn } from "../../../db/schema.ts";
import { removeOld } from "../../../jobs/retention.ts";
import { expectStatus, type TestApi } from "../../harness/api.ts";
import { createDocumentedApi } from "../../harness/documented.ts";

let api: TestApi;
beforeAll(async () => {
  api = await createDocumentedApi();
});
afterAll(() => api.close());

const headers = {
  "earnest-console": "1",
  "sec-fetch-site": "same-origin",
  "user-agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36",
};
const post = (path: string, body?: unknown, more: Record<string, string> = {}) =>
  api.request("POST", path, { ...(body === undefined ? {} : { body }), headers: more });

const ask = async () => expectStatus(200, await post("/auth/device", undefined, headers));
const poll = (device_code: string) => post("/auth/device/session", { device_code }, headers);

async function approve(user_code: string, account = privateKeyToAccount(generatePrivateKey())) {
  const asked = await post("/auth/nonce", { address: account.address, chain_id: 31_337 });
  const { message, nonce } = expectStatus(200, asked);
  const signature = await account.signMessage({ message });
  return post("/auth/device/approval", { user_code, message, nonce, signature });
}

/** Moves the last poll of every request into the past, so that the next one is in time. */
const wait = () => api.db.update(deviceSignIn).set({ polledAt: sql`now() - interval '2 minutes'` });

describe("a sign-in by another device", () => {
  test("gives the browser its session once, in a cookie, after a wallet approved", async () => {
    const { device_code, user_code, url, interval } = await ask();
    expect(user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect([url, interval]).toEqual([`http://localhost:42069/link?code=${user_code}`, 5]);
    const shown = await post("/auth/device/request", { user_code: user_code.toLowerCase().replace("-", "") });
    expect(expectStatus(200, shown)).toMatchObject({ device: "Chrome on Windows", is_same_network: false });
    expect(expectStatus(200, await poll(device_code))).toMatchObject({ status: "pending", current: null });

    const account = privateKeyToAccount(generatePrivateKey());
    expect(expectStatus(200, await approve(user_code, account))).toEqual({ address: account.address });
    await wait();
    const answer = await poll(device_code);
    const { status, current } = expectStatus(200, answer);
    expect([status, current.account.primary_address]).toEqual(["approved", account.address]);
    const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const me = await api.request("GET", "/me", { headers: { ...headers, cookie } });
    expect(expectStatus(200, me).primary_address).toBe(account.address);
    const [entry] = await api.db.select().from(auditEntry).where(eq(auditEntry.target, current.session.id));
    expect(entry?.data).toMatchObject({ address: account.address, approved_from: null });

    const again = await poll(device_code);
    expect([expectStatus(200, again).status, again.headers.getSetCookie()]).toEqual(["expired", []]);
  });

  test("gives one of two polls at once the session", async () => {
    const { device_code, user_code } = await ask();
    expectStatus(200, await approve(user_code));
    const statuses = await Promise.all([poll(device_code), poll(device_code)]);
    expect(statuses.map(({ body }) => body.status).sort()).toEqual(["approved", "expired"]);
  });

  test("makes the interval of a browser that polls too often longer, up to a minute", async () => {
    const { device_code, user_code } = await ask();
    const read = async () => {
      const { status, interval } = expectStatus(200, await poll(device_code));
      return [status, interval];
    };
    expect(await read()).toEqual(["pending", 5]);
    expect(await read()).toEqual(["slow_down", 10]);
    for (let polls = 0; polls < 12; polls += 1) await read();
    expect(await read()).toEqual(["slow_down", 60]);
    // An approval does not shorten the wait.
    expectStatus(200, await approve(user_code));
    expect(await read()).toEqual(["slow_down", 60]);
    await wait();
    expect((await read())[0]).toBe("approved");
  });

  test("ends by a refusal, and takes no second answer", async () => {
    const { device_code, user_code } = await ask();
    expectStatus(200, await post("/auth/device/refusal", { user_code }));
    expectStatus(404, await approve(user_code));
    expectStatus(404, await post("/auth/device/request", { user_code }));
    expect(expectStatus(200, await poll(device_code))).toMatchObject({ status: "refused", current: null });
  });

  test("ends after 10 minutes, also if it was approved, and its row goes after an hour", async () => {
    const { device_code, user_code, expires_at } = await ask();
    expect((Date.parse(expires_at) - Date.now()) / 60_000).toBeCloseTo(10, 0);
    expectStatus(200, await approve(user_code));
    await api.db.update(deviceSignIn).set({ expiresAt: sql`now() - interval '1 second'` });
    expect(expectStatus(200, await poll(device_code)).status).toBe("expired");
    await api.db.update(deviceSignIn).set({ expiresAt: sql`now() - interval '61 minutes'` });
    expect((await removeOld(api.db)).deviceSignIns).toBeGreaterThan(0);
    expect(await api.db.$count(deviceSignIn)).toBe(0);
  });

  test("stores neither code", async () => {
    const { device_code, user_code } = await ask();
    const rows = JSON.stringify(await api.db.select().from(deviceSignIn));
    expect(rows).not.toContain(device_code);
    expect(rows).not.toContain(user_code.replace("-", ""));
    expect(rows).not.toContain(user_code);
  });

  test("needs a wallet's signature, and no approval works for an unknown code", async () => {
    const { device_code, user_code } = await ask();
    const signer = privateKeyToAccount(generatePrivateKey());
    const asked = await post("/auth/nonce", { address: signer.address, chain_id: 31_337 });
    const { message, nonce } = expectStatus(200, asked);
    const signature = await privateKeyToAccount(generatePrivateKey()).signMessage({ message });
    expectStatus(401, await post("/auth/device/approval", { user_code, message, nonce, signature }));
    expect(expectStatus(200, await poll(device_code)).status).toBe("pending");
    expectStatus(404, await approve("BBBB-BBBB"));
    expectStatus(400, await approve("AEIO-UAEI"));
  });

  test("is for pages of this service: another origin gets no code and no session", async () => {
    const { device_code } = await ask();
    for (const more of [{}, { ...headers, "sec-fetch-site": "same-site" }] as Record<string, string>[]) {
      expectStatus(403, await post("/auth/device", undefined, more));
      expectStatus(403, await post("/auth/device/session", { device_code }, more));
    }
  });
});

test("guesses of a code are bounded for an address, also for right ones, and without rate limits", async () => {
  const { user_code } = await ask();
  const guess = (remoteAddress: string, code: string) =>
    api.app.request(
      "/api/v1/auth/device/request",
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ user_code: code }),
      },
      { incoming: { socket: { remoteAddress } } },
    );
  const statuses: number[] = [];
  for (let at = 0; at < 60; at += 1) statuses.push((await guess("203.0.113.7", "BBBB-BBBB")).status);
  expect(new Set(statuses)).toEqual(new Set([404]));
  const refused = await guess("203.0.113.7", user_code);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await guess("198.51.100.7", user_code)).status).toBe(200);
});
