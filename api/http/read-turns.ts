import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { LRUCache } from "lru-cache";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { recognise } from "./access.ts";
import { ApiError } from "./api-error.ts";

/**
 * The most expensive reads that run at once: of an account, and in this process, which leaves connections of the pool for
 * other requests. More reads of an account wait, up to a number.
 */
export const readBounds = { account: 2, process: 6, waiting: 10 } as const;

/** The part of a connection's time that an account's expensive reads may take, and the milliseconds that they may save up. */
export const readTime = { part: 1 / 2, most: 60_000 } as const;

/** The most accounts whose time is remembered. */
const mostAccounts = 20_000;

/** The most tables that are sent at once: to an account, and in this process. */
export const exportBounds = { account: 3, process: 30 } as const;

/** Reads whose cost grows with the number of an account's rows, whatever the answer. */
const searches = /^(search|analytics|notifications|payments|payments\/sums)$/;
/** Lists that an index answers, unless the query has more than these parameters. */
const lists = /^(orders(\/received)?(\/counts)?|webhooks\/[^/]+\/deliveries)$/;
const cheap = new Set(["limit", "offset", "cursor", "include"]);

export type ReadTurns = ReturnType<typeof createReadTurns>;

/**
 * Bounds expensive reads. Accounts take turns, so that one with many reads delays no other by more than one read.
 *
 * @param now the milliseconds of a clock that never goes back
 */
export function createReadTurns(now = () => performance.now()) {
  const spent = new LRUCache<string, { time: number; at: number }>({ max: mostAccounts });
  const running = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();
  const sending = new Map<string, number>();

  return { take, beginTable };

  /**
   * Runs a read when the account has a turn.
   *
   * @throws ApiError `rate_limited` if too many reads of the account wait, or if its reads took too long
   */
  async function take<Result>(account: string, read: () => Promise<Result>): Promise<Result> {
    requireTime(account);
    if (mayRun(account)) add(running, account, 1);
    else await wait(account);
    const since = now();
    try {
      return await read();
    } finally {
      spent.set(account, { time: timeOf(account) + now() - since, at: now() });
      add(running, account, -1);
      wakeNext();
    }
  }

  /**
   * Counts a table that is sent to an account.
   *
   * @returns what to call once, at the table's end
   * @throws ApiError `rate_limited` if too many are sent
   */
  function beginTable(account: string): () => void {
    if ((sending.get(account) ?? 0) >= exportBounds.account || sumOf(sending) >= exportBounds.process) {
      throw new ApiError(
        "rate_limited",
        `Too many tables are being sent: at most ${exportBounds.account} to an account. Wait until one has ended.`,
        undefined,
        2,
      );
    }
    add(sending, account, 1);
    let isOver = false;
    return () => {
      if (!isOver) add(sending, account, -1);
      isOver = true;
    };
  }

  /** The milliseconds that an account's reads took, less those that it may take meanwhile. */
  function timeOf(account: string): number {
    const { time, at } = spent.get(account) ?? { time: 0, at: now() };
    return Math.max(0, time - (now() - at) * readTime.part);
  }

  function requireTime(account: string): void {
    const over = timeOf(account) - readTime.most;
    if (over <= 0) return;
    const seconds = Math.max(1, Math.ceil(over / readTime.part / 1000));
    const message = `The searches of your account took too much time. Narrow them, and try again in ${seconds} s.`;
    throw new ApiError("rate_limited", message, undefined, seconds);
  }

  function mayRun(account: string): boolean {
    return (running.get(account) ?? 0) < readBounds.account && sumOf(running) < readBounds.process;
  }

  function wait(account: string): Promise<void> {
    const queue = waiting.get(account) ?? [];
    if (queue.length >= readBounds.waiting) {
      const message = `Too many searches of your account wait. At most ${readBounds.account} run at once.`;
      throw new ApiError("rate_limited", message, undefined, 1);
    }
    return new Promise((resolve) => {
      waiting.set(account, [...queue, resolve]);
    });
  }

  /** Starts the reads that may run now. An account whose read starts goes to the end of the accounts. */
  function wakeNext(): void {
    for (const [account, [next, ...rest]] of [...waiting]) {
      if (!next || !mayRun(account)) continue;
      waiting.delete(account);
      if (rest.length > 0) waiting.set(account, rest);
      add(running, account, 1);
      next();
    }
  }
}

function add(counts: Map<string, number>, account: string, by: number): void {
  const count = (counts.get(account) ?? 0) + by;
  if (count > 0) counts.set(account, count);
  else counts.delete(account);
}

const sumOf = (counts: Map<string, number>): number =>
  [...counts.values()].reduce((sum, one) => sum + one, 0);

/** Makes expensive reads of the API wait for a turn of their account. */
export function takeReadTurns(context: Context): MiddlewareHandler<{ Variables: Variables }> {
  return async (c, next) => {
    const caller = isExpensive(c) ? await recognise(context, c) : null;
    if (!caller) return next();
    await context.readTurns.take(caller.accountId, async () => {
      // The request may have been answered while it waited.
      if (!c.get("isLate")) await next();
    });
  };
}

function isExpensive(c: HonoContext): boolean {
  if (c.req.method !== "GET" && c.req.method !== "HEAD") return false;
  const path = c.req.path.slice(apiPath.length + 1);
  return (
    searches.test(path) || (lists.test(path) && Object.keys(c.req.query()).some((name) => !cheap.has(name)))
  );
}
