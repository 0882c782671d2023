import { eq, inArray, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ReceiptSigner, readReceiptSigner } from "../../../config/keys/signing-key.ts";
import { escrowEvent, readIndexedBlocks } from "../../../db/chain-index.ts";
import { lockOrder } from "../../../db/ledger.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { event, fact, order, receipt } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { recordChainEvents } from "../../../jobs/chain/record-events.ts";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import { digestOf } from "../../../protocol/settlement/terms.ts";
import { confirmOnChain } from "../../../receipts/chain-check.ts";
import { didDocumentOf } from "../../../receipts/signing-keys.ts";
import { verifyReceipt } from "../../../receipts/verify.ts";
import { deploymentSchema } from "../../../tools/indexer/deployment-schema.ts";
import { localAccount } from "../../../tools/stack/anvil.ts";
import {
  buyer,
  type ChainActions,
  chainActions,
  deliver,
  placeOrder,
  provider,
  randomHash,
  until,
} from "../../harness/jobs/ledger.ts";
import { startStack, type TestStack } from "../../harness/stack.ts";

let stack: TestStack;
let actions: ChainActions;
let signer: ReceiptSigner;

beforeAll(async () => {
  stack = await startStack({ worker: false });
  actions = chainActions(stack.chain);
  signer = readReceiptSigner(stack.config);
  await actions.allow(buyer);
});
afterAll(() => stack.close());

const chain = () => stack.chain.chain;

/** Waits until the indexer has the chain's head, then settles the confirmed events. */
async function settleHead(config = stack.config) {
  const head = await actions.reader.getBlockNumber();
  await until(async () => {
    const indexed = (await readIndexedBlocks(stack.db)).get(chain().chain_id);
    return indexed !== undefined && indexed.block >= head;
  }, `block ${head} indexed`);
  return recordChainEvents(stack.db, config, signer);
}

const factsOf = (row: OrderRow) =>
  stack.db.select().from(fact).where(eq(fact.orderId, row.id)).orderBy(fact.seq);
const receiptsOf = (row: OrderRow) =>
  stack.db.select().from(receipt).where(eq(receipt.orderId, row.id)).orderBy(receipt.createdAt);
async function statusOf(row: OrderRow) {
  const [found] = await stack.db.select().from(order).where(eq(order.id, row.id));
  return found?.status;
}

