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

/** How many levels of the tree a tile spans (c2sp.org/tlog-tiles). */
const tileHeight = 8;
/** The hashes of a full tile, and the entries of a full bundle. */
export const tileWidth = 256;
const hashBytes = 32;
/** The bytes of a full tile. */
export const maxTileBytes = tileWidth * hashBytes;

/** A tile of hashes: `width` of them, from the `index * 256`th of the tile's level on. */
export interface Tile {
  level: number;
  index: number;
  /** 1 to 256; 256 is a full tile. */
  width: number;
}

/** A bundle of entries: `width` of them, from the `index * 256`th on. */
export type Bundle = Pick<Tile, "index" | "width">;

/** Gives the bytes of a tile: `width` hashes of 32 bytes. */
export type ReadTile = (tile: Tile) => Uint8Array;

/** Returns a tile's path below the log's prefix: `tile/0/x001/234.p/5`. */
export function tilePath({ level, index, width }: Tile): string {
  return `tile/${level}/${indexPath(index, width)}`;
}

/** Returns the path of a bundle of entries below the log's prefix. */
export function entriesPath({ index, width }: Bundle): string {
  return `tile/entries/${indexPath(index, width)}`;
}

/** Parses a path below the log's prefix; null if it names no tile in its only form. */
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

/** How many hashes a tile has in a tree of a size: 0 where there is no such tile. */
export function widthOf(level: number, index: number, size: number): number {
  const hashes = Math.floor(size / tileWidth ** level) - index * tileWidth;
  return Math.max(0, Math.min(tileWidth, hashes));
}

/** The tile that has the hash of a complete subtree within it, in a tree of a size, and which of its hashes that spans. */
function locate({ level, index }: Subtree, size: number): { tile: Tile; first: number; count: number } {
  const tileLevel = Math.floor(level / tileHeight);
  const count = 2 ** (level % tileHeight);
  const first = index * count;
  const tileIndex = Math.floor(first / tileWidth);
  const tile = { level: tileLevel, index: tileIndex, width: widthOf(tileLevel, tileIndex, size) };
  return { tile, first: first % tileWidth, count };
}

/** The tiles that the hashes of ranges are in, each once. */
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

/** The hashes of ranges, read from the tiles of a tree of a size. */
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

/** The tiles that the root of a tree of a size is computed from: the last of each level that is not full. */
export const rootTiles = (size: number): Tile[] => tilesOf([[0, size]], size);
/** The tiles that the proof of a leaf's inclusion is computed from. */
export const inclusionTiles = (index: number, size: number): Tile[] =>
  tilesOf(inclusionRanges(index, size), size);
/** The tiles that the proof of a tree's consistency with an older one is computed from. */
export const consistencyTiles = (oldSize: number, size: number): Tile[] =>
  tilesOf(consistencyRanges(oldSize, size), size);

/** The root of a tree of a size, from `rootTiles`. */
export const rootFromTiles = (size: number, read: ReadTile): Hash =>
  hashRanges([[0, size]], size, read)[0] as Hash;
/** The proof of a leaf's inclusion, from `inclusionTiles`. */
export const proveInclusion = (index: number, size: number, read: ReadTile): Hash[] =>
  hashRanges(inclusionRanges(index, size), size, read);
/** The proof of a tree's consistency with an older one, from `consistencyTiles`. */
export const proveConsistency = (oldSize: number, size: number, read: ReadTile): Hash[] =>
  hashRanges(consistencyRanges(oldSize, size), size, read);

/** A tile's hashes, or some of them. Throws `wrong_tile` unless its bytes are so many. */
export function splitTile(bytes: Uint8Array, width: number, from = 0, to = width): Hash[] {
  if (bytes.length !== width * hashBytes) {
    throw new LogRejection("wrong_tile", `It has ${bytes.length} bytes, not ${width * hashBytes}.`);
  }
  return Array.from({ length: to - from }, (_, i) =>
    bytes.subarray((from + i) * hashBytes, (from + i + 1) * hashBytes),
  );
}

/** A tile's bytes. */
export function joinTile(hashes: readonly Hash[]): Uint8Array {
  const bytes = new Uint8Array(hashes.length * hashBytes);
  for (const [i, hash] of hashes.entries()) bytes.set(hash, i * hashBytes);
  return bytes;
}

/** A bundle's bytes: each entry after its length, two bytes with the higher first. */
export function encodeEntries(entries: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(entries.reduce((sum, entry) => sum + 2 + entry.length, 0));
  let at = 0;
  for (const entry of entries) {
    if (entry.length > 0xffff) throw new RangeError(`An entry of ${entry.length} bytes fits no bundle.`);
    bytes.set([entry.length >> 8, entry.length & 0xff], at);
    bytes.set(entry, at + 2);
    at += 2 + entry.length;
  }
  return bytes;
}

/** A bundle's entries. Throws `wrong_entries` unless there are exactly so many. */
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
    throw new LogRejection("wrong_entries", `It does not hold ${width} entries.`);
  }
  return entries;
}
