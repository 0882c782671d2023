import { sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/client.ts";
import { readLogTiles } from "../../db/log-tiles.ts";
import { edgeTiles, type FilledTile, growTree } from "../../protocol/tlog/growth.ts";
import { type Hash, hashLeaf } from "../../protocol/tlog/merkle.ts";
import { type ReadTile, rootFromTiles, tilePath } from "../../protocol/tlog/tiles.ts";
import type { NewEntry } from "./entry-batch.ts";

/** A tree as far as it is needed to grow: its last tiles. */
export type Tree = { size: number; root: Hash; edge: ReadTile };

/** Reads the tree of the first `size` entries; null where the database has not all of its tiles. */
export async function loadTree(db: Database, size: number): Promise<Tree | null> {
  const edge = await readLogTiles(db, edgeTiles(size));
  return edge && { size, root: rootFromTiles(size, edge), edge };
}

/** The tree with further entries, and the tiles that are new. */
export function appendEntries(
  { size, edge }: Tree,
  entries: readonly NewEntry[],
): { tree: Tree; tiles: FilledTile[] } {
  const leaves = entries.map(({ bytes }) => hashLeaf(bytes));
  const { tiles, ...grown } = growTree(size, leaves, edge);
  const made = new Map(tiles.map((tile) => [tilePath(tile), tile.bytes]));
  const tree = { ...grown, edge: (tile: Parameters<ReadTile>[0]) => made.get(tilePath(tile)) ?? edge(tile) };
  return { tree: { ...tree, edge: keepEdge(tree.size, tree.edge) }, tiles };
}

/** Only the last tiles, so that no tree keeps the one before it. */
function keepEdge(size: number, read: ReadTile): ReadTile {
  const kept = new Map(edgeTiles(size).map((tile) => [tilePath(tile), read(tile)]));
  return (tile) => {
    const bytes = kept.get(tilePath(tile));
    if (!bytes) throw new Error(`The tile ${tilePath(tile)} is not at the edge of a tree of ${size}.`);
    return bytes;
  };
}

/** Writes entries from an index on, and tiles. */
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
