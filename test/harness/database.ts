import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { inject } from "vitest";
import { type Database, openDatabase } from "../../db/client.ts";

export type TestDatabase = { url: string; db: Database; close(): Promise<void> };

/** A database of its own for a test: migrated, with the indexer's (empty) views of the base chain. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const maintenanceUrl = inject("postgresUrl");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await maintain(
    (sql) => sql`create database ${sql(name)} template ${sql(inject("templateDatabase"))} strategy file_copy`,
  );
  const url = new URL(maintenanceUrl);
  url.pathname = `/${name}`;
  const db = openDatabase(url.href);
  return {
    url: url.href,
    db,
    async close() {
      await db.$client.end({ timeout: 1 });
      await maintain((sql) => sql`drop database ${sql(name)} with (force)`);
    },
  };

  async function maintain(work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
    const sql = postgres(maintenanceUrl, { max: 1, onnotice: () => {} });
    try {
      await work(sql);
    } finally {
      await sql.end();
    }
  }
}
