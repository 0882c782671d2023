import { generateKeyPairSync } from "node:crypto";
import { copyFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Address, createPublicClient, http, keccak256 } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import { deriveDeposit } from "../../../protocol/settlement/index.ts";
import { openHeldSessions } from "../cli/held-sessions.ts";
import { tools } from "../mcp/server.ts";
import type { Tool } from "../mcp/tool.ts";
import type { HeldWallet, ToolContext } from "../mcp/tool-context.ts";
import { sessionTools } from "../mcp/tools/session-tools.ts";
import { Earnest } from "../src/index.ts";
import type { CallHandler } from "../src/sessions/call-server.ts";
import { openSession, type ServedCalls, serveCalls, sessionKeyOf } from "../src/sessions.ts";
import { joinMarket, type Market, type Member } from "./market.fixture.ts";
import { newFolder } from "./sessions.fixture.ts";

let market: Market;
let buyer: Member;

beforeAll(async () => {
  market = await joinMarket();
  buyer = await market.join();
});
afterAll(() => market?.close());

/** A provider whose endpoint runs, with its service. */
async function startProvider(handler: CallHandler<never>, fields: object = {}, options: object = {}) {
  const provider = await market.join();
  const folder = newFolder();
  let calls: ServedCalls | undefined;
  const server: Server = createServer((request, response) => void calls?.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint_url = `http://localhost:${(server.address() as AddressInfo).port}/calls`;
  const session = { endpoint_url, session_key: sessionKeyOf(folder) };
  const service = await market.publish(provider, {
    pricing_model: "per_call",
    price: "0.001",
    max_quantity: 10_000,
    session,
    input_schema: null,
    output_schema: null,
    ...fields,
  });
  const start = async (more: object = {}, client = provider.client) => {
    calls = await serveCalls<never>(client, handler, {
      agent: service.agent.slug,
      service: service.slug,
      perCall: "0.001",
      folder,
      wallet: provider.wallet,
      node: createPublicClient({ transport: http(market.stack.chain.rpcUrl) }),
      ...options,
      ...more,
    });
  };
  await start();
  return {
    provider,
    service,
    server,
    start,
    stop: async () => await calls?.stop(),
    closeAll: async () => await calls?.closeAll(),
    async end() {
      await calls?.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Opens a session of ten calls, with a file of its own. */
const open = (service: Parameters<typeof openSession>[1], more: object = {}) =>
  openSession(buyer.client, service, {
    wallet: market.stack.chain.wallet(buyer.wallet),
    calls: 10,
    maxAmount: "0.01",
    issuer: market.issuer,
    file: join(newFolder(), "session.jsonl"),
    ...more,
  });

test("a session pays for its calls in two transactions, and the rest comes back", async () => {
  const { provider, service, end } = await startProvider((input: { number: number }) => ({
    twice: 2 * input.number,
  }));
  const wallet = market.stack.chain.wallet(buyer.wallet);
  const [before, earnedBefore] = [
    await market.balanceOf(buyer.wallet.address),
    await market.balanceOf(provider.wallet.address),
  ];
  const file = join(newFolder(), "session.jsonl");
  const options = { wallet, calls: 100, maxAmount: "0.10", file, issuer: market.issuer };
  const session = await openSession(buyer.client, service, options);
  for (let number = 1; number <= 5; number += 1) {
    expect((await session.call({ number })).output).toEqual({ twice: 2 * number });
  }
  session.leave();
  const again = await openSession(buyer.client, service, options);
  expect([again.orderId, again.spent]).toEqual([session.orderId, 5_000n]);
  expect((await again.call({ number: 6 })).output).toEqual({ twice: 12 });
  const copy = join(newFolder(), "session.jsonl");
  copyFileSync(file, copy);
  await again.close();
  await expect.poll(async () => (await buyer.client.orders.get(session.orderId)).status).toBe("released");
  // The session of the other file ended without it.
  await expect(openSession(buyer.client, service, { ...options, file: copy })).rejects.toThrow(
    /is released and will not be called again\. Open another session with another file\./,
  );
  expect(before - (await market.balanceOf(buyer.wallet.address))).toBe(6_000n);
  expect((await market.balanceOf(provider.wallet.address)) - earnedBefore).toBe(6_000n);
  const transactions = new Set<string>();
  const types: string[] = [];
  for await (const { type, transaction } of buyer.client.orders.listTrail(session.orderId)) {
    types.push(type);
    if (transaction) transactions.add(transaction.hash);
  }
  expect(types).toEqual(["order.created", "order.funded", "order.released", "order.refunded"]);
  expect(transactions.size).toBe(2);
  const next = await openSession(buyer.client, service, options);
  expect([next.orderId === session.orderId, next.spent]).toEqual([false, 0n]);
  next.leave();
  await end();
});

test("a used session is followed by the next one, and both end", async () => {
  const { service, end } = await startProvider(() => "done");
  const file = join(newFolder(), "session.jsonl");
  const wallet = market.stack.chain.wallet(buyer.wallet);
  const options = { wallet, calls: 2, maxAmount: "0.01", file, topUps: 1, issuer: market.issuer };
  const session = await openSession(buyer.client, service, options);
  const first = session.orderId;
  for (let number = 1; number <= 3; number += 1) await session.call(number);
  expect(session.orderId).not.toBe(first);
  await session.call(4);
  await expect(session.call(5)).rejects.toThrow(/pays no more calls/);
  await session.close();
  for (const id of [first, session.orderId]) {
    await expect.poll(async () => (await buyer.client.orders.get(id)).status).toBe("released");
  }
  await end();
});

test("a provider closes alone after a restart", async () => {
  const { service, start, stop, closeAll, end } = await startProvider(() => "done");
  const left = await open(service);
  await left.call(1);
  await stop();
  await start();
  const closing = closeAll();
  await expect.poll(async () => (await buyer.client.orders.get(left.orderId)).status).toBe("released");
  await stop();
  await closing;
  await end();
});

test("a session takes no dispute and no record, by the service and by the contract", async () => {
  const { service, provider, end } = await startProvider(() => "done");
  const wallet = market.stack.chain.wallet(buyer.wallet);
  const session = await open(service);
  await session.call(1);
  const purchase = await buyer.client.resume(session.orderId, { wallet, issuer: market.issuer });
  await expect(purchase.dispute("The answers are wrong.")).rejects.toThrow(/A session has no disputes/);
  const { terms } = deriveDeposit(await buyer.client.orders.getAgreement(session.orderId));
  const { escrow } = await buyer.client.orders.get(session.orderId);
  const call = { address: escrow.contract_address as Address, abi: escrowAbi };
  const hash = keccak256("0x01");
  const of = (account: Address) => ({ ...call, account, args: [terms, hash] as const });
  const node = createPublicClient({ transport: http(market.stack.chain.rpcUrl) });
  await expect(
    node.simulateContract({ ...of(buyer.wallet.address), functionName: "dispute" }),
  ).rejects.toThrow(/OnlyVouchersPay/);
  await expect(
    node.simulateContract({ ...of(provider.wallet.address), functionName: "recordDelivery" }),
  ).rejects.toThrow(/OnlyVouchersPay/);
  await end();
});

test("a call that never ends delays no other session's end", async () => {
  const { service, closeAll, stop, end } = await startProvider((input: unknown) =>
    input === "never" ? new Promise(() => {}) : "done",
  );
  const [hung, other] = [await open(service, { timeoutMs: 3_000 }), await open(service)];
  await expect(hung.call("never")).rejects.toThrow(/no answer yet/);
  await other.call(1);
  const closing = closeAll();
  await expect.poll(async () => (await buyer.client.orders.get(other.orderId)).status).toBe("released");
  await stop();
  await closing;
  await end();
});

test("a provider's own wallet sends the voucher if the service refuses it, or is gone before the deadline", async () => {
  const { service, provider, start, stop, closeAll, end } = await startProvider(() => "done");
  const refused = await open(service);
  const earned = await market.balanceOf(provider.wallet.address);
  const earns = (amount: bigint) =>
    expect.poll(async () => (await market.balanceOf(provider.wallet.address)) - earned).toBe(amount);
  await refused.call(1);
  await stop();

  // This key may read, and the service refuses its vouchers.
  const { token } = await provider.client.apiKeys.create({
    name: "reads",
    scopes: ["orders:read", "webhooks:read"],
  });
  await start({}, new Earnest({ baseUrl: market.proxy.baseUrl, apiKey: token }));
  const closing = closeAll();
  await earns(1_000n);
  await stop();
  await closing;

  await start();
  const gone = await open(service);
  await gone.call(1);
  await stop();
  market.proxy.setDown(true);
  // By this margin, the time of the provider's own wallet has come.
  const starting = start({ marginMs: 100 * 3_600_000 });
  await earns(2_000n);
  market.proxy.setDown(false);
  await starting;
  for (const { orderId } of [refused, gone]) {
    await expect.poll(async () => (await buyer.client.orders.get(orderId)).status).toBe("released");
  }
  await end();
});

test("an assistant calls in a session that it has paid for, and closes it", async () => {
  const { service, end } = await startProvider(({ number }: { number: number }) => ({ twice: 2 * number }));
  const wallet = market.stack.chain.wallet(buyer.wallet);
  const held = {
    wallet,
    address: buyer.wallet.address,
    nodes: [],
    tokens: undefined,
  } as unknown as HeldWallet;
  const context = {
    earnest: buyer.client,
    scopes: ["orders:read", "orders:write"],
    wallet: held,
    sessions: openHeldSessions(newFolder(), held, market.stack.baseUrl),
  } as unknown as ToolContext;
  const use = async (name: string, input: object, by = context) => {
    const tool = sessionTools.find((one) => one.name === name);
    const call = { signal: AbortSignal.timeout(30_000), progress: async () => {} };
    const result = await tool?.call(by, input, call);
    return { facts: result?.structuredContent, error: result?._meta?.["earnest/error"] };
  };
  const { id: order_id } = await buyer.client.orders.openSession(service.id, { calls: 10 });
  const call = (number: number, idempotency_key: string, by = context) =>
    use("call_service", { order_id, input: { number }, idempotency_key }, by);
  expect(await call(1, "first")).toMatchObject({ error: { code: "invalid_state" } });
  await buyer.client.resume(order_id, { wallet, maxAmount: "0.01" });
  expect(await call(1, "first", { ...context, sessions: undefined })).toMatchObject({
    error: { code: "no_wallet" },
  });
  for (const _ of ["once", "repeated"]) {
    expect(await call(1, "first")).toMatchObject({
      facts: { spent: "0.001000", balance: "0.010000", untrusted: { output: { twice: 2 } } },
    });
  }
  expect(await call(1, "second")).toMatchObject({ facts: { spent: "0.002000" } });
  expect(await use("close_session", { order_id })).toMatchObject({
    facts: { status: "closing", spent: "0.002000" },
  });
  await expect.poll(async () => (await buyer.client.orders.get(order_id)).status).toBe("released");
  // The tools of sessions are a small part of the list that an assistant reads.
  const sizeOf = (some: readonly Tool[]) => JSON.stringify(some.map((tool) => tool.describe())).length;
  expect(sizeOf(sessionTools)).toBeLessThan(sizeOf(tools) / 12);
  await end();
});

test("a session is refused by another key, an order without a session, and a delivery", async () => {
  const { service, provider, end } = await startProvider(() => "done");
  const key = String(generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }).x);
  const session = service.session && { ...service.session, session_key: key };
  const deceived = open({ ...service, session });
  await expect(deceived).rejects.toThrow(/session_key/);
  const order = await buyer.client.orders.openSession(service.id, { balance: "0.0105" });
  expect([order.quantity, order.total_amount, order.pricing_model]).toEqual([10, "0.010000", "per_call"]);
  await expect(provider.client.orders.deliver(order.id, { output_payload: {} })).rejects.toThrow(
    /no delivery/,
  );
  const fixed = await market.publish(provider);
  await expect(buyer.client.orders.openSession(fixed.id, { calls: 1 })).rejects.toThrow(/no sessions/);
  await end();
});
