import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logEntry, receipt } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { revokeReceipt } from "../../../jobs/receipts/receipts.ts";
import { decodeEntry, receiptEntry } from "../../../protocol/tlog/entry.ts";
import { hashLeaf } from "../../../protocol/tlog/merkle.ts";
import { parsePolicy } from "../../../protocol/tlog/policy.ts";
import { parseProof, verifyProof } from "../../../protocol/tlog/proof.ts";
import {
  decodeEntries,
  entriesPath,
  joinTile,
  rootFromTiles,
  rootTiles,
  tilePath,
} from "../../../protocol/tlog/tiles.ts";
import { verifyCheckpoint } from "../../../protocol/tlog/verify.ts";
import { expectStatus } from "../../harness/api.ts";
import { createLogFolder, queueFacts, startSequencer } from "../../harness/jobs/tlog.ts";
import { ask, createMarket, type Market, placeFunded } from "../../harness/market/market.ts";

let market: Market;
let folder: ReturnType<typeof createLogFolder>;
let sequencer: Awaited<ReturnType<typeof startSequencer>>;

beforeAll(async () => {
  market = await createMarket();
  folder = createLogFolder();
});
afterAll(async () => {
  await market?.api.close();
  folder?.remove();
});

const get = (path: string) => market.api.app.request(`/log/${path}`);
const text = async (path: string) => (await get(path)).text();
const bytes = async (path: string) => new Uint8Array(await (await get(path)).arrayBuffer());
const placeReceipt = async (): Promise<string> => {
  const { id } = await placeFunded(market);
  const { items } = expectStatus(200, await ask(market, market.buyer, "GET", `/orders/${id}/receipts`));
  return items[0].id;
};
const readProof = (id: string, query = "") => market.api.request("GET", `/log/proofs/${id}${query}`);

test("before a worker with a log key has run there is no log, and receipts wait", async () => {
  for (const path of ["checkpoint", "vkey", "policy", "tile/0/000.p/1", "tile/entries/000"]) {
    expect((await get(path)).status, path).toBe(404);
  }
  const answer = await readProof(await placeReceipt());
  expect([answer.status, answer.body.error.code, answer.headers.get("retry-after")]).toEqual([
    404,
    "not_logged_yet",
    "1",
  ]);
});

