import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ReceiptSigner, readReceiptSigner } from "../../config/keys/signing-key.ts";
import { escrowEvent, readIndexedBlocks } from "../../db/chain-index.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { event, fact, order, receipt } from "../../db/schema.ts";
import { watchIndex } from "../../jobs/chain/index-watch.ts";
import { recordChainEvents } from "../../jobs/chain/record-events.ts";
import { followReorganisations } from "../../jobs/chain/reorganisations.ts";
import { dropIndex } from "../../tools/indexer/reindex.ts";
import type { Child } from "../../tools/stack/process.ts";
import { startIndexer } from "../../tools/stack/services.ts";
import { buyer, type ChainActions, chainActions, placeOrder, until } from "../harness/jobs/ledger.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

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
  await stack?.close();
});

const fund = async (row: OrderRow) => actions.confirm(await actions.send(row, buyer, "createEscrow"));
const place = () => placeOrder(stack.db, stack.chain.chain);
const position = async () => (await readIndexedBlocks(stack.db)).get(31_337);
const isIndexed = async (row: OrderRow) =>
  (await stack.db.select().from(escrowEvent).where(eq(escrowEvent.escrowId, row.escrowId))).length > 0;

async function statusOf(row: OrderRow) {
  const [found] = await stack.db.select().from(order).where(eq(order.id, row.id));
  return found?.status;
}

/** The events of an order's parties, and the receipts that were signed for it. */
const eventsOf = async (row: OrderRow) => ({
  facts: await stack.db.select().from(fact).where(eq(fact.orderId, row.id)).orderBy(fact.seq),
  events: await stack.db.select().from(event).where(eq(event.orderId, row.id)).orderBy(event.seq),
  receipts: await stack.db.select().from(receipt).where(eq(receipt.orderId, row.id)),
});

/** Returns the state of the index from the service, after a check. */
async function look() {
  const alerts: string[] = [];
  const say = ({ alert }: { alert: string }) => alerts.push(alert);
  await watchIndex(stack.db, stack.config, { log: { error: say, warn: say } as never });
  const status = await (await fetch(`${stack.baseUrl}/api/v1/chain/status`)).json();
  const { index_state: state, index_reason: reason } = status as Record<string, string | null>;
  return { state, reason, alerts };
}

async function indexHead(): Promise<void> {
  const head = await actions.reader.getBlockNumber();
  await until(async () => ((await position())?.block ?? 0n) >= head, `block ${head} indexed`);
}

test("a reorganisation of final blocks is reported, and a new index makes all correct, with no event sent twice", async () => {
  const [kept, left, fresh] = [await place(), await place(), await place()];
  await fund(kept);
  const before = await actions.node.snapshot();
  const { blockNumber } = await fund(left);
  await actions.node.mine({ blocks: 100 });
  await indexHead();
  await until(async () => ((await position())?.finalized ?? 0n) > blockNumber, "its block is final");
  await recordChainEvents(stack.db, stack.config, signer);
  expect([await statusOf(kept), await statusOf(left)]).toEqual(["funded", "funded"]);
  expect(await look()).toEqual({ state: "ok", reason: null, alerts: [] });
  const eventsBefore = await eventsOf(kept);

  await actions.node.revert({ id: before });
  await fund(fresh);
  // Its final blocks are later than the removed ones, or the indexer would not even start again.
  await actions.node.increaseTime({ seconds: 3600 });
  await actions.node.mine({ blocks: 150 });
  // The answer is cached for a second.
  const lost = await until(async () => {
    const seen = await look();
    return seen.state === "off_chain" && seen;
  }, "the report of the reorganisation");
  expect(lost).toMatchObject({ state: "off_chain", alerts: ["index_off_chain"] });
  expect(lost.reason).toMatch(/^Block \d+ was final for the index as 0x[0-9a-f]{64}; the chain has 0x/);
  const metrics = await (await fetch(`${stack.metricsUrl}/metrics/earnest`)).text();
  expect(metrics).toContain('earnest_index_off_chain{chain_id="31337"} 1\n');
  // Ponder cannot continue, and the worker concludes nothing from a stalled index.
  expect([await isIndexed(left), await isIndexed(fresh)]).toEqual([true, false]);
  const missing = new Map<string, number>();
  const follow = () => followReorganisations(stack.db, stack.config, signer, { missing, missingMs: 500 });
  expect(await follow()).toEqual({ reverted: 0, returned: 0 });

  // A mere restart continues with the blocks of both chains, and still reports the mismatch.
  await stack.indexer.stop();
  restarted = await startIndexer(stack.env, stack.indexer.logFile);
  await indexHead();
  expect([await isIndexed(left), await isIndexed(fresh)]).toEqual([true, false]);
  expect((await look()).state).toBe("off_chain");

  await expect(dropIndex(stack.config.databaseUrl)).rejects.toThrow(/An indexer runs on the schema ponder_/);
  expect(await isIndexed(left)).toBe(true);
  await restarted.stop();
  expect(await dropIndex(stack.config.databaseUrl)).toEqual([
    expect.stringMatching(/^ponder_[0-9a-f]{12}$/),
    "ponder_sync",
  ]);
  restarted = await startIndexer(stack.env, stack.indexer.logFile);
  await indexHead();
  expect([await isIndexed(kept), await isIndexed(left), await isIndexed(fresh)]).toEqual([true, false, true]);
  await until(async () => (await follow()).reverted === 1, "the fact of the block that left is reverted");
  await recordChainEvents(stack.db, stack.config, signer);
  expect([await statusOf(kept), await statusOf(left), await statusOf(fresh)]).toEqual([
    "funded",
    "created",
    "funded",
  ]);
  expect(await look()).toEqual({ state: "ok", reason: null, alerts: [] });
  // Events of blocks that stayed on the chain are not sent again.
  expect(await eventsOf(kept)).toEqual(eventsBefore);
  const { events, receipts } = await eventsOf(left);
  expect(events.map(({ type }) => type)).toEqual(
    ["order.created", "order.funded", "fact.reverted"].flatMap((type) => [type, type]),
  );
  expect(receipts).toMatchObject([{ claim: "funded", revokedAt: expect.any(Date) }]);
  expect(await recordChainEvents(stack.db, stack.config, signer)).toMatchObject({ facts: 0, failed: 0 });
  expect(await follow()).toEqual({ reverted: 0, returned: 0 });
});
