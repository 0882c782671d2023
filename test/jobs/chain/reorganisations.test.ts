import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ReceiptSigner, readReceiptSigner } from "../../../config/keys/signing-key.ts";
import { escrowEvent } from "../../../db/chain-index.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { event, fact, order, receipt } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { recordChainEvents } from "../../../jobs/chain/record-events.ts";
import { followReorganisations } from "../../../jobs/chain/reorganisations.ts";
import { publishKeys } from "../../../jobs/receipts/key-publication.ts";
import { publishReceiptStatus } from "../../../jobs/receipts/status-list.ts";
import { verifyReceipt, verifyX402Receipt } from "../../../receipts/index.ts";
import { hashJws } from "../../../receipts/jws-hash.ts";
import { signedStatusListSchema } from "../../../receipts/revocation.ts";
import { deploymentSchema } from "../../../tools/indexer/deployment-schema.ts";
import type { Child } from "../../../tools/stack/process.ts";
import { startIndexer } from "../../../tools/stack/services.ts";
import {
  buyer,
  type ChainActions,
  chainActions,
  deliver,
  placeOrder,
  randomHash,
  until,
} from "../../harness/jobs/ledger.ts";
import { startStack, type TestStack } from "../../harness/stack.ts";

let stack: TestStack;
let actions: ChainActions;
let signer: ReceiptSigner;
let restarted: Child | undefined;

beforeAll(async () => {
  stack = await startStack({ worker: false, isKept: true });
  actions = chainActions(stack.chain);
  signer = readReceiptSigner(stack.config);
  await actions.allow(buyer);
});
afterAll(async () => {
  await restarted?.stop();
  await stack.close();
});

const chain = () => stack.chain.chain;

async function statusOf(row: OrderRow) {
  const [found] = await stack.db.select().from(order).where(eq(order.id, row.id));
  return found?.status;
}
const factsOf = (row: OrderRow) =>
  stack.db.select().from(fact).where(eq(fact.orderId, row.id)).orderBy(fact.seq);
const eventsInIndex = (row: OrderRow) =>
  stack.db.select().from(escrowEvent).where(eq(escrowEvent.escrowId, row.escrowId));

/** Lets the database record the index's deletions, however soon the rows are back. */
async function watchForLoss(row: OrderRow) {
  const { db, config } = stack;
  const table = sql`${sql.identifier(deploymentSchema(config))}.escrow_event`;
  await db.execute(sql`create table public.loss (escrow_id text)`);
  await db.execute(sql`
    create function public.note_loss() returns trigger language plpgsql as
      'begin insert into public.loss values (old.escrow_id); return old; end'`);
  await db.execute(sql`
    create trigger note_loss after delete on ${table} for each row execute function public.note_loss()`);
  return {
    async vanished(): Promise<boolean> {
      const { rows } = await db.execute(sql`select from public.loss where escrow_id = ${row.escrowId}`);
      return rows.length > 0;
    },
    async forget(): Promise<void> {
      await db.execute(sql`drop trigger note_loss on ${table}`);
      await db.execute(sql`drop function public.note_loss()`);
      await db.execute(sql`drop table public.loss`);
    },
  };
}

/**
 * Reverts the chain and mines other blocks. `anvil_reorg` leaves behind storage, on a fork, that was first
 * written in the removed blocks.
 */
async function replaceBlocksSince(id: Hex) {
  await actions.node.revert({ id });
  await actions.node.mine({ blocks: 2 });
}

async function settleUntil(row: OrderRow, status: string) {
  await until(async () => {
    await recordChainEvents(stack.db, stack.config, signer);
    return (await statusOf(row)) === status;
  }, `the order is ${status}`);
}

