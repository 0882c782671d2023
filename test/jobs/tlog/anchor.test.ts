import { copyFileSync } from "node:fs";
import { eq, like, sql } from "drizzle-orm";
import { pino } from "pino";
import { type Hex, parseEther } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { anchorEvent } from "../../../db/chain-index.ts";
import type { Transaction } from "../../../db/client.ts";
import { keyLog, logHead, relay, relayer } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { createAnchoring } from "../../../jobs/tlog/anchor.ts";
import { readAnchor, verifyAnchor } from "../../../protocol/tlog/anchor.ts";
import { parseCheckpoint } from "../../../protocol/tlog/checkpoint.ts";
import { formatVerifierKey, keyTypes, parseNote } from "../../../protocol/tlog/note.ts";
import { createSigner } from "../../../protocol/tlog/note-signer.ts";
import { gasBounds } from "../../../trade/relay/gas-bounds.ts";
import { placeOrder, until } from "../../harness/jobs/ledger.ts";
import { forwardRequests, spawnWorker, type WorkerProcess } from "../../harness/jobs/processes.ts";
import { areMined, mineUntil, type RelayBench, startRelayBench } from "../../harness/jobs/relays.ts";
import { createLogFolder, queueFacts, startSequencer } from "../../harness/jobs/tlog.ts";

let bench: RelayBench;
let folder: ReturnType<typeof createLogFolder>;
let sequencer: Awaited<ReturnType<typeof startSequencer>>;
let contract: Hex;
const alerts: string[] = [];
const workers = new Set<WorkerProcess>();
const log = pino({}, { write: (line: string) => alerts.push(...[JSON.parse(line).alert ?? []].flat()) });

beforeAll(async () => {
  folder = createLogFolder();
  bench = await startRelayBench();
  sequencer = await startSequencer(bench.db, folder.files, null, {
    chain: bench.chain,
    publisher: bench.wallet.address,
  });
  contract = bench.chain.anchors?.contract as Hex;
  await bench.newRelayer().beat();
});
afterEach(async () => {
  for (const worker of workers) await worker.end("SIGKILL");
  workers.clear();
  await bench.node.setAutomine(true);
});
afterAll(async () => {
  await bench.close();
  folder.remove();
});

/** The job of one worker, on a clock of its own; 0 seconds: an anchor is never too young. */
const anchoring = (every = 0) => createAnchoring(bench.db, bench.chain, bench.wallet.address, { every, log });
const send = () => bench.newRelayer().relay(bench.chain.chain_id);

/** Adds facts to the log, and publishes their tree. Returns the checkpoint. */
async function grow(count = 1) {
  await queueFacts(bench.db, count);
  await sequencer.run();
  return readShown();
}
async function readShown() {
  const [head] = await bench.db.select().from(logHead);
  return parseCheckpoint(parseNote(head?.published ?? "").text);
}
const readRelays = () => bench.db.select().from(relay).where(like(relay.key, "log:anchor:%"));

/** Writes without Ponder's triggers, as Ponder does for historical blocks. */
function asIndexer(work: (tx: Transaction) => Promise<unknown>): Promise<unknown> {
  return inTransaction(bench.db, async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    return work(tx);
  });
}

/** The anchors on the chain, by its own logs. */
async function readAnchored() {
  const logs = await bench.actions.reader.getLogs({ address: contract, fromBlock: 0n });
  return logs.map((found) => ({ ...readAnchor(found), log: found }));
}

test("nothing is anchored before a checkpoint is public", async () => {
  expect(await anchoring()()).toBe("nothing to anchor");
  expect(await readRelays()).toEqual([]);
});

test("the public tree is anchored once: by the relayer's own address, for less than 24,000 gas", async () => {
  const shown = await grow(5);
  expect(await anchoring()()).toBe("queued");
  expect(await anchoring()()).toBe("too early");
  await send();
  expect(await anchoring()()).toBe("not grown");
  const [row, ...others] = await readRelays();
  expect(others).toEqual([]);
  expect(row).toMatchObject({ status: "mined", accountId: null, orderId: null, gasBound: gasBounds.anchor });
  expect(row?.gasCharged).toBeGreaterThan(21_000);
  expect(row?.gasCharged).toBeLessThan(24_000);
  const anchored = await readAnchored();
  expect(anchored).toHaveLength(1);
  const expected = { contract, publisher: bench.wallet.address };
  expect(verifyAnchor(anchored[0]?.log as never, expected, shown, [])).toMatchObject({ valid: true });
});

