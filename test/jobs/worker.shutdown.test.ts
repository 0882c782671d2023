import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request as ask, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../../config/config.ts";
import { createLogKeyFile } from "../../config/keys/log-key.ts";
import { createKeyFile } from "../../config/keys/signing-key.ts";
import { createWebhookKeyFile } from "../../config/keys/webhook-key.ts";
import { type Child, findFreePort } from "../../tools/stack/process.ts";
import { startApi, startWorker } from "../../tools/stack/services.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { baseChainSettings } from "../harness/fixtures/fixture.ts";
import { until } from "../harness/jobs/ledger.ts";
import { queueFacts } from "../harness/jobs/tlog.ts";

let folder: string;
let database: TestDatabase;
let env: Record<string, string>;
const programs: Child[] = [];
const keep = (child: Child) => programs.push(child);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "earnest-drain-"));
  database = await createTestDatabase();
  const port = await findFreePort();
  env = {
    DATABASE_URL: database.url,
    ...(await baseChainSettings()),
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    SIGNING_KEY_FILE: join(folder, "signing.json"),
    WEBHOOK_KEY_FILE: join(folder, "webhooks.key"),
    LOG_KEY_FILE: join(folder, "log.key"),
    LOG_MEMORY_FILE: join(folder, "log.checkpoint"),
    DRAIN_SECONDS: "3",
  };
  const config = readConfig(env);
  createKeyFile(config.signingKeyFile);
  createWebhookKeyFile(config.webhookKeyFile);
  createLogKeyFile(config.logKeyFile);
});
afterAll(async () => {
  await Promise.all(programs.map((child) => child.stop(10_000)));
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const urlOf = (path: string) => `${env.PUBLIC_URL}${path}`;

/** Sends a request over the one connection that is kept. */
function get(path: string): Promise<{ status: number | undefined; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = ask(urlOf(path), { agent }, (answer) => {
      answer.resume();
      answer.once("end", () => resolve({ status: answer.statusCode, connection: answer.headers.connection }));
    });
    sent.once("error", reject);
    sent.end();
  });
}

/** A request whose body ends when `finish` is called. */
function beginSlowly(path: string) {
  const answered = Promise.withResolvers<IncomingMessage>();
  const body = JSON.stringify({ address: "0x0000000000000000000000000000000000000001", chain_id: 31_337 });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const sent = ask(urlOf(path), { method: "POST", headers, agent: new Agent() }, answered.resolve);
  sent.once("error", answered.reject);
  sent.write(body.slice(0, 5));
  const begun = new Promise<void>((resolve) =>
    sent.once("socket", (socket) => socket.once("connect", () => resolve())),
  );
  return { begun, answered: answered.promise, finish: () => sent.end(body.slice(5)) };
}

test("an API that is shut down first reports that it is not ready, answers the requests in flight and closes its connections", async () => {
  const api = await startApi(env, join(folder, "api.log"), keep);
  expect(await get("/ready")).toEqual({ status: 200, connection: "keep-alive" });
  const slow = beginSlowly("/api/v1/auth/nonce");
  await slow.begun;
  api.kill("SIGTERM");
  await until(async () => (await get("/ready")).status === 503, "it is not ready");
  expect(await get("/health")).toEqual({ status: 200, connection: "close" });
  expect(await get("/api/v1/marketplace/services")).toEqual({ status: 200, connection: "close" });
  slow.finish();
  const answer = await slow.answered;
  answer.resume();
  expect(answer).toMatchObject({ statusCode: 200, headers: { connection: "close" } });
  expect(await api.exited).toEqual({ code: 0, signal: null });
  await expect(get("/health")).rejects.toThrow();
});

test("a worker that is shut down frees its leases at once", async () => {
  const worker = await startWorker(env, join(folder, "worker.log"), keep);
  const holder = async () => {
    const { rows } = await database.db.execute<{ holder: string | null; size: string }>(
      sql`select holder, size from earnest.log_head`,
    );
    return rows[0];
  };
  await queueFacts(database.db, 1);
  await until(async () => (await holder())?.holder, "the worker holds the log");
  worker.kill("SIGTERM");
  expect(await worker.exited).toEqual({ code: 0, signal: null });
  expect(await holder()).toMatchObject({ holder: null });
});
