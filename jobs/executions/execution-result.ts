import type { Hex } from "viem";
import { z } from "zod";
import { JsonFault, readJson } from "../../protocol/json/parse.ts";
import { bytesPattern, longestSignature } from "../../protocol/settlement/shapes.ts";
import { mostExecutionAttempts } from "../../trade/orders/execution-steps.ts";
import { largestQuantity } from "../../trade/services/pricing.ts";
import { findUnstorable } from "../../trade/storable-json.ts";
import type { SendResult } from "../../untrusted/outbound/guarded-request.ts";
import { readRetryAfter } from "../fairness/retry-after.ts";

/** Seconds between attempts that may yet succeed: ten attempts in some fourteen hours, if the order's deadline is later. */
const delays = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 21_600];
/** Seconds between attempts after an unusable answer: three attempts in all, because the next answer is probably unusable too. */
const rejectionDelays = [30, 600];
/** The random share of a delay, so that attempts that failed together are not repeated together. */
const jitter = 0.2;

/** Characters of an unusable answer that are stored. */
export const shownOfAnswer = 1024;

const answerSchema = z.strictObject({
  output_payload: z.record(z.string(), z.unknown()).nullable().optional(),
  units: z.int().min(1).max(largestQuantity).optional(),
  note: z.string().max(2000).optional(),
  signature: z
    .string()
    .regex(bytesPattern)
    .max(longestSignature)
    .transform((text) => text.toLowerCase() as Hex)
    .optional(),
});
export type ExecutionAnswer = z.output<typeof answerSchema>;

/** The result of a request. A rejection is an unusable answer; other failures are missing answers. */
export type ExecutionResult = { kind: "output"; answer: ExecutionAnswer } | { kind: "accepted" } | Failure;
export type Failure = {
  kind: "failure";
  error: string;
  message: string;
  isRejection: boolean;
  /** milliseconds that the endpoint requested */
  retryAfter?: number | null;
};

/** Reads an endpoint's response, without a check against the order's schema. */
export function readExecutionResult(result: SendResult): ExecutionResult {
  if (!result.ok) return unanswered(result);
  const { status } = result;
  // The status alone accepts the order. A delivery needs the whole body.
  if (status === 202) return { kind: "accepted" };
  if (status === 200) {
    return result.broken ? unanswered(result.broken) : readAnswer(result.bytes, result.isTruncated);
  }
  const retryAfter = readRetryAfter(result.headers["retry-after"], Date.now());
  if (status >= 500 || status === 408 || status === 425 || status === 429) {
    return { ...failed("unavailable", `The endpoint answered ${status}.`), isRejection: false, retryAfter };
  }
  if (status >= 300 && status < 400) {
    return failed(
      "redirected",
      `The endpoint answered ${status}. Redirects are not followed: set the target URL.`,
    );
  }
  return failed(
    "refused",
    `The endpoint answered ${status}: answer 200 with the output, or 202 to deliver it later.`,
  );
}

function readAnswer(bytes: Uint8Array, isTruncated: boolean): ExecutionResult {
  if (isTruncated)
    return failed("answer_too_large", "The answer has more than 262144 bytes: send a smaller output.");
  let value: unknown;
  try {
    value = readJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonFault)) return failed("invalid_json", "The answer is not JSON.");
    const { path, message } = error;
    return failed("invalid_json", `The answer is not I-JSON (RFC 7493): ${path || "the text"} ${message}.`);
  }
  const unstorable = findUnstorable(value);
  if (unstorable)
    return failed(
      "invalid_answer",
      `The answer has a value that cannot be stored: ${unstorable.path} ${unstorable.message}.`,
    );
  const parsed = answerSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return failed(
      "invalid_answer",
      `The answer is not {"output_payload": {...}}: ${issue?.path.join("/")} ${issue?.message}.`,
    );
  }
  return { kind: "output", answer: parsed.data };
}

/** The failure of a request without a complete answer. */
function unanswered({ error, message }: Pick<Failure, "error" | "message">): Failure {
  // A retry does not help: the service sends nothing to this URL's target.
  const isRejection = /^(invalid_|insecure_|forbidden_|credentials_)/.test(error);
  return { kind: "failure", error, message, isRejection };
}

/** The failure of a request with an unusable answer. */
export function failed(error: string, message: string): Failure {
  return { kind: "failure", error, message: message.slice(0, 1000), isRejection: true };
}

/**
 * Returns the milliseconds until the next attempt; null after the last one.
 *
 * @param tries the number of attempts, from 1, and of rejections among them
 * @param random a number in [0, 1)
 */
export function delayAfter(
  tries: { attempts: number; rejections: number },
  { isRejection, retryAfter }: Pick<Failure, "isRejection" | "retryAfter">,
  random: number,
): number | null {
  const usual = tries.attempts < mostExecutionAttempts ? delays[tries.attempts - 1] : undefined;
  const seconds = isRejection ? rejectionDelays[tries.rejections - 1] : usual;
  if (usual === undefined || seconds === undefined) return null;
  const delay = seconds * 1000;
  // `Retry-After` is granted up to an hour, or up to twice the usual delay if that is longer.
  if (retryAfter) return Math.min(Math.max(retryAfter, delay), Math.max(3_600_000, 2 * delay));
  return Math.round(delay * (1 - jitter + 2 * jitter * random));
}
