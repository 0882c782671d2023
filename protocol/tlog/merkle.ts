import { sha256 } from "@noble/hashes/sha2.js";

/** A SHA-256, 32 bytes. */
export type Hash = Uint8Array;

/** Leaves from `begin` on and before `end`. */
export type Range = readonly [begin: number, end: number];

/** The subtree over the 2^level leaves from index * 2^level on. */
export interface Subtree {
  level: number;
  index: number;
}

/** The root of a tree without leaves (RFC 6962, section 2.1). */
export const emptyRoot: Hash = sha256(new Uint8Array());

/** The hash of a leaf. */
export function hashLeaf(entry: Uint8Array): Hash {
  return sha256.create().update(Uint8Array.of(0)).update(entry).digest();
}

/** The hash of an inner node. */
export function hashNode(left: Hash, right: Hash): Hash {
  return sha256.create().update(Uint8Array.of(1)).update(left).update(right).digest();
}

/** The root over leaves' hashes. */
export function rootOf(leaves: readonly Hash[]): Hash {
  return hashRange(leaves, [0, leaves.length]);
}

/** The proof that a leaf is in the tree over these leaves' hashes: from the leaf's sibling to the root's child. */
export function inclusionProof(leaves: readonly Hash[], index: number): Hash[] {
  return inclusionRanges(index, leaves.length).map((range) => hashRange(leaves, range));
}

/** The proof that the tree over these leaves' hashes continues the one over the first `oldSize` of them. */
export function consistencyProof(leaves: readonly Hash[], oldSize: number): Hash[] {
  return consistencyRanges(oldSize, leaves.length).map((range) => hashRange(leaves, range));
}

/** Whether a proof leads from a leaf's hash at an index to the root of a tree of a size (RFC 9162, section 2.1.3.2). */
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
    // The last of an uneven row goes up unpaired.
    if (!isRight && at === last) while (at !== 0 && at % 2 === 0) [at, last] = [half(at), half(last)];
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && isSameHash(computed, root);
}

/** Whether a proof shows that a tree continues an older one (RFC 9162, section 2.1.4.2). */
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

/** The ranges whose hashes prove a leaf's inclusion, in the proof's order. */
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

/** The ranges whose hashes prove that a tree continues one of an older size, in the proof's order. */
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
  // The old root already contains the hash of a range from the first leaf on.
  if (begin !== 0) ranges.push([begin, end]);
  return ranges.reverse();
}

/** The complete subtrees of a range that begins where a tree splits, from the largest, which is the leftmost, on. */
export function subtreesOf([begin, end]: Range): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = begin; at < end; ) {
    const level = Math.floor(Math.log2(end - at));
    // The logarithm of a number right below a power of two may be rounded up.
    const fitting = 2 ** level > end - at ? level - 1 : level;
    subtrees.push({ level: fitting, index: at / 2 ** fitting });
    at += 2 ** fitting;
  }
  return subtrees;
}

/** The hash over neighbouring subtrees, given from the left; of none, the empty tree's. */
export function joinSubtrees(hashes: readonly Hash[]): Hash {
  return hashes.length === 0 ? emptyRoot : hashes.reduceRight((right, left) => hashNode(left, right));
}

/** Whether two hashes are the same. */
export function isSameHash(one: Hash, other: Hash): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}

/** The hash over a range of leaves that begins where a tree splits. */
function hashRange(leaves: readonly Hash[], range: Range): Hash {
  return joinSubtrees(
    subtreesOf(range).map(({ level, index }) =>
      hashComplete(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)),
    ),
  );
}

/** The root over a power of two of hashes. */
export function hashComplete(hashes: readonly Hash[]): Hash {
  let row = hashes;
  while (row.length > 1) {
    const next: Hash[] = [];
    for (let i = 0; i < row.length; i += 2) next.push(hashNode(row[i] as Hash, row[i + 1] as Hash));
    row = next;
  }
  return row[0] as Hash;
}

/** The largest power of two below a size of more than one. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

const half = (value: number) => Math.floor(value / 2);
const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
const isPowerOfTwo = (value: number) => value === 1 || splitOf(value) * 2 === value;
/** No tree of 2^53 leaves has longer proofs, which come with two more hashes. */
const maxHashes = 66;
const areHashes = (hashes: readonly Hash[]) =>
  hashes.length <= maxHashes && hashes.every((hash) => ArrayBuffer.isView(hash) && hash.length === 32);
