import { type Hash, hashComplete } from "./merkle.ts";
import {
  joinTile,
  type ReadTile,
  rootFromTiles,
  splitTile,
  type Tile,
  tilePath,
  tileWidth,
  widthOf,
} from "./tiles.ts";

/** A tile with its hashes. */
export interface FilledTile extends Tile {
  bytes: Uint8Array;
}

/** Lists the partial tile at the end of each level. A tree needs no other tile to grow. */
export function edgeTiles(size: number): Tile[] {
  const tiles: Tile[] = [];
  for (let level = 0; tileWidth ** level <= size; level++) {
    const index = Math.floor(size / tileWidth ** (level + 1));
    const width = widthOf(level, index, size);
    if (width > 0) tiles.push({ level, index, width });
  }
  return tiles;
}

/**
 * Appends the hashes of leaves to a tree. `read` returns the `edgeTiles` of the tree.
 *
 * @returns the new and the lengthened tiles, full and partial, and the root of the grown tree
 */
export function growTree(
  size: number,
  leaves: readonly Hash[],
  read: ReadTile,
): { size: number; root: Hash; tiles: FilledTile[] } {
  const grown = size + leaves.length;
  const before = new Map(edgeTiles(size).map((tile) => [tile.level, read(tile)]));
  const tiles: FilledTile[] = [];
  let rising = leaves;
  for (let level = 0; rising.length > 0; level++) {
    const old = before.get(level);
    const row = [...(old ? splitTile(old, old.length / 32) : []), ...rising];
    const first = Math.floor(size / tileWidth ** (level + 1));
    const full: Hash[] = [];
    for (let at = 0; at < row.length; at += tileWidth) {
      const hashes = row.slice(at, at + tileWidth);
      const index = first + at / tileWidth;
      tiles.push({ level, index, width: hashes.length, bytes: joinTile(hashes) });
      if (hashes.length === tileWidth) full.push(hashComplete(hashes));
    }
    rising = full;
  }
  // A level that did not grow is a part of the root, too.
  const all = new Map(tiles.map((tile) => [tilePath(tile), tile.bytes]));
  const root = rootFromTiles(
    grown,
    (tile) => all.get(tilePath(tile)) ?? before.get(tile.level) ?? new Uint8Array(),
  );
  return { size: grown, root, tiles };
}
