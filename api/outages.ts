import { BaseError, HttpRequestError, InternalRpcError, TimeoutError } from "viem";
import { viewsSchema } from "../db/chain.ts";
import { ApiError } from "./errors.ts";

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

/** SQLSTATEs of a schema or table that does not exist. */
const missing = new Set(["3F000", "42P01"]);

/**
 * Tells an outage of what we depend on from a fault of our own.
 *
 * @returns the answer to give, or null for any other error
 */
export function findOutage(error: unknown): ApiError | null {
  if (error instanceof BaseError) {
    const away = error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError);
    return away ? chainSilent() : null;
  }
  if (error instanceof Error && lost.test(error.message)) {
    return new ApiError("dependency_unavailable", "The database cannot be reached. Try again.");
  }
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null;
  if (unreachable.has(error.code) || unable.test(error.code)) {
    return new ApiError("dependency_unavailable", "The database cannot be reached. Try again.");
  }
  if (missing.has(error.code) && error.message.includes(`"${viewsSchema}`)) {
    return new ApiError("dependency_unavailable", "The chain's index is not built yet. Try again.");
  }
  return null;
}

/** The answer where the chain would have to be asked and cannot be. */
export function chainSilent(): ApiError {
  return new ApiError("dependency_unavailable", "The chain cannot be reached. Try again.");
}

/** What viem says when a contract refused a call, or gave an answer that is none. */
const contractAnswers = new Set([
  "ContractFunctionRevertedError",
  "ContractFunctionZeroDataError",
  "ExecutionRevertedError",
  "AbiDecodingDataSizeTooSmallError",
  "AbiDecodingZeroDataError",
]);

/** Tells a contract's refusal of a read from a node that did not, or could not, ask it: that says nothing about it. */
export function isContractAnswer(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  if (isOutOfGas(error)) return true;
  if (error.walk((cause) => contractAnswers.has((cause as Error).name)) === null) return false;
  // viem reads a node's own "internal error" as a refusal, since some nodes say that of one.
  const internal = error.walk((cause) => cause instanceof InternalRpcError) as BaseError | null;
  return internal === null || /revert/i.test(internal.details);
}

/** Tells that a call takes more gas than a node spends on one: its contract's doing, whatever the node calls it. */
export function isOutOfGas(error: BaseError): boolean {
  const said = error.walk((cause) => outOfGas.test((cause as Partial<BaseError>).details ?? ""));
  return said !== null;
}

const outOfGas = /out ?of ?gas|gas required exceeds/i;
