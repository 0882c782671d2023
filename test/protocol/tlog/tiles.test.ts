import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { edgeTiles, growTree } from "../../../protocol/tlog/growth.ts";
import {
  consistencyProof,
  emptyRoot,
  hashLeaf,
  inclusionProof,
  rootOf,
} from "../../../protocol/tlog/merkle.ts";
import {
  consistencyTiles,
  decodeEntries,
  encodeEntries,
  entriesPath,
  inclusionTiles,
  parseTilePath,
  proveConsistency,
  proveInclusion,
  rootFromTiles,
  rootTiles,
  type Tile,
  tilePath,
  widthOf,
} from "../../../protocol/tlog/tiles.ts";

const leaves = Array.from({ length: 66_000 }, (_, i) => hashLeaf(Uint8Array.of(i >> 16, i >> 8, i)));

/** All tiles that a log ever served, by path, grown in steps. */
function grow(sizes: readonly number[]) {
  const served = new Map<string, Uint8Array>();
  const read = (tile: Tile) => served.get(tilePath(tile)) ?? expect.fail(`no ${tilePath(tile)}`);
  let [size, root] = [0, emptyRoot];
  for (const next of sizes) {
    const grown = growTree(size, leaves.slice(size, next), read);
    for (const tile of grown.tiles) served.set(tilePath(tile), tile.bytes);
    ({ size, root } = grown);
  }
  return { served, read, size, root };
}

describe("tiles' paths", () => {
  test("are those of the standard", () => {
    expect(tilePath({ level: 0, index: 1_234_067, width: 256 })).toBe("tile/0/x001/x234/067");
    expect(tilePath({ level: 3, index: 0, width: 17 })).toBe("tile/3/000.p/17");
    expect(entriesPath({ index: 1000, width: 1 })).toBe("tile/entries/x001/000.p/1");
  });

  test("are read in their only form", () => {
    fc.assert(
      fc.property(fc.nat(63), fc.nat(2 ** 45), fc.integer({ min: 1, max: 256 }), (level, index, width) => {
        expect(parseTilePath(tilePath({ level, index, width }))).toEqual({ level, index, width });
        expect(parseTilePath(entriesPath({ index, width }))).toEqual({ level: "entries", index, width });
      }),
    );
    for (const path of [
      "",
      "/tile/0/000",
      "tile/0/0",
      "tile/00/000",
      "tile/64/000",
      "tile/-1/000",
      "tile/0/x000/001",
      "tile/0/001/x001",
      "tile/0/x001",
      "tile/0/000.p/0",
      "tile/0/000.p/256",
      "tile/0/000.p/01",
      "tile/0/000.p/",
      "tile/0/000/",
      "tile/0/000\n",
      "tile/data/000",
      "tile/entries/x9/000",
      "tile/0/x999/x999/x999/x999/x999/999",
      "tile/0/../000",
    ]) {
      expect([path, parseTilePath(path)]).toEqual([path, null]);
    }
  });
});

test("a tree of 70,000 entries has the tiles that the standard counts", () => {
  expect(edgeTiles(70_000)).toEqual([
    { level: 0, index: 273, width: 112 },
    { level: 1, index: 1, width: 17 },
    { level: 2, index: 0, width: 1 },
  ]);
  expect(edgeTiles(256)).toEqual([{ level: 1, index: 0, width: 1 }]);
  expect(edgeTiles(0)).toEqual([]);
  expect([widthOf(0, 272, 70_000), widthOf(0, 273, 70_000), widthOf(0, 274, 70_000)]).toEqual([256, 112, 0]);
});

test("a tree that grows in any steps has the root and the proofs of the whole list", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 8 }),
      fc.nat(),
      fc.nat(),
      (steps, one, other) => {
        const { served, read, size, root } = grow(steps.sort((a, b) => a - b));
        const list = leaves.slice(0, size);
        expect(root).toEqual(rootOf(list));
        const readOnly = (tiles: Tile[]) => {
          const paths = tiles.map(tilePath);
          return (tile: Tile) => (paths.includes(tilePath(tile)) ? read(tile) : expect.fail("not listed"));
        };
        expect(rootFromTiles(size, readOnly(rootTiles(size)))).toEqual(root);
        const index = one % size;
        const inclusion = proveInclusion(index, size, readOnly(inclusionTiles(index, size)));
        expect(inclusion).toEqual(inclusionProof(list, index));
        const old = (other % size) + 1;
        const consistency = proveConsistency(old, size, readOnly(consistencyTiles(old, size)));
        expect(consistency).toEqual(consistencyProof(list, old));
        // The partial tiles of every step stay unchanged.
        for (const step of steps) {
          for (const tile of edgeTiles(step)) expect(served.has(tilePath(tile))).toBe(true);
          expect(rootFromTiles(step, read)).toEqual(rootOf(list.slice(0, step)));
        }
      },
    ),
    { numRuns: 15 },
  );
});

test("a tree of three levels of tiles grows past their ends", () => {
  const { read, root, size } = grow([255, 256, 257, 65_535, 65_536, 65_537, 66_000]);
  expect(root).toEqual(rootOf(leaves));
  for (const index of [255, 65_535, 65_999]) {
    expect(proveInclusion(index, size, read)).toEqual(inclusionProof(leaves, index));
    expect(proveConsistency(index + 1, size, read)).toEqual(consistencyProof(leaves, index + 1));
  }
  expect(rootFromTiles(65_536, read)).toEqual(rootOf(leaves.slice(0, 65_536)));
});

test("a tile that is too short or too long is refused", () => {
  const read = () => new Uint8Array(31);
  expect(() => rootFromTiles(5, read)).toThrow(expect.objectContaining({ code: "wrong_tile" }));
  expect(() => growTree(5, leaves.slice(0, 1), read)).toThrow(
    expect.objectContaining({ code: "wrong_tile" }),
  );
});

describe("a bundle of entries", () => {
  test("is read as it was written", () => {
    const entry = fc.uint8Array({ maxLength: 600 });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 256 }), (entries) => {
        expect(decodeEntries(encodeEntries(entries), entries.length).map(String)).toEqual(
          entries.map(String),
        );
      }),
      { numRuns: 30 },
    );
    const longest = new Uint8Array(65_535);
    expect(decodeEntries(encodeEntries([longest]), 1)).toEqual([longest]);
    expect(() => encodeEntries([new Uint8Array(65_536)])).toThrow(RangeError);
  });

  test("is refused with fewer entries, more, trailing bytes, or a length beyond its end", () => {
    const bytes = encodeEntries([Uint8Array.of(1, 2), Uint8Array.of()]);
    expect(decodeEntries(bytes, 2)).toHaveLength(2);
    for (const [other, width] of [
      [bytes, 1],
      [bytes, 3],
      [bytes.subarray(0, 3), 1],
      [bytes.subarray(0, 5), 2],
      [new Uint8Array([...bytes, 0]), 2],
      [Uint8Array.of(255, 255), 1],
      [new Uint8Array(), 1],
    ] as const) {
      expect(() => decodeEntries(other, width)).toThrow(expect.objectContaining({ code: "wrong_entries" }));
    }
  });
});
