import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createContext } from "../../../api/context.ts";
import { startServer } from "../../../api/server.ts";
import type { Config } from "../../../config/config.ts";
import { unreadBounds, usualRates } from "../../../config/limits.ts";
import { findFreePort } from "../../../tools/stack/process.ts";
import { createKey, createTestApi, signIn, type TestApi } from "../../harness/api.ts";
import { startDatabaseProxy } from "../../harness/database-proxy.ts";
import { makeParty } from "../../harness/party.ts";
import { serveApi } from "../../harness/streams.ts";

/** The document has some 1.1 MB; the system buffers a few of them for a connection. */
const path = "/api/v1/openapi.json";
const megabyte = 1024 * 1024;

let api: TestApi;
beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api.close());

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Serves the API with these settings, as Ponder or as `npm run api` does. Returns the port. */
async function serve(by: "Ponder's server" | "our own", changed: Partial<Config>): Promise<number> {
  const config = { ...api.config, ...changed };
  if (by === "our own") {
    const port = await findFreePort();
    const server = await startServer({ ...config, port, drainSeconds: 0 });
    closing.push(() => server.stop());
    return port;
  }
  const context = createContext(config);
  const served = await serveApi({ ...api, app: createApp(context) });
  closing.push(
    () => served.close(),
    () => context.db.$client.end(),
  );
  return Number(new URL(served.url).port);
}

/** Opens a connection that sends these requests and reads nothing until it is told to. */
function ask(
  port: number,
  requests: number,
  what = path,
  headers = "",
  { method = "GET", body = "" } = {},
): Socket & { isCut: () => boolean } {
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  let isCut = false;
  socket.on("error", () => {
    isCut = true;
  });
  socket.on("close", () => {
    isCut = true;
  });
  socket.write(`${method} ${what} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n${body}`.repeat(requests));
  closing.push(async () => socket.destroy());
  return Object.assign(socket, { isCut: () => isCut });
}

/** Reads until the connection ends, or is silent for a second after its first answer, which may take long on a busy machine. */
async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let at = performance.now();
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    at = performance.now();
  });
  socket.resume();
  const silence = () => (chunks.length === 0 ? 20_000 : 1000);
  while (performance.now() - at < silence() && !socket.destroyed) await sleep(20);
  return Buffer.concat(chunks);
}

const answersIn = (bytes: Buffer) => bytes.toString("latin1").match(/HTTP\/1\.1 \d{3}/g) ?? [];
/** Writes to the connection, which fails once the connection is closed. */
const isEnded = async (socket: Socket & { isCut: () => boolean }) => {
  socket.write("GET / HTTP/1.1\r\n\r\n");
  await sleep(20);
  return socket.isCut();
};

for (const by of ["Ponder's server", "our own"] as const) {
  test(`${by} closes a connection whose answer is not read, and no other`, async () => {
    const port = await serve(by, { unread: { ...unreadBounds, seconds: 1 } });
    const [idle, read] = [ask(port, 30), ask(port, 5)];
    expect(answersIn(await readAll(read))).toHaveLength(5);
    await vi.waitFor(async () => expect(await isEnded(idle)).toBe(true), { timeout: 40_000 });
    const left = await readAll(ask(port, 1));
    expect(answersIn(left)).toEqual(["HTTP/1.1 200"]);
  });
}

test("a streamed MCP answer is bounded and counted as any answer", async () => {
  await api.db.execute(sql`delete from earnest.rate_limit`);
  const rates = { ...usualRates, credential: 1000, account: 1000 };
  const unread = { ...unreadBounds, seconds: 1, pipelined: 500 };
  const port = await serve("our own", { unread, rateLimits: rates });
  const token = await createKey(api, await signIn(api), ["orders:read", "orders:write", "agents:write"]);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const accepted = "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n";
  const headers = `Authorization: Bearer ${token}\r\n${accepted}Content-Length: ${body.length}\r\n`;
  const idle = ask(port, 300, "/mcp", headers, { method: "POST", body });
  await vi.waitFor(async () => expect(await isEnded(idle)).toBe(true), { timeout: 40_000 });
  const counting = await serve("our own", { unread, rateLimits: { ...rates, answers: megabyte } });
  const answers = await readAll(ask(counting, 90, "/mcp", headers, { method: "POST", body }));
  expect(answers.toString()).toContain("The limit is 1048576 bytes of answers to one client");
});

