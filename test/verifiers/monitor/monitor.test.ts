import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { formatNote, parseNote, parseSignatures, signNote } from "../../../protocol/tlog/note.ts";
import { parsePolicy } from "../../../protocol/tlog/policy.ts";
import { verifyCheckpoint } from "../../../protocol/tlog/verify.ts";
import { signDocument } from "../../../receipts/sign.ts";
import { type Finding, Findings } from "../../../verifiers/monitor/findings.ts";
import { Monitor, type MonitorOptions } from "../../../verifiers/monitor/monitor.ts";
import { TestInstallation } from "../../harness/tlog/installation.ts";
import { TestLog } from "../../harness/tlog/log.ts";
import { requestCosignature, startWitness, type TestWitness } from "../../harness/tlog/witness.ts";

let installation: TestInstallation;
let folder: string;

beforeEach(async () => {
  installation = await TestInstallation.start();
  folder = mkdtempSync(join(tmpdir(), "earnest-monitor-test-"));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await installation.close();
});

/** Returns the findings of one run of a monitor with the state of earlier runs. */
async function monitor(options: Partial<MonitorOptions> = {}) {
  const found: Finding[] = [];
  const one = open(options, found);
  await one.check();
  one.close();
  return { found, codes: [...new Set(found.map(({ code }) => code))].sort(), progress: one.progress };
}

function open(options: Partial<MonitorOptions>, found: Finding[]): Monitor {
  const { address, issuer } = installation;
  const memoryFile = join(folder, "memory.json");
  return new Monitor(
    { address, issuer, memoryFile, graceMs: 60_000, aheadMs: 2000, ...options },
    new Findings((finding) => found.push(finding)),
  );
}

const longAgo = () => new Date(Date.now() - 600_000);

describe("an honest log", () => {
  test("of receipts, revocations and keys: no findings, and all is read", async () => {
    const [first] = await installation.issue(300);
    installation.rotate();
    if (first) installation.revoke(first);
    await installation.issue(3, { claim: "refunded" });
    const { found, progress } = await monitor();
    expect(found).toEqual([]);
    expect(progress).toMatchObject({
      entries: installation.log.size,
      receipts: 303,
      vkey: installation.log.vkey,
    });
  });

  test("that is empty, or grows between runs by parts of bundles: no findings", async () => {
    const found: Finding[] = [];
    const one = open({}, found);
    for (const count of [0, 1, 100, 154, 1, 50]) {
      await installation.issue(count, { claim: "refunded" });
      await one.check();
      expect(one.progress.entries).toBe(installation.log.size);
    }
    one.close();
    expect(found).toEqual([]);
    // Each receipt is fetched once.
    const receiptRequests = installation.requests.filter((path) => path.startsWith("/api/v1/receipts/"));
    expect(receiptRequests).toHaveLength(306);
  });

  test("a partial tile or bundle that was replaced by a full one is read there", async () => {
    await installation.issue(280);
    installation.shown = 100;
    for (const path of ["/log/tile/0/000.p/100", "/log/tile/entries/000.p/100"])
      installation.overridden.set(path, 404);
    expect((await monitor()).found).toEqual([]);
  });

  test("a host that asks to wait, or fails for a moment, is asked again", async () => {
    const [receipt] = await installation.issue(1);
    const path = `/api/v1/receipts/${receipt?.id}`;
    installation.failing.set(path, [429, 503]);
    expect((await monitor()).found).toEqual([]);
    expect(installation.requests.filter((requested) => requested === path).length).toBe(3);
  });
});

