import type { Context as HonoContext, MiddlewareHandler, Next } from "hono";
import { laterOf, type Position, positionNow, readWithin } from "../../db/standby.ts";
import type { Context, Variables } from "../context.ts";

/** Milliseconds by which what is read without a token may be behind. */
const mostBehind = 1000;

/** The header in which an answer to a write names a position, and a request one that its answer must not be behind. */
export const positionHeader = "Earnest-Position";

type Asked = HonoContext<{ Variables: Variables }>;

/** Whether a standby may answer this request, if it comes to that. */
export function mayReadStandby({ config }: Pick<Context, "config">, c: HonoContext): boolean {
  return config.databaseReadUrl !== undefined && isRead(c);
}

/**
 * Runs the rest of a route whose caller was looked for: what they read has all that was committed before they asked, since
 * the primary told its position with their token's row.
 */
export async function readWithCaller(c: Asked, next: Next): Promise<void> {
  const position = c.get("position");
  if (!position || !isRead(c)) return next();
  await readWithin(position, { waits: true }, next);
}

/**
 * For what is read without a token. The primary is asked for its position once a second at the most, and anew after each
 * change of the market that was told of: what is made after it is never from before it.
 */
export function createPublicReading({ config, db }: Pick<Context, "config" | "db">) {
  let told: { position: Position; at: number } | null = null;
  let asking: Promise<Position | null> | null = null;

  return {
    /** Runs the rest of a route. */
    async read(c: Asked, next: Next): Promise<void> {
      if (!mayReadStandby({ config }, c)) return next();
      const isTold = told && performance.now() - told.at < mostBehind;
      const ours = isTold && told ? told.position : await askOnce();
      const position = ours && laterOf(ours, c.req.header(positionHeader));
      return position ? readWithin(position, { waits: false }, next) : next();
    },

    /** Something changed: what is read from now on has it. */
    outdate(): void {
      told = null;
      asking = null;
    },
  };

  function askOnce(): Promise<Position | null> {
    if (asking) return asking;
    const at = performance.now();
    const question: Promise<Position | null> = readPosition(db)
      .then((position) => {
        if (asking === question) told = { position, at };
        return position;
      })
      .catch(() => null)
      .finally(() => {
        if (asking === question) asking = null;
      });
    asking = question;
    return question;
  }
}

/** Names in each write's answer a position that has the write. */
export function tellPosition({ config, db }: Context): MiddlewareHandler<{ Variables: Variables }> {
  return async (c, next) => {
    await next();
    if (config.databaseReadUrl === undefined || isRead(c) || c.res.status >= 500) return;
    const position = await readPosition(db).catch(() => null);
    if (position) c.header(positionHeader, position);
  };
}

async function readPosition({ $client }: Context["db"]): Promise<Position> {
  const { rows } = await $client.query<{ position: Position }>(`select ${positionNow} as position`);
  return rows[0]?.position ?? "";
}

function isRead({ req: { method } }: HonoContext): boolean {
  return method === "GET" || method === "HEAD";
}