test("a tree that grew is anchored when the last anchor is old enough, by one of all workers", async () => {
  await grow();
  expect(await anchoring(3600)()).toBe("too early");
  await bench.db.execute(
    sql`update earnest.log_publisher set queued_at = queued_at - make_interval(secs => 3601)`,
  );
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => anchoring(3600)()));
  expect(outcomes.sort()).toEqual(["queued", "too early", "too early", "too early"]);
  await send();
  expect((await readAnchored()).map(({ size }) => size)).toEqual([5, 6]);
});

test("a tree that waits for witnesses is not anchored before it is public", async () => {
  const witness = formatVerifierKey(
    createSigner("w.example", keyTypes.cosignature, new Uint8Array(32).fill(7)).key,
  );
  const policy = `witness w ${witness} http://127.0.0.1:9\nquorum w\n`;
  await sequencer.end();
  const witnessed = await startSequencer(bench.db, folder.files, policy);
  await queueFacts(bench.db, 1);
  await witnessed.run();
  expect((await bench.db.select().from(logHead))[0]).toMatchObject({ size: 7, publishedSize: 6 });
  expect(await anchoring()()).toBe("not grown");
  await witnessed.end();
  expect((await grow()).size).toBe(8);
  expect(await anchoring()()).toBe("queued");
  await send();
  expect((await readAnchored()).map(({ size }) => size)).toEqual([5, 6, 8]);
});

test("calls of parties and a low wallet balance take precedence", async () => {
  await grow();
  const order = await placeOrder(bench.db, bench.chain);
  const waiting = await bench.queue(order, "0x00");
  await bench.db.execute(
    sql`update earnest.relay set queued_at = now() - interval '31 seconds' where id = ${waiting.id}`,
  );
  expect(await anchoring()()).toBe("parties first");
  await bench.db.delete(relay).where(eq(relay.id, waiting.id));

  await bench.db.update(relayer).set({ waiting: "gas_price" });
  expect(await anchoring()()).toBe("parties first");
  await bench.db.update(relayer).set({ waiting: null });

  await bench.node.setBalance({ address: bench.wallet.address, value: 1n });
  await bench.newRelayer().beat();
  expect(await anchoring()()).toBe("parties first");
  await bench.node.setBalance({ address: bench.wallet.address, value: parseEther("10") });
  await bench.newRelayer().beat();
  expect(await anchoring()()).toBe("queued");
  await send();
});

test("an anchor that failed is sent again under its key, with the current tree", async () => {
  const { size } = await grow();
  expect(await anchoring()()).toBe("queued");
  const [row] = (await readRelays()).filter(({ status }) => status === "queued");
  await bench.db
    .update(relay)
    .set({ status: "failed", error: "not sent" })
    .where(eq(relay.id, row?.id ?? ""));
  expect(await anchoring(3600)()).toBe("too early");
  expect(await anchoring()()).toBe("queued");
  await send();
  expect(await bench.read({ id: row?.id ?? "" })).toMatchObject({ status: "mined" });
  expect((await readAnchored()).filter((anchor) => anchor.size === size)).toHaveLength(1);
});

test("an anchor whose block leaves the chain is mined again, and exists once", async () => {
  const { size } = await grow();
  const before = await bench.node.snapshot();
  expect(await anchoring()()).toBe("queued");
  await send();
  const [first] = (await readAnchored()).filter((anchor) => anchor.size === size);
  await bench.node.revert({ id: before });
  expect((await readAnchored()).filter((anchor) => anchor.size === size)).toEqual([]);
  await bench.node.mine({ blocks: 5 });
  await bench.newSender().check();
  expect(await anchoring()()).toBe("too early");
  await send();
  const again = (await readAnchored()).filter((anchor) => anchor.size === size);
  expect(again).toHaveLength(1);
  expect(again[0]?.log.blockHash).not.toBe(first?.log.blockHash);
  expect(again[0]?.root).toEqual(first?.root);
});

