import { type ChildProcess, fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { afterAll, beforeAll, test } from "vitest";
import { sql } from "../../db/drizzle.ts";
import {
  createTestApi,
  expectStatus,
  publishService,
  requesterOf,
  signIn,
  type TestApi,
} from "../../test/harness/api.ts";
import { baseChainSettings } from "../../test/harness/fixtures/fixture.ts";
import { findFreePort } from "../stack/process.ts";
import { printTable, reportFigure } from "./figures.ts";
import { signInBusyAccount } from "./marketplace.load.ts";
import { fillMarket } from "./marketplace.market.ts";
import { readServerTicks, readTicks } from "./processor.ts";
import type { BareRow, Placement } from "./request.bare.ts";
import type { Command, Statement } from "./request.server.ts";

const market = { services: 10_000, agents: 500, orders: 10_000 };
const connections = 8;
/** Rounds are short and alternate between the servers, because the machine's speed varies. */
const rounds = 12;
/** The rounds after which Node has compiled the frequent code. */
const warmings = 8;
/** The requests of a round. Rows with slow queries have fewer. The clock of processor time ticks every 10 ms. */
const requests = 240;
/** Milliseconds between two checks of autocannon whether all requests are sent. */
const sampleInt = 20;

/** A row of reads: the path, and the token of the caller. */
type Read = { name: string; path: string; token?: string };
/** The load of a row: on the API, and on the bare server. A load sends a number of requests. */
type Loads = [ours: Load, bare: Load];
type Load = (base: string, count: number) => Promise<void>;

let api: TestApi;
let ours: Server;
let bare: Server;
let uncached: Server;
let busy: string;

type Server = { child: ChildProcess; url: string };

beforeAll(async () => {
  api = await createTestApi();
  await fillMarket(api.db, market);
  busy = await signInBusyAccount(api);
  const env = {
    DATABASE_URL: api.config.databaseUrl,
    SIGNING_KEY_FILE: api.config.signingKeyFile,
    WEBHOOK_KEY_FILE: api.config.webhookKeyFile,
    ...(await baseChainSettings()),
    NODE_ENV: "production",
    // The settings of production, with limits that no load reaches.
    LOG_LEVEL: "info",
    RATE_LIMITS: ["credential", "account", "address", "sign_in", "search", "answers", "answers_in_all"]
      .map((policy) => `${policy}=100000000000`)
      .join(),
  };
  ours = await start("./request.server.ts", env);
  uncached = await start("./request.server.ts", { ...env, ANSWER_CACHE_MB: "0" });
  bare = await start("./request.bare.ts", env);
}, 300_000);
afterAll(async () => {
  ours?.child.kill();
  uncached?.child.kill();
  bare?.child.kill();
  await api?.close();
});

const reads = [
  { name: "list", path: "/marketplace/services" },
  { name: "rare word", path: "/marketplace/services?q=pelomisu" },
  { name: "common word", path: "/marketplace/services?q=data" },
  { name: "one agent", path: "/agents/agent-7" },
] as const;

/** The rows, each with its server, and a function that prepares this server and the bare one. */
const rows: [string, () => Server, () => Promise<Loads>][] = [
  ...reads.flatMap((read): typeof rows => [
    [`${read.name}, cached`, () => ours, () => prepareRead(read)],
    [`${read.name}, uncached`, () => uncached, () => prepareRead(read)],
  ]),
  ["own orders (50)", () => ours, prepareOwnOrders],
  ["POST order", () => ours, preparePlacement],
  ["sign-in", () => ours, prepareSignIn],
];
const spent = ["API", "PostgreSQL", "whole"];
const table = [
  [
    "ms of user and system time",
    ...spent,
    ...spent.map((part) => `bare: ${part}`),
    "ratio",
    "at first",
    "at last",
  ],
];

test.each(rows)("processor time of %s", async (name, serverOf, prepare) => {
  const server = serverOf();
  const [load, bareLoad] = await prepare();
  const bareCount = name.includes("word") ? requests / 4 : requests;
  const count = name.endsWith(", cached") ? requests : bareCount;
  for (let warming = 0; warming < warmings; warming++) {
    await load(server.url, count);
    await bareLoad(bare.url, bareCount);
    // A long-running service has fresh statistics. Without this, plans may be for tables of a few rows.
    if (warming === warmings / 2) await api.db.execute(sql`analyze`);
  }
  const measured: { ours: Spent; bare: Spent }[] = [];
  for (let round = 0; round < rounds; round++) {
    measured.push({
      ours: await measure(server, load, count),
      bare: await measure(bare, bareLoad, bareCount),
    });
  }
  // The mean is over all rounds, because a short round has few clock ticks.
  const mean = (pick: (one: (typeof measured)[number]) => number, of = measured) =>
    of.reduce((sum, one) => sum + pick(one), 0) / of.length;
  const ratioOf = (of: typeof measured) =>
    mean((one) => one.ours.whole, of) / mean((one) => one.bare.whole, of);
  const half = Math.floor(rounds / 2);
  const figures = [
    mean((one) => one.ours.program),
    mean((one) => one.ours.postgres),
    mean((one) => one.ours.whole),
    mean((one) => one.bare.program),
    mean((one) => one.bare.postgres),
    mean((one) => one.bare.whole),
    ratioOf(measured),
    ratioOf(measured.slice(0, half)),
    ratioOf(measured.slice(-half)),
  ];
  table.push([name, ...figures.map((figure) => figure.toFixed(2))]);
  reportFigure({
    name: `request: processor of ${name}`,
    of: "ms",
    value: mean((one) => one.ours.whole),
    better: "lower",
  });
  reportFigure({
    name: `request: processor time of ${name}`,
    of: "a bare Hono route with the same statements and answer",
    value: ratioOf(measured),
    better: "lower",
  });
});

afterAll(() => {
  if (table.length > 1)
    printTable(`Means of ${rounds} rounds in turn, ${connections} requests at once`, table);
});

type Spent = { program: number; postgres: number; whole: number };

/** Measures the processor time of each request in milliseconds, of the server and of PostgreSQL. */
async function measure({ child, url }: Server, load: Load, count: number): Promise<Spent> {
  const read = async () => [readTicks(child.pid as number), await readServerTicks(api.db)] as const;
  const before = await read();
  await load(url, count);
  const after = await read();
  const [program, postgres] = [0, 1].map((at) => (((after[at] ?? 0) - (before[at] ?? 0)) * 10) / count);
  return { program: program ?? 0, postgres: postgres ?? 0, whole: (program ?? 0) + (postgres ?? 0) };
}

/** Gives the bare server the statements of the API's answer, without those of access and limits. */
async function prepareRead({ name, path, token }: Read): Promise<Loads> {
  const options = token ? { token } : {};
  await send(uncached, "record");
  const answer = expectStatus(200, await requesterOf(uncached.url).request("GET", path, options));
  const statements = ((await send(uncached, "stop")) as Statement[]).filter(
    ({ text }) => !/earnest"?\."?(session|rate_limit)\b|pg_notify/.test(text),
  );
  await send(bare, { name, statements, answer });
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  return [
    (base, count) => get(`${base}/api/v1${path}`, count, { headers }),
    (base, count) => get(`${base}/rows/${encodeURIComponent(name)}`, count),
  ];
}

function prepareOwnOrders(): Promise<Loads> {
  return prepareRead({ name: "orders", path: "/orders?limit=50", token: busy });
}

async function preparePlacement(): Promise<Loads> {
  const remote = requesterOf(ours.url);
  const buyer = await signIn(remote);
  const { service } = await publishService(remote, await signIn(remote));
  const body = { service_id: service.id, input_payload: { text: "The quick brown fox. ".repeat(10) } };
  const answer = expectStatus(201, await remote.request("POST", "/orders", { token: buyer.token, body }));
  const tokenHash = createHash("sha256").update(buyer.token).digest("hex");
  await send(bare, { orderId: answer.id, tokenHash });
  await send(bare, { name: "POST order", statements: [], answer });
  // An account with a paid order may have a thousand unpaid orders, which is more than one round creates.
  await api.db.execute(sql`update earnest."order" set funded_at = now() where id = ${answer.id}`);
  const post = (url: string, count: number, token: string) =>
    get(url, count, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    });
  return [
    async (base, count) => {
      await api.db.execute(sql`update earnest."order" set status = 'expired' where status = 'created'`);
      await post(`${base}/api/v1/orders`, count, buyer.token);
    },
    (base, count) => post(`${base}/orders`, count, buyer.token),
  ];
}

