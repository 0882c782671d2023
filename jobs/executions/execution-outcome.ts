import type { Hex } from "viem";
import { z } from "zod";
import { JsonFault, readJson } from "../../protocol/json/parse.ts";
import { bytesPattern, longestSignature } from "../../protocol/settlement/shapes.ts";
import { mostAttempts } from "../../trade/orders/execution-steps.ts";
import { findUnstorable } from "../../trade/storable-json.ts";
import type { SendResult } from "../../untrusted/outbound/guarded-request.ts";
import { readRetryAfter } from "../fairness/retry-after.ts";

/** Seconds from a try that may yet succeed to the next: ten tries over some fourteen hours, if the order has so long. */
const delays = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 21_600];
/** Seconds between those whose answer was no use: three in all, since the next is likely to be none either. */
const rejectionDelays = [30, 600];
/** How far a delay is moved at random, so that what failed together does not come back together. */
const jitter = 0.2;

/** What is kept of an answer that was no use, in characters. */
export const shownOfAnswer = 1024;

const answerSchema = z.strictObject({
  output_payload: z.record(z.string(), z.unknown()).nullable().optional(),
  note: z.string().max(2000).optional(),
  signature: z
    .string()
    .regex(bytesPattern)
    .max(longestSignature)
    .transform((text) => text.toLowerCase() as Hex)
    .optional(),
});
export type ExecutionAnswer = z.output<typeof answerSchema>;

/** What an endpoint's answer means. A rejection is an answer that is no use; other failures are no answer. */
export type Outcome = { kind: "output"; answer: ExecutionAnswer } | { kind: "accepted" } | Failure;
export type Failure = {
  kind: "failure";
  error: string;
  message: string;
  isRejection: boolean;
  /** milliseconds that the endpoint asked for */
  retryAfter?: number | null;
};

/** Reads what came back, without looking at the order's schema. */
export function judge(result: SendResult): Outcome {
  if (!result.ok) return unanswered(result);
  const { status } = result;
  // The status alone accepts the order. A delivery needs the whole body.
  if (status === 202) return { kind: "accepted" };
  if (status === 200) {
    return result.broken ? unanswered(result.broken) : readAnswer(result.bytes, result.truncated);
  }
  const retryAfter = readRetryAfter(result.headers["retry-after"], Date.now());
  if (status >= 500 || status === 408 || status === 425 || status === 429) {
    return { ...failed("unavailable", `The endpoint answered ${status}.`), isRejection: false, retryAfter };
  }
  if (status >= 300 && status < 400) {
    return failed(
      "redirected",
      `The endpoint answered ${status}. Redirects are not followed: set the URL that it leads to.`,
    );
  }
  return failed("refused", `The endpoint answered ${status}. 200 delivers, and 202 leaves the order to you.`);
}

function readAnswer(bytes: Uint8Array, truncated: boolean): Outcome {
  if (truncated) return failed("answer_too_large", "The answer is over 262144 bytes.");
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
      `The answer has a value that cannot be kept: ${unstorable.path} ${unstorable.message}.`,
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

/** The failure of a request without an answer, or with a part of one. */
function unanswered({ error, message }: Pick<Failure, "error" | "message">): Failure {
  // No retry helps: the service sends nothing to where the URL leads.
  const isRejection = /^(invalid_|insecure_|forbidden_|credentials_)/.test(error);
  return { kind: "failure", error, message, isRejection };
}

/** An answer that is no use. */
export function failed(error: string, message: string): Failure {
  return { kind: "failure", error, message: message.slice(0, 1000), isRejection: true };
}

/**
 * Milliseconds until the next try; null after the last one.
 *
 * @param tries how many there were, from 1, and how many of them were rejections
 * @param random a number in [0, 1)
 */
export function delayAfter(
  tries: { attempts: number; rejections: number },
  { isRejection, retryAfter }: Pick<Failure, "isRejection" | "retryAfter">,
  random: number,
): number | null {
  const usual = tries.attempts < mostAttempts ? delays[tries.attempts - 1] : undefined;
  const seconds = isRejection ? rejectionDelays[tries.rejections - 1] : usual;
  if (usual === undefined || seconds === undefined) return null;
  const delay = seconds * 1000;
  // Granted up to an hour, or to twice the usual delay where that is longer.
  if (retryAfter) return Math.min(Math.max(retryAfter, delay), Math.max(3_600_000, 2 * delay));
  return Math.round(delay * (1 - jitter + 2 * jitter * random));
}
