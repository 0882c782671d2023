import {
  BaseError,
  HttpRequestError,
  type PublicClient,
  ResponseBodyTooLargeError,
  TimeoutError,
} from "viem";
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
export function chainUnreachable(): Refusal {
  return new Refusal("dependency_unavailable", "The chain cannot be reached. Try again.");
}

/** Milliseconds to wait for the node of one chain among several, and for a node that did not answer the last time. */
const patience = { usual: 2000, retry: 500 };
/** Milliseconds for which a node that did not answer gets no further question. */
const restFor = 5000;

/** The times (ms) until which silent nodes get no question. */
const silentUntil = new WeakMap<PublicClient, number>();

/**
 * Asks the node of one chain among several, and waits a short time. After a failure, callers of this process are refused
 * at once for some seconds. Then one caller tries again, for a shorter time. A late answer ends the refusals.
 *
 * @throws Refusal `dependency_unavailable` if the node does not answer in time, or did not lately; the question's error
 */
export async function askShortly<Value>(client: PublicClient, ask: () => Promise<Value>): Promise<Value> {
  const until = silentUntil.get(client);
  if (until !== undefined && performance.now() < until) throw chainUnreachable();
  const wait = until === undefined ? patience.usual : patience.retry;
  // One caller tries a silent node.
  if (until !== undefined) silentUntil.set(client, performance.now() + wait);
  const rest = () => silentUntil.set(client, performance.now() + restFor);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    rest();
    reject(chainUnreachable());
  }, wait);
  const answer = ask().then(
    (value) => {
      silentUntil.delete(client);
      return value;
    },
    (error: unknown) => {
      if (isNodeUnreachable(error) && !isOverdue(error)) rest();
      else if (isContractAnswer(error)) silentUntil.delete(client);
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