/** Prepares sign-ins, each of two requests: for the nonce, and with its signature. */
async function prepareSignIn(): Promise<Loads> {
  const remote = requesterOf(ours.url);
  const { account } = await signIn(remote);
  const post = async (url: string, body: object) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (response.status !== 200)
      throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { message: string; nonce: string };
  };
  const wallet = { address: account.address, chain_id: 31_337 };
  const { message, nonce } = await post(`${ours.url}/api/v1/auth/nonce`, wallet);
  const signature = await account.signMessage({ message });
  const answer = await post(`${ours.url}/api/v1/auth/signin`, { message, nonce, signature });
  await send(bare, { name: "sign-in", statements: [], answer });
  const repeat = (count: number, one: () => Promise<void>) =>
    Promise.all(
      Array.from({ length: connections }, async () => {
        for (let n = 0; n < count / connections; n++) await one();
      }),
    );
  return [
    async (base, count) => {
      await repeat(count, async () => {
        const proof = await post(`${base}/api/v1/auth/nonce`, wallet);
        const signed = await account.signMessage({ message: proof.message });
        await post(`${base}/api/v1/auth/signin`, {
          message: proof.message,
          nonce: proof.nonce,
          signature: signed,
        });
      });
    },
    async (base, count) => {
      await repeat(count, async () => {
        const own = { message, nonce: randomBytes(16).toString("hex") };
        await post(`${base}/auth/nonce`, own);
        await post(`${base}/auth/signin`, { ...own, signature });
      });
    },
  ];
}

async function get(url: string, amount: number, options: Partial<autocannon.Options> = {}): Promise<void> {
  const result = await autocannon({ url, amount, connections, sampleInt, ...options });
  if (result.non2xx + result.errors > 0) {
    throw new Error(
      `${url}: ${result.errors} failed, answers were ${JSON.stringify(result.statusCodeStats)}.`,
    );
  }
}

async function start(file: string, env: Record<string, string>): Promise<Server> {
  const port = await findFreePort();
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    env: { ...env, PORT: String(port) },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    serialization: "advanced",
  });
  await once(child, "message");
  return { child, url: `http://127.0.0.1:${port}` };
}

/** Sends a message to a server's process, and waits for the answer. */
async function send({ child }: Server, message: Command | BareRow | Placement): Promise<unknown> {
  child.send(message);
  const [answer] = await once(child, "message");
  return answer;
}