describe("once a worker has run", () => {
  beforeAll(async () => {
    sequencer = await startSequencer(market.api.db, folder.files);
    await queueFacts(market.api.db, 300);
    await sequencer.run();
  });

  test("a receipt's proof leads from its entry to the public checkpoint", async () => {
    const id = await placeReceipt();
    await sequencer.run();
    const answer = await readProof(id);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    const proof = expectStatus(200, answer);
    const [row] = await market.api.db.select().from(receipt).where(eq(receipt.id, id));
    const entry = parseProof(proof).extra ?? new Uint8Array();
    expect(decodeEntry(entry)).toEqual(receiptEntry(id, row?.document ?? {}, row?.x402Receipt));
    const trust = { vkey: (await text("vkey")).trim() };
    expect(verifyProof(proof, entry, trust)).toMatchObject({ valid: true });
    expect(proof.endsWith(await text("checkpoint"))).toBe(true);
  });

  test("a revocation has a proof of its own, and a receipt without one has none", async () => {
    const id = await placeReceipt();
    await sequencer.run();
    expect((await readProof(id, "?kind=revocation")).body.error.code).toBe("not_found");
    const at = new Date();
    const [row] = await market.api.db.select().from(receipt).where(eq(receipt.id, id));
    await inTransaction(market.api.db, (tx) => revokeReceipt(tx, row?.factId ?? "", at));
    expect((await readProof(id, "?kind=revocation")).body.error.code).toBe("not_logged_yet");
    // The log keeps its entry although the column is cleared.
    await market.api.db.update(receipt).set({ revokedAt: null }).where(eq(receipt.id, id));
    await sequencer.run();
    const proof = expectStatus(200, await readProof(id, "?kind=revocation"));
    expect(decodeEntry(parseProof(proof).extra ?? new Uint8Array())).toEqual({
      kind: "revocation",
      v: 1,
      receipt: id,
      revoked_at: at.toISOString(),
    });
    expect(expectStatus(200, await readProof(id))).toContain("tlog-proof@v1");
  });

  test("tiles and bundles are those of the checkpoint's tree, and full ones are cached for ever", async () => {
    const { size, root } = expectCheckpoint(await text("checkpoint"), (await text("vkey")).trim());
    expect(parsePolicy(await text("policy"))).toMatchObject({ quorum: "none", witnesses: [] });
    const tiles = new Map<string, Uint8Array>();
    for (const tile of rootTiles(size)) tiles.set(tilePath(tile), await bytes(tilePath(tile)));
    expect(rootFromTiles(size, (tile) => tiles.get(tilePath(tile)) ?? new Uint8Array())).toEqual(root);
    const entries = decodeEntries(await bytes(entriesPath({ index: 0, width: 256 })), 256);
    expect(joinTile(entries.map(hashLeaf))).toEqual(await bytes("tile/0/000"));
    const [first] = await market.api.db.select().from(logEntry).where(eq(logEntry.index, 0));
    expect(new TextDecoder().decode(entries[0])).toBe(first?.entry);
    const [full, partial] = [await get("tile/0/000"), await get("tile/0/000.p/7")];
    expect(full.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(full.headers.get("content-type")).toBe("application/octet-stream");
    expect(full.headers.get("access-control-allow-origin")).toBe("*");
    expect(partial.headers.get("cache-control")).toBe("public, max-age=60");
    expect(new Uint8Array(await partial.arrayBuffer())).toEqual((await bytes("tile/0/000")).slice(0, 7 * 32));
  });

  test.each([
    "tile/0/001",
    "tile/0/1",
    "tile/0/x000/001",
    "tile/0/000.p/0",
    "tile/0/000.p/256",
    "tile/00/000",
    "tile/1/000.p/2",
    "tile/63/x999/x999/x999/x999/x999/999",
    "tile/0/x999/x999/x999/x999/x999/999",
    "tile/entries/x999/x999/x999/x999/999.p/1",
    "tile/entries/001.p/255",
    "tile/entries/-01",
    "tile/-1/000",
    "tile/data/000",
  ])("%s, which no tree of this size has, is 404", async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  test("an entry beyond the public checkpoint has no proof yet", async () => {
    const id = await placeReceipt();
    await sequencer.run();
    const { db } = market.api;
    const { rows } = await db.$client.query(
      "update earnest.log_head set published_size = published_size - 1 returning published_size",
    );
    expect((await readProof(id)).body.error.code).toBe("not_logged_yet");
    await db.$client.query("update earnest.log_head set published_size = $1", [
      Number(rows[0].published_size) + 1,
    ]);
    expect((await readProof(id)).status).toBe(200);
  });

  test("the status and the metrics show the state of the log", async () => {
    const { log } = expectStatus(200, await market.api.request("GET", "/chain/status"));
    const { size } = expectCheckpoint(await text("checkpoint"), (await text("vkey")).trim());
    expect(log).toEqual({ size, age_seconds: expect.any(Number), witnessed: null, queued: 0, halted: null });
    await queueFacts(market.api.db, 2);
    const { log: busy } = expectStatus(200, await market.api.request("GET", "/chain/status"));
    expect(busy).toMatchObject({ size, queued: 2 });
    expect(await market.api.metrics()).toContain(`\nearnest_log_entries ${size}\n`);
    expect(await market.api.metrics()).toContain("\nearnest_log_queued 2\n");
    await market.api.db.$client.query("update earnest.log_head set halted = 'rolled_back'");
    const { log: halted } = expectStatus(200, await market.api.request("GET", "/chain/status"));
    expect(halted).toMatchObject({ size, halted: "rolled_back" });
    expect(await market.api.metrics()).toContain("\nearnest_log_halted 1\n");
  });

  test("an unknown receipt has no proof", async () => {
    const answer = await readProof("rcp_01arz3ndektsv4rrffq69g5fav");
    expect([answer.status, answer.body.error.code]).toEqual([404, "not_found"]);
  });
});

function expectCheckpoint(note: string, vkey: string) {
  const opened = verifyCheckpoint(note, { vkey });
  if (!opened.valid) throw new Error(opened.message);
  return opened.checkpoint;
}
