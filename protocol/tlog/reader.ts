import { LRUCache } from "lru-cache";
import type { Checkpoint } from "./checkpoint.ts";
import { maxEntryBytes } from "./entry.ts";
import { LogRejection } from "./errors.ts";
import type { FetchBytes } from "./fetch.ts";
import { edgeTiles } from "./growth.ts";
import {
  consistencyRanges,
  type Hash,
  hashComplete,
  hashLeaf,
  inclusionRanges,
  isSameHash,
  type Range,
} from "./merkle.ts";
import {
  decodeEntries,
  entriesPath,
  hashRanges,
  maxTileBytes,
  rootFromTiles,
  splitTile,
  type Tile,
  tilePath,
  tilesOf,
  tileWidth,
  widthOf,
} from "./tiles.ts";

/** Cached tiles, of 8 kB each: enough for any proof, and to read all entries in order. */
const cachedTiles = 64;

/**
 * Reads the tree of one checkpoint from its tiles. Each tile is verified against the checkpoint's root before it is used,
 * so all results are as trustworthy as the checkpoint. The methods throw a `LogRejection`: `tile_unavailable`,
 * `wrong_tile` or `wrong_entries`. The use of memory does not depend on the size of the log.
 */
export class LogReader {
  readonly size: number;
  readonly #root: Hash;
  readonly #fetch: FetchBytes;
  /** Verified tiles by their paths. */
  readonly #trusted = new LRUCache<string, Uint8Array>({ max: cachedTiles });
  #edge: Promise<Map<string, Uint8Array>> | undefined;

  constructor({ size, root }: Pick<Checkpoint, "size" | "root">, fetch: FetchBytes) {
    this.size = size;
    this.#root = root;
    this.#fetch = async (path, maxBytes) => {
      try {
        return await fetch(path, maxBytes);
      } catch (error) {
        if (error instanceof LogRejection) throw error;
        throw new LogRejection(
          "tile_unavailable",
          `${path}: ${error instanceof Error ? error.message : error}.`,
        );
      }
    };
  }

  /** Returns the root of the tree's first `size` leaves. */
  async rootAt(size: number): Promise<Hash> {
    if (size > this.size) throw new RangeError(`The tree has ${this.size} leaves, not ${size}.`);
    const [root] = await this.#hash([[0, size]]);
    return root as Hash;
  }

  /** Returns the inclusion proof of a leaf. */
  proveInclusion(index: number): Promise<Hash[]> {
    return this.#hash(inclusionRanges(index, this.size));
  }

  /** Returns the consistency proof of an older size of the tree. */
  proveConsistency(oldSize: number): Promise<Hash[]> {
    return this.#hash(consistencyRanges(oldSize, this.size));
  }

  /** Returns the bytes of an entry. */
  async readEntry(index: number): Promise<Uint8Array> {
    if (!(index >= 0 && index < this.size)) throw new RangeError(`The tree has no leaf ${index}.`);
    return (await this.#readBundle(Math.floor(index / tileWidth)))[index % tileWidth] as Uint8Array;
  }

  /** Yields the entries from index `from` to `to`, without `to`, in bundles of at most 256. */
  async *entries(from = 0, to = this.size): AsyncGenerator<{ index: number; entry: Uint8Array }[]> {
    const end = Math.min(to, this.size);
    for (let at = from; at < end; ) {
      const bundle = Math.floor(at / tileWidth);
      const first = bundle * tileWidth;
      const entries = await this.#readBundle(bundle);
      const selected = entries.slice(at - first, end - first);
      const begin = at;
      yield selected.map((entry, i) => ({ index: begin + i, entry }));
      at += selected.length;
    }
  }

  async #readBundle(index: number): Promise<Uint8Array[]> {
    const width = widthOf(0, index, this.size);
    const tile = this.#readTile({ level: 0, index, width });
    // The second promise must not become an unhandled rejection while the first is awaited.
    tile.catch(() => {});
    const maxBytes = tileWidth * (2 + maxEntryBytes);
    const bytes = await this.#fetchWhole((each) => entriesPath({ index, width: each }), width, maxBytes);
    const leaves = splitTile(await tile, width);
    // A full bundle that replaced a partial one has further entries.
    const entries = decodeEntries(bytes.bytes, bytes.width).slice(0, width);
    const wrong = entries.findIndex((entry, i) => !isSameHash(hashLeaf(entry), leaves[i] as Hash));
    if (wrong !== -1)
      throw new LogRejection("wrong_entries", `The first wrong entry is ${index * tileWidth + wrong}.`);
    return entries;
  }

  async #hash(ranges: readonly Range[]): Promise<Hash[]> {
    const tiles = new Map<string, Uint8Array>();
    await Promise.all(
      tilesOf(ranges, this.size).map(async (tile) => tiles.set(tilePath(tile), await this.#readTile(tile))),
    );
    return hashRanges(ranges, this.size, (tile) => tiles.get(tilePath(tile)) as Uint8Array);
  }

  /** Reads and verifies a tile: a tile of the edge, or a full tile whose hash is in its parent tile. */
  async #readTile(tile: Tile): Promise<Uint8Array> {
    const path = tilePath(tile);
    const edge = await this.#readEdge();
    const known = edge.get(path) ?? this.#trusted.get(path);
    if (known) return known;
    const index = Math.floor(tile.index / tileWidth);
    const width = widthOf(tile.level + 1, index, this.size);
    const [bytes, parent] = [
      await this.#fetch(path, maxTileBytes),
      await this.#readTile({ level: tile.level + 1, index, width }),
    ];
    const hash = hashComplete(splitTile(bytes, tile.width));
    const expected = splitTile(parent, width)[tile.index % tileWidth];
    if (!expected || !isSameHash(hash, expected))
      throw new LogRejection("wrong_tile", `The tile is ${path}.`);
    this.#trusted.set(path, bytes);
    return bytes;
  }

  /** Reads the tiles that the root is computed from, and verifies them against it. */
  #readEdge(): Promise<Map<string, Uint8Array>> {
    this.#edge ??= this.#fetchEdge();
    // The next call tries again after a failure.
    this.#edge.catch(() => {
      this.#edge = undefined;
    });
    return this.#edge;
  }

  async #fetchEdge(): Promise<Map<string, Uint8Array>> {
    const tiles = edgeTiles(this.size);
    const fetched = await Promise.all(
      tiles.map(async (tile) => {
        const pathOf = (width: number) => tilePath({ ...tile, width });
        const { bytes } = await this.#fetchWhole(pathOf, tile.width, maxTileBytes);
        return bytes.subarray(0, tile.width * 32);
      }),
    );
    const edge = new Map(tiles.map((tile, i) => [tilePath(tile), fetched[i] as Uint8Array]));
    const root = rootFromTiles(this.size, (tile) => edge.get(tilePath(tile)) as Uint8Array);
    if (!isSameHash(root, this.#root)) {
      throw new LogRejection(
        "wrong_tile",
        `The last tiles of the tree of ${this.size} entries have another root.`,
      );
    }
    return edge;
  }

  /** Fetches a partial tile, or the full tile that replaced it: a log may delete partial tiles. */
  async #fetchWhole(pathOf: (width: number) => string, width: number, maxBytes: number) {
    try {
      return { bytes: await this.#fetch(pathOf(width), maxBytes), width };
    } catch (error) {
      if (width === tileWidth) throw error;
      const bytes = await this.#fetch(pathOf(tileWidth), maxBytes).catch(() => {
        throw error;
      });
      return { bytes, width: tileWidth };
    }
  }
}
