import { randomBytes } from "node:crypto";
import { type Database, openDatabase } from "../../db/client.ts";
import { runStatement } from "../../tools/stack/postgres.ts";
import { getFixture } from "./fixtures/fixture.ts";

export type TestDatabase = { url: string; db: Database; close(): Promise<void> };

/** A test's own database: migrated, with the indexer's (empty) views of the base chain. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = await getFixture("templateDatabase");
  const { url: maintenanceUrl } = await getFixture("postgres");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await runStatement(maintenanceUrl, `create database ${name} template ${template.name} strategy file_copy`);
  const url = new URL(maintenanceUrl);
  url.pathname = `/${name}`;
  const db = openDatabase(url.href);
  return {
    url: url.href,
    db,
    async close() {
      await db.$client.end();
      await runStatement(maintenanceUrl, `drop database ${name} with (force)`);
    },
  };
}
