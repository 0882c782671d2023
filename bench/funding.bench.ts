import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import { request } from "undici";
import { createPublicClient, http, webSocket } from "viem";
import { expect, test } from "vitest";
import { escrowAbi } from "../abis/escrow.ts";
import { liveChannel } from "../db/chain.ts";
import { eventChannel } from "../db/events.ts";
import { listen as listenTo } from "../db/listen.ts";
import { expectStatus, publishService, requesterOf, signIn } from "../test/harness/api.ts";
import { forkChain, type TestChain } from "../test/harness/chain.ts";
import { listen } from "../test/harness/outbound/receiver.ts";
import { startStack } from "../test/harness/stack.ts";
import { printTable, quantile, reportFigure } from "./figures.ts";

const samples = 40;
/** Both look at the chain this often, in milliseconds. */
const pollingInterval = 100;

/** What happens to an order that is paid, each as milliseconds after its transaction was mined. */
type Steps = {
  /** a row of the index, committed and told of */
  indexed: number;
  /** its fact and events, committed and told of */
  recorded: number;
  /** `GET /orders/{id}` says so */
  funded: number;
  /** the webhook `order.funded` at its receiver */
  received: number;
  /** the log, by the plainest program */
  bare: number;
};
const titles: [keyof Steps, string][] = [
  ["indexed", "Ponder's row is there"],
  ["recorded", "the order's fact is there"],
  ["funded", "GET /orders/{id} answers funded"],
  ["received", "order.funded at the webhook's receiver"],
  ["bare", "the plainest program has the log"],
];

test(`from the mined transaction to a funded order, looking each ${pollingInterval} ms, beside a bare log poll`, async () => {
  await measure("polling", "a bare log poll");
});

test("the same by the node's WebSocket, beside a bare subscription", async () => {
  await measure("by WebSocket", "a bare subscription");
});

async function measure(way: "polling" | "by WebSocket", baseline: string): Promise<void> {
  const chain = await forkChain({ blockTime: 1 });
  const id = chain.chain.chain_id;
  const stack = await startStack({
    chain,
    env: {
      [`POLLING_INTERVAL_${id}`]: String(pollingInterval),
      [`WS_URL_${id}`]: way === "polling" ? "none" : socketOf(chain),
    },
  });
  try {
    const taken = await follow(stack, chain, way);
    const at = (step: keyof Steps, share: number) =>
      quantile(
        taken.map((steps) => steps[step]),
        share,
      );
    // By a socket the log and the head come together, so that nothing is left to divide by.
    const compared = (share: number) =>
      way === "polling"
        ? at("funded", share) / at("bare", share)
        : quantile(
            taken.map(({ funded, bare }) => funded - bare),
            share,
          );
    const title = way === "polling" ? `funded, times ${baseline}` : `funded, after ${baseline}`;
    for (const [name, share] of [
      ["median", 0.5],
      ["95th percentile", 0.95],
    ] as const) {
      const of = way === "polling" ? baseline : `ms after ${baseline}`;
      reportFigure({
        ...{ name: `funding: mined to funded, ${way}, ${name}`, of },
        ...{ value: compared(share), better: "lower" },
      });
    }
    const behind = taken.map(({ received, recorded }) => received - recorded);
    reportFigure({
      name: `funding: webhook received after the order was funded, ${way}, median`,
      of: "ms",
      value: quantile(behind, 0.5),
      better: "lower",
    });
    printTable(`Milliseconds after the transaction was mined, ${way}, n=${samples}`, [
      ["", "median", "95th percentile"],
      ...titles.map(([step, title]) => [title, at(step, 0.5), at(step, 0.95)]),
      [title, compared(0.5).toFixed(2), compared(0.95).toFixed(2)],
      ["webhook after the order", quantile(behind, 0.5), quantile(behind, 0.95)],
    ]);
  } finally {
    await stack.close();
    await chain.close();
  }
}

