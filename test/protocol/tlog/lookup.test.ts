import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { rememberInFile } from "../../../protocol/tlog/checkpoint-file.ts";
import { encodeEntry, receiptEntry } from "../../../protocol/tlog/entry.ts";
import { reportLookup } from "../../../protocol/tlog/log-report.ts";
import { lookUpReceipt } from "../../../protocol/tlog/lookup.ts";
import type { LogMemory } from "../../../protocol/tlog/memory.ts";
import { formatVerifierKey, keyTypes } from "../../../protocol/tlog/note.ts";
import { createSigner } from "../../../protocol/tlog/note-signer.ts";
import { formatProof } from "../../../protocol/tlog/proof.ts";
import { LogReader } from "../../../protocol/tlog/reader.ts";
import { createSampleLog, fetchOf } from "../../harness/tlog/sample-log.ts";

type SampleLog = ReturnType<typeof createSampleLog>;

/** A service with a log and proofs of the receipts in it. */
const service = { log: undefined as unknown as SampleLog, broken: 0 };
let issuer: string;
let origin: string;
let close: () => void;

const documentOf = (n: number) => ({ id: `http://${origin}/api/v1/receipts/rcp_${n}`, n });
const entryOf = (n: number) => encodeEntry(receiptEntry(`rcp_${n}`, documentOf(n), `jws-${n}`));
const grow = (log: SampleLog, from: number, to: number) =>
  log.append(Array.from({ length: to - from }, (_, i) => entryOf(from + i)));
const createLog = () => createSampleLog(`${origin}/log`);

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    const { log, broken } = service;
    if (broken) return response.writeHead(broken).end();
    if (path === "/log/vkey") return response.end(`${log.vkey}\n`);
    const tile = log.served.get(path.replace("/log/", ""));
    if (tile) return response.end(tile);
    const n = /^\/log\/proofs\/rcp_(\d+)$/.exec(path)?.[1];
    const tree = log.tree();
    const index = n === undefined ? -1 : Number(n);
    if (index < 0 || index >= tree.size) return response.writeHead(404).end();
    const hashes = await new LogReader(tree, fetchOf(log.served)).proveInclusion(index);
    const checkpoint = log.sign();
    return response.end(formatProof({ extra: entryOf(index), index, hashes, checkpoint }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  origin = `127.0.0.1:${port}`;
  issuer = `did:web:127.0.0.1%3A${port}`;
  close = () => server.close();
});
afterAll(() => close());

beforeEach(() => {
  service.broken = 0;
  service.log = createLog();
  grow(service.log, 0, 5);
});

function inMemory(): LogMemory {
  const notes = new Map<string, string>();
  return {
    get: (name) => notes.get(name) ?? null,
    set: (name, note) => {
      notes.set(name, note);
    },
  };
}

