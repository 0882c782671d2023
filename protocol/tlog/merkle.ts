import { sha256 } from "@noble/hashes/sha2.js";

/** A SHA-256 hash: 32 bytes. */
export type Hash = Uint8Array;

/** The leaves from `begin` to `end`, without `end`. */
export type Range = readonly [begin: number, end: number];

/** The subtree over 2^level leaves, of which the first is leaf index * 2^level. */
export interface Subtree {
  level: number;
  index: number;
}

/** The root of a tree without leaves (RFC 6962, section 2.1). */
export const emptyRoot: Hash = sha256(new Uint8Array());

/** Hashes a leaf. */
export function hashLeaf(entry: Uint8Array): Hash {
  return sha256.create().update(Uint8Array.of(0)).update(entry).digest();
}

/** Hashes an inner node. */
export function hashNode(left: Hash, right: Hash): Hash {
  return sha256.create().update(Uint8Array.of(1)).update(left).update(right).digest();
}

/** Computes the root over the hashes of leaves. */
export function rootOf(leaves: readonly Hash[]): Hash {
  return hashRange(leaves, [0, leaves.length]);
}

/** Proves that a leaf is in the tree over these hashes. The proof goes from the leaf's sibling to the root's child. */
export function inclusionProof(leaves: readonly Hash[], index: number): Hash[] {
  return inclusionRanges(index, leaves.length).map((range) => hashRange(leaves, range));
}

/** Proves that the tree over these hashes continues the tree over the first `oldSize` of them. */
export function consistencyProof(leaves: readonly Hash[], oldSize: number): Hash[] {
  return consistencyRanges(oldSize, leaves.length).map((range) => hashRange(leaves, range));
}

/** Checks an inclusion proof: it leads from the leaf to the root (RFC 9162, section 2.1.3.2). */
export function verifyInclusion(leaf: {
  hash: Hash;
  index: number;
  size: number;
  root: Hash;
  proof: readonly Hash[];
}): boolean {
  const { hash, index, size, root, proof } = leaf;
  if (![index, size].every(isCount) || index >= size || !areHashes([hash, root, ...proof])) return false;
  let [at, last, computed] = [index, size - 1, hash];
  for (const sibling of proof) {
    if (last === 0) return false;
    const isRight = at % 2 === 1;
    computed = isRight || at === last ? hashNode(sibling, computed) : hashNode(computed, sibling);
    // The last node of an odd row has no sibling.
    if (!isRight && at === last) while (at !== 0 && at % 2 === 0) [at, last] = [half(at), half(last)];
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && isSameHash(computed, root);
}

/** Checks a consistency proof: a tree continues an older one (RFC 9162, section 2.1.4.2). */
export function verifyConsistency(trees: {
  oldSize: number;
  oldRoot: Hash;
  size: number;
  root: Hash;
  proof: readonly Hash[];
}): boolean {
  const { oldSize, oldRoot, size, root, proof } = trees;
  if (![oldSize, size].every(isCount) || oldSize > size) return false;
  if (!areHashes([oldRoot, root, ...proof])) return false;
  if (size === 0 && !isSameHash(root, emptyRoot)) return false;
  if (oldSize === size) return proof.length === 0 && isSameHash(oldRoot, root);
  if (oldSize === 0) return proof.length === 0 && isSameHash(oldRoot, emptyRoot);
  const path = isPowerOfTwo(oldSize) ? [oldRoot, ...proof] : proof;
  const [first, ...rest] = path;
  if (!first) return false;
  let [at, last] = [oldSize - 1, size - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  let [older, newer] = [first, first];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      [older, newer] = [hashNode(sibling, older), hashNode(sibling, newer)];
      while (at !== 0 && at % 2 === 0) [at, last] = [half(at), half(last)];
    } else newer = hashNode(newer, sibling);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && isSameHash(older, oldRoot) && isSameHash(newer, root);
}

/** Lists the ranges whose hashes are the inclusion proof of a leaf, in the order of the proof. */
export function inclusionRanges(index: number, size: number): Range[] {
  if (![index, size].every(isCount) || index >= size) {
    throw new RangeError(`A tree of ${size} leaves has no leaf ${index}.`);
  }
  const ranges: Range[] = [];
  let [begin, end] = [0, size];
  while (end - begin > 1) {
    const middle = begin + splitOf(end - begin);
    if (index < middle) {
      ranges.push([middle, end]);
      end = middle;
    } else {
      ranges.push([begin, middle]);
      begin = middle;
    }
  }
  return ranges.reverse();
}

/** Lists the ranges whose hashes are the consistency proof of a tree, in the order of the proof. */
export function consistencyRanges(oldSize: number, size: number): Range[] {
  if (![oldSize, size].every(isCount) || oldSize > size) {
    throw new RangeError(`A tree of ${size} leaves continues none of ${oldSize}.`);
  }
  const ranges: Range[] = [];
  if (oldSize === 0) return ranges;
  let [begin, end] = [0, size];
  while (end !== oldSize) {
    const middle = begin + splitOf(end - begin);
    if (oldSize <= middle) {
      ranges.push([middle, end]);
      end = middle;
    } else {
      ranges.push([begin, middle]);
      begin = middle;
    }
  }
  // The verifier knows the hash of a range that starts at the first leaf: it is the old root.
  if (begin !== 0) ranges.push([begin, end]);
  return ranges.reverse();
}

/** Splits a range into complete subtrees, the largest and leftmost first. The range must begin at a split of the tree. */
export function subtreesOf([begin, end]: Range): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = begin; at < end; ) {
    const level = Math.floor(Math.log2(end - at));
    // The logarithm of a number just below a power of two may be rounded up.
    const fitting = 2 ** level > end - at ? level - 1 : level;
    subtrees.push({ level: fitting, index: at / 2 ** fitting });
    at += 2 ** fitting;
  }
  return subtrees;
}

/** Hashes neighbouring subtrees, given from the left, into one. Returns the empty root for no subtree. */
export function joinSubtrees(hashes: readonly Hash[]): Hash {
  return hashes.length === 0 ? emptyRoot : hashes.reduceRight((right, left) => hashNode(left, right));
}

export function isSameHash(a: Hash, b: Hash): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** Hashes a range of leaves that begins at a split of the tree. */
function hashRange(leaves: readonly Hash[], range: Range): Hash {
  return joinSubtrees(
    subtreesOf(range).map(({ level, index }) =>
      hashComplete(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
    ),
  );
}

/** Computes the root over a number of hashes that is a power of two. */
export function hashComplete(hashes: readonly Hash[]): Hash {
  let row = hashes;
  while (row.length > 1) {
    const next: Hash[] = [];
    for (let i = 0; i < row.length; i += 2) next.push(hashNode(row[i] as Hash, row[i + 1] as Hash));
    row = next;
  }
  return row[0] as Hash;
}

/** Returns the largest power of two below a size, which must exceed 1. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

const half = (value: number) => Math.floor(value / 2);
const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
const isPowerOfTwo = (value: number) => value === 1 || splitOf(value) * 2 === value;
/** The longest proof of a tree with 2^53 leaves, and the two hashes beside it. */
const maxHashes = 66;
const areHashes = (hashes: readonly Hash[]) =>
  hashes.length <= maxHashes && hashes.every((hash) => ArrayBuffer.isView(hash) && hash.length === 32);