test.each([
  ["is larger than the log shows", () => ({ size: 1_000_000n })],
  ["has another root at a size of ours", () => ({ size: 6n })],
])("a tree on the chain that %s halts the log until it is gone, and is reported once", async (_, fields) => {
  await grow();
  const [chainId, word] = [bench.chain.chain_id, `0x${"1".repeat(64)}` as const];
  const at = { blockNumber: 1n, blockHash: word, transactionHash: word, logIndex: 0, timestamp: 1n };
  const row = { chainId, contract, publisher: bench.wallet.address, root: word, ...at, ...fields() };
  await asIndexer((tx) => tx.insert(anchorEvent).values(row));
  alerts.length = 0;
  try {
    const anchor = anchoring();
    const { size } = await readShown();
    for (let round = 0; round < 3; round++) {
      expect(await anchor()).toBe(round === 0 ? "contradicted" : "nothing to anchor");
      await queueFacts(bench.db, 1);
      await sequencer.run();
    }
    expect(alerts).toEqual(["log_anchored_otherwise"]);
    expect(await readShown()).toMatchObject({ size });
    const code = row.size === 6n ? "forked" : "rolled_back";
    expect(await bench.db.select().from(logHead)).toMatchObject([{ halted: code }]);
    // Anchors of other publishers count for nothing.
    await asIndexer((tx) => tx.update(anchorEvent).set({ publisher: contract }));
    await sequencer.run();
    expect(await readShown()).toMatchObject({ size: size + 3 });
    expect(await anchoring()()).toBe("queued");
    await send();
  } finally {
    await asIndexer((tx) => tx.delete(anchorEvent));
  }
});

test("a log without its memory continues when the index has the chain's head, whose anchors may reveal lost entries", async () => {
  const { size } = await grow();
  const lost = createLogFolder();
  copyFileSync(folder.files.logKeyFile, lost.files.logKeyFile);
  await sequencer.end();
  const fresh = await startSequencer(bench.db, lost.files, null, { chain: bench.chain, publisher: null });
  await bench.node.mine({ blocks: 1 });
  await queueFacts(bench.db, 1);
  await fresh.run();
  expect(await readShown()).toMatchObject({ size });
  const head = await bench.actions.reader.getBlockNumber();
  await asIndexer((tx) =>
    tx.execute(sql`
      update idx._ponder_checkpoint
      set latest_checkpoint = overlay(latest_checkpoint placing lpad(${head.toString()}, 16, '0') from 27 for 16)`),
  );
  await fresh.run();
  expect(await readShown()).toMatchObject({ size: size + 1 });
  await fresh.end();
  lost.remove();
});

test("a worker killed between queueing an anchor and sending it: the next one sends it, once", async () => {
  const { size } = await grow();
  await bench.db.execute(sql`update earnest.log_publisher set queued_at = null`);
  // A worker adds the key log's entries, and no other growth of the tree.
  await bench.db.delete(keyLog);
  await bench.node.setAutomine(false);
  const proxy = await forwardRequests(bench.testChain.rpcUrl, { hold: "eth_sendRawTransaction" });
  const startWorker = (rpcUrl?: string) => {
    const worker = spawnWorker(bench.env(rpcUrl));
    workers.add(worker);
    return worker;
  };
  const first = startWorker(proxy.url);
  await until(async () => proxy.held.length > 0, "the worker queued an anchor and sends it");
  await first.end("SIGKILL");
  await proxy.close();
  const [row, ...others] = (await readRelays()).filter(({ status }) => status !== "mined");
  expect(others).toEqual([]);
  expect(row).toMatchObject({ status: "signed", key: `log:anchor:${bench.chain.chain_id}:${size}` });

  startWorker();
  startWorker();
  const id = row?.id ?? "";
  await mineUntil(bench, () => areMined(bench, [{ id }]), "the next worker has sent it");
  expect(await bench.readAttempts({ id })).toHaveLength(1);
  expect((await readAnchored()).filter((anchor) => anchor.size === size)).toHaveLength(1);
});

test("a halted log anchors nothing", async () => {
  await grow();
  await bench.db.update(logHead).set({ halted: "forked", haltedBecause: "test" });
  expect(await anchoring()()).toBe("nothing to anchor");
});
