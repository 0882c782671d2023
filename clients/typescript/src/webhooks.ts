import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { base64 } from "@scure/base";
import { parseJson } from "../../../json/parse.ts";
import { verifyWebhook } from "../../../webhooks/index.ts";
import { EarnestError } from "./core/errors.ts";
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
  const own = headerOf(headers, "x-service-signature");
  const good = secrets.filter((one) =>
    own === null ? verifyStandardWebhook(rawBody, headers, one, now) : verifyWebhook(rawBody, own, one, now),
  );
  if (good.length === 0) {
    throw new WebhookSignatureError("The delivery is not signed with the endpoint's secret, or not now.");
  }
  const text = typeof rawBody === "string" ? rawBody : new TextDecoder().decode(rawBody);
  return parseJson(text) as WebhookEvent;
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
    const id = headerOf(headers, "webhook-id");
    const timestamp = headerOf(headers, "webhook-timestamp");
    const signatures = headerOf(headers, "webhook-signature");
    const key = base64.decode(secret.replace(/^whsec_/, ""));
    if (!id || !signatures || !/^[0-9]+$/.test(timestamp ?? "") || key.length === 0) return false;
    if (!(Math.abs(now - Number(timestamp)) <= toleranceSeconds)) return false;
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

/** A header that came once. */
function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === "function") return (headers as Headers).get(name);
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : null;
}