describe("a log that contradicts itself", () => {
  test("a fork of the same size, and a larger one, are found with both notes as proof", async () => {
    await installation.issue(20);
    expect((await monitor()).found).toEqual([]);
    const honest = installation.log;
    for (const more of [5, 300]) {
      installation.log = honest.keeping(16).grow(more);
      const { found, codes } = await monitor();
      expect(codes).toEqual(["forked"]);
      expect(found[0]?.evidence).toEqual([honest.checkpoint(), installation.log.checkpoint()]);
      for (const note of found[0]?.evidence ?? [])
        expect(verifyCheckpoint(note, { vkey: honest.vkey })).toMatchObject({ valid: true });
    }
    installation.log = honest.grow(0);
    expect((await monitor()).found).toEqual([]);
  });

  test("a rollback is found, and is still known to the next run", async () => {
    await installation.issue(20);
    await monitor();
    const honest = installation.log;
    installation.log = honest.keeping(10);
    expect((await monitor()).codes).toEqual(["rolled_back"]);
    expect((await monitor()).codes).toEqual(["rolled_back"]);
    installation.log = honest;
    expect((await monitor()).found).toEqual([]);
  });

  test("a restored backup that grew past the seen size is found", async () => {
    await installation.issue(20);
    await monitor();
    installation.log = installation.log.keeping(10);
    await installation.issue(50);
    expect((await monitor()).codes).toEqual(["forked"]);
  });

  test("two sequencers that take turns are found at the first turn", async () => {
    await installation.issue(20);
    const found: Finding[] = [];
    const one = open({}, found);
    await one.check();
    installation.log = installation.log.keeping(20).grow(1);
    await one.check();
    one.close();
    expect(found.map(({ code }) => code)).toEqual(["forked"]);
  });

  test("another key, and a checkpoint without the pinned key's signature, are found", async () => {
    await installation.issue(2);
    const { vkey } = installation.log;
    await monitor();
    const { name } = installation.log.signer.key;
    installation.log = new TestLog(name, { entries: installation.log.entries });
    expect((await monitor()).codes).toEqual(["checkpoint_invalid", "vkey_changed"]);
    expect((await monitor({ vkey, memoryFile: join(folder, "new.json") })).codes).toEqual([
      "checkpoint_invalid",
      "vkey_changed",
    ]);
  });

  test("a checkpoint with a bad signature, or none, is refused", async () => {
    await installation.issue(2);
    const note = parseNote(installation.log.checkpoint());
    const outsider = new TestLog("outsider.example/log").signer;
    const foreign = formatNote({ text: note.text, signatures: [signNote(note.text, outsider)] });
    for (const served of [foreign, note.text, ""]) {
      installation.overridden.set("/log/checkpoint", served);
      expect((await monitor()).codes).toEqual(["checkpoint_invalid"]);
    }
  });
});

describe("a tree that is damaged", () => {
  beforeEach(async () => {
    await installation.issue(600, { claim: "refunded" });
  });

  test.each([
    ["/log/tile/0/001", "tile_missing"],
    ["/log/tile/1/000.p/2", "tile_missing"],
    ["/log/tile/entries/001", "entries_missing"],
  ] as const)("%s is lost: %s", async (path, code) => {
    installation.overridden.set(path, 404);
    const { found } = await monitor();
    expect(found).toMatchObject([{ code, subject: path.slice("/log/".length) }]);
  });

  test("a tile with other hashes is found", async () => {
    const tile = Uint8Array.from(installation.log.serve("tile/0/001") as Uint8Array);
    tile[40] = (tile[40] ?? 0) ^ 1;
    installation.overridden.set("/log/tile/0/001", tile);
    expect((await monitor()).found).toMatchObject([{ code: "tile_changed", subject: "tile/0/001" }]);
  });

  test("an entry that was changed, or omitted, in the bundles only is found, and other bundles are still read", async () => {
    const entries = [...installation.log.entries];
    const { signer } = installation.log;
    const changed = new TestLog("", { signer, entries });
    changed.entries[300] = entries[301] as Uint8Array;
    installation.overridden.set("/log/tile/entries/001", changed.serve("tile/entries/001") as Uint8Array);
    const { found, progress } = await monitor();
    expect(found).toMatchObject([
      { code: "entry_changed", message: expect.stringContaining("entry is 300") },
    ]);
    expect(progress).toMatchObject({ entries: 601, unread: 256, receipts: 600 - 256 });
    changed.entries = [...entries.slice(0, 300), ...entries.slice(301)];
    installation.overridden.set("/log/tile/entries/001", changed.serve("tile/entries/001") as Uint8Array);
    expect((await monitor()).codes).toEqual(["entry_changed"]);
  });

  test("junk among the entries, and a fact that is logged twice, are found", async () => {
    const repeated = installation.log.entries[7] as Uint8Array;
    installation.log.entries.push(new TextEncoder().encode(`{"v":2}`), repeated);
    const { found } = await monitor();
    expect(found).toMatchObject([
      { code: "entry_malformed", subject: "601" },
      { code: "entry_repeated", subject: "602" },
    ]);
  });

  test("many findings of one kind are counted and not listed", async () => {
    for (const { id } of installation.receipts.values())
      installation.overridden.set(`/api/v1/receipts/${id}`, 404);
    const found: Finding[] = [];
    const findings = new Findings((finding) => found.push(finding));
    const { address, issuer } = installation;
    const one = new Monitor(
      { address, issuer, memoryFile: join(folder, "m.json"), graceMs: 60_000, aheadMs: 0 },
      findings,
    );
    await one.check();
    one.close();
    expect([found.length, findings.counts.get("receipt_missing")]).toEqual([100, 600]);
  });
});

