import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { Hono } from "hono";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { type Context, createContext } from "../../../api/context.ts";
import { ApiError } from "../../../api/http/api-error.ts";
import { answerInTime } from "../../../api/http/deadline.ts";
import { findOutage, trackWrites } from "../../../api/http/outages.ts";
import { defaultWaitLimits } from "../../../api/mcp/tool-waits.ts";
import type { Variables } from "../../../api/variables.ts";
import type { Config } from "../../../config/config.ts";
import { OverdueError, watchWrites } from "../../../db/commit-outcome.ts";
import { account as accountTable } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { type Answer, expectStatus, requesterOf } from "../../harness/api.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { forwardRequests } from "../../harness/jobs/processes.ts";
import { place } from "../../harness/market/market.ts";
import {
  createPaymentMarket,
  isUsed,
  type PaymentMarket,
  signPayment,
} from "../../harness/market/payments.ts";
import { serveApi } from "../../harness/streams.ts";

/** Milliseconds that a client waits for an answer. */
const clientTimeoutMs = 30_000;

let node: Awaited<ReturnType<typeof forwardRequests>>;
let isHanging: (method: string) => boolean;
let market: PaymentMarket;
let proxy: DatabaseProxy;
beforeAll(async () => {
  isHanging = () => false;
  market = await createPaymentMarket({}, async (rpcUrl) => {
    node = await forwardRequests(rpcUrl, {
      treat: ({ method }) => (isHanging(method) ? "hold" : "forward"),
    });
    return node.url;
  });
  proxy = await startDatabaseProxy(market.api.config.databaseUrl);
});
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  isHanging = () => false;
  proxy.faults.statement = () => null;
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(async () => {
  await market?.close();
  await node?.close();
  await proxy?.close();
});

/** Serves the API over the network, with these settings. */
async function serve(changed: Partial<Config>) {
  const context: Context = createContext({ ...market.api.config, ...changed });
  const server = await serveApi({ ...market.api, app: createApp(context) });
  closing.push(
    () => context.db.$client.end(),
    () => server.close(),
  );
  return { port: Number(new URL(server.url).port), ...requesterOf(server.url) };
}

async function timed(ask: () => Promise<Answer>) {
  const began = performance.now();
  const answer = await ask();
  return { answer, took: performance.now() - began };
}

function expectOutage(answer: Answer, code: string): void {
  expect([answer.status, answer.body.error.code]).toEqual([503, code]);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
}

test("while the node hangs, every request that needs it ends within 30 s", async () => {
  const { api, buyer, provider, agent, testChain } = market;
  const [compared, paid] = [await place(market, {}), await place(market, { settlement_rail: "x402" })];
  const payment = await signPayment(testChain, paid, buyer.account);
  const { address } = privateKeyToAccount(generatePrivateKey());
  const { message, nonce } = expectStatus(
    200,
    await api.request("POST", "/auth/nonce", { body: { address, chain_id: 31_337 } }),
  );
  // The signature is not the key's own, so a contract at the address may have to check it (ERC-1271).
  const signature = await buyer.account.signMessage({ message });
  const requests: [string, string, Parameters<typeof api.request>[2]][] = [
    ["GET", `/orders/${compared.id}/reconcile`, { token: buyer.token }],
    ["POST", `/orders/${paid.id}/payment`, { token: buyer.token, body: payment }],
    ["POST", "/auth/signin", { body: { message, nonce, signature } }],
    [
      "PUT",
      `/agents/${agent.slug}/erc8004`,
      { token: provider.token, body: { chain_id: 31_337, agent_id: "1" } },
    ],
  ];
  isHanging = () => true;
  const answers = await Promise.all(requests.map((one) => timed(() => api.request(...one))));
  isHanging = () => false;
  for (const { answer, took } of answers) {
    expect(took).toBeLessThan(clientTimeoutMs);
    expectOutage(answer, "dependency_unavailable");
  }
  expect(await isUsed(testChain, payment)).toBe(false);
});

