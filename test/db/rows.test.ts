import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { prepareOnce } from "../../db/client.ts";
import { account, wallet } from "../../db/schema.ts";
import { readTime } from "../../db/times.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";

let bench: TestDatabase;
beforeAll(async () => {
  bench = await createTestDatabase();
});
afterAll(() => bench?.close());

test("a statement that runs again maps its rows as the first time", async () => {
  const { db } = bench;
  await db.insert(account).values([{ id: "acc_01" }, { id: "acc_02" }]);
  const address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
  await db.insert(wallet).values({ id: "wal_01", accountId: "acc_01", address });
  const find = prepareOnce((on) =>
    on
      .select({
        account,
        wallet,
        mixed: { id: account.id, walletId: wallet.id, one: sql<number>`1` },
        upper: sql<string>`upper(${account.id})`,
      })
      .from(account)
      .leftJoin(wallet, sql`${wallet.accountId} = ${account.id}`)
      .where(sql`${account.id} like ${sql.placeholder("like")}`)
      .orderBy(account.id)
      .prepare("find_mapped"),
  )(db);
  const first = await find.execute({ like: "acc_0%" });
  const [second, third] = [await find.execute({ like: "acc_0%" }), await find.execute({ like: "acc_0%" })];
  expect(first[0]?.wallet).toMatchObject({ address: address.toLowerCase(), isPrimary: false, chainId: null });
  expect(first[1]).toMatchObject({
    wallet: null,
    mixed: { id: "acc_02", walletId: null, one: 1 },
    upper: "ACC_02",
  });
  expect(first[0]?.account.createdAt).toBeInstanceOf(Date);
  expect(second).toStrictEqual(first);
  expect(JSON.stringify(third)).toBe(JSON.stringify(first));
});

test("a time is read as `Date` reads it, in whatever zone and however fine", async () => {
  for (const zone of ["UTC", "Asia/Kolkata", "America/St_Johns"]) {
    const written = await bench.db.transaction(async (tx) => {
      await tx.execute(sql`select set_config('TimeZone', ${zone}, true)`);
      const { rows } = await tx.execute<{ text: string }>(sql`
        select at::text as text from unnest(array[
          '1970-01-01 00:00:00Z', '2024-02-29 23:59:59.999999Z', '2026-11-21 10:11:12.1Z', '2026-11-21 10:11:12.12Z',
          '2026-11-21 10:11:12.123Z', '2026-11-21 10:11:12.000456Z', '9999-12-31 23:59:59.9999Z', '1883-11-18 12:00:00Z'
        ]::timestamptz[]) as at`);
      return rows.map(({ text }) => text);
    });
    expect(written.map((text) => readTime(text))).toEqual(written.map((text) => new Date(text)));
  }
  expect(readTime("infinity").getTime()).toBeNaN();
});
