import { and, asc, gte, lt } from "../../db/drizzle.ts";
import { readLogTiles } from "../../db/log-tiles.ts";
import { logEntry, logHead } from "../../db/schema.ts";
import { encodeEntries, parseTilePath, tileWidth } from "../../protocol/tlog/tiles.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import type { App } from "../variables.ts";

/** The path of the log below the public URL. */
export const logPath = "/log";
const forEver = "public, max-age=31536000, immutable";
/** The cache time of a partial tile. It never changes, but nobody needs it once the tile is full. */
const shortly = "public, max-age=60";

/**
 * Adds the log in the form of c2sp.org/tlog-tiles, with the key and the policy for its checkpoints. Each answer is one read
 * by an index. A tile has 8 kB, a bundle of entries 100 kB.
 */
export function addLogTiles(root: App, context: Context): void {
  const { db } = context;

  root.get(`${logPath}/checkpoint`, async (c) => {
    const [head] = await db.select({ shown: logHead.published }).from(logHead);
    if (!head?.shown) throw new ApiError("not_found", "The log has no checkpoint yet.");
    return c.body(head.shown, 200, { "Content-Type": text, "Cache-Control": "public, max-age=1" });
  });

  root.get(`${logPath}/vkey`, async (c) => {
    const { vkey } = await readHead();
    return c.body(`${vkey}\n`, 200, { "Content-Type": text, "Cache-Control": shortly });
  });

  root.get(`${logPath}/policy`, async (c) => {
    const { policy } = await readHead();
    return c.body(policy, 200, { "Content-Type": text, "Cache-Control": shortly });
  });

  root.get(`${logPath}/tile/*`, async (c) => {
    const tile = parseTilePath(c.req.path.slice(logPath.length + 1));
    const result =
      tile &&
      (await (tile.level === "entries" ? readEntries(tile) : readTile({ ...tile, level: tile.level })));
    if (!result)
      throw new ApiError(
        "not_found",
        "The log has no such tile, or the tile has fewer entries. Try again later.",
      );
    return c.body(result as Uint8Array<ArrayBuffer>, 200, {
      "Content-Type": "application/octet-stream",
      "Cache-Control": tile.width === tileWidth ? forEver : shortly,
    });
  });

  async function readHead() {
    const [head] = await db.select({ vkey: logHead.vkey, policy: logHead.policy }).from(logHead);
    if (!head) throw new ApiError("not_found", "There is no log: no worker with a log key has run yet.");
    return head;
  }

  async function readTile(tile: { level: number; index: number; width: number }): Promise<Uint8Array | null> {
    // No tree reaches these levels and indexes, and the database's numbers may not hold them.
    if (tile.level > 6 || tile.index > mostTiles) return null;
    const read = await readLogTiles(db, [tile]);
    return read?.(tile) ?? null;
  }

  async function readEntries({ index, width }: { index: number; width: number }): Promise<Uint8Array | null> {
    if (index > mostTiles) return null;
    const first = index * tileWidth;
    const rows = await db
      .select({ entry: logEntry.entry })
      .from(logEntry)
      .where(and(gte(logEntry.index, first), lt(logEntry.index, first + width)))
      .orderBy(asc(logEntry.index));
    const encoder = new TextEncoder();
    return rows.length < width ? null : encodeEntries(rows.map(({ entry }) => encoder.encode(entry)));
  }
}

const text = "text/plain; charset=utf-8";
/** The number of tiles of 2^53 entries. */
const mostTiles = 2 ** 45;
