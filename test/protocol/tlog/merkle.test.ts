import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  consistencyProof,
  emptyRoot,
  type Hash,
  hashLeaf,
  hashNode,
  inclusionProof,
  rootOf,
  subtreesOf,
  verifyConsistency,
  verifyInclusion,
} from "../../../protocol/tlog/merkle.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "hex"));

/** The eight inputs of Certificate Transparency's own tests of RFC 6962, and the roots of their trees. */
const inputs = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
].map(bytesOf);
const roots = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];
const leaves = inputs.map(hashLeaf);

describe("RFC 6962's known trees", () => {
  test("have these roots", () => {
    expect(hex(emptyRoot)).toBe(createHash("sha256").digest("hex"));
    expect(hex(rootOf([]))).toBe(hex(emptyRoot));
    for (const [i, root] of roots.entries()) expect(hex(rootOf(leaves.slice(0, i + 1)))).toBe(root);
  });

  test("have these proofs of inclusion", () => {
    const proofOf = (index: number, size: number) => inclusionProof(leaves.slice(0, size), index).map(hex);
    expect(proofOf(0, 1)).toEqual([]);
    expect(proofOf(0, 8)).toEqual([
      "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
      "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
      "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ]);
    expect(proofOf(5, 8)).toEqual([
      "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
      "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]);
    expect(proofOf(2, 3)).toEqual(["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]);
  });

  test("have these proofs of consistency", () => {
    const proofOf = (old: number, size: number) => consistencyProof(leaves.slice(0, size), old).map(hex);
    expect(proofOf(1, 1)).toEqual([]);
    expect(proofOf(1, 8)).toEqual([
      "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
      "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
      "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ]);
    expect(proofOf(6, 8)).toEqual([
      "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
      "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]);
    expect(proofOf(2, 5)).toEqual([
      "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
      "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ]);
  });
});

/**
 * The definitions of RFC 6962, section 2.1, word by word and without a cache: the reference of all other
 * tests.
 */
const plain = {
  split(size: number) {
    let split = 1;
    while (split * 2 < size) split *= 2;
    return split;
  },
  root(list: readonly Hash[]): Hash {
    if (list.length === 0) return new Uint8Array(createHash("sha256").digest());
    if (list.length === 1) return list[0] as Hash;
    const k = plain.split(list.length);
    return hashNode(plain.root(list.slice(0, k)), plain.root(list.slice(k)));
  },
  path(m: number, list: readonly Hash[]): Hash[] {
    if (list.length === 1) return [];
    const k = plain.split(list.length);
    return m < k
      ? [...plain.path(m, list.slice(0, k)), plain.root(list.slice(k))]
      : [...plain.path(m - k, list.slice(k)), plain.root(list.slice(0, k))];
  },
  subproof(m: number, list: readonly Hash[], whole: boolean): Hash[] {
    if (m === list.length) return whole ? [] : [plain.root(list)];
    const k = plain.split(list.length);
    return m <= k
      ? [...plain.subproof(m, list.slice(0, k), whole), plain.root(list.slice(k))]
      : [...plain.subproof(m - k, list.slice(k), false), plain.root(list.slice(0, k))];
  },
};

const many = Array.from({ length: 140 }, (_, i) => hashLeaf(Uint8Array.of(i)));

test("every proof of every tree up to 40 leaves equals the definition's, and verifies", () => {
  for (let size = 1; size <= 40; size++) {
    const list = many.slice(0, size);
    const root = plain.root(list);
    expect(hex(rootOf(list))).toBe(hex(root));
    for (let i = 0; i < size; i++) {
      const proof = inclusionProof(list, i);
      expect(proof.map(hex)).toEqual(plain.path(i, list).map(hex));
      const leaf = { hash: list[i] as Hash, index: i, size, root, proof };
      expect([size, i, verifyInclusion(leaf)]).toEqual([size, i, true]);
      const consistency = consistencyProof(list, i + 1);
      expect(consistency.map(hex)).toEqual(plain.subproof(i + 1, list, true).map(hex));
      const oldRoot = plain.root(list.slice(0, i + 1));
      expect(verifyConsistency({ oldSize: i + 1, oldRoot, size, root, proof: consistency })).toBe(true);
    }
  }
});

const trees = fc
  .integer({ min: 1, max: many.length })
  .chain((size) => fc.record({ size: fc.constant(size), index: fc.nat(size - 1), other: fc.nat(size - 1) }));

test("an inclusion proof that is changed anywhere does not verify", () => {
  fc.assert(
    fc.property(trees, fc.nat(), fc.nat(255), ({ size, index, other }, where, bit) => {
      const list = many.slice(0, size);
      const root = rootOf(list);
      const proof = inclusionProof(list, index);
      const hash = list[index] as Hash;
      const good = { hash, index, size, root, proof };
      expect(verifyInclusion(good)).toBe(true);
      if (other !== index) {
        expect(verifyInclusion({ ...good, index: other })).toBe(false);
        expect(verifyInclusion({ ...good, hash: list[other] as Hash })).toBe(false);
      }
      const flip = (bytes: Hash) => bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      expect(verifyInclusion({ ...good, root: flip(root) })).toBe(false);
      const at = where % (proof.length || 1);
      if (proof.length > 0) {
        expect(verifyInclusion({ ...good, proof: proof.map((h, i) => (i === at ? flip(h) : h)) })).toBe(
          false,
        );
        expect(verifyInclusion({ ...good, proof: proof.toSpliced(at, 1) })).toBe(false);
      }
      expect(verifyInclusion({ ...good, proof: proof.toSpliced(at, 0, root) })).toBe(false);
    }),
  );
});

test("a consistency proof that is changed anywhere does not verify", () => {
  fc.assert(
    fc.property(trees, fc.nat(), fc.nat(255), ({ size, index, other }, where, bit) => {
      const list = many.slice(0, size);
      const [oldSize, root] = [index + 1, rootOf(list)];
      const oldRoot = rootOf(list.slice(0, oldSize));
      const proof = consistencyProof(list, oldSize);
      const good = { oldSize, oldRoot, size, root, proof };
      expect(verifyConsistency(good)).toBe(true);
      const flip = (bytes: Hash) => bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      expect(verifyConsistency({ ...good, root: flip(root) })).toBe(false);
      expect(verifyConsistency({ ...good, oldRoot: flip(oldRoot) })).toBe(false);
      if (other !== index) {
        const otherRoot = rootOf(list.slice(0, other + 1));
        expect(verifyConsistency({ ...good, oldRoot: otherRoot })).toBe(false);
        expect(verifyConsistency({ ...good, oldSize: other + 1 })).toBe(false);
      }
      const at = where % (proof.length || 1);
      if (proof.length > 0) {
        expect(verifyConsistency({ ...good, proof: proof.map((h, i) => (i === at ? flip(h) : h)) })).toBe(
          false,
        );
        expect(verifyConsistency({ ...good, proof: proof.toSpliced(at, 1) })).toBe(false);
      }
      expect(verifyConsistency({ ...good, proof: proof.toSpliced(at, 0, root) })).toBe(false);
    }),
  );
});

test("every tree continues the empty tree, with an empty proof, and only the empty root matches it", () => {
  const root = rootOf(many);
  const grown = { oldSize: 0, oldRoot: emptyRoot, size: many.length, root, proof: [] };
  expect(verifyConsistency(grown)).toBe(true);
  expect(verifyConsistency({ ...grown, proof: [root] })).toBe(false);
  expect(verifyConsistency({ ...grown, oldRoot: root })).toBe(false);
  expect(verifyConsistency({ ...grown, size: 0, root: emptyRoot })).toBe(true);
  expect(verifyConsistency({ ...grown, size: 0, root, oldRoot: root })).toBe(false);
});

test("malformed sizes and hashes are refused, and long proofs are cheap to refuse", () => {
  const [hash, root] = [many[0] as Hash, rootOf(many)];
  const good = { hash, index: 0, size: many.length, root, proof: inclusionProof(many, 0) };
  for (const size of [0, -1, 1.5, Number.NaN, Infinity, 2 ** 53, 2 ** 60]) {
    expect(verifyInclusion({ ...good, size })).toBe(false);
    expect(verifyInclusion({ ...good, index: size === 0 ? -1 : size })).toBe(false);
    const trees = { oldSize: 1, oldRoot: hash, size, root, proof: good.proof };
    expect(verifyConsistency(trees)).toBe(false);
    expect(verifyConsistency({ ...trees, oldSize: size === 0 ? -1 : size, size: many.length })).toBe(false);
  }
  expect(verifyInclusion({ ...good, hash: hash.subarray(1) })).toBe(false);
  expect(verifyInclusion({ ...good, proof: [...good.proof, new Uint8Array(31)] })).toBe(false);
  expect(verifyInclusion({ ...good, proof: Array(1_000_000).fill(hash) })).toBe(false);
  expect(() => inclusionProof(many, many.length)).toThrow(RangeError);
  expect(() => consistencyProof(many, many.length + 1)).toThrow(RangeError);
});

test("the largest trees split into subtrees that fit", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (size) => {
      let at = 0;
      for (const { level, index } of subtreesOf([0, size])) {
        expect(index * 2 ** level).toBe(at);
        at += 2 ** level;
      }
      expect(at).toBe(size);
    }),
  );
  const largest = subtreesOf([0, Number.MAX_SAFE_INTEGER]);
  expect(largest.map(({ level }) => level)).toEqual(Array.from({ length: 53 }, (_, i) => 52 - i));
});