describe("settle", () => {
  test("turns an escrow that is funded, delivered and released into facts, receipts that the chain confirms, and events for both parties", async () => {
    const row = await placeOrder(stack.db, chain(), { amount: 1_234_567n });
    const outputHash = randomHash();
    const created = await actions.confirm(await actions.send(row, buyer, "createEscrow"));
    await settleHead();
    expect(await statusOf(row)).toBe("funded");
    await deliver(stack.db, row, outputHash);
    await actions.confirm(await actions.recordDelivery(row, randomHash()));
    await actions.confirm(await actions.recordDelivery(row, outputHash));
    const released = await actions.confirm(await actions.send(row, buyer, "release"));
    await settleHead();

    const facts = await factsOf(row);
    expect(facts.map(({ type, actor }) => [type, actor])).toEqual([
      ["order.created", "buyer"],
      ["order.funded", "chain"],
      ["order.delivered", "provider"],
      ["delivery.recorded", "chain"],
      ["delivery.recorded", "chain"],
      ["order.released", "chain"],
    ]);
    const [, funded, , first, second, paid] = facts;
    const fundedAt = (await actions.reader.getBlock({ blockHash: created.blockHash })).timestamp;
    expect(funded).toMatchObject({
      key: `${chain().chain_id}:${created.blockHash}:${funded?.logIndex}`,
      transactionHash: created.transactionHash,
      blockNumber: created.blockNumber,
      occurredAt: new Date(Number(fundedAt) * 1000),
      data: {
        amount: formatAmount(1_234_567n, chain().token.decimals),
        amount_base_units: "1234567",
        payer: buyer.address,
        escrow_id: row.escrowId,
        delivery_deadline: new Date(Number(fundedAt + 86_400n) * 1000).toISOString(),
      },
    });
    expect([first?.data.number, second?.data.number]).toEqual([1, 2]);
    expect(second?.data.auto_release_at).toBe(first?.data.auto_release_at);
    expect(paid?.data).toMatchObject({ amount_base_units: "1234567", recipient: provider.address });

    const [settledOrder] = await stack.db.select().from(order).where(eq(order.id, row.id));
    expect(settledOrder).toMatchObject({
      status: "released",
      autoReleaseAt: new Date(String(first?.data.auto_release_at)),
      completedAt: paid?.occurredAt,
    });

    const receipts = await receiptsOf(row);
    expect(receipts.map(({ claim, factId }) => [claim, factId])).toEqual([
      ["funded", funded?.id],
      ["released", paid?.id],
    ]);
    for (const { document } of receipts) {
      expect(await confirmOnChain(await verify(document), actions.reader)).toMatchObject({
        checked: true,
        agrees: true,
      });
    }
    const [fundedReceipt, releasedReceipt] = receipts;
    expect(fundedReceipt?.document.output_hash).toBeNull();
    expect(fundedReceipt?.x402Receipt).toBeNull();
    expect(releasedReceipt?.document.output_hash).toBe(outputHash);
    const payload = JSON.parse(
      Buffer.from(releasedReceipt?.x402Receipt?.split(".")[1] ?? "", "base64url").toString(),
    );
    expect(payload).toMatchObject({
      payer: buyer.address,
      transaction: released.transactionHash,
      resourceUrl: `${stack.config.publicUrl}/api/v1/orders/${row.id}`,
    });

    const events = await stack.db.select().from(event).where(eq(event.orderId, row.id));
    for (const accountId of [row.buyerAccountId, row.providerAccountId]) {
      const mine = events.filter((one) => one.accountId === accountId);
      expect(mine.map((one) => one.factId).sort()).toEqual(facts.map(({ id }) => id).sort());
    }
  });

  test("lets the service release only after a record that matches the delivery", async () => {
    const [matched, claimed, unrecorded] = [
      await placeOrder(stack.db, chain()),
      await placeOrder(stack.db, chain()),
      await placeOrder(stack.db, chain()),
    ];
    const rows = [matched, claimed, unrecorded];
    for (const row of rows) {
      await actions.confirm(await actions.send(row, buyer, "createEscrow"));
      await deliver(stack.db, row, digestOf(row.id));
    }
    await actions.confirm(await actions.recordDelivery(matched, digestOf(matched.id)));
    await actions.confirm(await actions.recordDelivery(claimed, randomHash()));
    await settleHead();
    const ids = rows.map(({ id }) => id);
    const found = await stack.db.select().from(order).where(inArray(order.id, ids));
    const due = ids.map((id) => found.find((one) => one.id === id)?.releaseDueAt);
    expect(due).toEqual([expect.any(Date), null, null]);
  });

  test("ends a dispute whose decision pays both as released, with a receipt for each side", async () => {
    const arbiter = localAccount(8);
    const row = await placeOrder(stack.db, chain(), { amount: 1000n, arbiter: arbiter.address });
    await actions.confirm(await actions.send(row, buyer, "createEscrow"));
    await actions.confirm(await actions.dispute(row, buyer, randomHash()));
    await settleHead();
    expect(await statusOf(row)).toBe("disputed");
    await actions.confirm(await actions.decideDispute(row, arbiter, 300n, randomHash()));
    await actions.node.increaseTime({ seconds: 1801 });
    await actions.confirm(await actions.send(row, buyer, "settleDispute"));
    await settleHead();

    const facts = await factsOf(row);
    expect(facts.map(({ type }) => type)).toEqual([
      "order.created",
      "order.funded",
      "order.disputed",
      "order.dispute_decided",
      "order.released",
      "order.refunded",
    ]);
    expect(facts[2]?.data.party).toBe("buyer");
    expect(facts[3]?.data).toMatchObject({
      provider_amount_base_units: "300",
      buyer_amount_base_units: "700",
    });
    expect(await statusOf(row)).toBe("released");
    const receipts = await receiptsOf(row);
    expect(receipts.map(({ claim, document }) => [claim, document.amount])).toEqual([
      ["funded", "1000"],
      ["released", "300"],
      ["refunded", "700"],
    ]);
    for (const { document } of receipts) {
      expect(await confirmOnChain(await verify(document), actions.reader)).toMatchObject({
        checked: true,
        agrees: true,
      });
    }
  });

  test("gives a release without a delivery a document and no x402 receipt, which would claim a delivery", async () => {
    const row = await placeOrder(stack.db, chain());
    await actions.confirm(await actions.send(row, buyer, "createEscrow"));
    await actions.confirm(await actions.send(row, buyer, "release"));
    await settleHead();
    const receipts = await receiptsOf(row);
    expect(receipts.map(({ claim, x402Receipt }) => [claim, x402Receipt])).toEqual([
      ["funded", null],
      ["released", null],
    ]);
  });

  test("ends a refund by the provider as refunded, and ignores an escrow of no order", async () => {
    const row = await placeOrder(stack.db, chain());
    const foreign = { ...row, orderHash: randomHash() };
    await actions.confirm(await actions.send(foreign, buyer, "createEscrow"));
    await actions.confirm(await actions.send(row, buyer, "createEscrow"));
    await actions.confirm(await actions.send(row, provider, "refund"));
    const { facts } = await settleHead();
    expect(facts).toBe(2);
    expect(await statusOf(row)).toBe("refunded");
    expect((await receiptsOf(row)).map(({ claim }) => claim)).toEqual(["funded", "refunded"]);
  });

  test("counts an event only once its block has the chain's confirmations", async () => {
    const config = { ...stack.config, chains: [{ ...chain(), confirmations: 3 }] };
    const row = await placeOrder(stack.db, chain());
    await actions.confirm(await actions.send(row, buyer, "createEscrow"));
    for (const status of ["created", "created", "funded"]) {
      await settleHead(config);
      expect(await statusOf(row)).toBe(status);
      await actions.node.mine({ blocks: 1 });
    }
  });

  test("records each event once with four workers at once", async () => {
    const rows = [];
    for (let index = 0; index < 8; index += 1) rows.push(await placeOrder(stack.db, chain()));
    for (const row of rows) await actions.confirm(await actions.send(row, buyer, "createEscrow"));
    for (const row of rows) await actions.confirm(await actions.send(row, buyer, "release"));
    await settleHead({ ...stack.config, chains: [{ ...chain(), confirmations: 10_000 }] });
    const rounds = await Promise.all(
      [1, 2, 3, 4].map(() => recordChainEvents(stack.db, stack.config, signer)),
    );
    expect(rounds.reduce((sum, round) => sum + round.facts, 0)).toBe(16);
    for (const row of rows) {
      expect(await statusOf(row)).toBe("released");
      expect(await receiptsOf(row)).toHaveLength(2);
      expect((await factsOf(row)).map(({ type }) => type)).toEqual([
        "order.created",
        "order.funded",
        "order.released",
      ]);
    }
  });

  test("skips orders that another worker has locked, and settles them once they are free", async () => {
    const rows = [];
    for (let index = 0; index < 7; index += 1) rows.push(await placeOrder(stack.db, chain()));
    for (const row of rows) await actions.confirm(await actions.send(row, buyer, "createEscrow"));
    await settleHead({ ...stack.config, chains: [{ ...chain(), confirmations: 10_000 }] });
    const [held, free] = [rows.slice(0, 5), rows.slice(5)];
    let settling: Promise<unknown> | undefined;
    await inTransaction(stack.db, async (tx) => {
      for (const { id } of held) await lockOrder(tx, id);
      settling = recordChainEvents(stack.db, stack.config, signer);
      const statuses = () => Promise.all(free.map(statusOf));
      await expect.poll(statuses).toEqual(["funded", "funded"]);
    });
    expect(await settling).toMatchObject({ facts: 7, failed: 0 });
    expect(new Set(await Promise.all(held.map(statusOf)))).toEqual(new Set(["funded"]));
  });

  test("blocks only the order of an unreadable event, which waits longer each time", async () => {
    const [bad, good] = [await placeOrder(stack.db, chain()), await placeOrder(stack.db, chain())];
    await actions.confirm(await actions.send(bad, buyer, "createEscrow"));
    await actions.confirm(await actions.send(good, buyer, "createEscrow"));
    await until(async () => {
      const found = await stack.db
        .select()
        .from(escrowEvent)
        .where(inArray(escrowEvent.escrowId, [bad.escrowId, good.escrowId]));
      return found.length === 2;
    }, "both indexed");
    await inTransaction(stack.db, async (tx) => {
      // Without Ponder's triggers, which need its connections' state.
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(sql`
        update ${sql.identifier(deploymentSchema(stack.config))}.escrow_event
        set args = '{"payer":"0x0","terms":{"amount":"1e99"}}' where escrow_id = ${bad.escrowId}`);
    });
    const failures = new Map<string, { attempts: number; until: number }>();
    const first = await recordChainEvents(stack.db, stack.config, signer, { failures });
    expect(first).toMatchObject({ facts: 1, failed: 1 });
    expect([await statusOf(bad), await statusOf(good)]).toEqual(["created", "funded"]);
    expect(await recordChainEvents(stack.db, stack.config, signer, { failures })).toMatchObject({
      facts: 0,
      failed: 0,
    });
    failures.set(bad.id, { attempts: 4, until: 0 });
    expect(await recordChainEvents(stack.db, stack.config, signer, { failures })).toMatchObject({
      failed: 1,
    });
    expect(failures.get(bad.id)?.attempts).toBe(5);
    expect(failures.get(bad.id)?.until).toBeGreaterThan(Date.now() + 20_000);
  });
});

/** Verifies a stored document as a verifier would, against the signer's public keys. */
async function verify(document: unknown) {
  const keys = JSON.stringify(didDocumentOf(signer.issuer, signer.keys));
  const options = { issuer: signer.issuer, fetch: async () => new Response(keys) };
  const result = await verifyReceipt(JSON.stringify(document), options);
  if (!result.valid) throw new Error(`${result.code}: ${result.message}`);
  return result;
}
