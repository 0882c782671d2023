import { and, eq } from "drizzle-orm";
import type { Hash, Hex } from "viem";
import { createPublicClient, http } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Chain } from "../../../config/config.ts";
import { type ReceiptSigner, readReceiptSigner } from "../../../config/keys/signing-key.ts";
import { readIndexedBlocks } from "../../../db/chain-index.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { event, fact, order, receipt } from "../../../db/schema.ts";
import { readUnrecorded } from "../../../db/unrecorded-events.ts";
import { recordChainEvents } from "../../../jobs/chain/record-events.ts";
import { followReorganisations } from "../../../jobs/chain/reorganisations.ts";
import { compareSources } from "../../../protocol/facts/source-comparison.ts";
import { readOrderViews } from "../../../trade/orders/order-views.ts";
import {
  buyer,
  type ChainActions,
  chainActions,
  placeOrder,
  provider,
  until,
} from "../../harness/jobs/ledger.ts";
import { startStack, type TestStack } from "../../harness/stack.ts";

const confirmations = 5;

let stack: TestStack;
let actions: ChainActions;
let signer: ReceiptSigner;

beforeAll(async () => {
  stack = await startStack({
    isKept: true,
    worker: false,
    env: { CONFIRMATIONS_31337: String(confirmations) },
  });
  actions = chainActions(stack.chain);
  signer = readReceiptSigner(stack.config);
  await actions.allow(buyer);
  await stack.chain.fund(provider);
});
afterAll(() => stack?.close());

const chain = () => stack.config.defaultChain as Chain;
const place = () => placeOrder(stack.db, chain());
const mine = (blocks: number) => actions.node.mine({ blocks });

/** Waits until the index is at the chain's head, and settles the confirmed events. */
async function settleHead(): Promise<void> {
  const { number, hash } = await actions.reader.getBlock();
  await until(
    async () => ((await readIndexedBlocks(stack.db)).get(31_337)?.block ?? 0n) === number,
    `block ${number} (${hash}) indexed`,
  );
  await recordChainEvents(stack.db, stack.config, signer);
}

const statusOf = async (row: OrderRow) =>
  (await stack.db.select().from(order).where(eq(order.id, row.id)))[0]?.status;
const factsOf = async (row: OrderRow) =>
  (await stack.db.select().from(fact).where(eq(fact.orderId, row.id)).orderBy(fact.seq)).map(
    ({ type }) => type,
  );
/** Returns the events of the buyer. */
const eventsOf = async (row: OrderRow) => {
  const found = await stack.db
    .select()
    .from(event)
    .where(and(eq(event.orderId, row.id), eq(event.accountId, row.buyerAccountId)))
    .orderBy(event.seq);
  return found.map(({ type }) => type);
};

/**
 * Follows reorganisations until this many facts are reverted. For none, waits longer than a reversal takes.
 */
async function follow(expected: number): Promise<void> {
  const missing = new Map<string, number>();
  let reverted = 0;
  const end = Date.now() + (expected > 0 ? 40_000 : 2500);
  do {
    const round = await followReorganisations(stack.db, stack.config, signer, { missing, missingMs: 1000 });
    reverted += round.reverted;
    await new Promise((resolve) => setTimeout(resolve, 50));
  } while (Date.now() < end && (expected === 0 || reverted < expected));
  expect(reverted).toBe(expected);
}

/** Reverts the chain to a snapshot, and mines this many other blocks. */
async function replaceSince(id: Hex, blocks: number): Promise<void> {
  await actions.node.revert({ id });
  await mine(blocks);
}

test("a funding that leaves the chain unconfirmed leaves the trail too, and sends no event", async () => {
  const row = await place();
  const before = await actions.node.snapshot();
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  await mine(confirmations - 2);
  await settleHead();
  expect((await readUnrecorded(stack.db, row)).map(({ type }) => type)).toEqual(["order.funded"]);
  const client = createPublicClient({ transport: http(chain().rpc_url), cacheTime: 0 });
  const reading = await readOrderViews(stack.db, { chain: chain(), client }, row.id);
  expect(reading && compareSources(reading)).toMatchObject([
    { what: "confirmations", ledger: "none", index: "funded", contract: "funded", expected_to_resolve: true },
  ]);
  await replaceSince(before, confirmations + 3);
  await settleHead();
  await until(async () => (await readUnrecorded(stack.db, row)).length === 0, "it is gone from the trail");
  await follow(0);
  expect([await statusOf(row), await factsOf(row), await eventsOf(row)]).toEqual([
    "created",
    ["order.created"],
    ["order.created"],
  ]);
});

