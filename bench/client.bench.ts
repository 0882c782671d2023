import { execFile, fork } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, test } from "vitest";
import { prepareEnvironment } from "../clients/python/test.ts";
import { Earnest } from "../clients/typescript/src/index.ts";
import {
  createKey,
  expectStatus,
  publishService,
  requesterOf,
  type Session,
  signIn,
} from "../test/harness/api.ts";
import { startStack, type TestStack } from "../test/harness/stack.ts";
import { printTable, quantile, reportFigure } from "./figures.ts";

const run = promisify(execFile);
const calls = 500;
const rounds = 7;
const events = 100_000;
const orders = 30;
const atOnce = 4;

let stack: TestStack;
let buyer: Session;
let provider: Session;
beforeAll(async () => {
  stack = await startStack();
  const api = requesterOf(stack.baseUrl);
  [buyer, provider] = [await signIn(api), await signIn(api)];
  await stack.chain.fund(buyer.account);
}, 400_000);
afterAll(() => stack?.close());

/** Runs a program of this folder, and gives what it sends first. */
function start<T>(name: string, args: string[], execArgv: string[] = []) {
  const child = fork(resolve(import.meta.dirname, name), args, { execArgv });
  const sent = new Promise<T>((done, failed) => {
    child.once("message", (message) => done(message as T));
    child.once("exit", (code) => failed(new Error(`${name} ended with ${code}.`)));
  });
  return { child, sent };
}

/**
 * Milliseconds of processor time that a call takes in this process: the least of the rounds, in which the ways take turns.
 * The clock on the wall shows above all what else the machine does.
 */
async function compareCalls(ways: Record<string, () => Promise<unknown>>): Promise<Record<string, number>> {
  const samples = Object.fromEntries(Object.keys(ways).map((name) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, call] of Object.entries(ways)) {
      const begin = process.cpuUsage();
      for (let number = 0; number < calls; number++) await call();
      const { user, system } = process.cpuUsage(begin);
      // The first round warms up.
      if (round > 0) samples[name]?.push((user + system) / 1000 / calls);
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, each]) => [name, Math.min(...each)]));
}

test(`a call of the TypeScript client, beside fetch alone (${calls} calls, least of ${rounds})`, async () => {
  const api = requesterOf(stack.baseUrl);
  const { service } = await publishService(api, provider);
  const order = expectStatus(
    201,
    await api.request("POST", "/orders", { token: buyer.token, body: { service_id: service.id } }),
  );
  const { child, sent } = start<number>("client.answers.ts", [JSON.stringify(order)]);
  try {
    const rows: (string | number)[][] = [["", "fetch, ms", "client, ms", "ratio"]];
    for (const [name, baseUrl] of [
      ["a server that answers at once", `http://127.0.0.1:${await sent}`],
      ["GET /orders/{id} of the service", stack.baseUrl],
    ] as const) {
      const client = new Earnest({ baseUrl, accessToken: buyer.token });
      const headers = { authorization: `Bearer ${buyer.token}` };
      const took = await compareCalls({
        fetch: async () => (await fetch(`${baseUrl}/api/v1/orders/${order.id}`, { headers })).json(),
        client: async () => client.orders.get(order.id),
      });
      const [bare, ours] = [took.fetch ?? 0, took.client ?? 0];
      rows.push([name, bare.toFixed(3), ours.toFixed(3), (ours / bare).toFixed(2)]);
    }
    printTable("A call, processor time of its process", rows);
  } finally {
    child.kill();
  }
});

test("a call of the Python client beside httpx2 alone, and of the Go client beside net/http", async () => {
  const { child, sent } = start<number>("client.answers.ts", ['{"id":"ord_1"}']);
  const clients = resolve(import.meta.dirname, "../clients");
  try {
    const python = await prepareEnvironment();
    if (!python) throw new Error("The Python client's environment could not be made.");
    const args = ["client_calls.py", `http://127.0.0.1:${await sent}`, `${calls}`, `${rounds}`];
    const { stdout } = await run(python, args, { cwd: import.meta.dirname });
    const { bare, client } = JSON.parse(stdout);
    const bench = ["-bench", "^BenchmarkCall$", `-benchtime=${calls}x`, `-count=${rounds}`];
    const flags = ["test", "-run", "^$", ...bench, "."];
    const { stdout: printed } = await run("go", flags, { cwd: resolve(clients, "go") });
    const shape = (name: string) => new RegExp(`BenchmarkCall/${name}\\S*\\s+\\d+\\s+([\\d.]+) ns/op`, "g");
    const read = (name: string) =>
      Math.min(...[...printed.matchAll(shape(name))].map(([, each]) => Number(each) / 1e6));
    const [plain, ours] = [read("bare"), read("client")];
    printTable(
      "A call, of a server that answers at once: Python's processor time, Go's time with its server's",
      [
        ["", "bare, ms", "client, ms", "ratio"],
        ["Python, httpx2", bare.toFixed(3), client.toFixed(3), (client / bare).toFixed(2)],
        ["Go, net/http", plain.toFixed(3), ours.toFixed(3), (ours / plain).toFixed(2)],
      ],
    );
  } finally {
    child.kill();
  }
});

