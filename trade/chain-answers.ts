import { BaseError, HttpRequestError, TimeoutError } from "viem";
import { Refusal } from "./refusal.ts";

/** Tells that a node could not be reached, or took too long. */
export function isNodeAway(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError) !== null
  );
}

/** The refusal where the chain would have to be asked and cannot be. */
export function chainSilent(): Refusal {
  return new Refusal("dependency_unavailable", "The chain cannot be reached. Try again.");
}
