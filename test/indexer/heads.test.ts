import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { createTestClient, createWalletClient, http, publicActions, toEventSelector } from "viem";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { escrowAbi } from "../../abis/escrow.ts";
import { identityRegistryAbi, reputationRegistryAbi } from "../../abis/registries.ts";
import { followHead, type Head } from "../../indexer/follow-head.ts";
import { headForPonder, headsUrl, serveHeads } from "../../indexer/heads.ts";
import { type Anvil, localAccounts, startAnvil } from "../../stack/anvil.ts";

/** So rarely is the chain looked at that what comes sooner came by the socket. */
const longInterval = 120_000;
const shortInterval = 100;

const folder = mkdtempSync(join(tmpdir(), "earnest-heads-"));
let anvil: Anvil;
let proxy: Awaited<ReturnType<typeof startProxy>>;
beforeAll(async () => {
  anvil = await startAnvil({ port: 0, logFile: join(folder, "anvil.log") });
  proxy = await startProxy(anvil.rpcUrl);
});
afterAll(async () => {
  await proxy?.close();
  await anvil?.child.stop(5000);
  rmSync(folder, { recursive: true, force: true });
});

const log = pino({ level: "silent" });
const node = () => createTestClient({ mode: "anvil", transport: http(anvil.rpcUrl) }).extend(publicActions);
const mine = async () => {
  await node().mine({ blocks: 1 });
  return (await node().getBlock()).hash;
};

test("heads come by the socket; where it dies or lies still by looking, and by the socket again once it is back", async () => {
  const told: Head[] = [];
  const stop = new AbortController();
  const chain = { chain_id: 31337, rpc_url: anvil.rpcUrl, ws_url: proxy.url };
  const ended = [longInterval, shortInterval].map((polling_interval) =>
    followHead(
      { ...chain, polling_interval },
      (head) => polling_interval === shortInterval || told.push(head),
      {
        log,
        signal: stop.signal,
      },
    ),
  );
  const pushedOnly = () => told.at(-1)?.hash;
  await vi.waitFor(() => expect(proxy.open()).toBe(2));
  // What was there before the first new block.
  await vi.waitFor(() => expect(told).toHaveLength(1));
  for (let block = 0; block < 3; block++) {
    const hash = await mine();
    await vi.waitFor(() => expect(pushedOnly()).toBe(hash));
  }
  expect(told).toHaveLength(4);
  expect(told.at(-1)).not.toHaveProperty("transactions");
  proxy.refuse = true;
  proxy.cut();
  // Each of the two tries again after half a second, or a second.
  await vi.waitFor(() => expect(proxy.refused()).toBeGreaterThan(1), { timeout: 10_000 });
  const missed = await mine();
  proxy.refuse = false;
  // The first look after it is back finds what was missed.
  await vi.waitFor(() => expect(pushedOnly()).toBe(missed), { timeout: 10_000 });
  const next = await mine();
  await vi.waitFor(() => expect(pushedOnly()).toBe(next));
  stop.abort();
  await Promise.all(ended);
  await vi.waitFor(() => expect(proxy.open()).toBe(0));
});

test("without a socket, and beside one that is down or says nothing, looking alone finds every head", async () => {
  const stop = new AbortController();
  const none: Head[] = [];
  const still: Head[] = [];
  const options = { log, signal: stop.signal };
  const chain = { chain_id: 31337, rpc_url: anvil.rpcUrl, polling_interval: shortInterval };
  const ended = [
    followHead({ ...chain, ws_url: null }, (head) => none.push(head), options),
    followHead({ ...chain, ws_url: proxy.url }, (head) => still.push(head), options),
  ];
  await vi.waitFor(() => expect(proxy.open()).toBe(1));
  let hash = await mine();
  for (const told of [none, still]) await vi.waitFor(() => expect(told.at(-1)?.hash).toBe(hash));

  proxy.silent = true;
  hash = await mine();
  for (const told of [none, still])
    await vi.waitFor(() => expect(told.at(-1)?.hash).toBe(hash), { timeout: 5000 });
  // The one that lay still is given up for another.
  const before = proxy.made();
  await vi.waitFor(() => expect(proxy.made()).toBeGreaterThan(before), { timeout: 10_000 });
  hash = await mine();
  for (const told of [none, still]) await vi.waitFor(() => expect(told.at(-1)?.hash).toBe(hash));

  // A block of the same height is told at once, a shorter chain when it has been for a while.
  await node().request({ method: "anvil_reorg", params: [1, []] } as never);
  const { hash: other, number } = await node().getBlock();
  await vi.waitFor(() => expect(none.at(-1)?.hash).toBe(other));
  await node().request({ method: "anvil_rollback", params: [2] } as never);
  await vi.waitFor(() => expect(Number(none.at(-1)?.number)).toBe(Number(number) - 2), { timeout: 5000 });
  proxy.silent = false;
  stop.abort();
  await Promise.all(ended);
});

