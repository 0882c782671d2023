import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createApp } from "../../api/app.ts";
import { type Context, createContext } from "../../api/context.ts";
import { order } from "../../db/schema.ts";
import {
  createTestApi,
  expectStatus,
  publishService,
  type Requester,
  type Session,
  signIn,
  type TestApi,
} from "../harness/api.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../harness/database-proxy.ts";

const commit = /^Q.{4}commit\0/s;
// The statement is prepared under its name, and each connection sends its text once.
const insertOrder = /insert into "earnest"\."order"|\0insert_order\0/;
/** This is far shorter than a lease. */
const soon = { timeout: 20_000, interval: 100 };
let api: TestApi;
let proxy: DatabaseProxy;
let context: Context;
/** The API whose connections the proxy cuts. */
let cut: Requester;
let buyer: Session;
let limitedKey: string;
let serviceId: string;

beforeAll(async () => {
  api = await createTestApi();
  proxy = await startDatabaseProxy(api.config.databaseUrl);
  context = createContext({ ...api.config, databaseUrl: proxy.url });
  const app = createApp(context);
  cut = { request: (method, path, options) => requestOf(app, method, path, options) };
  buyer = await signIn(api);
  const key = { name: "limited", scopes: ["orders:read", "orders:write"], limits: { per_day: "100000" } };
  limitedKey = expectStatus(
    201,
    await api.request("POST", "/api-keys", { token: buyer.token, body: key }),
  ).token;
  serviceId = (await publishService(api, await signIn(api))).service.id;
});
afterEach(() => {
  proxy.faults.statement = () => null;
  proxy.faults.refuse = false;
});
afterAll(async () => {
  await context?.db.$client.end();
  await proxy?.close();
  await api?.close();
});

async function requestOf(
  app: ReturnType<typeof createApp>,
  method: string,
  path: string,
  { token, body, headers }: Parameters<Requester["request"]>[2] = {},
) {
  const response = await app.request(`/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

const place = (headers?: Record<string, string>, token = limitedKey) =>
  cut.request("POST", "/orders", {
    token,
    body: { service_id: serviceId },
    ...(headers ? { headers } : {}),
  });
const placed = async () =>
  (await api.db.select().from(order).where(eq(order.buyerAccountId, buyer.accountId))).map(({ id }) => id);

test("writes that commit and lose their answers, on all connections at once, are answered as done", async () => {
  proxy.faults.statement = (text) => (commit.test(text) ? "lose the answer" : null);
  const answers = await Promise.all(Array.from({ length: 12 }, () => place()));
  const ids = answers.map((answer) => expectStatus(201, answer).id);
  expect((await placed()).sort()).toEqual(ids.sort());
});

test("a write whose commit never reached the database is answered as not done", async () => {
  const before = await placed();
  proxy.faults.statement = (text) => (commit.test(text) ? "lose" : null);
  expect(expectStatus(503, await place()).error.code).toBe("dependency_unavailable");
  expect(await placed()).toEqual(before);
});

test("a write that loses its answer and the database is answered as unknown, and the same key finds the result", async () => {
  const before = await placed();
  const key = { "idempotency-key": "unknown-1" };
  let isWriting = false;
  proxy.faults.statement = (text) => {
    isWriting ||= insertOrder.test(text);
    // The record of the key was committed before.
    if (!isWriting || !commit.test(text)) return null;
    proxy.faults.refuse = true;
    return "lose the answer";
  };
  const { error } = expectStatus(503, await place(key));
  expect(error.code).toBe("outcome_unknown");
  expect(error.message).toMatch(/Idempotency-Key/);
  proxy.faults.statement = () => null;
  proxy.faults.refuse = false;
  const made = (await placed()).filter((id) => !before.includes(id));
  expect(made).toHaveLength(1);
  // The lease could not be freed, so it is freed once the database is back.
  await vi.waitFor(async () => expect(expectStatus(201, await place(key)).id).toBe(made[0]), soon);
  expect(await placed()).toHaveLength(before.length + 1);
});

test("a write that committed, and lost the database before its answer was built, is not answered as not done", async () => {
  const before = await placed();
  let made = false;
  proxy.faults.statement = (text) => {
    if (made) return "lose";
    made = commit.test(text);
    return null;
  };
  const answer = await place();
  const count = (await placed()).length - before.length;
  expect([answer.status, answer.body.error?.code, count]).toEqual(
    answer.status === 201 ? [201, undefined, 1] : [503, "outcome_unknown", 1],
  );
});

test.each(["lose the answer", "lose"] as const)(
  "a write that loses the database before its commit is answered as not done: %s",
  async (fault) => {
    const before = await placed();
    proxy.faults.statement = (text) => (insertOrder.test(text) ? fault : null);
    const answers = await Promise.all(Array.from({ length: 12 }, () => place({}, buyer.token)));
    for (const answer of answers) expect(expectStatus(503, answer).error.code).toBe("dependency_unavailable");
    expect(await placed()).toEqual(before);
  },
);

test("a write that loses the database after its key was recorded is done under the same key later", async () => {
  const before = await placed();
  const key = { "idempotency-key": "begun-in-vain" };
  proxy.faults.statement = (text) => {
    if (!/begin_idempotent\0/.test(text)) return null;
    proxy.faults.refuse = true;
    return "lose the answer";
  };
  expectStatus(503, await place(key, buyer.token));
  proxy.faults.statement = () => null;
  proxy.faults.refuse = false;
  await vi.waitFor(async () => expectStatus(201, await place(key, buyer.token)), soon);
  expect(await placed()).toHaveLength(before.length + 1);
});

test("an answer that could not be stored is stored once the database is back, and returned again", async () => {
  const before = await placed();
  const key = { "idempotency-key": "recorded-late" };
  proxy.faults.statement = (text) => {
    if (!/end_idempotent\0/.test(text)) return null;
    proxy.faults.refuse = true;
    return "lose";
  };
  const first = expectStatus(201, await place(key, buyer.token));
  proxy.faults.statement = () => null;
  proxy.faults.refuse = false;
  await vi.waitFor(async () => {
    const again = await place(key, buyer.token);
    expect([expectStatus(201, again), again.headers.get("idempotent-replayed")]).toEqual([first, "true"]);
  }, soon);
  expect(await placed()).toHaveLength(before.length + 1);
});

test("a single statement that writes and loses its answer is answered as unknown", async () => {
  proxy.faults.statement = (text) =>
    /insert into "earnest"\."sign_in_nonce"/.test(text) ? "lose the answer" : null;
  const body = { address: buyer.account.address, chain_id: 31_337 };
  const { error } = expectStatus(503, await cut.request("POST", "/auth/nonce", { body }));
  expect(error.code).toBe("outcome_unknown");
});

test("a read that loses the database is 503", async () => {
  proxy.faults.statement = () => "lose";
  const { error } = expectStatus(503, await cut.request("GET", "/orders", { token: buyer.token }));
  expect(error.code).toBe("dependency_unavailable");
});
