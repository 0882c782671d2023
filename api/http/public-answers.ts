import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { Context as HonoContext, MiddlewareHandler, TypedResponse } from "hono";
import { listen } from "../../db/listen.ts";
import { marketChannel, readMarketChange } from "../../db/market-changes.ts";
import type { Context, Variables } from "../context.ts";
import { entityTagOf, isKnownTag, longestTags } from "./etag.ts";
import { createPublicReading, positionHeader } from "./reading.ts";

/** An answer lasts so many milliseconds at most, even if nothing is told of a change. */
const longestKept = 10_000;
/** Answers are given only while every change up to so many milliseconds ago is known to have been told. */
const longestUnproven = 8000;
/** How often that is asked, while anybody asks for answers; and after how long without any we stop listening. */
const provenEvery = 3000;
const idleAfter = 60_000;
const tryAgainAfter = 1000;
/** Times are milliseconds of this process, by a clock that nobody sets. */
const never = Number.NEGATIVE_INFINITY;
/** So many answers are kept, none larger than this, besides the bound on their bytes together. */
const mostAnswers = 2000;
const largestAnswer = 256 * 1024;

/** What an answer is made of: all services on offer, all agents, or one agent with its services, by its id. */
export type Subject = "services" | "agents" | `agt_${string}`;

type Kept = { body: Uint8Array<ArrayBuffer>; tag: string; subject: Subject; until: number; bytes: number };
/** How many changes were told of before an answer was begun. */
type Begun = { key: string; services: number; agents: number };
type Asked = HonoContext<{ Variables: Variables }>;

export type PublicAnswers = ReturnType<typeof createPublicAnswers>;

/**
 * Keeps what everybody is answered about the market, ready to be sent, in this process and for seconds.
 *
 * What is told at a commit (NOTIFY) drops what it changes. An answer that was begun before a change was told of is not
 * kept; and since a connection may be lost in silence, we tell ourselves something now and then: without hearing it, no
 * kept answer is given. So an answer is older than a change's notification only where that is on its way.
 *
 * A request that carries a token is never given a kept answer, and what it is answered is not kept.
 */
