import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";

/** @throws ApiError `invalid_request` for a chain that is not served */
export function requireServed(context: Context, chainId: number): void {
  if (context.chain(chainId)) return;
  const served = context.config.chains.map((chain) => chain.chain_id).join(", ") || "none";
  throw new ApiError("invalid_request", `Chain ${chainId} is not served. Use one of: ${served}.`, [
    { path: "/chain_id", keyword: "enum", message: `must be one of: ${served}` },
  ]);
}

/** Milliseconds that an answer waits for the chain. */
const chainTimeoutMs = 2000;

/** Waits for the answer of a node; null if the call fails or takes too long. For values that an answer can omit. */
export async function answerOrNull<Value>(question: Promise<Value>): Promise<Value | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, chainTimeoutMs, null);
  try {
    return await Promise.race([question, late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    // A call that fails later must not end the process.
    question.catch(() => {});
  }
}