describe("lookUpReceipt", () => {
  test("finds a receipt by its document, with the key from the issuer's host", async () => {
    const found = await lookUpReceipt({ document: documentOf(3), x402: "jws-3" }, { issuer });
    expect(found).toMatchObject({
      valid: true,
      index: 3,
      pinned: false,
      seen: null,
      checkpoint: { size: 5 },
    });
  });

  test("finds it by a pinned key, and not by another's", async () => {
    const { vkey } = service.log;
    expect(await lookUpReceipt({ document: documentOf(0) }, { issuer, vkey })).toMatchObject({
      pinned: true,
    });
    const other = createSampleLog("other.example/log").vkey;
    expect(await lookUpReceipt({ document: documentOf(0) }, { issuer, vkey: other })).toMatchObject({
      valid: false,
      outcome: "contradicted",
      code: "unknown_log",
    });
  });

  test("requires the witnesses of a policy", async () => {
    const key = createSigner("witness.example", keyTypes.cosignature, new Uint8Array(32).fill(2)).key;
    const witness = formatVerifierKey(key);
    const policy = `log ${service.log.vkey}\nwitness one ${witness}\nquorum one\n`;
    const found = await lookUpReceipt({ document: documentOf(0) }, { issuer, policy });
    expect(found).toMatchObject({ outcome: "contradicted", code: "quorum_not_met" });
  });

  test("reports that a document changed after it was logged contradicts the log", async () => {
    const changed = { ...documentOf(3), n: 4 };
    expect(await lookUpReceipt({ document: changed }, { issuer })).toMatchObject({
      outcome: "contradicted",
      code: "other_entry",
    });
  });

  test("reports a missing receipt as absent, and one of a failing service as unknown", async () => {
    expect(await lookUpReceipt({ document: documentOf(77) }, { issuer })).toMatchObject({
      outcome: "absent",
      code: "not_logged",
    });
    service.broken = 500;
    expect(await lookUpReceipt({ document: documentOf(3) }, { issuer })).toMatchObject({
      outcome: "unknown",
      code: "log_unavailable",
    });
    expect(await lookUpReceipt({ x402: "jws-3" }, { issuer })).toMatchObject({ code: "no_receipt_id" });
  });

  test("refuses a log of another name than the issuer's unless its key is pinned", async () => {
    service.log = createSampleLog("elsewhere.example/log");
    grow(service.log, 0, 5);
    expect(await lookUpReceipt({ document: documentOf(3) }, { issuer })).toMatchObject({
      outcome: "contradicted",
      code: "foreign_origin",
    });
    const { vkey } = service.log;
    expect((await lookUpReceipt({ document: documentOf(3) }, { issuer, vkey })).valid).toBe(true);
  });

  test("remembers a log that grew, and detects another history, with both notes as evidence", async () => {
    const memory = inMemory();
    expect(await lookUpReceipt({ document: documentOf(1) }, { issuer, memory })).toMatchObject({
      seen: "nothing",
    });
    grow(service.log, 5, 300);
    expect(await lookUpReceipt({ document: documentOf(1) }, { issuer, memory })).toMatchObject({
      seen: "smaller",
    });
    const remembered = memory.get(`${origin}/log`);

    service.log = createLog();
    grow(service.log, 0, 299);
    service.log.append([encodeEntry(receiptEntry("rcp_299", { other: true }))]);
    grow(service.log, 300, 310);
    const caught = await lookUpReceipt({ document: documentOf(1) }, { issuer, memory });
    expect(caught).toMatchObject({ outcome: "contradicted", code: "forked", evidence: { remembered } });
    expect(memory.get(`${origin}/log`)).toBe(remembered);
  });

  test("throws for a damaged memory, and accuses no log", async () => {
    const memory: LogMemory = { get: () => "not a note", set: () => {} };
    await expect(lookUpReceipt({ document: documentOf(1) }, { issuer, memory })).rejects.toThrow(
      "restore it, or remove it",
    );
  });

  test("throws for an issuer that is no did:web name", async () => {
    await expect(lookUpReceipt({ document: documentOf(1) }, { issuer: "market.example" })).rejects.toThrow(
      TypeError,
    );
  });
});

describe("on the command line", () => {
  const folder = mkdtempSync(join(tmpdir(), "earnest-logs-"));
  const file = join(folder, "state", "logs.json");
  afterAll(() => rmSync(folder, { recursive: true }));

  async function report(isRequired: boolean, n = 1) {
    const lines: string[] = [];
    const memory = rememberInFile(file);
    const print = (...given: string[]) => lines.push(...given);
    const good = await reportLookup({ document: documentOf(n) }, { issuer, memory, isRequired, print });
    return { good, text: lines.join("\n") };
  }

  test("the file keeps the log's state from one run to the next", async () => {
    expect(await report(true)).toMatchObject({
      good: true,
      text: expect.stringContaining("seen for the first time"),
    });
    grow(service.log, 5, 9);
    expect(await report(true)).toMatchObject({
      good: true,
      text: expect.stringContaining("continues the remembered checkpoint"),
    });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ [`${origin}/log`]: service.log.sign() });
  });

  test("an absent receipt fails only where the log is required", async () => {
    expect((await report(false, 99)).good).toBe(true);
    expect(await report(true, 99)).toMatchObject({
      good: false,
      text: expect.stringContaining("not_logged"),
    });
  });

  test("another history always fails, and both notes are printed", async () => {
    service.log = createLog();
    service.log.append([encodeEntry(receiptEntry("rcp_0", { other: true }))]);
    grow(service.log, 1, 9);
    const { good, text } = await report(false);
    expect(good).toBe(false);
    expect(text).toContain("forked");
    expect(text.match(/^ {4}— /gm)).toHaveLength(2);
  });

  test("a file with other content is not overwritten, and the check fails", async () => {
    writeFileSync(file, "[1]");
    expect(await report(false)).toMatchObject({ good: false, text: expect.stringContaining("move it away") });
    expect(readFileSync(file, "utf8")).toBe("[1]");
  });
});
