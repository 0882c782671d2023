import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { base64 } from "@scure/base";
import { verifyWebhook } from "../../../protocol/webhooks/index.ts";
import { EarnestError } from "./core/errors.ts";
import { parseExactly } from "./core/exact-json.ts";
import type { WebhookEvent } from "./generated/types.ts";

export { verifyWebhook };

/** The headers of a `Request`, or of a Node request. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** The delivery has no valid, recent signature of this secret. Answer 401 and do nothing else. */
export class WebhookSignatureError extends EarnestError {}

const toleranceSeconds = 300;

/**
 * Verifies a delivery and returns its event. The signature is in `X-Service-Signature`, or else in the headers of Standard
 * Webhooks.
 *
 * @param rawBody the received bytes: JSON that was parsed and written again has another signature
 * @param secret `whsec_...`, or several secrets during a rotation
 * @param now Unix seconds, for tests
 * @throws WebhookSignatureError
 */
export function readWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  now: number = Math.floor(Date.now() / 1000),
): WebhookEvent {
  const secrets = typeof secret === "string" ? [secret] : secret;
  const own = valuesOf(headers, "x-service-signature");
  // A repeated header is refused: a proxy and this verifier may read different values.
  const isGood = (each: string) =>
    own.length === 0
      ? verifyStandardWebhook(rawBody, headers, each, now)
      : own.length === 1 && verifyWebhook(rawBody, own[0], each, now);
  const good = secrets.filter(isGood);
  if (good.length === 0) {
    throw new WebhookSignatureError("The delivery has no valid, recent signature of the endpoint's secret.");
  }
  const text = typeof rawBody === "string" ? rawBody : new TextDecoder().decode(rawBody);
  return parseExactly(text) as WebhookEvent;
}

/**
 * Verifies `webhook-id`, `webhook-timestamp` and `webhook-signature` of a delivery. It returns false for anything invalid
 * and never throws. Source: https://www.standardwebhooks.com
 */
export function verifyStandardWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
  now: number = Math.floor(Date.now() / 1000),
): boolean {
  try {
    const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
      (name) => {
        const [value, ...more] = valuesOf(headers, name);
        return more.length === 0 ? value : undefined;
      },
    );
    const key = base64.decode(secret.replace(/^whsec_/, ""));
    // A comma and a space mean that a header was repeated.
    if (
      !id ||
      !signatures ||
      signatures.includes(", ") ||
      !/^[0-9]+$/.test(timestamp ?? "") ||
      key.length === 0
    )
      return false;
    // The clock is rounded down to whole seconds, like the timestamp.
    if (!(Math.abs(Math.floor(now) - Number(timestamp)) <= toleranceSeconds)) return false;
    const body = typeof rawBody === "string" ? utf8ToBytes(rawBody) : new Uint8Array(rawBody as ArrayBuffer);
    const mac = hmac
      .create(sha256, key)
      .update(utf8ToBytes(`${id}.${timestamp}.`))
      .update(body)
      .digest();
    const expected = `v1,${base64.encode(mac)}`;
    return signatures.split(" ").filter((signature) => isSame(signature, expected)).length > 0;
  } catch {
    return false;
  }
}

/** Compares texts in constant time for a given length. */
function isSame(supplied: string, expected: string): boolean {
  if (supplied.length !== expected.length) return false;
  let difference = 0;
  for (let at = 0; at < expected.length; at++) {
    difference |= supplied.charCodeAt(at) ^ expected.charCodeAt(at);
  }
  return difference === 0;
}

/** Returns the values of a header by its case-insensitive name. A `Request` has joined repeated headers with a comma. */
function valuesOf(headers: WebhookHeaders, name: string): string[] {
  if (typeof headers.get === "function") {
    const value = (headers as Headers).get(name);
    return value === null ? [] : [value];
  }
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
}
