import { mayDisable } from "../../trade/webhooks/disabled-endpoints.ts";
import type { SendError, SendResult } from "../../untrusted/outbound/guarded-request.ts";
import { readRetryAfter } from "../fairness/retry-after.ts";
import type { LeasedDelivery } from "./delivery-leases.ts";
import { delayAfter } from "./retry-schedule.ts";

/** The result of one attempt. */
export type AttemptResult = {
  attempt: Attempt;
  /** the endpoint that was used: its owner may have changed it since */
  endpoint: LeasedDelivery["endpoint"];
  /** whether the attempt failed, and may disable the endpoint */
  mayDisable: boolean;
  isTrial: boolean;
};

/** An attempt as it is stored. */
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
  /** pending if the delivery is retried */
  status: "pending" | "succeeded" | "failed";
  /** milliseconds until the next attempt, if any */
  delayMs: number | null;
};

/** Decides on a delivery by its answer: 2xx acknowledges it. Any other status, or no answer, is retried. */
export function resultOfAttempt(
  delivery: LeasedDelivery,
  sent: {
    result: SendResult | (Omit<SendError, "error"> & { error: string });
    startedAt: Date;
    signatures: Record<string, string>;
  },
  random: number,
): AttemptResult {
  const { result } = sent;
  const attempts = delivery.attempts + 1;
  const error = result.ok ? describeStatus(result.status) : `${result.error}: ${result.message}`;
  const retryAfter = result.ok ? readRetryAfter(result.headers["retry-after"], Date.now()) : null;
  const ends = error === null || delivery.isTest;
  const delayMs = ends ? null : delayAfter(attempts, retryAfter, random);
  return {
    attempt: {
      deliveryId: delivery.id,
      lease: delivery.lease,
      startedAt: sent.startedAt.toISOString(),
      latencyMs: result.latencyMs,
      statusCode: result.status,
      error,
      signatures: sent.signatures,
      responseBody: result.ok ? result.body : null,
      status: error === null ? "succeeded" : delayMs === null ? "failed" : "pending",
      delayMs,
    },
    endpoint: delivery.endpoint,
    mayDisable: error !== null && !delivery.isTest && mayDisable(attempts),
    isTrial: delivery.isTrial,
  };
}

/** Describes why a status is no success, as a code and a sentence for the endpoint's owner; null for 2xx. */
function describeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) {
    return `redirected: The endpoint answered ${status}. Redirects are not followed: register the target URL.`;
  }
  return `refused: The endpoint answered ${status}: answer 2xx to acknowledge a delivery.`;
}
