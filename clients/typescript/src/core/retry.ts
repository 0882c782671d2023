import { ApiError, ConnectionError } from "./errors.ts";

const firstWaitMs = 500;
const longestBackoffMs = 8_000;
const longestPauseMs = 30_000;
/** The most milliseconds of a `Retry-After` between polls, because an outage may end sooner. */
const longestRetryAfterMs = 3_600_000;
/** The longest timer, about 24 days. A longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Computes the milliseconds before the next retry, or null for no retry.
 *
 * Retries follow a connection error, 408 or 5xx if the call may be repeated. A 429 is always retried, because it had no
 * effect.
 * A retry follows a 409 with `Retry-After`: the same write is still running under its key.
 * The wait is `Retry-After` with a little jitter. Without the header, it is a random part of 0.5 s, 1 s, 2 s and so on
 * (full jitter).
 */
export function waitBeforeRetry(
  failure: ApiError | ConnectionError,
  rules: { mayRepeat: boolean; attempt: number; maxRetries: number; maxWaitMs: number },
): number | null {
  if (rules.attempt > rules.maxRetries || !isRetryable(failure, rules.mayRepeat)) return null;
  const retryAfter = failure instanceof ConnectionError ? null : failure.retryAfter;
  const backoff = Math.min(longestBackoffMs, firstWaitMs * 2 ** (rules.attempt - 1));
  const wait =
    retryAfter === null ? Math.random() * backoff : retryAfter * 1000 + Math.random() * firstWaitMs;
  if (retryAfter !== null && retryAfter * 1000 > rules.maxWaitMs) return null;
  return Math.min(wait, rules.maxWaitMs);
}

function isRetryable(failure: ApiError | ConnectionError, mayRepeat: boolean): boolean {
  if (failure instanceof ConnectionError) return mayRepeat;
  if (failure.status === 429) return true;
  if (failure.status === 409) return mayRepeat && failure.retryAfter !== null;
  return mayRepeat && (failure.status === 408 || failure.status >= 500);
}

/** Tells whether an error is temporary: no connection, a rate limit, or an outage. */
export function isTemporary(error: unknown): error is ApiError | ConnectionError {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.status === 429 || error.status === 408 || error.status >= 500);
}

/** Computes the milliseconds until the next poll after a temporary error. */
export function waitAfter(error: ApiError | ConnectionError, failures: number, pollMs: number): number {
  const retryAfter = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
  return Math.max(
    Math.min(retryAfter, longestRetryAfterMs),
    Math.random() * Math.min(longestPauseMs, pollMs * 2 ** Math.min(failures, 10)),
  );
}

/** Waits. Throws the signal's reason as soon as it aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(done, Math.min(ms, longestTimerMs));
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
