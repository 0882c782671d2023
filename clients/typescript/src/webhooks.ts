import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { base64 } from "@scure/base";
import { verifyWebhook } from "../../../protocol/webhooks/index.ts";
import { EarnestError } from "./core/errors.ts";
import { parseExactly } from "./core/exact-json.ts";
import type { WebhookEvent } from "./generated/types.ts";

export { verifyWebhook };

/** As a `Request` has them, or as Node gives them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** The delivery is not signed with this secret, or not now. Answer 401, and do nothing else. */
export class WebhookSignatureError extends EarnestError {}

const toleranceSeconds = 300;

/**
 * The event of a delivery, once its signature is known to be good: `X-Service-Signature`, or the headers of Standard Webhooks
 * where that one is missing.
 *
 * @param rawBody the bytes as they came: JSON that was parsed and written again has another signature
 * @param secret `whsec_...` as the service showed it; several while one replaces another
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
  // A header that came twice is refused: a proxy and this verifier may read different ones of the two.
  const isGood = (one: string) =>
    own.length === 0
      ? verifyStandardWebhook(rawBody, headers, one, now)
      : own.length === 1 && verifyWebhook(rawBody, own[0], one, now);
  const good = secrets.filter(isGood);
  if (good.length === 0) {
    throw new WebhookSignatureError("The delivery is not signed with the endpoint's secret, or not now.");
  }
  const text = typeof rawBody === "string" ? rawBody : new TextDecoder().decode(rawBody);
  return parseExactly(text) as WebhookEvent;
}

/**
 * Whether a delivery's `webhook-id`, `webhook-timestamp` and `webhook-signature` fit the raw body, the secret and the time.
 * Anything else is false; it never throws. Source: https://www.standardwebhooks.com
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
    // Two headers are joined with a comma and a space.
    if (
      !id ||
      !signatures ||
      signatures.includes(", ") ||
      !/^[0-9]+$/.test(timestamp ?? "") ||
      key.length === 0
    )
      return false;
    // The clock counts in whole seconds, as the timestamp does.
    if (!(Math.abs(Math.floor(now) - Number(timestamp)) <= toleranceSeconds)) return false;
    const body = typeof rawBody === "string" ? utf8ToBytes(rawBody) : new Uint8Array(rawBody as ArrayBuffer);
    const mac = hmac
      .create(sha256, key)
      .update(utf8ToBytes(`${id}.${timestamp}.`))
      .update(body)
      .digest();
    const expected = `v1,${base64.encode(mac)}`;
    return signatures.split(" ").filter((one) => isSame(one, expected)).length > 0;
  } catch {
    return false;
  }
}

/** Compares texts in a time that depends on their lengths alone. */
function isSame(supplied: string, expected: string): boolean {
  if (supplied.length !== expected.length) return false;
  let difference = 0;
  for (let at = 0; at < expected.length; at++) {
    difference |= supplied.charCodeAt(at) ^ expected.charCodeAt(at);
  }
  return difference === 0;
}

/** What a header came with, in any case of its name; a `Request` has already joined what came twice, with a comma. */
function valuesOf(headers: WebhookHeaders, name: string): string[] {
  if (typeof headers.get === "function") {
    const value = (headers as Headers).get(name);
    return value === null ? [] : [value];
  }
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
}
