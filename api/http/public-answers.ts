import type { Context as HonoContext, MiddlewareHandler, TypedResponse } from "hono";
import { LRUCache } from "lru-cache";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { Refusal } from "../../trade/refusal.ts";
import type { Variables } from "../variables.ts";
import { carriesToken } from "./access-tokens.ts";
import { ApiError } from "./api-error.ts";
import { entityTagOf, isKnownTag, longestTags } from "./etag.ts";

/** Milliseconds for which an answer is cached, and for which a failed standby gets no queries. */
const cacheMilliseconds = 1000;
const standbyPause = 1000;
/** The most cached answers, and the most bytes of one. `answerCacheBytes` limits the bytes of all. */
const mostAnswers = 2000;
const largestAnswer = 256 * 1024;

type Answer = { body: string; tag: string };
type RequestContext = HonoContext<{ Variables: Variables }>;

export type PublicAnswers = ReturnType<typeof createPublicAnswers>;

/**
 * Answers the public routes of the market.
 *
 * A request without a token reads from the standby if there is one, and its answer is cached for a second in this process.
 * A request with a token reads from the primary, and its answer is not cached.
 */
export function createPublicAnswers({
  config,
  db,
  readDb,
}: {
  config: Pick<Config, "answerCacheBytes">;
  db: Database;
  readDb: Database | null;
}) {
  const cache =
    config.answerCacheBytes > 0
      ? new LRUCache<string, Answer, () => Promise<Answer>>({
          ttl: cacheMilliseconds,
          max: mostAnswers,
          maxSize: config.answerCacheBytes,
          maxEntrySize: largestAnswer,
          sizeCalculation: ({ body }, key) => 2 * (body.length + key.length),
          // Equal requests at the same time share one read.
          fetchMethod: (_key, _stale, { context: make }) => make(),
          // A read continues after its entry is evicted: otherwise the requests that wait for it would fail.
          ignoreFetchAbort: true,
        })
      : null;
  let standbyRestsUntil = 0;

  /** Answers from the cache, before any other work of a route. */
  const serve: MiddlewareHandler<{ Variables: Variables }> = async (c, next) => {
    // The route itself refuses tags that are too long.
    const mayServe = !carriesToken(c) && (c.req.header("if-none-match") ?? "").length <= longestTags;
    const cached = mayServe ? cache?.get(keyOf(c)) : undefined;
    return cached ? send(c, cached) : next();
  };

  /**
   * Answers a route behind `serve`, with its `ETag`; 304 if the caller has the answer already.
   *
   * @param read reads the content from the given database, with its version if it has one
   */
  async function give<Shown>(
    c: RequestContext,
    read: (db: Database) => Promise<{ shown: Shown; version?: number }>,
  ) {
    const isAnonymous = !carriesToken(c);
    const make = async (): Promise<Answer> => {
      const { shown, version } = isAnonymous ? await readFromStandby(read) : await read(db);
      const body = JSON.stringify(shown);
      return { body, tag: entityTagOf(body, version) };
    };
    const answer = isAnonymous ? await share(keyOf(c), make) : await make();
    return send(c, answer) as Response & TypedResponse<Shown, 200, "json">;
  }

  /**
   * Reads the text of a public document, cached like an anonymous answer. The text depends on the key alone.
   *
   * @param key starts with a word, because the keys of other answers start with a slash
   * @param read reads the text from the given database; null if there is no such document
   */
  async function readText(
    key: string,
    read: (db: Database) => Promise<string | null>,
  ): Promise<{ text: string; tag: string } | null> {
    const { body, tag } = await share(key, async () => {
      const text = await readFromStandby(read);
      return text === null ? { body: "", tag: "" } : { body: text, tag: entityTagOf(text) };
    });
    return tag === "" ? null : { text: body, tag };
  }

  async function share(key: string, make: () => Promise<Answer>): Promise<Answer> {
    return (await cache?.fetch(key, { context: make })) ?? (await make());
  }

  /** Reads from the standby, and from the primary if the standby fails or lacks a new row. */
  async function readFromStandby<Found>(read: (db: Database) => Promise<Found>): Promise<Found> {
    if (!readDb || performance.now() < standbyRestsUntil) return read(db);
    try {
      return await read(readDb);
    } catch (error) {
      const isRefused = error instanceof ApiError || error instanceof Refusal;
      if (!isRefused) standbyRestsUntil = performance.now() + standbyPause;
      return read(db);
    }
  }

  return { serve, give, readText };
}

/** The cache key: path and query. No header, not even `Host`, changes an answer. */
function keyOf({ req: { url } }: HonoContext): string {
  return url.slice(url.indexOf("/", url.indexOf("://") + 3));
}

function send(c: RequestContext, { body, tag }: Answer): Response {
  c.header("ETag", tag);
  // A cache elsewhere must revalidate its copy each time.
  if (!carriesToken(c)) c.header("Cache-Control", "public, no-cache");
  c.header("Vary", "Authorization, X-API-Key, Earnest-Console", { append: true });
  if (isKnownTag(c, tag)) return c.body(null, 304);
  return c.body(body, 200, { "Content-Type": "application/json" });
}