test("requests of one connection are answered in turn, and only so many wait", async () => {
  const port = await serve("our own", { unread: { ...unreadBounds, pipelined: 10 } });
  const paths = ["/api/v1/agents/none-1", path, "/api/v1/agents/none-2", "/ready", "/api/v1/agents/none-3"];
  const socket = ask(port, 0);
  for (const one of paths) socket.write(`GET ${one} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const text = (await readAll(socket)).toString();
  expect(answersIn(Buffer.from(text))).toEqual(
    ["404", "200", "404", "200", "404"].map((status) => `HTTP/1.1 ${status}`),
  );
  const many = ask(port, 100);
  expect((await readAll(many)).length).toBeLessThan(11 * 2 * megabyte);
  expect(many.destroyed).toBe(true);
});

test.each(["address", "account", "process"] as const)(
  "of one %s the oldest unread answers are closed first",
  async (whose) => {
    const unread = { ...unreadBounds, seconds: 60, [whose]: 3 * megabyte };
    // The account of a request on this public path is known where requests are counted.
    const port = await serve("Ponder's server", { unread, rateLimits: usualRates });
    const headers = whose === "account" ? `Authorization: Bearer ${(await signIn(api)).token}\r\n` : "";
    const sockets: ReturnType<typeof ask>[] = [];
    for (let one = 0; one < 8; one += 1) {
      sockets.push(ask(port, 20, path, headers));
      // The next connection is younger only once this one's buffers are full.
      await sleep(250);
    }
    await vi.waitFor(
      async () => {
        const ended = await Promise.all(sockets.map(isEnded));
        expect(ended.filter((one) => one).length).toBeGreaterThanOrEqual(5);
      },
      { timeout: 40_000 },
    );
    expect(await isEnded(sockets.at(-1) as ReturnType<typeof ask>)).toBe(false);
  },
);

test("the bound of a process holds while the database cannot tell who is a party", async () => {
  const proxy = await startDatabaseProxy(api.config.databaseUrl);
  proxy.faults.statement = (text) => (text.includes("account_settlement") ? "hold" : null);
  const unread = { ...unreadBounds, seconds: 60, process: 2 * megabyte };
  const port = await serve("our own", { databaseUrl: proxy.url, unread, rateLimits: usualRates });
  closing.push(async () => {
    proxy.cut();
    await proxy.close();
  });
  const { token } = await signIn(api);
  const sockets = Array.from({ length: 8 }, () => ask(port, 20, path, `Authorization: Bearer ${token}\r\n`));
  await vi.waitFor(
    async () => {
      const ended = await Promise.all(sockets.map(isEnded));
      expect(ended.filter((one) => one).length).toBeGreaterThanOrEqual(5);
    },
    { timeout: 40_000 },
  );
});

test("unproven accounts hold half of the bound at most, and a party of funded orders keeps its share", async () => {
  const unread = { ...unreadBounds, seconds: 60, process: 4 * megabyte };
  const port = await serve("our own", { unread, rateLimits: usualRates });
  const [party, free] = [await signIn(api), await signIn(api)];
  await makeParty(api.db, party.accountId);
  const partyConnection = ask(port, 20, path, `Authorization: Bearer ${party.token}\r\n`);
  await sleep(100);
  const crowd = Array.from({ length: 8 }, (_, one) =>
    ask(port, 20, path, one % 2 === 0 ? "" : `Authorization: Bearer ${free.token}\r\n`),
  );
  await vi.waitFor(
    async () => {
      const ended = await Promise.all(crowd.map(isEnded));
      expect(ended.filter((one) => one).length).toBeGreaterThanOrEqual(5);
    },
    { timeout: 40_000 },
  );
  expect(await isEnded(partyConnection)).toBe(false);
});

test("answers count in bytes: by account, else by address", async () => {
  await api.db.execute(sql`delete from earnest.rate_limit`);
  const rates = { ...usualRates, answers: 4 * megabyte };
  const port = await serve("our own", { rateLimits: rates });
  const url = `http://127.0.0.1:${port}${path}`;
  let size = 0;
  async function spend(headers: Record<string, string>) {
    for (let passed = 0; passed < 10; passed += 1) {
      const answer = await fetch(url, { headers });
      const text = await answer.text();
      size = Math.max(size, text.length);
      if (answer.status === 429) return { passed, answer, text };
    }
    throw new Error("Nothing was refused.");
  }
  const { passed, answer, text } = await spend({});
  // The last accepted answer exceeds the bound together with those before.
  const most = Math.floor((4 * megabyte) / size) + 1;
  expect(passed).toBe(most);
  expect(text).toMatch(/The limit is 4194304 bytes of answers to one client within 60 seconds/);
  expect(answer.headers.get("ratelimit-policy")).toContain('"answers";q=4194304;qu="content-bytes";w=60');
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  const { token } = await signIn(api);
  expect((await spend({ authorization: `Bearer ${token}` })).passed).toBe(most);
});
