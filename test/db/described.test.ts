import { sql } from "drizzle-orm";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";

let bench: TestDatabase;
let client: pg.PoolClient;
let described = 0;
beforeAll(async () => {
  bench = await createTestDatabase();
  await bench.db.execute(sql`create table line (n integer primary key, at timestamptz)`);
  await bench.db.execute(sql`insert into line values (1, '2026-11-21 10:11:12.123456+00'), (2, null)`);
  client = await bench.db.$client.connect();
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
  connection.on("rowDescription", () => {
    described += 1;
  });
});
afterAll(async () => {
  client?.release();
  await bench?.close();
});

const lines = { name: "lines", text: "select n, at from line where n >= $1 order by n" };
const ask = async (values: unknown[]) => (await client.query({ ...lines, values })).rows;

test("a named statement is described once, and answers the same each time", async () => {
  const before = described;
  const all = [
    { n: 1, at: new Date("2026-11-21T10:11:12.123Z") },
    { n: 2, at: null },
  ];
  expect(await ask([1])).toEqual(all);
  expect(await ask([1])).toEqual(all);
  expect(await Promise.all([ask([2]), ask([3]), ask([1])])).toEqual([all.slice(1), [], all]);
  expect(described).toBe(before + 1);
});

test("rows as arrays, and other ways to read values, are their own", async () => {
  const types = { getTypeParser: () => (text: string) => `read ${text}` } as unknown as pg.CustomTypesConfig;
  const asked = { ...lines, values: [2], rowMode: "array", types };
  expect((await client.query(asked)).rows).toEqual([["read 2", null]]);
  expect((await client.query(asked)).rows).toEqual([["read 2", null]]);
  expect(await ask([2])).toEqual([{ n: 2, at: null }]);
});

test("one that fails tells who asked, and the next is answered", async () => {
  const failing = () => client.query({ name: "failing", text: "select 1 / $1::int as n", values: [0] });
  for (const _ of [1, 2]) {
    const error = await failing().catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: "22012" });
  }
  await expect(ask([Symbol("no value")])).rejects.toThrow();
  expect(await ask([2])).toEqual([{ n: 2, at: null }]);
  const { rows } = await client.query({ name: "failing", text: "select 1 / $1::int as n", values: [1] });
  expect(rows).toEqual([{ n: 1 }]);
});

test("a statement whose columns are changed is refused, and not read as it was", async () => {
  const star = () => client.query({ name: "star", text: "select * from line where n = 2", values: [] });
  for (const _ of [1, 2]) expect((await star()).rows).toEqual([{ n: 2, at: null }]);
  await client.query("alter table line add column more integer");
  await expect(star()).rejects.toMatchObject({ code: "0A000" });
});

test("what writes without an answer is written each time", async () => {
  const insert = (n: number) =>
    client.query({ name: "insert", text: "insert into line (n) values ($1)", values: [n] });
  for (const n of [11, 12, 13]) expect((await insert(n)).rowCount).toBe(1);
  expect(await ask([11])).toHaveLength(3);
});
