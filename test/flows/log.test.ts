import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { logEntry, logHead, receipt } from "../../db/schema.ts";
import { parseNote } from "../../protocol/tlog/note.ts";
import { parsePolicy } from "../../protocol/tlog/policy.ts";
import { issuerOf } from "../../receipts/issuer.ts";
import { runDemo } from "../../tools/demo/order.ts";
import { startStack, type TestStack } from "../harness/stack.ts";
import { lookOnce } from "../harness/tlog/monitor.ts";
import { requestCosignature, startWitness, type TestWitness } from "../harness/tlog/witness.ts";

let stack: TestStack;
let witness: TestWitness;
let folder: string;

beforeAll(async () => {
  stack = await startStack();
  folder = mkdtempSync(join(tmpdir(), "earnest-monitor-test-"));
});
afterAll(async () => {
  await witness?.close();
  await stack?.close();
  if (folder) rmSync(folder, { recursive: true });
});

const read = async (path: string) => (await fetch(`${stack.baseUrl}/log/${path}`)).text();
const sizeOf = (note: string) => Number(note.split("\n")[1]);

const check = () => {
  const { chain, rpcUrl } = stack.chain;
  return lookOnce({
    address: stack.baseUrl,
    issuer: issuerOf(stack.baseUrl),
    memoryFile: join(folder, "memory.json"),
    policy: parsePolicy(`witness w1 ${witness.vkey} ${witness.url}\nquorum none\n`),
    chains: [{ chainId: chain.chain_id, rpc: rpcUrl, contracts: [chain.escrow_contract], confirmations: 1 }],
  });
};

test("an order is settled and logged; the witness cosigns, the monitor has no findings, and finds every tampering", async () => {
  const buyer = privateKeyToAccount(generatePrivateKey());
  const provider = privateKeyToAccount(generatePrivateKey());
  await stack.chain.fund(buyer);
  const { baseUrl, db } = stack;
  await runDemo({ baseUrl, rpcUrl: stack.chain.rpcUrl, buyer, provider, print: () => {} });
  // The first key, and the receipts of funding and release.
  await expect.poll(async () => sizeOf(await read("checkpoint"))).toBe(3);
  const checkpoint = await read("checkpoint");
  witness = await startWitness([(await read("vkey")).trim()]);
  expect((await requestCosignature(witness.url, `old 0\n\n${checkpoint}`)).status).toBe(200);
  const honest = await check();
  expect(honest.found).toEqual([]);
  expect(honest.progress).toMatchObject({ entries: 3, receipts: 2, confirmed: 2, unconfirmed: 0 });

  // A document is changed.
  const [row] = await db.select().from(receipt).limit(1);
  if (!row) throw new Error("no receipt");
  const setDocument = (document: typeof row.document) =>
    db.update(receipt).set({ document }).where(eq(receipt.id, row.id));
  await setDocument({ ...row.document, amount: "1" } as typeof row.document);
  expect((await check()).found).toMatchObject([{ code: "receipt_changed", subject: row.id }]);
  await setDocument(row.document);

  // An entry is changed, then deleted.
  const [entry] = await db.select().from(logEntry).where(eq(logEntry.index, 1));
  if (!entry) throw new Error("no entry");
  const changed = entry.entry.replace("receipt", "receipt ");
  await db.update(logEntry).set({ entry: changed }).where(eq(logEntry.index, 1));
  expect((await check()).codes).toEqual(["entry_changed"]);
  await db.delete(logEntry).where(eq(logEntry.index, 1));
  expect((await check()).codes).toEqual(["entries_missing"]);
  await db.insert(logEntry).values(entry);
  expect((await check()).found).toEqual([]);

  // An older tree is shown again.
  const [older] = await db.select().from(logHead);
  if (!older) throw new Error("no head");
  await runDemo({ baseUrl, rpcUrl: stack.chain.rpcUrl, buyer, provider, print: () => {} });
  await expect.poll(async () => sizeOf(await read("checkpoint"))).toBe(5);
  expect((await check()).found).toEqual([]);
  const newer = await read("checkpoint");
  await stack.worker?.stop(10_000);
  await db.update(logHead).set({ published: older.published, publishedSize: older.publishedSize });
  expect(parseNote(await read("checkpoint")).text).toBe(parseNote(checkpoint).text);
  expect((await check()).codes).toEqual(["rolled_back"]);
  await db.update(logHead).set({ published: newer, publishedSize: 5 });
  // A tile is lost.
  await db.execute(sql`delete from earnest.log_tile`);
  expect((await check()).codes).toEqual(["tile_missing"]);
});
