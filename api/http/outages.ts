import type { MiddlewareHandler } from "hono";
import { BaseError } from "viem";
import { viewsSchema } from "../../db/chain-index.ts";
import {
  isCut,
  isUnreachable,
  OutcomeUnknownError,
  OverdueError,
  RolledBackError,
  requireTime,
  type Writes,
  watchWrites,
} from "../../db/commit-outcome.ts";
import { chainSilent, isNodeAway } from "../../trade/chain-answers.ts";
import { Refusal } from "../../trade/refusal.ts";
import type { Variables } from "../variables.ts";

/** SQLSTATE of a statement that was cancelled because it took too long. */
const cancelled = "57014";

/** SQLSTATE of a statement that PostgreSQL ended because it and another waited for each other, as while an index begins. */
const deadlock = "40P01";

/** SQLSTATEs of a schema or table that does not exist. */
const missing = new Set(["3F000", "42P01"]);

/**
 * Tells an outage of what we depend on from a fault of our own.
 *
 * @param writes whether the request has written anything; undefined where it only reads, or has not begun
 * @returns the answer to give, or null for any other error
 */
export function findOutage(error: unknown, writes?: Writes): Refusal | null {
  if (error instanceof BaseError) {
    return isNodeAway(error) ? chainSilent() : null;
  }
  if (error instanceof OutcomeUnknownError) return writes ? outcomeUnknown() : databaseAway();
  // The answer to an overdue request was sent already: this one reaches nobody.
  if (error instanceof RolledBackError || error instanceof OverdueError || isUnreachable(error)) {
    return writes?.made ? outcomeUnknown() : databaseAway();
  }
  // A statement outside of a transaction, which may be one that writes.
  if (isCut(error)) return writes ? outcomeUnknown() : databaseAway();
  if (!(error instanceof Error)) return null;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === cancelled || code === deadlock) {
    if (writes?.made) return outcomeUnknown();
    return new Refusal(
      "dependency_unavailable",
      code === cancelled
        ? "The database took too long over this. Ask for less at once, or try again later."
        : "The database was busy with a change that this request met. Try again.",
    );
  }
  if (missing.has(code) && error.message.includes(`"${viewsSchema}`)) {
    return new Refusal("dependency_unavailable", "The chain's index is not built yet. Try again.");
  }
  return null;
}

/** Follows what a request writes, from the start of its own work. The work ends once the request was answered without it. */
export const followWrites: MiddlewareHandler<{ Variables: Variables }> = async (c, next) => {
  const writes = { made: false, isOver: () => c.get("isLate") === true };
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
    "The database was lost while this was written, so it, or a part of it, may have been made. Send the same request with its Idempotency-Key again. Without one, first read what it would have made: for an order the newest of `GET /orders`.",
  );
}
