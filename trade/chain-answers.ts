import { BaseError, HttpRequestError, ResponseBodyTooLargeError, TimeoutError } from "viem";
import { Refusal } from "./refusal.ts";

const away = [HttpRequestError, TimeoutError, ResponseBodyTooLargeError];

/** Whether an error means that the node was unreachable, timed out, or sent a response above the size limit. */
export function isNodeUnreachable(error: unknown): boolean {
  return (
    error instanceof BaseError && error.walk((cause) => away.some((kind) => cause instanceof kind)) !== null
  );
}

/** Refuses an operation that needs the chain while its node is unreachable. */
export function chainUnreachable(): Refusal {
  return new Refusal("dependency_unavailable", "The chain cannot be reached. Try again.");
}