test.each(["latest", "0x1"] as const)(
  "a socket that says the same head (%s) again and again keeps nobody from the next ones",
  async (which) => {
    await mine();
    const head = await node().request({ method: "eth_getBlockByNumber", params: [which, false] } as never);
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    await once(server, "listening");
    server.on("connection", (socket) => {
      const say = (message: object) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
      const again = setInterval(
        () => say({ method: "eth_subscription", params: { subscription: "0x1", result: head } }),
        2,
      );
      socket.on("message", () => say({ id: 1, result: "0x1" }));
      socket.on("close", () => clearInterval(again));
    });
    const stop = new AbortController();
    const told: Head[] = [];
    const { port } = server.address() as AddressInfo;
    const ended = followHead(
      {
        chain_id: 31337,
        rpc_url: anvil.rpcUrl,
        ws_url: `ws://127.0.0.1:${port}`,
        polling_interval: shortInterval,
      },
      (one) => told.push(one),
      { log, signal: stop.signal },
    );
    await vi.waitFor(() => expect(told.length).toBeGreaterThan(0));
    const hash = await mine();
    await vi.waitFor(() => expect(told.at(-1)?.hash).toBe(hash), { timeout: 8000 });
    stop.abort();
    await ended;
    server.close();
  },
);

test("a block without transactions is told with a filter that no event is in; one that may have some, as the node says it", async () => {
  const readHead = async () => {
    const stop = new AbortController();
    const head = await new Promise<Head>((resolve) => {
      const chain = { chain_id: 31337, rpc_url: anvil.rpcUrl, ws_url: null, polling_interval: shortInterval };
      void followHead(chain, resolve, { log, signal: stop.signal });
    });
    stop.abort();
    return head;
  };
  await mine();
  const empty = await readHead();
  const told = headForPonder(empty);
  const {
    isInBloom,
    zeroLogsBloom,
  }: { isInBloom(bloom: string, of: string): boolean; zeroLogsBloom: string } = await import(
    new URL("../../node_modules/ponder/dist/esm/sync-realtime/bloom.js", import.meta.url).href
  );
  expect(empty.logsBloom).toBe(zeroLogsBloom);
  expect(told).toEqual({ ...empty, logsBloom: expect.not.stringMatching(zeroLogsBloom) });
  const events = [...escrowAbi, ...identityRegistryAbi, ...reputationRegistryAbi].filter(
    (item) => item.type === "event",
  );
  expect(events.length).toBeGreaterThan(5);
  for (const event of events) expect(isInBloom(told.logsBloom, toEventSelector(event))).toBe(false);
  // A chain whose headers say nothing of what is in a block, and a block with a transaction that logged nothing.
  const { receiptsRoot: _, ...unknown } = empty;
  expect(headForPonder(unknown as Head)).toEqual(unknown);
  await node().setBalance({ address: localAccounts.buyer.address, value: 10n ** 18n });
  const wallet = createWalletClient({ account: localAccounts.buyer, transport: http(anvil.rpcUrl) });
  const hash = await wallet.sendTransaction({ to: localAccounts.buyer.address, chain: null });
  await node().waitForTransactionReceipt({ hash });
  const full = await readHead();
  expect(full.logsBloom).toMatch(/^0x0+$/);
  expect(headForPonder(full)).toEqual(full);
});

test("Ponder is told as by a node: its subscription is answered, the newest head follows, and nothing else is taken", async () => {
  await serveHeads(
    [{ chain_id: 7, rpc_url: anvil.rpcUrl, ws_url: null, polling_interval: shortInterval }],
    log,
  );
  const url = headsUrl(7) as string;
  expect(headsUrl(8)).toBeUndefined();
  const subscribe = { jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] };
  const reader = new WebSocket(url);
  const said: { result?: string; params?: { result: Head } }[] = [];
  reader.on("message", (data) => said.push(JSON.parse(String(data))));
  reader.on("open", () => reader.send(JSON.stringify(subscribe)));
  const { hash } = await node().getBlock();
  await vi.waitFor(() => expect(said.at(-1)?.params?.result.hash).toBe(hash));
  expect(said[0]?.result).toBe("0x1");
  const stranger = new WebSocket(url);
  stranger.on("open", () => stranger.send("x"));
  await new Promise((resolve) => stranger.once("close", resolve));
  const next = await mine();
  await vi.waitFor(() => expect(said.at(-1)?.params?.result.hash).toBe(next));
  reader.close();
});

/** A proxy in front of a node's socket that cuts connections, refuses them, or lets nothing through. */
async function startProxy(target: string) {
  const { hostname, port } = new URL(target);
  const clients = new Set<Socket>();
  let made = 0;
  let refused = 0;
  const state = { refuse: false, silent: false };
  const server = createServer({ noDelay: true }, (client) => {
    if (state.refuse) {
      refused += 1;
      return client.resetAndDestroy();
    }
    made += 1;
    const upstream = connect({ port: Number(port), host: hostname, noDelay: true });
    clients.add(client);
    client.on("data", (bytes) => upstream.write(bytes));
    upstream.on("data", (bytes) => {
      // What is agreed on at the beginning passes, and news does not.
      if (!(state.silent && bytes.includes("eth_subscription"))) client.write(bytes);
    });
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    upstream.on("close", () => client.destroy());
    client.on("close", () => {
      clients.delete(client);
      upstream.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(state, {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => clients.size,
    made: () => made,
    refused: () => refused,
    cut: () => {
      for (const client of clients) client.destroy();
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const client of clients) client.destroy();
        server.close(() => resolve());
      }),
  });
}
