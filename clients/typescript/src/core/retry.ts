import { ApiError, ConnectionError } from "./errors.ts";

const firstWaitMs = 500;
const longestBackoffMs = 8_000;
const longestPauseMs = 30_000;
/** A longer `Retry-After` is cut to this: an outage may end sooner, and a timer of Node's holds 24 days at most. */
const longestAskedMs = 3_600_000;

/**
 * How long to wait before the next try, null for none.
 *
 * - After a connection error, 408 or 5xx where the call may be sent twice; after 429 always, for nothing was done.
 * - After a 409 with `Retry-After`: the same write is still being carried out under its key.
 * - As long as `Retry-After` says, and a little more so that clients do not come back together; else up to 0.5 s, 1 s,
 *   2 s and so on, at random (full jitter).
 */
export function waitBeforeRetry(
  failure: ApiError | ConnectionError,
  rules: { retries: boolean; attempt: number; maxRetries: number; maxWaitMs: number },
): number | null {
  if (rules.attempt > rules.maxRetries || !isRetryable(failure, rules.retries)) return null;
  const asked = failure instanceof ConnectionError ? null : failure.retryAfter;
  const backoff = Math.min(longestBackoffMs, firstWaitMs * 2 ** (rules.attempt - 1));
  const wait = asked === null ? Math.random() * backoff : asked * 1000 + Math.random() * firstWaitMs;
  if (asked !== null && asked * 1000 > rules.maxWaitMs) return null;
  return Math.min(wait, rules.maxWaitMs);
}

function isRetryable(failure: ApiError | ConnectionError, retries: boolean): boolean {
  if (failure instanceof ConnectionError) return retries;
  if (failure.status === 429) return true;
  if (failure.status === 409) return retries && failure.retryAfter !== null;
  return retries && (failure.status === 408 || failure.status >= 500);
}

/** Whether waiting mends it: no connection, a limit, or a service that is down. */
export function passes(error: unknown): error is ApiError | ConnectionError {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.status === 429 || error.status === 408 || error.status >= 500);
}

/** Milliseconds until the next try. */
export function waitAfter(error: ApiError | ConnectionError, failures: number, pollMs: number): number {
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
  return Math.max(
    Math.min(asked, longestAskedMs),
    Math.random() * Math.min(longestPauseMs, pollMs * 2 ** Math.min(failures, 10)),
  );
}

/** Waits; throws the signal's reason as soon as it is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(done, ms);
    function done() {
      signal?.removeEventListener("abort", abort);
      resolve();
    }
    function abort() {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener("abort", abort, { once: true });
  });
}
