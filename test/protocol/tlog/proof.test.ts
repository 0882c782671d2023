import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatCheckpoint, parseCheckpoint, signCheckpoint } from "../../../protocol/tlog/checkpoint.ts";
import { cosign } from "../../../protocol/tlog/cosignature.ts";
import {
  decodeEntry,
  encodeEntry,
  hashDocument,
  keyEntry,
  type LogEntry,
  receiptEntry,
  revocationEntry,
} from "../../../protocol/tlog/entry.ts";
import { verifyReceiptProof, verifyRevocationProof } from "../../../protocol/tlog/logged-receipt.ts";
import { emptyRoot, hashLeaf, inclusionProof, rootOf } from "../../../protocol/tlog/merkle.ts";
import { formatSignature, formatVerifierKey, keyTypes, parseNote } from "../../../protocol/tlog/note.ts";
import { createSigner } from "../../../protocol/tlog/note-signer.ts";
import { formatProof, parseProof, verifyProof } from "../../../protocol/tlog/proof.ts";
import { verifyCheckpoint } from "../../../protocol/tlog/verify.ts";
import { checkSignature } from "../../../receipts/native-ed25519.ts";

const code = (name: string) => expect.objectContaining({ code: name });
const refused = (name: string) => expect.objectContaining({ valid: false, code: name });
const seed = (byte: number) => new Uint8Array(32).fill(byte);
const log = createSigner("log.example/log", keyTypes.ed25519, seed(1));
const [w1, w2, w3] = [2, 3, 4].map((byte) =>
  createSigner(`w${byte - 1}.example`, keyTypes.cosignature, seed(byte)),
) as [typeof log, typeof log, typeof log];
const vkey = formatVerifierKey(log.key);
const policyOf = (quorum: string) =>
  [
    `log ${vkey} https://log.example/log`,
    ...[w1, w2, w3].map(({ key }, i) => `witness W${i + 1} ${formatVerifierKey(key)}`),
    "group two 2 W1 W2 W3",
    `quorum ${quorum}`,
    "",
  ].join("\n");

const document = { id: "https://market.example/api/v1/receipts/rcp_1", amount: "1", proof: { type: "x" } };
const entries: LogEntry[] = [
  keyEntry({ seq: 1 }),
  receiptEntry("rcp_1", document, "a.b.c"),
  receiptEntry("rcp_2", { ...document, id: "https://market.example/api/v1/receipts/rcp_2" }),
  revocationEntry("rcp_1", new Date("2026-11-23T12:00:00Z")),
  keyEntry({ seq: 2 }),
];
const bytes = entries.map(encodeEntry);
const leaves = bytes.map(hashLeaf);
const tree = { size: leaves.length, root: rootOf(leaves) };
const checkpoint = signCheckpoint(tree, log);
const { text } = parseNote(checkpoint);
const cosigned = [w1, w2].reduce(
  (note, witness, i) => note + formatSignature(cosign(text, witness, 1_800_000_000 + i)),
  checkpoint,
);

const proofOf = (index: number, over: Partial<Parameters<typeof formatProof>[0]> = {}) =>
  formatProof({
    extra: bytes[index] ?? null,
    index,
    hashes: inclusionProof(leaves, index),
    checkpoint: cosigned,
    ...over,
  });

