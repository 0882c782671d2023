import type { MiddlewareHandler } from "hono";
import { BaseError } from "viem";
import { viewsSchema } from "../../db/chain-index.ts";
import {
  isConnectionLost,
  isUnreachable,
  OutcomeUnknownError,
  OverdueError,
  RolledBackError,
  requireTime,
  type Writes,
  watchWrites,
} from "../../db/commit-outcome.ts";
import { chainUnreachable, isNodeUnreachable } from "../../trade/node-breaker.ts";
import { Refusal } from "../../trade/refusal.ts";
import type { Variables } from "../variables.ts";

/** SQLSTATE of a statement that was cancelled because it ran too long. */
const cancelled = "57014";

/** SQLSTATE of a statement that PostgreSQL cancelled to break a deadlock, as can happen while the indexer starts. */
const deadlock = "40P01";

/** SQLSTATEs of a schema or table that does not exist. */
const missing = new Set(["3F000", "42P01"]);

/**
 * Recognises an outage of a dependency. Any other error is a fault of the service.
 *
 * @param writes the progress of the request's writes; undefined if the request only reads or has not begun
 * @returns the refusal to answer with, or null for any other error
 */
export function findOutage(error: unknown, writes?: Writes): Refusal | null {
  if (error instanceof BaseError) {
    return isNodeUnreachable(error) ? chainUnreachable() : null;
  }
  if (error instanceof OutcomeUnknownError) return writes ? outcomeUnknown() : databaseAway();
  // The answer to an overdue request was sent already, so this answer reaches nobody.
  if (error instanceof RolledBackError || error instanceof OverdueError || isUnreachable(error)) {
    return writes?.hasCommitted ? outcomeUnknown() : databaseAway();
  }
  // The statement ran outside of a transaction, and may have been a write.
  if (isConnectionLost(error)) return writes ? outcomeUnknown() : databaseAway();
  if (!(error instanceof Error)) return null;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === cancelled || code === deadlock) {
    if (writes?.hasCommitted) return outcomeUnknown();
    return new Refusal(
      "dependency_unavailable",
      code === cancelled
        ? "The database took too long. Request less at once, or try again later."
        : "The request collided with another change in the database. Try again.",
    );
  }
  if (missing.has(code) && error.message.includes(`"${viewsSchema}`)) {
    return new Refusal("dependency_unavailable", "The index of the chain is not built yet. Try again later.");
  }
  return null;
}

/** Tracks the writes of a request from the start of its work. No write begins after the request was answered. */
export const trackWrites: MiddlewareHandler<{ Variables: Variables }> = async (c, next) => {
  const writes = { hasCommitted: false, isOver: () => c.get("isLate") === true };
  if (c.req.method !== "GET" && c.req.method !== "HEAD") c.set("writes", writes);
  await watchWrites(writes, async () => {
    requireTime();
    await next();
  });
};

function databaseAway(): Refusal {
  return new Refusal("dependency_unavailable", "The database cannot be reached. Try again.");
}

function outcomeUnknown(): Refusal {
  return new Refusal(
    "outcome_unknown",
    "The connection to the database was lost during the change, so the change, or a part of it, may have been made. Repeat the request with its Idempotency-Key. Without a key, first read the resource that it would change: for an order, the newest of `GET /orders`.",
  );
}