test("a request that was answered late commits nothing afterwards", async () => {
  const { db } = market.api;
  const name = () => db.select({ name: accountTable.displayName }).from(accountTable).where(isBuyer);
  const isBuyer = eq(accountTable.id, market.buyer.accountId);
  const before = await name();
  let isOver = false;
  const work = (end: () => void) =>
    watchWrites({ hasCommitted: false, isOver: () => isOver }, () =>
      inTransaction(db, async (tx) => {
        await tx.update(accountTable).set({ displayName: "Too late" }).where(isBuyer);
        end();
      }),
    );
  const begun = work(() => {
    isOver = true;
  });
  await expect(begun).rejects.toThrow(OverdueError);
  await expect(work(() => {})).rejects.toThrow(OverdueError);
  expect(await name()).toEqual(before);
  const { client } = market.api.context.chain(31_337) ?? {};
  const asking = watchWrites({ hasCommitted: false, isOver: () => true }, async () =>
    client?.getBlockNumber({ cacheTime: 0 }),
  );
  await expect(asking).rejects.toThrow("its work ends");
});

test("a request that was answered before its work began does not begin it", async () => {
  const app = new Hono<{ Variables: Variables }>();
  const [before, after] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()];
  let isWritten = false;
  app.onError((error, c) => {
    const isAnswer = error instanceof ApiError;
    if (!isAnswer) after.resolve(findOutage(error)?.code);
    return c.text(isAnswer ? error.code : "", 503);
  });
  app.use(answerInTime({ config: { ...market.api.config, answerSeconds: 0.01 } }));
  app.use((_, next) => before.promise.then(next));
  app.use(trackWrites);
  app.patch("/", (c) => {
    isWritten = true;
    after.resolve("written");
    return c.text("");
  });
  const answer = await app.request("/", { method: "PATCH" });
  before.resolve();
  expect([await answer.text(), await after.promise, isWritten]).toEqual([
    "dependency_unavailable",
    "dependency_unavailable",
    false,
  ]);
});

describe("while the database hangs", () => {
  test("a read is 503, and a write whose work has begun is unknown", async () => {
    const { id } = market.service;
    const { token } = market.buyer;
    const { request } = await serve({ databaseUrl: proxy.url, answerSeconds: 2 });
    expectStatus(200, await request("GET", "/me", { token }));
    proxy.faults.statement = () => "hold";
    const read = await timed(() => request("GET", "/orders", { token }));
    expectOutage(read.answer, "dependency_unavailable");
    expect(read.took).toBeLessThan(5000);
    proxy.cut();
    proxy.faults.statement = (text) => (/insert into "earnest"\."order"/.test(text) ? "hold" : null);
    const write = await timed(() =>
      request("POST", "/orders", { token, body: { service_id: id, input_payload: { text: "Hallo" } } }),
    );
    expectOutage(write.answer, "outcome_unknown");
    expect(write.took).toBeLessThan(5000);
  });

  test("the MCP route ends too, after the longest wait of a tool", async () => {
    const { port } = await serve({ databaseUrl: proxy.url, answerSeconds: 2 - defaultWaitLimits.longest });
    proxy.faults.statement = () => "hold";
    const began = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${market.buyer.token}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    expect(performance.now() - began).toBeLessThan(5000);
    proxy.cut();
    expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([503, true]);
  });
});

test("a slow sender is waited for", async () => {
  const { port } = await serve({ answerSeconds: 1 });
  const body = JSON.stringify({ address: market.buyer.account.address, chain_id: 31_337 });
  const socket = connect(port, "127.0.0.1");
  socket.write(
    `POST /api/v1/auth/nonce HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body.slice(0, 5)}`,
  );
  await sleep(2500);
  socket.write(body.slice(5));
  const [first] = await once(socket, "data");
  expect(String(first)).toMatch(/^HTTP\/1\.1 200/);
  socket.destroy();
});
