import { and, asc, gte, lt } from "drizzle-orm";
import { readLogTiles } from "../../db/log-tiles.ts";
import { logEntry, logHead } from "../../db/schema.ts";
import { encodeEntries, parseTilePath, tileWidth } from "../../protocol/tlog/tiles.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import type { App } from "../variables.ts";

/** Where the log is, below the public URL. */
export const logPath = "/log";
const forEver = "public, max-age=31536000, immutable";
/** What is cached at all is the same for ever, but nobody needs a part once the whole is there. */
const shortly = "public, max-age=60";

/**
 * The log as c2sp.org/tlog-tiles serves it, with the key and the policy that its checkpoints are checked by. Each answer
 * is one indexed read; a tile has 8 kB, a bundle of entries 100.
 */
export function addLogTiles(root: App, context: Context): void {
  const { db } = context;

  root.get(`${logPath}/checkpoint`, async (c) => {
    const [head] = await db.select({ shown: logHead.shown }).from(logHead);
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
    const found =
      tile &&
      (await (tile.level === "entries" ? readEntries(tile) : readTile({ ...tile, level: tile.level })));
    if (!found) throw new ApiError("not_found", "The log has no such tile, or not so wide a one yet.");
    return c.body(found as Uint8Array<ArrayBuffer>, 200, {
      "Content-Type": "application/octet-stream",
      "Cache-Control": tile.width === tileWidth ? forEver : shortly,
    });
  });

  async function readHead() {
    const [head] = await db.select({ vkey: logHead.vkey, policy: logHead.policy }).from(logHead);
    if (!head) throw new ApiError("not_found", "There is no log yet: no worker with a log key has run.");
    return head;
  }

  async function readTile(tile: { level: number; index: number; width: number }): Promise<Uint8Array | null> {
    // Levels and indexes that no tree of ours reaches are no numbers for the database.
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
/** The tiles of 2^53 entries. */
const mostTiles = 2 ** 45;