async function follow(
  stack: Awaited<ReturnType<typeof startStack>>,
  chain: TestChain,
  way: "polling" | "by WebSocket",
): Promise<Steps[]> {
  const api = requesterOf(stack.baseUrl);
  const [buyer, provider] = [await signIn(api), await signIn(api)];
  await chain.fund(buyer.account);
  const { service } = await publishService(api, provider);
  const wallet = chain.wallet(buyer.account);

  const received = new Map<string, number>();
  // By http: the worker is a process of its own and trusts no authority of a test.
  const receiver = await listen(
    createServer(async (message, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of message) chunks.push(chunk as Buffer);
      const now = performance.now();
      response.writeHead(204).end();
      received.set(JSON.parse(Buffer.concat(chunks).toString()).data.order?.id, now);
    }) as never,
  );
  expectStatus(
    201,
    await api.request("POST", "/webhooks", {
      token: buyer.token,
      body: { url: `http://localhost:${receiver.port}/`, events: ["order.funded"] },
    }),
  );

  const sockets = createPublicClient({ transport: webSocket(socketOf(chain)) });
  const mined = new Map<string, number>();
  const stopHeads = sockets.watchBlocks({
    includeTransactions: false,
    onBlock: ({ transactions }) => {
      const now = performance.now();
      for (const hash of transactions) mined.set(hash, now);
    },
  });
  const logged = new Map<string, number>();
  const plain = way === "polling" ? createPublicClient({ transport: http(chain.rpcUrl) }) : sockets;
  const stopLogs = plain.watchContractEvent({
    abi: escrowAbi,
    address: chain.chain.escrow_contract,
    eventName: "EscrowCreated",
    ...(way === "polling" ? { poll: true, pollingInterval } : {}),
    onLogs: (logs) => {
      const now = performance.now();
      for (const { transactionHash } of logs) logged.set(transactionHash, now);
    },
  });
  const told: { at: number; channel: string; text: string }[] = [];
  const stop = new AbortController();
  const hears = new EventEmitter();
  const hear = (channel: string) => (text: string | null) => {
    told.push({ at: performance.now(), channel, text: text ?? "" });
    hears.emit("told");
  };
  const listening = listenTo(
    { [liveChannel]: hear(liveChannel), [eventChannel]: hear(eventChannel) },
    { databaseUrl: stack.config.databaseUrl, log: console, signal: stop.signal },
  );

  // By a connection that is kept, and without `fetch`, which takes as long as the answer.
  const headers = { authorization: `Bearer ${buyer.token}` };
  const taken: Steps[] = [];
  while (taken.length < samples) {
    const order = expectStatus(
      201,
      await api.request("POST", "/orders", { token: buyer.token, body: { service_id: service.id } }),
    );
    const { calls } = expectStatus(
      200,
      await api.request("GET", `/orders/${order.id}/payment-instructions`, { token: buyer.token }),
    );
    let hash: `0x${string}` | undefined;
    for (const { to, data } of calls) hash = await wallet.sendTransaction({ to, data, gas: 300_000n });
    if (!hash) throw new Error("The payment instructions hold no calls.");
    told.length = 0;
    const first = (channel: string, text: string) =>
      told.find((one) => one.channel === channel && one.text.includes(text))?.at;
    const found = <T>(look: () => T | undefined) =>
      expect.poll(look, { interval: 2, timeout: 20_000 }).toBeDefined();
    const firstAfterRow = () => {
      const row = first(liveChannel, "escrow_event");
      return row && told.find(({ channel, at }) => channel === eventChannel && at >= row)?.at;
    };
    // Asked when it is time to, or the questions would be what is measured.
    while (!firstAfterRow()) await once(hears, "told", { signal: AbortSignal.timeout(20_000) });
    const recorded = firstAfterRow();
    let status = order.status;
    while (status !== "funded") {
      const { statusCode, body } = await request(`${stack.baseUrl}/api/v1/orders/${order.id}`, { headers });
      expect(statusCode).toBe(200);
      status = ((await body.json()) as { status: string }).status;
    }
    const funded = performance.now();
    await found(() => received.get(order.id));
    await found(() => mined.get(hash));
    await found(() => logged.get(hash));
    const since = (time: number | undefined) => (time as number) - (mined.get(hash) as number);
    taken.push({
      indexed: since(first(liveChannel, "escrow_event")),
      recorded: since(recorded),
      funded: since(funded),
      received: since(received.get(order.id)),
      bare: since(logged.get(hash)),
    });
  }
  stop.abort();
  stopHeads();
  stopLogs();
  await listening;
  await receiver.close();
  return taken;
}

const socketOf = ({ rpcUrl }: TestChain) => rpcUrl.replace(/^http/, "ws");
