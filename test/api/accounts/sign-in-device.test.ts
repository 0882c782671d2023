import { eq, sql } from "drizzle-orm";
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { auditEntry, deviceSignIn, signInNonce } from "../../../db/schema.ts";
import { removeOldRows } from "../../../jobs/retention.ts";
import { type Answer, expectStatus, type TestApi } from "../../harness/api.ts";
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

const newAccount = () => privateKeyToAccount(generatePrivateKey());
const askNonce = (user_code: string, { address }: LocalAccount) =>
  post("/auth/device/nonce", { user_code, address, chain_id: 31_337 });

/** A wallet's proof by a message that names the device of a code. */
async function prove(user_code: string, account: LocalAccount = newAccount()) {
  const { message, nonce } = expectStatus(200, await askNonce(user_code, account));
  return { message, nonce, signature: await account.signMessage({ message }) };
}

const approve = async (user_code: string, account?: LocalAccount) =>
  post("/auth/device/approval", await prove(user_code, account));

/** Sends a request from an address of the network. */
async function postFrom(remoteAddress: string, path: string, body: unknown) {
  const answer = await api.app.request(
    `/api/v1${path}`,
    {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    },
    { incoming: { socket: { remoteAddress } } },
  );
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer["body"] };
}

/** Moves the last poll of every request into the past, so that the next one is in time. */
const wait = () => api.db.update(deviceSignIn).set({ polledAt: sql`now() - interval '2 minutes'` });

describe("a sign-in by another device", () => {
  test("gives the browser its session once, in a cookie, after a wallet approved", async () => {
    const { device_code, user_code, url, interval } = await ask();
    expect(user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(url).toMatch(/^http:\/\/localhost:42069\/link\?request=[\w-]{22}$/);
    expect([url.includes(user_code), interval]).toEqual([false, 5]);
    const shown = await post("/auth/device/request", { user_code: user_code.toLowerCase().replace("-", "") });
    expect(expectStatus(200, shown)).toMatchObject({
      user_code,
      device: "Chrome on Windows",
      is_same_network: false,
    });
    expect(expectStatus(200, await poll(device_code))).toMatchObject({ status: "pending", current: null });

    const account = newAccount();
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
    expectStatus(404, await askNonce(user_code, newAccount()));
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
    expect((await removeOldRows(api.db)).deviceSignIns).toBeGreaterThan(0);
    expect(await api.db.$count(deviceSignIn)).toBe(0);
  });

  test("stores no code, also of a message to sign", async () => {
    const { device_code, user_code, url } = await ask();
    await askNonce(user_code, newAccount());
    const rows = JSON.stringify([
      await api.db.select().from(deviceSignIn),
      await api.db.select().from(signInNonce),
    ]);
    expect(rows).not.toContain(url.split("=")[1]);
    expect(rows).not.toContain(device_code);
    expect(rows).not.toContain(user_code.replace("-", ""));
    expect(rows).not.toContain(user_code);
  });

  test("needs a wallet's signature, and no approval works for an unknown code", async () => {
    const { device_code, user_code } = await ask();
    const { message, nonce } = expectStatus(200, await askNonce(user_code, newAccount()));
    const signature = await newAccount().signMessage({ message });
    expectStatus(401, await post("/auth/device/approval", { message, nonce, signature }));
    expect(expectStatus(200, await poll(device_code)).status).toBe("pending");
    expectStatus(404, await askNonce("BBBB-BBBB", newAccount()));
    expectStatus(400, await askNonce("AEIO-UAEI", newAccount()));
  });

  test("is approved by a message that names the code and the device, and by no other", async () => {
    const account = newAccount();
    const { device_code, user_code } = await ask();
    const { message } = await prove(user_code.toLowerCase().replace("-", ""), account);
    expect(message).toContain(
      `Sign in the device that shows the code ${user_code}: Chrome on Windows, network`,
    );
    const challenge = await post("/auth/nonce", { address: account.address, chain_id: 31_337 });
    const signIn = expectStatus(200, challenge);
    const signature = await account.signMessage({ message: signIn.message });
    const refused = await post("/auth/device/approval", {
      message: signIn.message,
      nonce: signIn.nonce,
      signature,
    });
    expect(expectStatus(401, refused).error.message).toContain("signed for sign_in, not for approve_device");
    expect(expectStatus(200, await poll(device_code)).status).toBe("pending");
  });

  test("gives no session to the signer: an approval is no sign-in, in any route", async () => {
    const { user_code } = await ask();
    for (const path of ["/auth/signin", "/session"]) {
      const answer = await post(path, await prove(user_code), headers);
      expect(expectStatus(401, answer).error.message).toContain("signed for approve_device, not for sign_in");
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  test("of one device is not approved by a message for another", async () => {
    const [own, other] = [await ask(), await ask()];
    expectStatus(200, await approve(own.user_code));
    expect(expectStatus(200, await poll(other.device_code)).status).toBe("pending");
    expect(expectStatus(200, await poll(own.device_code)).status).toBe("approved");
  });

  test("from another network needs the code that the screen shows: the link does not tell it", async () => {
    const created = await postFrom("192.0.2.7", "/auth/device", {});
    const { url, user_code } = created.body;
    const open = (address: string) =>
      postFrom(address, "/auth/device/link", { link_code: url.split("=")[1] });
    expect((await open("192.0.2.7")).body).toEqual({ user_code });
    expect((await open("192.0.2.8")).body).toEqual({ user_code: null });
    expect((await postFrom("192.0.2.7", "/auth/device/link", { link_code: "x" })).status).toBe(404);
    const inV6 = await postFrom("2001:db8:1:2::7", "/auth/device", {});
    const link = { link_code: inV6.body.url.split("=")[1] };
    const read = async (from: string) => (await postFrom(from, "/auth/device/link", link)).body.user_code;
    expect(await read("2001:db8:1:2::8")).toBe(inV6.body.user_code);
    expect(await read("2001:db8:1:3::7")).toBe(null);
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
  const { address } = newAccount();
  const paths = ["/auth/device/request", "/auth/device/nonce", "/auth/device/refusal"] as const;
  const guess = (remoteAddress: string, code: string, path: (typeof paths)[number] = paths[0]) =>
    postFrom(remoteAddress, path, {
      user_code: code,
      ...(path === "/auth/device/nonce" ? { address, chain_id: 31_337 } : {}),
    });
  const statuses: number[] = [];
  for (let at = 0; at < 60; at += 1) {
    statuses.push((await guess("203.0.113.7", "BBBB-BBBB", paths[at % 3])).status);
  }
  expect(new Set(statuses)).toEqual(new Set([404]));
  const refused = await guess("203.0.113.7", user_code);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await guess("198.51.100.7", user_code)).status).toBe(200);
});
