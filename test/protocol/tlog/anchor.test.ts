import { encodeAbiParameters, encodeEventTopics, type Hex, pad, toEventSelector, toHex } from "viem";
import { expect, test } from "vitest";
import { anchorsAbi } from "../../../abis/anchors.ts";
import { anchoredTopic, type ChainLog, readAnchor, verifyAnchor } from "../../../protocol/tlog/anchor.ts";
import { consistencyProof, type Hash, hashLeaf, rootOf } from "../../../protocol/tlog/merkle.ts";

const contract = "0x52908400098527886E0F7030069857D2E4169EE7";
const publisher = "0x8617E340B3D01FA5F11F306F4090FD50E238070D";
const leaves = Array.from({ length: 9 }, (_, n) => hashLeaf(Uint8Array.of(n)));
const treeOf = (size: number) => ({ size, root: rootOf(leaves.slice(0, size)) });
const proofOf = (older: number, newer: number) => consistencyProof(leaves.slice(0, newer), older);

/** The event as the contract emits it, encoded by viem from the contract's ABI. */
function eventOf(tree: { size: number | bigint; root: Hash }, fields: Partial<ChainLog> = {}): ChainLog {
  const topics = encodeEventTopics({ abi: anchorsAbi, eventName: "Anchored", args: { publisher } });
  const data = encodeAbiParameters(
    [{ type: "uint64" }, { type: "bytes32" }],
    [BigInt(tree.size), toHex(tree.root)],
  );
  return { address: contract, topics: topics as string[], data, ...fields };
}
const verify = (log: ChainLog, tree: { size: number; root: Hash }, proof: readonly Hash[]) =>
  verifyAnchor(log, { contract, publisher }, tree, proof);
const refused = (code: string) => expect.objectContaining({ valid: false, code });

test("the event's topic is the contract's", () => {
  expect(anchoredTopic).toBe(toEventSelector(anchorsAbi[1]));
});

test("an anchor is valid for every checkpoint that its tree continues, or that continues it", () => {
  for (let anchored = 0; anchored <= leaves.length; anchored++) {
    for (let size = 0; size <= leaves.length; size++) {
      const proof = proofOf(Math.min(anchored, size), Math.max(anchored, size));
      expect(verify(eventOf(treeOf(anchored)), treeOf(size), proof)).toEqual({
        valid: true,
        anchor: {
          contract: contract.toLowerCase(),
          publisher: publisher.toLowerCase(),
          ...treeOf(anchored),
        },
      });
    }
  }
});

test("another tree of the checkpoint's size is reported as a fork; of another size it has no proof", () => {
  const other = { size: 5, root: hashLeaf(Uint8Array.of(99)) };
  expect(verify(eventOf(other), treeOf(5), [])).toEqual(refused("anchored_otherwise"));
  expect(verify(eventOf(other), treeOf(9), proofOf(5, 9))).toEqual(refused("not_consistent"));
  expect(verify(eventOf(treeOf(9)), other, proofOf(5, 9))).toEqual(refused("not_consistent"));
  expect(verify(eventOf(treeOf(5)), treeOf(9), [])).toEqual(refused("not_consistent"));
});

test("an anchor of another publisher or by another contract does not count", () => {
  const [topic] = eventOf(treeOf(5)).topics as [Hex];
  const outsider = eventOf(treeOf(5), { topics: [topic, pad("0x01")] });
  expect(verify(outsider, treeOf(5), [])).toEqual(refused("foreign_anchor"));
  const elsewhere = eventOf(treeOf(5), { address: publisher });
  expect(verify(elsewhere, treeOf(5), [])).toEqual(refused("foreign_anchor"));
});

test("any change of a byte makes the event invalid", () => {
  const good = eventOf(treeOf(5));
  const [topic, who] = good.topics as [Hex, Hex];
  for (const bad of [
    { ...good, data: `${good.data}00` },
    { ...good, data: good.data.slice(0, -2) },
    { ...good, data: good.data.replace(/^0x00/, "0x01") },
    { ...good, data: `${good.data.slice(0, -1)}g` },
    { ...good, topics: [topic] },
    { ...good, topics: [topic, who, who] },
    { ...good, topics: [who, who] },
    { ...good, topics: [topic, who.replace(/^0x00/, "0x01")] },
    { ...good, address: "0x" },
    null,
    {},
    { topics: "x", data: 1, address: [] },
  ]) {
    expect(verify(bad as ChainLog, treeOf(5), [])).toEqual(refused("malformed"));
  }
  const huge = eventOf({ size: 2n ** 53n, root: treeOf(5).root });
  expect(verify(huge, treeOf(5), [])).toEqual(refused("size_too_large"));
  expect(readAnchor(eventOf({ size: 2n ** 53n - 1n, root: treeOf(5).root })).size).toBe(2 ** 53 - 1);
});