export function createPublicAnswers({ config, db, log }: Pick<Context, "config" | "db" | "log">) {
  const kept = new Map<string, Kept>();
  const begun = new WeakMap<Request, Begun>();
  const told = { services: 0, agents: 0 };
  const self = randomUUID();
  let bytes = 0;
  let askedAt = 0;
  /** when what we last heard from ourselves was sent, and when we last sent anything */
  let provenAt = never;
  let sentAt = never;
  let isListening = false;

  /** Before all else of a route that is open to all: gives what is kept. */
  const reading = createPublicReading({ config, db });
  const serve: MiddlewareHandler<{ Variables: Variables }> = async (c, next) => {
    if (isKeyed(c)) return next();
    if (config.answerCacheBytes === 0) return reading.read(c, next);
    askedAt = performance.now();
    keepProven(askedAt);
    const key = keyOf(c);
    const found = kept.get(key);
    if (found && found.until > askedAt && isProven(askedAt) && takesKept(c)) {
      kept.delete(key);
      kept.set(key, found);
      return send(c, found.body, found.tag);
    }
    begun.set(c.req.raw, { key, ...told });
    return reading.read(c, next);
  };

  /** A write of what the market shows has ended, here: whoever made it reads it next. */
  const forget: MiddlewareHandler = async (c, next) => {
    await next();
    if (c.req.method !== "GET" && c.req.method !== "HEAD") dropAll();
  };

  /**
   * The answer of a route behind `serve`, with its `ETag`; 304 where the caller has it already.
   *
   * @param version of what is shown, where it has one
   */
  function give<Shown>(c: Asked, subject: Subject, shown: Shown, version?: number) {
    const body = JSON.stringify(shown);
    const tag = entityTagOf(body, version);
    const start = begun.get(c.req.raw);
    const isOlder = start?.services !== told.services || start.agents !== told.agents;
    const now = performance.now();
    if (start && !isOlder && !c.get("caller") && isProven(now)) {
      keep(start.key, { body: new TextEncoder().encode(body), tag, subject, until: now + longestKept });
    }
    return send(c, body, tag) as Response & TypedResponse<Shown, 200, "json">;
  }

  return { serve, forget, give };

  function keep(key: string, answer: Omit<Kept, "bytes">): void {
    drop(key);
    if (answer.body.length > largestAnswer) return;
    const size = answer.body.length + 2 * key.length;
    kept.set(key, { ...answer, bytes: size });
    bytes += size;
    for (const oldest of kept.keys()) {
      if (kept.size <= mostAnswers && bytes <= config.answerCacheBytes) break;
      drop(oldest);
    }
  }

  function drop(key: string): void {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }

  function dropAll(): void {
    reading.outdate();
    told.services += 1;
    told.agents += 1;
    kept.clear();
    bytes = 0;
  }

  function hear(text: string | null): void {
    if (text === null) {
      // Listening begins: what was told before was not heard.
      provenAt = never;
      dropAll();
      prove();
      return;
    }
    const [name, sent] = text.split(" ");
    if (name === self) {
      provenAt = Number(sent);
      return;
    }
    const change = readMarketChange(text);
    if (!change) return;
    const { agentId, isBeside } = change;
    reading.outdate();
    told.agents += 1;
    if (!isBeside) told.services += 1;
    for (const [key, { subject }] of kept) {
      if (subject === agentId || subject === "agents" || (subject === "services" && !isBeside)) drop(key);
    }
  }

  /** Whether every change up to a moment ago was told of: notifications come in the order of their commits. */
  function isProven(now: number): boolean {
    return isListening && now - provenAt < longestUnproven;
  }

  function keepProven(now: number): void {
    if (!isListening) void listenWhileAsked();
    else if (now - sentAt > provenEvery) prove();
  }

  function prove(): void {
    sentAt = performance.now();
    db.execute(sql`select pg_notify(${marketChannel}, ${`${self} ${sentAt}`})`).catch(() => {});
  }

  async function listenWhileAsked(): Promise<void> {
    isListening = true;
    const ending = new AbortController();
    const idle = setInterval(() => {
      if (performance.now() - askedAt > idleAfter) ending.abort();
    }, idleAfter / 4).unref();
    try {
      await listen(
        { [marketChannel]: hear },
        { databaseUrl: config.databaseDirectUrl, signal: ending.signal },
      );
    } catch (error) {
      log.warn({ err: error }, "public answers are not kept: the database cannot be listened to");
    } finally {
      clearInterval(idle);
      dropAll();
      provenAt = never;
      if (!ending.signal.aborted) await sleep(tryAgainAfter, undefined, { ref: false });
      isListening = false;
    }
  }
}

const made = new WeakMap<Context, PublicAnswers>();

/** The one of a process. */
export function publicAnswersOf(context: Context): PublicAnswers {
  const answers = made.get(context) ?? createPublicAnswers(context);
  made.set(context, answers);
  return answers;
}

/** Whether a request carries a token, or what may be meant as one. */
function isKeyed(c: HonoContext): boolean {
  return c.req.header("authorization") !== undefined || c.req.header("x-api-key") !== undefined;
}

/**
 * Whether a kept answer is one to this request. Of a position that it names we know only what was told of; and what its
 * route refuses is refused, kept or not.
 */
function takesKept({ req }: HonoContext): boolean {
  return (
    req.header(positionHeader) === undefined && (req.header("if-none-match") ?? "").length <= longestTags
  );
}

/** What is asked, as it was written: neither the `Host` nor any other header is part of an answer. */
function keyOf({ req: { url } }: HonoContext): string {
  return url.slice(url.indexOf("/", url.indexOf("://") + 3));
}

function send(c: HonoContext, body: string | Uint8Array<ArrayBuffer>, tag: string): Response {
  c.header("ETag", tag);
  // Whoever keeps it asks each time whether it still holds: we know of a change at once, they do not.
  if (!isKeyed(c)) c.header("Cache-Control", "public, no-cache");
  c.header("Vary", "Authorization, X-API-Key", { append: true });
  if (isKnownTag(c, tag)) return c.body(null, 304);
  return c.body(body, 200, { "Content-Type": "application/json" });
}