/** Follows the chain's changes as the worker does, until a fact is corrected or the time is over. */
async function follow(milliseconds: number, missing = new Map<string, number>()) {
  const end = Date.now() + milliseconds;
  const total = { reverted: 0, returned: 0 };
  while (Date.now() < end && total.reverted + total.returned === 0) {
    const found = await followReorganisations(stack.db, stack.config, signer, { missing, missingMs: 1500 });
    total.reverted += found.reverted;
    total.returned += found.returned;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return total;
}

test("a restart of the indexer, which removes its newest rows for a while, reverts nothing", async () => {
  const row = await placeOrder(stack.db, chain());
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  await settleUntil(row, "funded");
  await stack.indexer.stop();
  const { vanished, forget } = await watchForLoss(row);
  const [followed, indexer] = await Promise.all([
    follow(8000),
    startIndexer(stack.env, stack.indexer.logFile),
  ]);
  restarted = indexer;
  expect(await vanished()).toBe(true);
  await forget();
  expect(followed).toEqual({ reverted: 0, returned: 0 });
  await until(async () => (await eventsInIndex(row)).length === 1, "the event is back");
  expect(await recordChainEvents(stack.db, stack.config, signer)).toMatchObject({ facts: 0, failed: 0 });
  expect((await factsOf(row)).map(({ type }) => type)).toEqual(["order.created", "order.funded"]);
});

test("a funding whose block leaves the chain is reverted, its receipt revoked and both parties get events; funded again it counts again", async () => {
  const row = await placeOrder(stack.db, chain());
  const before = await actions.node.snapshot();
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  await settleUntil(row, "funded");
  await replaceBlocksSince(before);
  await until(async () => (await eventsInIndex(row)).length === 0, "the indexer has dropped the event");

  expect(await follow(15_000)).toEqual({ reverted: 1, returned: 0 });
  expect(await statusOf(row)).toBe("created");
  const [, funded, reverted] = await factsOf(row);
  expect(reverted).toMatchObject({
    type: "fact.reverted",
    data: { fact_id: funded?.id, fact_type: "order.funded" },
  });
  const [revoked] = await stack.db.select().from(receipt).where(eq(receipt.orderId, row.id));
  expect(revoked?.revokedAt).not.toBeNull();
  const events = await stack.db
    .select()
    .from(event)
    .where(eq(event.factId, reverted?.id ?? ""));
  expect(events.map((one) => one.accountId).sort()).toEqual(
    [row.buyerAccountId, row.providerAccountId].sort(),
  );

  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  await settleUntil(row, "funded");
  const receipts = await stack.db.select().from(receipt).where(eq(receipt.orderId, row.id));
  expect(receipts.map((one) => one.revokedAt === null).sort()).toEqual([false, true]);
});

test("a release that the reorganised chain has in another block gets a new event there and stays released", async () => {
  const row = await placeOrder(stack.db, chain());
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  const before = await actions.node.snapshot();
  await actions.confirm(await actions.send(row, buyer, "release"));
  await settleUntil(row, "released");
  const factsBefore = await factsOf(row);
  await replaceBlocksSince(before);
  await actions.confirm(await actions.send(row, buyer, "release"));
  expect(await follow(15_000)).toEqual({ reverted: 1, returned: 0 });
  await settleUntil(row, "released");
  const after = await factsOf(row);
  expect(after.filter(({ type }) => type === "order.released")).toHaveLength(2);
  expect(after.length).toBe(factsBefore.length + 2);
});

test("receipts of a release that left the chain are listed as revoked, and reissued ones are not", async () => {
  await publishKeys(stack.db, signer);
  const { issuer } = signer;
  const row = await placeOrder(stack.db, chain());
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  const outputHash = randomHash();
  await deliver(stack.db, row, outputHash);
  await actions.confirm(await actions.recordDelivery(row, outputHash));
  const before = await actions.node.snapshot();
  await actions.confirm(await actions.send(row, buyer, "release"));
  await settleUntil(row, "released");
  await inTransaction(stack.db, (tx) => publishReceiptStatus(tx, signer));
  const released = async () => {
    const rows = await stack.db
      .select()
      .from(receipt)
      .where(and(eq(receipt.orderId, row.id), eq(receipt.claim, "released")))
      .orderBy(receipt.createdAt);
    return rows.flatMap(({ document, x402Receipt }) => [
      verifyReceipt(document, { issuer }),
      verifyX402Receipt(x402Receipt, { issuer }),
    ]);
  };
  const good = { valid: true, status: "good" };
  expect(await Promise.all(await released())).toMatchObject([good, good]);

  await replaceBlocksSince(before);
  await actions.confirm(await actions.send(row, buyer, "release"));
  expect(await follow(15_000)).toEqual({ reverted: 1, returned: 0 });
  const revoked = { valid: false, code: "receipt_revoked", status: "revoked" };
  expect(await Promise.all(await released())).toMatchObject([revoked, revoked]);

  await settleUntil(row, "released");
  expect(await Promise.all(await released())).toMatchObject([revoked, revoked, good, good]);
  const answer = await fetch(`${stack.baseUrl}/.well-known/earnest-receipt-status.json`);
  const list = signedStatusListSchema.parse(await answer.json());
  const [one] = await stack.db
    .select()
    .from(receipt)
    .where(and(eq(receipt.orderId, row.id), isNotNull(receipt.revokedAt)));
  expect(list.revoked).toContainEqual({
    id: one?.document.id,
    revoked_at: one?.revokedAt?.toISOString(),
    x402_sha256: hashJws(one?.x402Receipt ?? ""),
  });
  // Without a cause, it is signed again after an hour and not earlier.
  const signAt = (time: number) =>
    inTransaction(stack.db, (tx) => publishReceiptStatus(tx, signer, new Date(time)));
  const signedAt = Date.parse(list.issued_at);
  expect([await signAt(signedAt + 3_599_999), await signAt(signedAt + 3_600_000)]).toEqual([false, true]);
});

test("a block that comes back after its fact was reverted counts again", async () => {
  const row = await placeOrder(stack.db, chain());
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  await settleUntil(row, "funded");
  const [, funded] = await factsOf(row);
  if (!funded) throw new Error("The order has no funding.");
  // A worker that saw another chain for a while leaves this state.
  await stack.db.insert(fact).values({
    id: `fct_${"0".repeat(26)}`,
    orderId: row.id,
    type: "fact.reverted",
    actor: "chain",
    key: `${funded.key}:reverted`,
    data: { fact_id: funded.id },
    occurredAt: new Date(),
  });
  const rounds = await Promise.all([follow(4000), follow(4000)]);
  expect(rounds.map(({ returned }) => returned).sort()).toContain(1);
  expect(await follow(500)).toEqual({ reverted: 0, returned: 0 });
  const again = (await factsOf(row)).filter(({ type }) => type === "order.funded");
  expect(again.map(({ key }) => key)).toEqual([funded.key, `${funded.key}#2`]);
  expect(await statusOf(row)).toBe("funded");
});

test("an event that only the index lost, while the chain still has its block, reverts nothing", async () => {
  const row = await placeOrder(stack.db, chain());
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  await settleUntil(row, "funded");
  await inTransaction(stack.db, async (tx) => {
    // Without Ponder's triggers, which need its connections' state.
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`
      delete from ${sql.identifier(deploymentSchema(stack.config))}.escrow_event
      where escrow_id = ${row.escrowId}`);
  });
  const missing = new Map<string, number>();
  expect(await follow(3000, missing)).toEqual({ reverted: 0, returned: 0 });
  expect(missing.size).toBe(1);
  expect(await statusOf(row)).toBe("funded");
});
