import { BaseError, HttpRequestError, ResponseBodyTooLargeError, TimeoutError } from "viem";
import { OverdueError } from "../db/commit-outcome.ts";
import { isContractAnswer } from "../protocol/settlement/contract-answers.ts";
import { Refusal } from "./refusal.ts";

const unreachableErrors = [HttpRequestError, TimeoutError, ResponseBodyTooLargeError];

/** Whether an error means that the node was unreachable, timed out, or sent a response above the size limit. */
export function isNodeUnreachable(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    error.walk((cause) => unreachableErrors.some((kind) => cause instanceof kind)) !== null
  );
}

/** Whether no call was made because our own request had timed out and was already answered. The node is not at fault. */
function isOverdue(error: unknown): boolean {
  return error instanceof BaseError && error.walk((cause) => cause instanceof OverdueError) !== null;
}

/** Refuses an operation that needs the chain while its node is unreachable. */
export function chainUnreachable(cause?: unknown): Refusal {
  const refusal = new Refusal("dependency_unavailable", "The chain cannot be reached. Try again.");
  if (cause !== undefined) refusal.cause = cause;
  return refusal;
}

/** Milliseconds to wait for an answer: usually, and in the one trial after a failure. */
const timeoutMs = { usual: 2000, trial: 500 };
/** Milliseconds after a failure in which calls are refused without a request. */
const cooldownMs = 5000;

/** The client of a node, or of one kind of its requests that may fail alone, such as those of a token. */
type Source = object;

/** The end of the cooldown (ms) of each source that failed, with the error if there was one. */
const openBreakers = new WeakMap<Source, { until: number; cause?: unknown }>();

/**
 * Calls the node of one chain among several through a circuit breaker: after a failure or a timeout, calls of this process fail
 * at once for some seconds. Then one caller tries again, with a shorter timeout. A late answer closes the breaker.
 *
 * @throws Refusal `dependency_unavailable` if the node does not answer in time or the breaker is open, with the node's error as
 *   its cause if it failed; the error of `call`
 */
export async function callWithBreaker<Value>(source: Source, call: () => Promise<Value>): Promise<Value> {
  const failed = openBreakers.get(source);
  if (failed && performance.now() < failed.until) throw chainUnreachable(failed.cause);
  const timeout = failed ? timeoutMs.trial : timeoutMs.usual;
  // Other callers are refused while one tries.
  if (failed) openBreakers.set(source, { ...failed, until: performance.now() + timeout });
  const open = (cause?: unknown) =>
    openBreakers.set(source, { until: performance.now() + cooldownMs, cause });
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    open();
    reject(chainUnreachable());
  }, timeout);
  const answer = call().then(
    (value) => {
      openBreakers.delete(source);
      return value;
    },
    (error: unknown) => {
      if (isNodeUnreachable(error) && !isOverdue(error)) open(error);
      else if (isContractAnswer(error)) openBreakers.delete(source);
      throw error;
    },
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
    // A call that fails later must not end the process.
    answer.catch(() => {});
  }
}
