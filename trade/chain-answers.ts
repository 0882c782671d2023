import { BaseError, HttpRequestError, ResponseBodyTooLargeError, TimeoutError } from "viem";
import { OverdueError } from "../db/commit-outcome.ts";
import { isContractAnswer } from "../protocol/settlement/contract-answers.ts";
import { Refusal } from "./refusal.ts";

const away = [HttpRequestError, TimeoutError, ResponseBodyTooLargeError];

/** Whether an error means that the node was unreachable, timed out, or sent a response above the size limit. */
export function isNodeUnreachable(error: unknown): boolean {
  return (
    error instanceof BaseError && error.walk((cause) => away.some((kind) => cause instanceof kind)) !== null
  );
}

/** Whether a request made no call because it was answered already. The node is not at fault. */
function isOverdue(error: unknown): boolean {
  return error instanceof BaseError && error.walk((cause) => cause instanceof OverdueError) !== null;
}

/** Refuses an operation that needs the chain while its node is unreachable. */
export function chainUnreachable(cause?: unknown): Refusal {
  const refusal = new Refusal("dependency_unavailable", "The chain cannot be reached. Try again.");
  if (cause !== undefined) refusal.cause = cause;
  return refusal;
}

/** Milliseconds to wait for the node of one chain among several, and for a node that did not answer the last time. */
const patience = { usual: 2000, retry: 500 };
/** Milliseconds for which a node that did not answer gets no further question. */
const restFor = 5000;

/** A node by its client, or a part of its answers that is late alone, such as those of a token. */
type Source = object;

/** The times (ms) until which silent sources get no question, with the error of those that failed. */
const silent = new WeakMap<Source, { until: number; cause?: unknown }>();

/**
 * Asks the node of one chain among several, and waits a short time. After a failure, callers of this process are refused
 * at once for some seconds. Then one caller tries again, for a shorter time. A late answer ends the refusals.
 *
 * @throws Refusal `dependency_unavailable` if the node does not answer in time, or did not lately, with the node's error as
 *   its cause if it failed; the question's error
 */
export async function askShortly<Value>(source: Source, ask: () => Promise<Value>): Promise<Value> {
  const last = silent.get(source);
  if (last && performance.now() < last.until) throw chainUnreachable(last.cause);
  const wait = last ? patience.retry : patience.usual;
  // One caller tries a silent node.
  if (last) silent.set(source, { ...last, until: performance.now() + wait });
  const rest = (cause?: unknown) => silent.set(source, { until: performance.now() + restFor, cause });
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    rest();
    reject(chainUnreachable());
  }, wait);
  const answer = ask().then(
    (value) => {
      silent.delete(source);
      return value;
    },
    (error: unknown) => {
      if (isNodeUnreachable(error) && !isOverdue(error)) rest(error);
      else if (isContractAnswer(error)) silent.delete(source);
      throw error;
    },
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
    // A question that fails later must not end the process.
    answer.catch(() => {});
  }
}
