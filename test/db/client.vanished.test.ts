import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase } from "../../db/client.ts";
import { isConnectionLost, RolledBackError } from "../../db/commit-outcome.ts";
import { inTransaction } from "../../db/transaction.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../harness/database-proxy.ts";

let database: TestDatabase;
let proxy: DatabaseProxy;
let far: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database.url);
  far = openDatabase(proxy.url, { max: 1, statementSeconds: 0.2 });
});
afterAll(async () => {
  await far?.$client.end();
  await proxy?.close();
  await database?.close();
});

test("a connection to a server that vanishes is closed, within a transaction and outside of one", async () => {
  proxy.faults.statement = (text) => (text.includes("vanished") ? "hold" : null);
  const outside = await far.execute(sql`select 'vanished'`).catch((error: Error) => error);
  expect(isConnectionLost(outside)).toBe(true);
  const within = inTransaction(far, (tx) => tx.execute(sql`select 'vanished'`));
  await expect(within).rejects.toThrow(RolledBackError);
  const { rows } = await far.execute(sql`select 1 as one`);
  expect(rows).toEqual([{ one: 1 }]);
});
