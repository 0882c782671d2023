import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { file, fileTally, fileUse, wallet } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { readableFile } from "../../../trade/files/file-access.ts";
import type { FileReference } from "../../../trade/files/file-reference.ts";
import { attachFiles } from "../../../trade/files/file-use.ts";
import { writeReadyFile } from "../../harness/files/ready-file.ts";
import { createOrders, type Orders, outsider } from "../../harness/market/orders.ts";

let trade: Orders;
beforeAll(async () => {
  trade = await createOrders();
});
afterAll(() => trade.close());

type Caller = { accountId: string };
const attach = (
  caller: Caller,
  orderId: string,
  refs: FileReference[],
  purpose: "input" | "output" = "input",
) => inTransaction(trade.db, (tx) => attachFiles(tx, caller, orderId, purpose, refs));
const change = (id: string, values: Partial<typeof file.$inferInsert>) =>
  trade.db.update(file).set(values).where(eq(file.id, id));

test("a named file is recorded once, and the other party may read it", async () => {
  const { row, buyer, provider } = await trade.place();
  const ref = await writeReadyFile(trade.db, buyer.accountId);
  await expect(readableFile(trade.db, provider, ref.file_id)).rejects.toMatchObject({
    code: "file_not_found",
  });
  await attach(buyer, row.id, [ref, ref]);
  await attach(buyer, row.id, [ref]);
  expect(await trade.db.$count(fileUse, eq(fileUse.fileId, ref.file_id))).toBe(1);
  for (const caller of [buyer, provider]) {
    expect(await readableFile(trade.db, caller, ref.file_id)).toMatchObject({ id: ref.file_id, uses: 1 });
  }
  await expect(readableFile(trade.db, outsider, ref.file_id)).rejects.toMatchObject({
    code: "file_not_found",
  });
});

test("the arbiter reads a file once the order is disputed", async () => {
  const funded = await trade.reach("funded");
  const disputed = await trade.reach("disputed");
  const ref = await writeReadyFile(trade.db, funded.buyer.accountId);
  const arbiter = { accountId: "acc_01jd3w8x2mfhz8w9q4t6n5k7rb" };
  await writeReadyFile(trade.db, arbiter.accountId);
  await trade.db.insert(wallet).values({
    id: "wal_arbiter",
    address: disputed.row.arbiter,
    accountId: arbiter.accountId,
    provedBy: "key",
  });
  await attach(funded.buyer, funded.row.id, [ref]);
  await expect(readableFile(trade.db, arbiter, ref.file_id)).rejects.toMatchObject({
    code: "file_not_found",
  });
  const own = await writeReadyFile(trade.db, disputed.buyer.accountId);
  await attach(disputed.buyer, disputed.row.id, [own]);
  expect(await readableFile(trade.db, arbiter, own.file_id)).toMatchObject({ id: own.file_id });
});

test("a file of another account is unknown, except in an order that names it already", async () => {
  const { row, buyer, provider } = await trade.place();
  const ref = await writeReadyFile(trade.db, buyer.accountId);
  await expect(attach(provider, row.id, [ref], "output")).rejects.toMatchObject({ code: "file_not_found" });
  await attach(buyer, row.id, [ref]);
  await attach(provider, row.id, [ref], "output");
  const other = await trade.place();
  await expect(attach(provider, other.row.id, [ref], "output")).rejects.toMatchObject({
    code: "file_not_found",
  });
});

test("a reference must have the hash, the size and the name of its file", async () => {
  const { row, buyer } = await trade.place();
  const ref = await writeReadyFile(trade.db, buyer.accountId);
  const wrong = [
    { ...ref, size: 13 },
    { ...ref, name: "page-4.png" },
    { ...ref, sha256: `0x${"00".repeat(32)}` as const },
  ];
  for (const each of wrong)
    await expect(attach(buyer, row.id, [each])).rejects.toMatchObject({ code: "file_mismatch" });
  const many = Array.from({ length: 21 }, () => ref);
  await expect(attach(buyer, row.id, many)).rejects.toMatchObject({ code: "file_mismatch" });
  expect(await trade.db.$count(fileUse, eq(fileUse.fileId, ref.file_id))).toBe(0);
});

test("a file that is uploading, withheld or erased cannot be named", async () => {
  const { row, buyer, provider } = await trade.place();
  for (const values of [{ completedAt: null }, { withheldAt: new Date() }, { erasedAt: new Date() }]) {
    const ref = await writeReadyFile(trade.db, buyer.accountId, values);
    await expect(attach(buyer, row.id, [ref])).rejects.toMatchObject({ code: "file_not_found" });
  }
  const ref = await writeReadyFile(trade.db, buyer.accountId);
  await attach(buyer, row.id, [ref]);
  await change(ref.file_id, { withheldAt: new Date() });
  expect(await readableFile(trade.db, buyer, ref.file_id)).toMatchObject({ id: ref.file_id });
  await expect(readableFile(trade.db, provider, ref.file_id)).rejects.toMatchObject({
    code: "file_not_found",
  });
});

test("a deletion during the attachment waits, and then finds the use", async () => {
  const { row, buyer } = await trade.place();
  const ref = await writeReadyFile(trade.db, buyer.accountId);
  const attached = Promise.withResolvers<void>();
  const attaching = inTransaction(trade.db, async (tx) => {
    await attachFiles(tx, buyer, row.id, "input", [ref]);
    attached.resolve();
    await tx.execute(sql`select pg_sleep(0.2)`);
  });
  await attached.promise;
  const erased = await trade.db.execute(sql`
    update earnest.file set erased_at = now() where id = ${ref.file_id} and uses = 0`);
  await attaching;
  expect(erased.rowCount).toBe(0);
});

test("the bytes of a file are counted until they are removed", async () => {
  const accountId = outsider.accountId;
  const bytesOf = async (bucket: string) =>
    (await trade.db.select().from(fileTally).where(eq(fileTally.bucket, bucket)))[0]?.bytes ?? 0;
  const [one, two] = [
    await writeReadyFile(trade.db, accountId, { size: 7, tallied: ["test all", "test new"] }),
    await writeReadyFile(trade.db, accountId, { size: 5, tallied: ["test all"] }),
  ];
  expect([await bytesOf("test all"), await bytesOf("test new")]).toEqual([12, 7]);
  await change(one.file_id, { erasedAt: new Date(), removedAt: new Date() });
  await trade.db.delete(file).where(eq(file.id, one.file_id));
  expect([await bytesOf("test all"), await bytesOf("test new")]).toEqual([5, 0]);
  await trade.db.delete(file).where(eq(file.id, two.file_id));
  expect(await bytesOf("test all")).toBe(0);
});
