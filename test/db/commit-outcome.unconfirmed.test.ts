import { appendFileSync, chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApp } from "../../api/app.ts";
import { type Context, createContext } from "../../api/context.ts";
import { type Database, openDatabase } from "../../db/client.ts";
import { OutcomeUnknownError } from "../../db/commit-outcome.ts";
import { migrateDatabase } from "../../db/migrate.ts";
import { agent, idempotencyRecord } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import {
  initialisePostgres,
  placePostgres,
  runStatement,
  startPostgres,
} from "../../tools/stack/postgres.ts";
import { findFreePort } from "../../tools/stack/process.ts";
import { createTestApi, expectStatus, type Session, signIn, type TestApi } from "../harness/api.ts";

// PostgreSQL reports a write as done when its wait for the standby is cancelled. The API may not report
// that.

const folder = mkdtempSync(join(tmpdir(), "earnest-unconfirmed-"));
const directory = placePostgres(join(folder, "postgres"));
let server: Awaited<ReturnType<typeof startPostgres>>;
let api: TestApi;
/** A PostgreSQL whose commits wait for a missing standby. */
let waiting: Database;
let context: Context;
let app: ReturnType<typeof createApp>;
let owner: Session;
let waitingUrl: string;

beforeAll(async () => {
  chmodSync(folder, 0o755);
  initialisePostgres(directory);
  // The setting is there from the start, because a running server applies it only later.
  appendFileSync(join(directory, "postgresql.conf"), "synchronous_standby_names = 'nobody'\n");
  server = await startPostgres({
    directory,
    port: await findFreePort(),
    logFile: join(folder, "postgres.log"),
    settings: { fsync: "off", full_page_writes: "off", synchronous_commit: "local" },
  });
  await runStatement(server.url("postgres"), "create database earnest");
  const url = server.url("earnest");
  await migrateDatabase(url);
  const db = openDatabase(url);
  api = await createTestApi({ database: { url, db, close: () => db.$client.end() } });
  owner = await signIn(api);
  await db.execute(sql`create table told (id text primary key)`);
  waitingUrl = `${url}?options=-c%20synchronous_commit%3Don`;
  waiting = openDatabase(waitingUrl);
  context = createContext({ ...api.config, databaseUrl: waitingUrl });
  app = createApp(context);
});
afterAll(async () => {
  await waiting?.$client.end();
  await context?.db.$client.end();
  await api?.close();
  await server?.child.stop(100);
  for (const path of [dirname(directory), folder]) rmSync(path, { recursive: true, force: true });
});

/** Cancels every wait for the standby, repeatedly, until it is stopped. */
function endWaits(way: "pg_cancel_backend" | "pg_terminate_backend"): () => Promise<void> {
  let isOver = false;
  const ending = (async () => {
    while (!isOver)
      await runStatement(
        server.url("postgres"),
        `select ${way}(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
      );
  })();
  return () => {
    isOver = true;
    return ending;
  };
}

const createAgent = async (slug: string, headers: Record<string, string> = {}) => {
  const response = await app.request("/api/v1/agents", {
    method: "POST",
    headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ slug, name: "An agent" }),
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
};
const isMade = (slug: string) => api.db.$count(agent, eq(agent.slug, slug));
const tell = (on: Pick<Database, "execute">, id: string) => on.execute(sql`insert into told values (${id})`);
const isStored = async (id: string) =>
  (await api.db.execute(sql`select from told where id = ${id}`)).rows.length > 0;

test.each(["pg_cancel_backend", "pg_terminate_backend"] as const)(
  "writes whose wait for the standby is cancelled by %s are answered as unknown",
  async (way) => {
    const stop = endWaits(way);
    const [answer, error] = await Promise.all([
      createAgent(`agent-${way.length}`),
      inTransaction(waiting, (tx) => tell(tx, `${way} within`)).catch((error) => error),
    ]);
    await stop();
    expect(expectStatus(503, answer).error.code).toBe("outcome_unknown");
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    // All writes are done here. Only their copy on the standby is unknown.
    expect(await isMade(`agent-${way.length}`)).toBe(1);
    expect(await isStored(`${way} within`)).toBe(true);
  },
);

test("a statement timeout does not end the wait for the standby", async () => {
  const limited = openDatabase(waitingUrl, { statementSeconds: 0.1 });
  const outcome = tell(limited, "limited").catch((error: Error) => error);
  const waits = () =>
    runStatement(
      server.url("postgres"),
      `select pid from pg_stat_activity
       where wait_event = 'SyncRep' and clock_timestamp() - query_start > interval '300 milliseconds'`,
    );
  await expect.poll(waits).toHaveLength(1);
  const stop = endWaits("pg_cancel_backend");
  expect(await outcome).toMatchObject({ rowCount: 1 });
  await stop();
  await limited.$client.end();
});

test("a write that is repeated with its key, once the standby confirms, is done once", async () => {
  const key = { "idempotency-key": "unconfirmed-1" };
  const stop = endWaits("pg_cancel_backend");
  expectStatus(503, await createAgent("twice", key));
  await stop();
  await runStatement(server.url("postgres"), "alter system set synchronous_standby_names = ''");
  await runStatement(server.url("postgres"), "select pg_reload_conf()");
  // The first attempt counts as in progress while its commit waits.
  await api.db.update(idempotencyRecord).set({ leasedUntil: sql`now()` });
  const made = expectStatus(201, await createAgent("twice", key));
  expect(expectStatus(201, await createAgent("twice", key))).toEqual(made);
  expect(await isMade("twice")).toBe(1);
});