test(`the feed's iterator over ${events} events, beside fetch alone`, async () => {
  const api = requesterOf(stack.baseUrl);
  const account = await signIn(api);
  const token = await createKey(api, account, ["webhooks:read"]);
  await stack.db.execute(sql`
    insert into earnest.event (id, account_id, type, data)
    select 'evt_' || lpad(n::text, 26, '0'), ${account.accountId}, 'order.funded',
      jsonb_build_object('text', repeat('x', 600))
    from generate_series(1, ${events}::int) as n`);
  type Report = { seen: number; seconds: number; heapMost: number; rss: number; lagMs: number };
  const rows: (string | number)[][] = [
    ["", "events", "seconds", "ms a page", "heap over its start, MB", "resident, MB", "loop delay p99, ms"],
  ];
  const read = async (way: string) =>
    await start<Report>("client.feed.ts", [way, stack.baseUrl, token, `${events}`], ["--expose-gc"]).sent;
  // The places of events are given as they are first read.
  await read("fetch");
  for (const way of ["fetch", "client", "fetch", "client"]) {
    const { seen, seconds, heapMost, rss, lagMs } = await read(way);
    const perPage = (seconds / (seen / 100)) * 1000;
    rows.push([way, `${seen}`, seconds, perPage, heapMost / 2 ** 20, rss / 2 ** 20, lagMs]);
  }
  printTable("The feed", rows);
}, 1_800_000);

test(`orders a second of serve with an empty handler, beside start and deliver by fetch (${orders} orders, ${atOnce} at once)`, async () => {
  const api = requesterOf(stack.baseUrl);
  const wallet = stack.chain.wallet(buyer.account);

  async function fundOrders() {
    const { agent, service } = await publishService(api, provider);
    const ids: string[] = [];
    for (let number = 0; number < orders; number++) {
      const body = { service_id: service.id };
      const order = expectStatus(201, await api.request("POST", "/orders", { token: buyer.token, body }));
      const path = `/orders/${order.id}/payment-instructions`;
      const { calls } = expectStatus(200, await api.request("GET", path, { token: buyer.token }));
      for (const { to, data } of calls) await wallet.sendTransaction({ to, data, gas: 400_000n });
      ids.push(order.id);
    }
    for (const id of ids) {
      for (;;) {
        const answer = await api.request("GET", `/orders/${id}`, { token: buyer.token });
        if (expectStatus(200, answer).status === "funded") break;
        await new Promise((done) => setTimeout(done, 50));
      }
    }
    return { agent, service, ids };
  }

  async function byFetch(ids: string[]): Promise<number> {
    const begin = performance.now();
    const waiting = [...ids];
    const token = provider.token;
    const work = async () => {
      for (let id = waiting.shift(); id; id = waiting.shift()) {
        expectStatus(200, await api.request("POST", `/orders/${id}/start`, { token }));
        const body = { output_payload: null };
        expectStatus(200, await api.request("POST", `/orders/${id}/deliver`, { token, body }));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    return orders / ((performance.now() - begin) / 1000);
  }

  async function byServe(market: Awaited<ReturnType<typeof fundOrders>>): Promise<number> {
    const client = new Earnest({ baseUrl: stack.baseUrl, accessToken: provider.token });
    const stop = new AbortController();
    let delivered = 0;
    const begin = performance.now();
    let took = 0;
    await client.serve(
      market.agent.slug,
      { [market.service.slug]: () => null },
      {
        concurrency: atOnce,
        signal: stop.signal,
        onDelivered: () => {
          if (++delivered < orders) return;
          took = performance.now() - begin;
          stop.abort();
        },
      },
    );
    return orders / (took / 1000);
  }

  const bare: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < 3; round++) {
    bare.push(await byFetch((await fundOrders()).ids));
    ours.push(await byServe(await fundOrders()));
  }
  const [plain, served] = [quantile(bare, 0.5), quantile(ours, 0.5)];
  reportFigure({
    name: "client: orders served",
    of: "start and deliver by fetch",
    value: served / plain,
    better: "higher",
  });
  printTable("Orders served, median of 3", [
    ["", "a second", "ratio"],
    ["start and deliver by fetch", plain, ""],
    ["serve, empty handler, no record signed", served, (served / plain).toFixed(2)],
  ]);
}, 1_800_000);