describe("an entry", () => {
  test("has one form, and is read as it was written", () => {
    const x402 = `0x${createHash("sha256").update("a.b.c").digest("hex")}`;
    expect(new TextDecoder().decode(bytes[1])).toBe(
      `{"document":"${hashDocument(document)}","kind":"receipt","receipt":"rcp_1","v":1,"x402":"${x402}"}`,
    );
    for (const [i, entry] of entries.entries())
      expect(decodeEntry(bytes[i] ?? new Uint8Array())).toEqual(entry);
  });

  test("is refused in any other form", () => {
    const good = new TextDecoder().decode(bytes[0]);
    for (const bad of [
      "",
      "null",
      "[]",
      ` ${good}`,
      `${good}\n`,
      good.replace(":1", ": 1"),
      good.replace('"v":1', '"v":2'),
      good.replace('"seq":1', '"seq":1.0'),
      good.replace('"seq":1', '"seq":0'),
      good.replace('"key"', '"lock"'),
      good.replace('{"', '{"a":1,"'),
      good.replace('"v":1', '"v":1,"v":1'),
      good.replace("0x", "0X"),
      `{"kind":"key"}${" ".repeat(2000)}`,
    ]) {
      expect(() => decodeEntry(new TextEncoder().encode(bad)), bad).toThrow(code("malformed_entry"));
    }
    expect(() => decodeEntry(Uint8Array.of(0xff))).toThrow(code("malformed_entry"));
    expect(() => encodeEntry({ kind: "key", v: 1, seq: 0, entry: "x" })).toThrow();
  });
});

describe("a checkpoint", () => {
  test("is read as it was written", () => {
    expect(parseCheckpoint(text)).toEqual({ origin: "log.example/log", ...tree, extensions: [] });
    const other = { origin: "a log", size: Number.MAX_SAFE_INTEGER, root: seed(9), extensions: ["x", "y z"] };
    expect(parseCheckpoint(formatCheckpoint(other))).toEqual(other);
  });

  test("is refused in any other form", () => {
    const [origin, size, root] = text.split("\n") as [string, string, string];
    for (const lines of [
      [],
      [origin, size],
      [origin, size, root],
      ["", size, root, ""],
      [origin, size, root, "", "x", ""],
      [origin, size, root, "", ""],
      [origin, `0${size}`, root, ""],
      [origin, `+${size}`, root, ""],
      [origin, "", root, ""],
      [origin, "-1", root, ""],
      [origin, "1e3", root, ""],
      [origin, size, root.slice(4), ""],
      [origin, size, `AAAA${root}`, ""],
      [origin, size, "", ""],
    ]) {
      expect(() => parseCheckpoint(lines.join("\n")), lines.join("|")).toThrow(code("malformed"));
    }
    const beyond = [origin, "9007199254740992", root, ""].join("\n");
    expect(() => parseCheckpoint(beyond)).toThrow(code("size_too_large"));
    expect(() => formatCheckpoint({ origin: "a\nb", size: 1, root: seed(1), extensions: [] })).toThrow();
  });

  test("is trusted by the log's key, or by a policy whose quorum cosigned", () => {
    expect(verifyCheckpoint(cosigned, { vkey })).toMatchObject({ valid: true, cosignatures: [] });
    expect(verifyCheckpoint(cosigned, { policy: policyOf("two") })).toMatchObject({
      valid: true,
      checkpoint: { size: 5 },
      cosignatures: [
        { witness: "W1", name: "w1.example", at: 1_800_000_000 },
        { witness: "W2", name: "w2.example", at: 1_800_000_001 },
      ],
    });
    expect(verifyCheckpoint(checkpoint, { policy: policyOf("two") })).toEqual(refused("quorum_not_met"));
    expect(verifyCheckpoint(cosigned, { policy: policyOf("W3") })).toEqual(refused("quorum_not_met"));
    expect(verifyCheckpoint(checkpoint, { policy: policyOf("none") })).toMatchObject({ valid: true });
  });

  test("is refused without a trusted log's signature, or with a bad one of a trusted key", () => {
    const outsider = createSigner("log.example/log", keyTypes.ed25519, seed(9));
    expect(verifyCheckpoint(signCheckpoint(tree, outsider), { vkey })).toEqual(refused("unknown_log"));
    expect(verifyCheckpoint(checkpoint, {})).toEqual(refused("no_trusted_log"));
    expect(verifyCheckpoint(checkpoint, { vkey: "x" })).toEqual(refused("malformed_key"));
    expect(verifyCheckpoint(checkpoint, { policy: "quorum all\n" })).toEqual(refused("malformed_policy"));
    expect(verifyCheckpoint(checkpoint, { policy: "quorum none\n" })).toEqual(refused("no_trusted_log"));
    const lists = policyOf("none");
    const other = formatVerifierKey(outsider.key);
    expect(verifyCheckpoint(checkpoint, { vkey: other, policy: lists })).toEqual(refused("no_trusted_log"));
    const changed = checkpoint.replace("\n5\n", "\n6\n");
    expect(verifyCheckpoint(changed, { vkey })).toEqual(refused("invalid_signature"));
    // A good line after a bad one of the same key changes nothing.
    const bad = formatSignature({ name: log.key.name, id: log.key.id, bytes: new Uint8Array(64) });
    const line = checkpoint.split("\n\n")[1] ?? "";
    expect(verifyCheckpoint(`${text}\n${bad}${line}`, { vkey })).toEqual(refused("invalid_signature"));
    const badWitness = formatSignature({ name: w3.key.name, id: w3.key.id, bytes: new Uint8Array(72) });
    expect(verifyCheckpoint(cosigned + badWitness, { policy: policyOf("two") })).toEqual(
      refused("invalid_signature"),
    );
    // A witness's cosignature of another checkpoint does not count.
    const moved = formatSignature(cosign(text.replace("\n5\n", "\n4\n"), w3, 1));
    expect(verifyCheckpoint(cosigned + moved, { policy: policyOf("two") })).toEqual(
      refused("invalid_signature"),
    );
  });

  test("of another origin than its key's name is refused", () => {
    const named = createSigner("other.example/log", keyTypes.ed25519, seed(1));
    const foreign = text.replace("log.example", "evil.example");
    const line = {
      name: named.key.name,
      id: named.key.id,
      bytes: named.sign(new TextEncoder().encode(foreign)),
    };
    const note = `${foreign}\n${formatSignature(line)}`;
    expect(verifyCheckpoint(note, { vkey: formatVerifierKey(named.key) })).toEqual(refused("foreign_origin"));
  });

  test("counts a witness once, however often it cosigned", () => {
    const again = checkpoint + [1, 2, 3].map((at) => formatSignature(cosign(text, w1, at))).join("");
    expect(verifyCheckpoint(again, { policy: policyOf("two") })).toEqual(refused("quorum_not_met"));
  });
});