test("at the depth: one block less does not count, a change of all later blocks reverts nothing, one of the block itself does", async () => {
  const row = await place();
  const before = await actions.node.snapshot();
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  const after = await actions.node.snapshot();
  await mine(confirmations - 2);
  await settleHead();
  expect(await statusOf(row)).toBe("created");
  await mine(1);
  await settleHead();
  expect(await statusOf(row)).toBe("funded");

  await actions.node.revert({ id: after });
  // A difference: a transaction in the first of the new blocks.
  await stack.chain.wallet(buyer).sendTransaction({ to: buyer.address, value: 1n });
  await mine(confirmations + 1);
  await settleHead();
  await follow(0);
  expect(await statusOf(row)).toBe("funded");

  await replaceSince(before, confirmations + 4);
  await settleHead();
  await follow(1);
  expect([await statusOf(row), await factsOf(row)]).toEqual([
    "created",
    ["order.created", "order.funded", "fact.reverted"],
  ]);
});

test("the same transaction mined again in another block is another fact: reverted, reported, and counted again", async () => {
  const row = await place();
  const before = await actions.node.snapshot();
  const hash = await actions.send(row, buyer, "createEscrow");
  await actions.confirm(hash);
  await mine(confirmations);
  await settleHead();
  const raw = (await actions.node.request({
    method: "eth_getRawTransactionByHash",
    params: [hash],
  } as never)) as Hex;
  await replaceSince(before, 2);
  expect(await actions.reader.sendRawTransaction({ serializedTransaction: raw })).toBe(hash);
  await mine(confirmations + 2);
  await settleHead();
  await follow(1);
  await recordChainEvents(stack.db, stack.config, signer);
  expect(await statusOf(row)).toBe("funded");
  const facts = await stack.db.select().from(fact).where(eq(fact.orderId, row.id)).orderBy(fact.seq);
  const fundings = facts.filter(({ type }) => type === "order.funded");
  expect(fundings.map(({ transactionHash }) => transactionHash)).toEqual([hash, hash] satisfies Hash[]);
  expect(new Set(fundings.map(({ key }) => key)).size).toBe(2);
  // The worker may see the new block before the old fact is reverted.
  expect((await eventsOf(row)).sort()).toEqual(
    ["order.created", "order.funded", "order.funded", "fact.reverted"].sort(),
  );
});

test("a release that the new chain has as a refund: the receipt is revoked, both get events, and the refund counts", async () => {
  const row = await place();
  await actions.confirm(await actions.send(row, buyer, "createEscrow"));
  await mine(confirmations);
  await settleHead();
  const before = await actions.node.snapshot();
  await actions.confirm(await actions.send(row, buyer, "release"));
  await mine(confirmations);
  await settleHead();
  expect(await statusOf(row)).toBe("released");

  await actions.node.revert({ id: before });
  await actions.confirm(await actions.send(row, provider, "refund"));
  await mine(confirmations + 2);
  await settleHead();
  await follow(1);
  await recordChainEvents(stack.db, stack.config, signer);
  expect(await statusOf(row)).toBe("refunded");
  const receipts = await stack.db.select().from(receipt).where(eq(receipt.orderId, row.id));
  expect(receipts.map(({ claim, revokedAt }) => [claim, revokedAt !== null]).sort()).toEqual([
    ["funded", false],
    ["refunded", false],
    ["released", true],
  ]);
  const events = await stack.db.select().from(event).where(eq(event.orderId, row.id));
  for (const type of ["order.released", "fact.reverted", "order.refunded"]) {
    const accounts = events.filter((one) => one.type === type).map(({ accountId }) => accountId);
    expect(accounts.sort(), type).toEqual([row.buyerAccountId, row.providerAccountId].sort());
  }
});
