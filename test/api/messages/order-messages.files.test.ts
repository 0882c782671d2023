import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { file, fileUse, orderMessage } from "../../../db/schema.ts";
import { expectStatus, type Session } from "../../harness/api.ts";
import { writeReadyFile } from "../../harness/files/ready-file.ts";
import { placeFunded } from "../../harness/market/market.ts";
import { createTalk } from "../../harness/market/messages.ts";
import { expectRefused } from "../../harness/market/reviews.ts";

let on: Awaited<ReturnType<typeof createTalk>>;
beforeAll(async () => {
  on = await createTalk();
});
afterAll(() => on?.court.api.close());

const upload = (who: Session) => writeReadyFile(on.court.api.db, who.accountId);
const write = (id: string, who: Session, files: unknown[]) =>
  on.court.api.request("POST", `/orders/${id}/messages`, {
    token: who.token,
    body: { text: "See the file.", files },
  });
const read = (id: string, who: Session) => on.court.api.request("GET", `/files/${id}`, { token: who.token });
const usesOf = (orderId: string) =>
  on.court.api.db.$count(fileUse, and(eq(fileUse.orderId, orderId), eq(fileUse.purpose, "message")));

test("a message's files are readable by the other party, and by nobody after the last such message is withdrawn", async () => {
  const { buyer, provider, outsider, api } = on.court;
  const { id } = await placeFunded(on.court);
  const named = await upload(buyer);
  expectRefused(await read(named.file_id, provider), 404, "file_not_found");
  const first = expectStatus(201, await write(id, buyer, [named]));
  expect(first.files).toEqual([named]);
  expect(expectStatus(200, await on.list(id, provider)).items[0].files).toEqual([named]);
  expectStatus(200, await read(named.file_id, provider));
  expectRefused(await read(named.file_id, outsider), 404, "file_not_found");
  const second = expectStatus(201, await write(id, buyer, [named]));
  expect(expectStatus(200, await on.withdraw(id, buyer, first.id)).files).toEqual([]);
  expectStatus(200, await read(named.file_id, provider));
  expectStatus(200, await on.withdraw(id, buyer, second.id));
  expectRefused(await read(named.file_id, provider), 404, "file_not_found");
  expect(await usesOf(id)).toBe(0);
  const [row] = await api.db.select().from(file).where(eq(file.id, named.file_id));
  expect(row?.uses).toBe(0);
});

test("a file of another account, another hash, and more than 20 files are refused, and nothing is written", async () => {
  const { buyer, provider } = on.court;
  const { id } = await placeFunded(on.court);
  const named = await upload(provider);
  const own = await upload(buyer);
  for (const files of [
    [named],
    [{ ...own, sha256: `0x${"5e".repeat(32)}` }],
    [{ ...own, name: "other.png" }],
  ]) {
    expect([404, 409, 422]).toContain((await write(id, buyer, files)).status);
  }
  expectRefused(
    await write(
      id,
      buyer,
      Array.from({ length: 21 }, () => own),
    ),
    400,
    "invalid_request",
  );
  expect(await on.textsOf(id, buyer)).toEqual([]);
  expect(await usesOf(id)).toBe(0);
});

test("a hidden message shows its files to its author alone", async () => {
  const { buyer, provider, api } = on.court;
  const { id } = await placeFunded(on.court);
  const sent = expectStatus(201, await write(id, buyer, [await upload(buyer)]));
  await api.db.update(orderMessage).set({ hiddenAt: new Date() }).where(eq(orderMessage.id, sent.id));
  expect(expectStatus(200, await on.list(id, provider)).items[0]).toMatchObject({ text: null, files: [] });
  expect(expectStatus(200, await on.list(id, buyer)).items[0].files).toHaveLength(1);
  const [named] = sent.files;
  expectRefused(await read(named.file_id, provider), 404, "file_not_found");
  expectRefused(await write(id, provider, [named]), 404, "file_not_found");
  expectStatus(200, await read(named.file_id, buyer));
  await api.db.update(orderMessage).set({ hiddenAt: null }).where(eq(orderMessage.id, sent.id));
  expectStatus(200, await read(named.file_id, provider));
});

test("a reader who names a message's file keeps nothing readable after its owner withdraws the message", async () => {
  const { buyer, provider } = on.court;
  const { id } = await placeFunded(on.court);
  const named = await upload(buyer);
  const sent = expectStatus(201, await write(id, buyer, [named]));
  expectStatus(201, await write(id, provider, [named]));
  expectStatus(200, await on.withdraw(id, buyer, sent.id));
  expectRefused(await read(named.file_id, provider), 404, "file_not_found");
  expect(await usesOf(id)).toBe(0);
});
