import { describe, expect, test } from "vitest";
import { decodeEntry } from "../../../protocol/tlog/entry.ts";
import { answer, type LogFailure } from "../../../protocol/tlog/errors.ts";
import { verifyReceiptProof, verifyRevocationProof } from "../../../protocol/tlog/logged-receipt.ts";
import { checkMemory } from "../../../protocol/tlog/memory.ts";
import { verifyConsistency, verifyInclusion } from "../../../protocol/tlog/merkle.ts";
import { parseVerifierKey } from "../../../protocol/tlog/note.ts";
import { isQuorum, parsePolicy } from "../../../protocol/tlog/policy.ts";
import { verifyProof } from "../../../protocol/tlog/proof.ts";
import vectors from "../../../protocol/tlog/vectors.json" with { type: "json" };
import { type Trust, verifyCheckpoint } from "../../../protocol/tlog/verify.ts";
import { fetchOf } from "../../harness/tlog/sample-log.ts";

/** A case has the members of its kind. */
interface Case {
  kind: string;
  name: string;
  expected: object;
  vkey: string;
  note: string;
  trust: string;
  policy: string;
  cosigned: string[];
  hash: string;
  index: number;
  old_size: number;
  old_root: string;
  size: number;
  root: string;
  hashes: string[];
  entry: string;
  proof: string;
  id: string;
  document: object;
  x402: string;
  remembered: string | null;
  given: string;
  newest: boolean;
  story: string;
}
const trustOf = (name: string) =>
  (vectors.trusts as Record<string, Trust>)[name] ?? expect.fail(`no trust ${name}`);
const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const refuse = (isGood: boolean, code: string) => (isGood ? { valid: true } : { valid: false, code });
/** A failure in the form of the vectors. */
const brief = (failure: LogFailure) => ({ valid: false, code: failure.code });

/** The result of a case, in the form of the vectors. */
const verifiers: Record<string, (it: Case) => object | Promise<object>> = {
  vkey: ({ vkey }) =>
    answer(() => {
      const { name, id, type } = parseVerifierKey(vkey);
      return { valid: true, name, id, type };
    }),
  checkpoint: ({ note, trust }) => {
    const found = verifyCheckpoint(note, trustOf(trust));
    if (!found.valid) return found;
    const { origin, size, root } = found.checkpoint;
    return { valid: true, origin, size, root: base64(root), cosignatures: found.cosignatures };
  },
  policy: ({ policy, cosigned }) =>
    answer(() => ({ valid: true, quorum: isQuorum(parsePolicy(policy), cosigned) })),
  inclusion: ({ hash, index, size, root, hashes }) =>
    refuse(
      verifyInclusion({
        hash: bytesOf(hash),
        index,
        size,
        root: bytesOf(root),
        proof: hashes.map(bytesOf),
      }),
      "not_included",
    ),
  consistency: ({ old_size, old_root, size, root, hashes }) =>
    refuse(
      verifyConsistency({
        oldSize: old_size,
        oldRoot: bytesOf(old_root),
        size,
        root: bytesOf(root),
        proof: hashes.map(bytesOf),
      }),
      "not_consistent",
    ),
  entry: ({ entry }) => answer(() => ({ valid: true, entry: decodeEntry(new TextEncoder().encode(entry)) })),
  proof: ({ proof, entry, trust }) => {
    const found = verifyProof(proof, new TextEncoder().encode(entry), trustOf(trust));
    return found.valid ? { valid: true, index: found.index, size: found.checkpoint.size } : found;
  },
  receipt: ({ proof, id, document, x402, trust }) => {
    const found = verifyReceiptProof(proof, { id, document, x402 }, trustOf(trust));
    return found.valid
      ? { valid: true, index: found.index, size: found.checkpoint.size, entry: found.entry }
      : found;
  },
  revocation: ({ proof, id, trust }) => {
    const found = verifyRevocationProof(proof, id, trustOf(trust));
    return found.valid
      ? { valid: true, index: found.index, size: found.checkpoint.size, entry: found.entry }
      : found;
  },
  memory: async ({ remembered, given, newest, story, trust }) => {
    const served = (vectors.stories as Record<string, Record<string, string>>)[story] ?? {};
    const fetch = fetchOf(new Map(Object.entries(served).map(([path, bytes]) => [path, bytesOf(bytes)])));
    const memory = { get: () => remembered, set: () => {} };
    const found = await checkMemory(given, trustOf(trust), { memory, fetch, isNewest: newest });
    return found.valid ? { valid: true, seen: found.seen } : found;
  },
};

describe.each(Object.entries(verifiers))("the vectors of kind %s", (kind, verify) => {
  const cases = (vectors.cases as unknown as Case[]).filter((each) => each.kind === kind);
  test("have the expected results", async () => {
    expect(cases.length).toBeGreaterThan(2);
    for (const each of cases) {
      const found = await verify(each);
      const result = "code" in found ? brief(found as LogFailure) : found;
      expect([each.name, result]).toEqual([each.name, each.expected]);
    }
  });
});

test("every kind of vector has a verifier", () => {
  const kinds = new Set(vectors.cases.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(Object.keys(verifiers).sort());
});
