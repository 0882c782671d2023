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

/** Tiles that are kept, at 8 kB each: enough for any proof, and for a walk over all entries. */
const tilesKept = 64;

/**
 * Reads the tree of one checkpoint from its tiles, and believes none of them before it was shown to lead to the
 * checkpoint's root. All that it gives is therefore as true as the checkpoint. Its functions throw a `LogRejection`:
 * `tile_unavailable`, `wrong_tile` or `wrong_entries`. Memory is bounded, whatever the log's size.
 */
export class LogReader {
  readonly size: number;
  readonly #root: Hash;
  readonly #fetch: FetchBytes;
  /** By their paths. */
  readonly #trusted = new LRUCache<string, Uint8Array>({ max: tilesKept });
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

  /** The root that the tree had when it was of a size. */
  async rootAt(size: number): Promise<Hash> {
    if (size > this.size) throw new RangeError(`The tree has ${this.size} leaves, not ${size}.`);
    const [root] = await this.#hash([[0, size]]);
    return root as Hash;
  }

  /** The proof that a leaf is in the tree. */
  proveInclusion(index: number): Promise<Hash[]> {
    return this.#hash(inclusionRanges(index, this.size));
  }

  /** The proof that the tree continues its older self. */
  proveConsistency(oldSize: number): Promise<Hash[]> {
    return this.#hash(consistencyRanges(oldSize, this.size));
  }

  /** The bytes of one entry. */
  async readEntry(index: number): Promise<Uint8Array> {
    if (!(index >= 0 && index < this.size)) throw new RangeError(`The tree has no leaf ${index}.`);
    return (await this.#readBundle(Math.floor(index / tileWidth)))[index % tileWidth] as Uint8Array;
  }

  /** The entries from an index on, before another, a bundle of up to 256 at a time. */
  async *entries(from = 0, to = this.size): AsyncGenerator<{ index: number; entry: Uint8Array }[]> {
    const end = Math.min(to, this.size);
    for (let at = from; at < end; ) {
      const bundle = Math.floor(at / tileWidth);
      const first = bundle * tileWidth;
      const entries = await this.#readBundle(bundle);
      const wanted = entries.slice(at - first, end - first);
      const begin = at;
      yield wanted.map((entry, i) => ({ index: begin + i, entry }));
      at += wanted.length;
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
    // A full bundle in a partial one's place has more.
    const entries = decodeEntries(bytes.bytes, bytes.width).slice(0, width);
    const wrong = entries.findIndex((entry, i) => !isSameHash(hashLeaf(entry), leaves[i] as Hash));
    if (wrong !== -1) throw new LogRejection("wrong_entries", `It is entry ${index * tileWidth + wrong}.`);
    return entries;
  }

  async #hash(ranges: readonly Range[]): Promise<Hash[]> {
    const tiles = new Map<string, Uint8Array>();
    await Promise.all(
      tilesOf(ranges, this.size).map(async (tile) => tiles.set(tilePath(tile), await this.#readTile(tile))),
    );
    return hashRanges(ranges, this.size, (tile) => tiles.get(tilePath(tile)) as Uint8Array);
  }

  /** A tile of this tree that leads to its root: one of the edge, or a full one whose hash its parent has. */
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
    if (!expected || !isSameHash(hash, expected)) throw new LogRejection("wrong_tile", `It is ${path}.`);
    this.#trusted.set(path, bytes);
    return bytes;
  }

  /** The tiles that the root is computed from, once they came to it. */
  #readEdge(): Promise<Map<string, Uint8Array>> {
    this.#edge ??= this.#fetchEdge();
    // A tile that could not be had may be there at the next try.
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
      throw new LogRejection("wrong_tile", `The last tiles of ${this.size} entries have another root.`);
    }
    return edge;
  }

  /** A part, or the full one that took its place since: a log may drop a partial tile then. */
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
