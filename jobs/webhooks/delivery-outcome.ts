import type { SendError, SendResult } from "../../untrusted/outbound/guarded-request.ts";
import { readRetryAfter } from "../fairness/retry-after.ts";
import type { Claim } from "./delivery-claims.ts";
import { delayAfter } from "./retry-schedule.ts";

/** What one attempt came to. */
export type Outcome = {
  attempt: Attempt;
  /** what was spoken to: another by now has proved nothing */
  endpoint: Claim["endpoint"];
  /** tried often enough that a failure says something about the endpoint */
  isTelling: boolean;
  isTrial: boolean;
};

/** An attempt as it is written down. */
type Attempt = {
  deliveryId: string;
  lease: string;
  startedAt: string;
  latencyMs: number;
  statusCode: number | null;
  /** a code and a sentence; null after a success */
  error: string | null;
  signatures: Record<string, string>;
  responseBody: string | null;
  /** pending where it is tried again */
  status: "pending" | "succeeded" | "failed";
  /** milliseconds until the next attempt, where there is one */
  delayMs: number | null;
};

/** From which attempt of a delivery on an endpoint may be found to be failing: a receiver that was long idle has some hours. */
const tellingAttempts = 7;

/** Judges a delivery by its answer, or by the absence of one: 2xx acknowledges, anything else is tried again. */
export function judge(
  claim: Claim,
  sent: {
    result: SendResult | (Omit<SendError, "error"> & { error: string });
    startedAt: Date;
    signatures: Record<string, string>;
  },
  random: number,
): Outcome {
  const { result } = sent;
  const attempts = claim.attempts + 1;
  const error = result.ok ? describeStatus(result.status) : `${result.error}: ${result.message}`;
  const retryAfter = result.ok ? readRetryAfter(result.headers["retry-after"], Date.now()) : null;
  const ends = error === null || claim.isTest;
  const delayMs = ends ? null : delayAfter(attempts, retryAfter, random);
  return {
    attempt: {
      deliveryId: claim.id,
      lease: claim.lease,
      startedAt: sent.startedAt.toISOString(),
      latencyMs: result.latencyMs,
      statusCode: result.status,
      error,
      signatures: sent.signatures,
      responseBody: result.ok ? result.body : null,
      status: error === null ? "succeeded" : delayMs === null ? "failed" : "pending",
      delayMs,
    },
    endpoint: claim.endpoint,
    isTelling: !claim.isTest && attempts >= tellingAttempts,
    isTrial: claim.isTrial,
  };
}

/** Why a status is no success, as a code and a sentence for the endpoint's owner; null for 2xx. */
function describeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) {
    return `redirected: The endpoint answered ${status}. Redirects are not followed: register the URL that it leads to.`;
  }
  return `refused: The endpoint answered ${status}. Only 2xx acknowledges a delivery.`;
}