describe("receipts", () => {
  test("one that is not served is found", async () => {
    const [, gone] = await installation.issue(3);
    installation.receipts.delete(gone?.id ?? "");
    expect((await monitor()).found).toMatchObject([{ code: "receipt_missing", subject: gone?.id }]);
  });

  test("one whose document or JWS was replaced by another good one is found", async () => {
    const [one, two, three] = await installation.issue(3);
    const [key] = installation.keyring.keys;
    if (!one || !two || !three || !key) throw new Error("no receipts");
    const { proof: _, ...statement } = one.document;
    one.document = signDocument({ ...statement, amount: "1" }, key, installation.issuer);
    two.x402_receipt = three.x402_receipt;
    three.x402_receipt = null;
    const { found } = await monitor();
    expect(found.map(({ code, subject }) => [code, subject]).sort()).toEqual(
      [one, two, three].map(({ id }) => ["receipt_changed", id]).sort(),
    );
  });

  test("one that was logged with a bad signature, or under another receipt's id, is found", async () => {
    const bad = await installation.sign();
    bad.document = { ...bad.document, amount: "1" };
    const foreign = await installation.sign();
    const [other] = await installation.issue(1);
    if (other) foreign.document = other.document;
    for (const receipt of [bad, foreign]) installation.logReceipt(receipt);
    const { found } = await monitor();
    expect(found).toMatchObject([
      { code: "receipt_invalid", subject: bad.id },
      { code: "receipt_invalid", subject: foreign.id },
    ]);
  });

  test("one that was backdated is found: by earlier entries, and by the state of an earlier run", async () => {
    await installation.issue(2);
    const [dated] = await installation.issue(1, {}, longAgo());
    await installation.issue(1);
    expect((await monitor()).found).toMatchObject([{ code: "receipt_late", subject: dated?.id }]);
    // Only the stored tree without the receipt reveals this.
    await installation.close();
    installation = await TestInstallation.start();
    const memoryFile = join(folder, "second.json");
    await monitor({ memoryFile });
    const [late] = await installation.issue(1, {}, longAgo());
    expect((await monitor({ memoryFile })).found).toMatchObject([
      { code: "receipt_late", subject: late?.id },
    ]);
  });
});

describe("revocations", () => {
  test("one on the list only is found after the grace period", async () => {
    const [one, two] = await installation.issue(2);
    if (!one || !two) throw new Error("no receipts");
    installation.list(one, longAgo());
    one.revoked = true;
    installation.list(two);
    two.revoked = true;
    expect((await monitor()).found).toMatchObject([{ code: "revocation_not_logged", subject: one.id }]);
  });

  test("one that is served of the receipt only is found", async () => {
    const [one] = await installation.issue(1);
    if (one) one.revoked = true;
    expect((await monitor()).found).toMatchObject([{ code: "revocation_not_logged", subject: one?.id }]);
  });

  test("a silent removal, another time, and a revocation of no receipt are found", async () => {
    const [one, two] = await installation.issue(2);
    const three = await installation.sign();
    if (!one || !two) throw new Error("no receipts");
    for (const receipt of [one, two, three]) installation.revoke(receipt);
    one.revoked = false;
    const listed = installation.revoked[1];
    if (listed) listed.revoked_at = longAgo().toISOString();
    const { found } = await monitor();
    expect(found.map(({ code, subject }) => [code, subject])).toEqual([
      ["revocation_not_served", one.id],
      ["revocation_without_receipt", three.id],
      ["revocation_changed", two.id],
    ]);
  });
});

