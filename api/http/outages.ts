import type { MiddlewareHandler } from "hono";
import { BaseError } from "viem";
import { viewsSchema } from "../../db/chain.ts";
import { OutcomeUnknownError, type Writes, watchWrites } from "../../db/outcome.ts";
import { chainSilent, isNodeAway } from "../../trade/chain-answers.ts";
import { Refusal } from "../../trade/refusal.ts";
import type { Variables } from "../context.ts";

/** What the driver and the network say when PostgreSQL is out of reach. */
const unreachable = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "CONNECT_TIMEOUT",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/** What the driver says without a code when a connection was lost or none could be had. */
const lost = /^Connection terminated|^timeout exceeded when trying to connect|is not queryable$/;

/** SQLSTATEs of a server that is there and cannot serve: connection exceptions, full, shutting down, starting. */
const unable = /^(08...|53300|57P0[123])$/;

/** SQLSTATE of a statement that was cancelled because it took too long. */
const cancelled = "57014";

/** SQLSTATEs of a schema or table that does not exist. */
const missing = new Set(["3F000", "42P01"]);

/**
 * Tells an outage of what we depend on from a fault of our own.
 *
 * @param writes what the request has written; undefined where it writes nothing or was not begun
 * @returns the answer to give, or null for any other error
 */
export function findOutage(error: unknown, writes?: Writes): Refusal | null {
  if (error instanceof BaseError) {
    return isNodeAway(error) ? chainSilent() : null;
  }
  if (error instanceof OutcomeUnknownError) return writes ? outcomeUnknown() : databaseAway();
  if (!(error instanceof Error)) return null;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (lost.test(error.message) || unreachable.has(code) || unable.test(code))
    return writes?.made ? outcomeUnknown() : databaseAway();
  if (code === cancelled) {
    if (writes?.made) return outcomeUnknown();
    return new Refusal(
      "dependency_unavailable",
      "The database took too long over this. Ask for less at once, or try again later.",
    );
  }
  if (missing.has(code) && error.message.includes(`"${viewsSchema}`)) {
    return new Refusal("dependency_unavailable", "The chain's index is not built yet. Try again.");
  }
  return null;
}

/** Notes what a request writes, from where its own work begins. */
export const followWrites: MiddlewareHandler<{ Variables: Variables }> = async (c, next) => {
  if (c.req.method === "GET" || c.req.method === "HEAD") return next();
  const writes = { made: false };
  c.set("writes", writes);
  await watchWrites(writes, next);
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
