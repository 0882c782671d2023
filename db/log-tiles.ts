import { type ReadTile, type Tile, tilePath } from "../protocol/tlog/tiles.ts";
import type { Database, Transaction } from "./client.ts";
import { sql } from "./drizzle.ts";
import { logTile } from "./schema.ts";

/**
 * Reads tiles of the log's tree in one statement, each in the requested width.
 *
 * @returns null if a tile is missing or narrower
 */
export async function readLogTiles(
  db: Database | Transaction,
  tiles: readonly Tile[],
): Promise<ReadTile | null> {
  const { rows } = await db.execute<{ at: number; hashes: Buffer }>(sql`
    select (asked.at - 1)::int as at, substring(${logTile.hashes} from 1 for asked.width * 32) as hashes
    from unnest(
      ${sql.param(tiles.map(({ level }) => level))}::smallint[],
      ${sql.param(tiles.map(({ index }) => index))}::bigint[],
      ${sql.param(tiles.map(({ width }) => width))}::int[]) with ordinality as asked (level, index, width, at)
    join ${logTile} on ${logTile.level} = asked.level and ${logTile.index} = asked.index
    where length(${logTile.hashes}) >= asked.width * 32`);
  if (rows.length < tiles.length) return null;
  const found = new Map(rows.map(({ at, hashes }) => [tilePath(tiles[at] as Tile), new Uint8Array(hashes)]));
  return (tile) => {
    const bytes = found.get(tilePath(tile));
    if (!bytes) throw new Error(`The tile ${tilePath(tile)} was not read.`);
    return bytes;
  };
}
