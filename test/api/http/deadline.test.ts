import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { type Context, createContext } from "../../../api/context.ts";
import type { Config } from "../../../config.ts";
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
const patience = 30_000;

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

/** Serves the API over a network, with these settings. */
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

describe("while the chain's node hangs, a request ends within 30 s:", () => {
  const cases: [string, () => Promise<Answer>][] = [
    [
      "a comparison of an order",
      async () => {
        const { id } = await place(market, {});
        isHanging = () => true;
        return market.api.request("GET", `/orders/${id}/reconcile`, { token: market.buyer.token });
      },
    ],
    [
      "a payment by x402",
      async () => {
        const order = await place(market, { settlement_rail: "x402" });
        const body = await signPayment(market.testChain, order, market.buyer.account);
        isHanging = () => true;
        const { token } = market.buyer;
        const answer = await market.api.request("POST", `/orders/${order.id}/payment`, { token, body });
        isHanging = () => false;
        expect(await isUsed(market.testChain, body)).toBe(false);
        return answer;
      },
    ],
  ];
  test.concurrent.each(cases)("%s", { timeout: 90_000 }, async (_what, ask) => {
    const { answer, took } = await timed(ask);
    expect(took).toBeLessThan(patience);
    expectOutage(answer, "dependency_unavailable");
  });
});

describe("while the database hangs", () => {
  test("a read is not available, and a write whose work has begun is unknown", async () => {
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
});

test("a sender who is slow is waited for", async () => {
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