describe("keys", () => {
  test("a change that was not logged, was logged differently, or is missing from the key log is found", async () => {
    installation.rotate();
    const entries = [...installation.log.entries];
    installation.log.entries = entries.slice(0, 2);
    expect((await monitor({ graceMs: -1 })).found).toMatchObject([{ code: "key_not_logged", subject: "3" }]);
    installation.log.entries = entries;
    const memoryFile = join(folder, "other.json");
    const { log } = installation.keyring;
    installation.keyring = { ...installation.keyring, log: log.slice(0, 2) };
    const { codes, found } = await monitor({ memoryFile });
    expect(codes).toEqual(["key_changed", "key_log_invalid"]);
    expect(found).toContainEqual(expect.objectContaining({ code: "key_changed", subject: "3" }));
    installation.keyring = { ...installation.keyring, log };
    const [first] = log;
    if (first) installation.keyring.log = [{ ...first, at: longAgo().toISOString() }, ...log.slice(1)];
    expect((await monitor({ memoryFile })).codes).toEqual(["key_changed", "key_log_invalid"]);
  });
});

describe("witnesses", () => {
  let witness: TestWitness;
  beforeEach(async () => {
    await installation.issue(10);
    witness = await startWitness([installation.log.vkey]);
  });
  afterEach(() => witness.close());

  const policy = () => parsePolicy(`witness w1 ${witness.vkey} ${witness.url}\nquorum w1\n`);
  /** Gets a log's tree cosigned. Returns the note with the cosignature. */
  async function cosign(log: TestLog, old: number): Promise<string> {
    const { status, text } = await requestCosignature(witness.url, log.cosignRequest(old));
    expect(status).toBe(200);
    const note = parseNote(log.checkpoint());
    return formatNote({ ...note, signatures: [...note.signatures, ...parseSignatures(text)] });
  }

  test("a checkpoint without the policy's quorum is found, and one with it is good", async () => {
    expect((await monitor({ policy: policy() })).codes).toEqual(["checkpoint_unwitnessed"]);
    installation.overridden.set("/log/checkpoint", await cosign(installation.log, 0));
    expect((await monitor({ policy: policy() })).found).toEqual([]);
  });

  test("a log that shows this monitor another tree than the witness is found at its first run", async () => {
    const elsewhere = installation.log.keeping(8).grow(4);
    await cosign(elsewhere, 0);
    const { found } = await monitor({ policy: { ...policy(), quorum: "none" } });
    expect(found).toMatchObject([{ code: "witness_disagrees", subject: "w1" }]);
    expect(found[0]?.evidence?.map((note) => verifyCheckpoint(note, { vkey: elsewhere.vkey }).valid)).toEqual(
      [true, true],
    );
  });

  test("a witness that is ahead for a moment is waited for", async () => {
    installation.shown = 6;
    await cosign(installation.log, 0);
    setTimeout(() => {
      installation.shown = undefined;
    }, 500);
    expect((await monitor({ policy: { ...policy(), quorum: "none" } })).found).toEqual([]);
  });
});

describe("its memory", () => {
  test("an outage is found, changes no stored state, and ends no run", async () => {
    await installation.issue(3);
    await monitor();
    const before = readFileSync(join(folder, "memory.json"), "utf8");
    const { address } = installation;
    await installation.close();
    expect((await monitor({ address })).codes).toEqual(["log_unreachable"]);
    expect(readFileSync(join(folder, "memory.json"), "utf8")).toBe(before);
    installation = await TestInstallation.start();
  });

  test("a damaged file, or one of another installation, is not taken for an empty memory", async () => {
    const file = join(folder, "memory.json");
    await monitor();
    const good = readFileSync(file, "utf8");
    writeFileSync(file, good.slice(1));
    await expect(monitor()).rejects.toThrow(/not the state of a monitor/);
    writeFileSync(file, good.replace(installation.address, "https://other.example"));
    await expect(monitor()).rejects.toThrow(/belongs to https:\/\/other.example/);
  });
});
