import { BaseError, HttpRequestError, ResponseBodyTooLargeError, TimeoutError } from "viem";
import { Refusal } from "./refusal.ts";

const away = [HttpRequestError, TimeoutError, ResponseBodyTooLargeError];

/** Tells that a node could not be reached, took too long, or answers at a length that nobody reads. */
export function isNodeUnreachable(error: unknown): boolean {
  return (
    error instanceof BaseError && error.walk((cause) => away.some((kind) => cause instanceof kind)) !== null
  );
}

/** The refusal where the chain would have to be asked and cannot be. */
export function chainUnreachable(): Refusal {
  return new Refusal("dependency_unavailable", "The chain cannot be reached. Try again.");
}
