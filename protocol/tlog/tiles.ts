import { LogRejection } from "./errors.ts";
import {
  consistencyRanges,
  type Hash,
  hashComplete,
  inclusionRanges,
  joinSubtrees,
  type Range,
  type Subtree,
  subtreesOf,
} from "./merkle.ts";

/** Levels of the tree that a tile spans (c2sp.org/tlog-tiles). */
const tileHeight = 8;
/** The number of hashes in a full tile, and of entries in a full bundle. */
export const tileWidth = 256;
const hashBytes = 32;
/** The size of a full tile, in bytes. */
export const maxTileBytes = tileWidth * hashBytes;

/** A tile: `width` hashes of its level, of which the first has the number `index * 256`. */
export interface Tile {
  level: number;
  index: number;
  /** 1 to 256; 256 is a full tile. */
  width: number;
}

/** A bundle: `width` entries, of which the first has the number `index * 256`. */
export type Bundle = Pick<Tile, "index" | "width">;

/** Returns the bytes of a tile: `width` hashes of 32 bytes. */
export type ReadTile = (tile: Tile) => Uint8Array;

/** Returns a tile's path below the log's prefix: `tile/0/x001/234.p/5`. */
export function tilePath({ level, index, width }: Tile): string {
  return `tile/${level}/${indexPath(index, width)}`;
}

/** Returns the path of a bundle of entries below the log's prefix. */
export function entriesPath({ index, width }: Bundle): string {
  return `tile/entries/${indexPath(index, width)}`;
}

/** Parses a path below the log's prefix; null unless it is the canonical path of a tile. */
export function parseTilePath(path: string): Tile | (Bundle & { level: "entries" }) | null {
  const match =
    /^tile\/(entries|[0-9]{1,2})\/((?:x[0-9]{3}\/){0,5}[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/.exec(path);
  if (!match) return null;
  const [, name = "", digits = "", partial] = match;
  const index = Number(digits.replaceAll(/[x/]/g, ""));
  const width = partial === undefined ? tileWidth : Number(partial);
  if (!Number.isSafeInteger(index) || (partial !== undefined && width >= tileWidth)) return null;
  if (name === "entries")
    return entriesPath({ index, width }) === path ? { level: name, index, width } : null;
  const tile = { level: Number(name), index, width };
  return tile.level <= 63 && tilePath(tile) === path ? tile : null;
}

function indexPath(index: number, width: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/[0-9]{3}/g) ?? [];
  const path = groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join("/");
  return width === tileWidth ? path : `${path}.p/${width}`;
}

/** Returns the number of hashes that a tile has in a tree of a size; 0 if the tree has no such tile. */
export function widthOf(level: number, index: number, size: number): number {
  const hashes = Math.floor(size / tileWidth ** level) - index * tileWidth;
  return Math.max(0, Math.min(tileWidth, hashes));
}

/** Finds the tile that contains a complete subtree, and the hashes of the tile that the subtree spans. */
function locate({ level, index }: Subtree, size: number): { tile: Tile; first: number; count: number } {
  const tileLevel = Math.floor(level / tileHeight);
  const count = 2 ** (level % tileHeight);
  const first = index * count;
  const tileIndex = Math.floor(first / tileWidth);
  const tile = { level: tileLevel, index: tileIndex, width: widthOf(tileLevel, tileIndex, size) };
  return { tile, first: first % tileWidth, count };
}

/** Lists the tiles that contain the hashes of ranges, each once. */
export function tilesOf(ranges: readonly Range[], size: number): Tile[] {
  const tiles = new Map<string, Tile>();
  for (const range of ranges) {
    for (const subtree of subtreesOf(range)) {
      const { tile } = locate(subtree, size);
      tiles.set(tilePath(tile), tile);
    }
  }
  return [...tiles.values()];
}

/** Computes the hashes of ranges from the tiles of a tree. */
export function hashRanges(ranges: readonly Range[], size: number, read: ReadTile): Hash[] {
  return ranges.map((range) =>
    joinSubtrees(
      subtreesOf(range).map((subtree) => {
        const { tile, first, count } = locate(subtree, size);
        return hashComplete(splitTile(read(tile), tile.width, first, first + count));
      }),
    ),
  );
}

/** Lists the tiles that the root of a tree is computed from: the partial tile of each level. */
export const rootTiles = (size: number): Tile[] => tilesOf([[0, size]], size);
/** Lists the tiles that the inclusion proof of a leaf is computed from. */
export const inclusionTiles = (index: number, size: number): Tile[] =>
  tilesOf(inclusionRanges(index, size), size);
/** Lists the tiles that the consistency proof of an older size is computed from. */
export const consistencyTiles = (oldSize: number, size: number): Tile[] =>
  tilesOf(consistencyRanges(oldSize, size), size);

/** Computes the root of a tree from its `rootTiles`. */
export const rootFromTiles = (size: number, read: ReadTile): Hash =>
  hashRanges([[0, size]], size, read)[0] as Hash;
/** Computes the inclusion proof of a leaf from `inclusionTiles`. */
export const proveInclusion = (index: number, size: number, read: ReadTile): Hash[] =>
  hashRanges(inclusionRanges(index, size), size, read);
/** Computes the consistency proof of an older size from `consistencyTiles`. */
export const proveConsistency = (oldSize: number, size: number, read: ReadTile): Hash[] =>
  hashRanges(consistencyRanges(oldSize, size), size, read);

/** Splits a tile into its hashes, or those from `from` to `to`. Throws `wrong_tile` for another length. */
export function splitTile(bytes: Uint8Array, width: number, from = 0, to = width): Hash[] {
  if (bytes.length !== width * hashBytes) {
    throw new LogRejection("wrong_tile", `The tile has ${bytes.length} bytes, not ${width * hashBytes}.`);
  }
  return Array.from({ length: to - from }, (_, i) =>
    bytes.subarray((from + i) * hashBytes, (from + i + 1) * hashBytes),
  );
}

/** Joins the hashes of a tile. */
export function joinTile(hashes: readonly Hash[]): Uint8Array {
  const bytes = new Uint8Array(hashes.length * hashBytes);
  for (const [i, hash] of hashes.entries()) bytes.set(hash, i * hashBytes);
  return bytes;
}

/** Encodes a bundle: each entry follows its length, two bytes in big-endian order. */
export function encodeEntries(entries: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(entries.reduce((sum, entry) => sum + 2 + entry.length, 0));
  let at = 0;
  for (const entry of entries) {
    if (entry.length > 0xffff)
      throw new RangeError(`An entry has ${entry.length} bytes: a bundle allows 65,535.`);
    bytes.set([entry.length >> 8, entry.length & 0xff], at);
    bytes.set(entry, at + 2);
    at += 2 + entry.length;
  }
  return bytes;
}

/** Decodes a bundle. Throws `wrong_entries` unless it has exactly `width` entries. */
export function decodeEntries(bytes: Uint8Array, width: number): Uint8Array[] {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at + 2 <= bytes.length && entries.length < width) {
    const end = at + 2 + (((bytes[at] as number) << 8) | (bytes[at + 1] as number));
    if (end > bytes.length) break;
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  if (entries.length !== width || at !== bytes.length) {
    throw new LogRejection("wrong_entries", `The bundle does not have exactly ${width} entries.`);
  }
  return entries;
}
