import { sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inTransaction } from "../../../db/transaction.ts";
import { accountTables, exemptTables } from "../../../trade/privacy/account-tables.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());

const dialect = new PgDialect();
const textOf = (table: (typeof accountTables)[number]) => dialect.sqlToQuery(table.select("acc_1")).sql;

test("each table of an account is exported, or has a reason why not", async () => {
  const { rows } = await database.db.execute<{ name: string }>(sql`
    select distinct c.table_name as name from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
    where c.table_schema = 'earnest' and t.table_type = 'BASE TABLE'
      and (c.column_name like '%account_id' or c.table_name in (
        select u.table_name from information_schema.referential_constraints r
        join information_schema.key_column_usage u using (constraint_schema, constraint_name)
        join information_schema.constraint_column_usage o
          on o.constraint_schema = r.unique_constraint_schema and o.constraint_name = r.unique_constraint_name
        where o.table_schema = 'earnest' and o.table_name = 'account'))`);
  const exported = new Set(
    accountTables.flatMap((table) =>
      [...textOf(table).matchAll(/earnest\."?(\w+)/g)].map(([, name]) => name),
    ),
  );
  expect(rows.length).toBeGreaterThan(40);
  const missing = rows.map(({ name }) => name).filter((name) => !exported.has(name) && !exemptTables[name]);
  expect(missing).toEqual([]);
  const both = Object.keys(exemptTables).filter((name) => exported.has(name));
  expect(both).toEqual([]);
});

describe("the query of each file", () => {
  test.each(accountTables.map((table) => [table.name, table] as const))(
    "%s reads by an index, without a sort",
    async (_name, table) => {
      const plan = await inTransaction(database.db, async (tx) => {
        await tx.execute(sql`set local enable_seqscan = off`);
        const { rows } = await tx.execute<{ "QUERY PLAN": string }>(sql`explain ${table.select("acc_1")}`);
        return rows.map((row) => row["QUERY PLAN"]).join("\n");
      });
      expect(plan).not.toMatch(/Seq Scan|Sort/);
    },
  );
});
