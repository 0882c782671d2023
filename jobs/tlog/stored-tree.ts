import type { Database, Transaction } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { readLogTiles } from "../../db/log-tiles.ts";
import { edgeTiles, type FilledTile, growTree } from "../../protocol/tlog/growth.ts";
import { type Hash, hashLeaf } from "../../protocol/tlog/merkle.ts";
import { type ReadTile, rootFromTiles, tilePath } from "../../protocol/tlog/tiles.ts";
import type { NewEntry } from "./entry-batch.ts";

/** A tree with the tiles that it needs to grow. */
export type Tree = { size: number; root: Hash; edge: ReadTile };

/** Reads the tree of the first `size` entries; null if the database lacks some of its tiles. */
export async function loadTree(db: Database, size: number): Promise<Tree | null> {
  const edge = await readLogTiles(db, edgeTiles(size));
  return edge && { size, root: rootFromTiles(size, edge), edge };
}

/** Appends entries to a tree. Returns the tree and its new tiles. */
export function appendEntries(
  { size, edge }: Tree,
  entries: readonly NewEntry[],
): { tree: Tree; tiles: FilledTile[] } {
  const leaves = entries.map(({ bytes }) => hashLeaf(bytes));
  const { tiles, ...grown } = growTree(size, leaves, edge);
  const made = new Map(tiles.map((tile) => [tilePath(tile), tile.bytes]));
  const tree = { ...grown, edge: (tile: Parameters<ReadTile>[0]) => made.get(tilePath(tile)) ?? edge(tile) };
  return { tree: { ...tree, edge: copyEdge(tree.size, tree.edge) }, tiles };
}

/** Copies only the last tiles, so that no tree keeps its predecessor in memory. */
function copyEdge(size: number, read: ReadTile): ReadTile {
  const tilesByPath = new Map(edgeTiles(size).map((tile) => [tilePath(tile), read(tile)]));
  return (tile) => {
    const bytes = tilesByPath.get(tilePath(tile));
    if (!bytes) throw new Error(`Tile ${tilePath(tile)} is not at the edge of a tree of ${size} entries.`);
    return bytes;
  };
}

/** Stores entries from an index on, and tiles. */
export async function storeEntries(
  tx: Transaction,
  first: number,
  entries: readonly NewEntry[],
  tiles: readonly FilledTile[],
): Promise<void> {
  const decoder = new TextDecoder();
  await tx.execute(sql`
    insert into earnest.log_entry (index, kind, subject, entry)
    select ${first}::bigint + at - 1, kind, subject, entry
    from unnest(
      ${sql.param(entries.map(({ kind }) => kind))}::text[],
      ${sql.param(entries.map(({ subject }) => subject))}::text[],
      ${sql.param(entries.map(({ bytes }) => decoder.decode(bytes)))}::text[]
    ) with ordinality as made (kind, subject, entry, at)`);
  await tx.execute(sql`
    insert into earnest.log_tile (level, index, hashes)
    select * from unnest(
      ${sql.param(tiles.map(({ level }) => level))}::smallint[],
      ${sql.param(tiles.map(({ index }) => index))}::bigint[],
      ${sql.param(tiles.map(({ bytes }) => Buffer.from(bytes)))}::bytea[])
    on conflict (level, index) do update set hashes = excluded.hashes`);
}