describe("a proof", () => {
  test("is read as it was written", () => {
    for (const [index] of entries.entries()) {
      const proof = parseProof(proofOf(index));
      expect(proof).toEqual({
        extra: bytes[index],
        index,
        hashes: inclusionProof(leaves, index),
        checkpoint: cosigned,
      });
      expect(formatProof(proof)).toBe(proofOf(index));
    }
    expect(parseProof(proofOf(0, { extra: null })).extra).toBeNull();
  });

  test("shows that an entry is in the log", () => {
    for (const [index, entry] of bytes.entries()) {
      const answer = verifyProof(proofOf(index), entry, { policy: policyOf("two") });
      expect(answer).toMatchObject({ valid: true, index, checkpoint: { size: 5 } });
      const other = bytes[(index + 1) % bytes.length] ?? expect.fail("none");
      expect(verifyProof(proofOf(index), other, { vkey })).toEqual(refused("not_included"));
    }
    const moved = proofOf(1, { index: 2 });
    expect(verifyProof(moved, bytes[1] ?? expect.fail("none"), { vkey })).toEqual(refused("not_included"));
  });

  test("is refused in any other form", () => {
    const good = proofOf(1);
    const lines = good.split("\n");
    for (const bad of [
      "",
      "\n\n",
      good.replace("@v1", "@v2"),
      `\n${good}`,
      good.replaceAll("\n", "\r\n"),
      good.replace("index 1", "index 01"),
      good.replace("index 1", "index -1"),
      good.replace("index 1\n", ""),
      good.replace("index 1", "index 1 "),
      good.replace("extra ", "extra  "),
      good.replace(lines[3] ?? "", `${lines[3]}=`),
      good.replace(lines[3] ?? "", "AAAA"),
      good.replace("\n\n", "\n"),
    ]) {
      expect(() => parseProof(bad), JSON.stringify(bad)).toThrow(code("malformed"));
      expect(verifyProof(bad, bytes[1] ?? new Uint8Array(), { vkey })).toEqual(refused("malformed"));
    }
    const many = Array(64).fill(emptyRoot);
    expect(() => parseProof(proofOf(1, { hashes: many }))).toThrow(code("too_large"));
    expect(() => parseProof("x".repeat(300_000))).toThrow(code("too_large"));
  });

  test("that is changed in any place is refused, and never throws", () => {
    const [good, policy] = [proofOf(1), policyOf("two")];
    fc.assert(
      fc.property(
        fc.nat(good.length - 1),
        fc.constantFrom("\n", " ", "A", "0", "\0", "+", "é"),
        (at, other) => {
          fc.pre(good[at] !== other);
          const changed = good.slice(0, at) + other + good.slice(at + 1);
          // The extra line has no valid signature, and a line of an unknown key counts for nobody.
          const isSigned = at < good.indexOf("extra") || at > good.indexOf("\nindex");
          const answer = verifyProof(changed, bytes[1] ?? new Uint8Array(), {
            policy,
            check: checkSignature,
          });
          if (isSigned) expect(answer.valid).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("a receipt's proof", () => {
  const trust = { policy: policyOf("two") };

  test("is valid for its document, for its x402 receipt, and for both", () => {
    const proof = proofOf(1);
    const good = expect.objectContaining({ valid: true, index: 1, entry: entries[1] });
    expect(verifyReceiptProof(proof, { document }, trust)).toEqual(good);
    expect(verifyReceiptProof(proof, { x402: "a.b.c" }, trust)).toEqual(good);
    expect(verifyReceiptProof(proof, { document, x402: "a.b.c", id: "rcp_1" }, trust)).toEqual(good);
    const bare = proofOf(1, { extra: null });
    expect(verifyReceiptProof(bare, { document, x402: "a.b.c" }, trust)).toEqual(good);
    expect(verifyReceiptProof(bare, { x402: "a.b.c" }, trust)).toEqual(refused("malformed_entry"));
    // A missing part of the leaf makes another leaf.
    expect(verifyReceiptProof(bare, { document }, trust)).toEqual(refused("not_included"));
  });

  test("is refused for another receipt, a changed one, another entry, and an entry that is not logged", () => {
    const proof = proofOf(1);
    expect(verifyReceiptProof(proof, { document: { ...document, amount: "2" } }, trust)).toEqual(
      refused("other_entry"),
    );
    expect(verifyReceiptProof(proof, { document, x402: "a.b.d" }, trust)).toEqual(refused("other_entry"));
    expect(verifyReceiptProof(proof, { document, id: "rcp_2" }, trust)).toEqual(refused("other_entry"));
    expect(verifyReceiptProof(proof, {}, trust)).toEqual(refused("other_entry"));
    expect(verifyReceiptProof(proofOf(0), { document }, trust)).toEqual(refused("other_entry"));
    const forged = { ...document, amount: "2" };
    const extra = encodeEntry(receiptEntry("rcp_1", forged, "a.b.c"));
    expect(verifyReceiptProof(proofOf(1, { extra }), { document: forged }, trust)).toEqual(
      refused("not_included"),
    );
    expect(verifyReceiptProof(proofOf(2), { x402: "a.b.c", id: "rcp_2" }, trust)).toEqual(
      refused("other_entry"),
    );
  });

  test("of its revocation is a different one", () => {
    expect(verifyRevocationProof(proofOf(3), "rcp_1", trust)).toMatchObject({
      valid: true,
      entry: entries[3],
    });
    expect(verifyRevocationProof(proofOf(3), "rcp_2", trust)).toEqual(refused("other_entry"));
    expect(verifyRevocationProof(proofOf(1), "rcp_1", trust)).toEqual(refused("other_entry"));
    expect(verifyRevocationProof(proofOf(3, { extra: null }), "rcp_1", trust)).toEqual(
      refused("malformed_entry"),
    );
  });
});
