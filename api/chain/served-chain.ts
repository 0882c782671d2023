import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";

/** @throws ApiError `invalid_request` naming the chains that are served */
export function requireServed(context: Context, chainId: number): void {
  if (context.chain(chainId)) return;
  const served = context.config.chains.map((chain) => chain.chain_id).join(", ") || "none";
  throw new ApiError("invalid_request", `Chain ${chainId} is not served here; these are: ${served}.`, [
    { path: "/chain_id", keyword: "enum", message: `must be one of: ${served}` },
  ]);
}

/** How long an answer waits for the chain, in milliseconds. */
const patience = 2000;

/** What a node answers, or null when it fails or takes too long: for answers that can do without it. */
export async function askChain<Value>(question: Promise<Value>): Promise<Value | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, patience, null);
  try {
    return await Promise.race([question, late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    // One that fails after we stopped waiting must not end the process.
    question.catch(() => {});
  }
}
