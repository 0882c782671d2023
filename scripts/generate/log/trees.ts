import { base64 } from "@scure/base";
import { signCheckpoint } from "../../../protocol/tlog/checkpoint.ts";
import { edgeTiles, growTree } from "../../../protocol/tlog/growth.ts";
import {
  consistencyProof,
  emptyRoot,
  hashLeaf,
  inclusionProof,
  rootOf,
} from "../../../protocol/tlog/merkle.ts";
import { encodeEntries, entriesPath, tilePath, tileWidth } from "../../../protocol/tlog/tiles.ts";
import { type Answer, type Case, log, refused, utf8 } from "./log-inputs.ts";

export function treeCases(): Case[] {
  const many = Array.from({ length: 40 }, (_, i) => hashLeaf(utf8(String(i))));
  const encode = (hashes: readonly Uint8Array[]) => hashes.map((hash) => base64.encode(hash));
  const inclusions = (
    [
      [0, 1],
      [0, 8],
      [5, 8],
      [2, 3],
      [6, 7],
      [32, 33],
      [39, 40],
    ] as const
  ).flatMap(([index, size]) => {
    const list = many.slice(0, size);
    const proof = encode(inclusionProof(list, index));
    const root = base64.encode(rootOf(list));
    const make = (name: string, index: number, hashes: string[], expected: Answer): Case => ({
      kind: "inclusion",
      name,
      hash: base64.encode(many[Math.min(index, 39)] ?? emptyRoot),
      index,
      size,
      root,
      hashes,
      expected,
    });
    return [
      make(`${index} of ${size}`, index, proof, { valid: true }),
      make(`${index} of ${size}, with a hash more`, index, [...proof, root], refused("not_included")),
      make(`${size} of ${size}`, size, proof, refused("not_included")),
      ...(proof.length === 0
        ? []
        : [make(`${index} of ${size}, with a hash less`, index, proof.slice(1), refused("not_included"))]),
    ];
  });
  const consistencies = (
    [
      [0, 5],
      [1, 1],
      [1, 8],
      [6, 8],
      [2, 5],
      [4, 7],
      [7, 7],
      [32, 40],
      [33, 40],
    ] as const
  ).flatMap(([oldSize, size]) => {
    const proof = encode(consistencyProof(many.slice(0, size), oldSize));
    const rootOfFirst = (count: number) => base64.encode(rootOf(many.slice(0, count)));
    const make = (name: string, oldRoot: string, hashes: string[], expected: Answer): Case => ({
      kind: "consistency",
      name,
      old_size: oldSize,
      old_root: oldRoot,
      size,
      root: rootOfFirst(size),
      hashes,
      expected,
    });
    const name = `${size} after ${oldSize}`;
    return [
      make(name, rootOfFirst(oldSize), proof, { valid: true }),
      make(
        `${name}, with a hash more`,
        rootOfFirst(oldSize),
        [...proof, rootOfFirst(size)],
        refused("not_consistent"),
      ),
      make(`${name}, another old root`, rootOfFirst(oldSize + 1), proof, refused("not_consistent")),
      ...(proof.length === 0
        ? []
        : [
            make(
              `${name}, with a hash less`,
              rootOfFirst(oldSize),
              proof.slice(1),
              refused("not_consistent"),
            ),
          ]),
    ];
  });
  return [...inclusions, ...consistencies];
}

/** A forked log: after 300 entries it served two different trees to two clients. */
export function stories() {
  const serveLog = (story: string) => {
    const served: Record<string, string> = {};
    const bytes = Array.from({ length: 520 }, (_, i) => utf8(i < 300 ? String(i) : `${story}${i}`));
    const tiles = new Map<string, Uint8Array>();
    const checkpoints: Record<string, string> = {};
    let size = 0;
    for (const next of [300, 520]) {
      const grown = growTree(
        size,
        bytes.slice(size, next).map(hashLeaf),
        (tile) => tiles.get(tilePath(tile)) ?? new Uint8Array(),
      );
      size = next;
      checkpoints[next] = signCheckpoint(grown, log);
      for (const tile of grown.tiles) tiles.set(tilePath(tile), tile.bytes);
      for (const { index, width } of edgeTiles(next).filter(({ level }) => level === 0)) {
        served[entriesPath({ index, width })] = base64.encode(
          encodeEntries(bytes.slice(index * tileWidth, next)),
        );
      }
    }
    for (let index = 0; index < 2; index++) {
      const full = bytes.slice(index * tileWidth, (index + 1) * tileWidth);
      served[entriesPath({ index, width: tileWidth })] = base64.encode(encodeEntries(full));
    }
    for (const [path, tile] of tiles) served[path] = base64.encode(tile);
    return { served, checkpoints };
  };
  return { one: serveLog("one "), other: serveLog("other ") };
}

export function memoryCases({ one, other }: ReturnType<typeof stories>): Case[] {
  const make = (
    name: string,
    remembered: string | undefined,
    given: string | undefined,
    newest: boolean,
    story: string,
    expected: Answer,
  ): Case => ({
    kind: "memory",
    name,
    remembered: remembered ?? null,
    given,
    newest,
    /** The name of the tree in `stories` whose tiles are served. */
    story,
    trust: "vkey",
    expected,
  });
  const [first, ours, theirs] = [one.checkpoints[300], one.checkpoints[520], other.checkpoints[520]];
  return [
    make("nothing was remembered", undefined, first, true, "one", { valid: true, seen: "nothing" }),
    make("the same tree", first, first, true, "one", { valid: true, seen: "same" }),
    make("the tree grew", first, ours, true, "one", { valid: true, seen: "smaller" }),
    make("a proof's older checkpoint", ours, first, false, "one", { valid: true, seen: "larger" }),
    make("the newest is an older one", ours, first, true, "one", refused("rolled_back")),
    make("two trees of one size", ours, theirs, true, "one", refused("forked")),
    make("tiles of another story", first, theirs, true, "one", refused("wrong_tile")),
    make("no tiles", first, ours, true, "none", refused("tile_unavailable")),
  ];
}
