import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64 } from "@scure/base";
import { secretBytes } from "./secret.ts";

/** The largest difference between a delivery's time and the verifier's, in seconds. */
export const toleranceSeconds = 300;

/** The signed parts of a delivery, and the secrets. */
export interface Signable {
  /** The delivery's id, the same in each retry: `X-Service-Delivery` and `webhook-id`. */
  id: string;
  /** Unix seconds of this attempt. */
  timestamp: number;
  /** The sent bytes. */
  body: string | Uint8Array;
  /** The endpoint's secrets as shown to its owner, the current one first; two during a rotation. */
  secrets: readonly string[];
}

export interface SignatureHeaders {
  "X-Service-Signature": string;
  "webhook-id": string;
  "webhook-timestamp": string;
  "webhook-signature": string;
}

/**
 * Signs a delivery. The key of `X-Service-Signature` is the secret as shown, including `whsec_`. The key of Standard
 * Webhooks' headers is the decoded base64.
 */
export function signDelivery({ id, timestamp, body, secrets }: Signable): SignatureHeaders {
  const bytes = toBytes(body);
  const own = secrets.map((secret) => `v1=${digest(utf8ToBytes(secret), `${timestamp}.`, bytes)}`);
  const standard = secrets.map((secret) => {
    return `v1,${base64.encode(mac(secretBytes(secret), `${id}.${timestamp}.`, bytes))}`;
  });
  return {
    "X-Service-Signature": [`t=${timestamp}`, ...own].join(","),
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": standard.join(" "),
  };
}

/**
 * Whether a delivery comes from the service. The header `X-Service-Signature` must match the raw body, the endpoint's
 * secret and the time (Unix seconds; now by default). Never throws.
 *
 * @example if (!verifyWebhook(rawBody, request.headers.get("x-service-signature"), secret)) return new Response(null,
 *   { status: 401 });
 */
export function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  header: string | null | undefined,
  secret: string,
  now: number = Math.floor(Date.now() / 1000),
): boolean {
  try {
    // An empty secret is a missing setting, and a key that everybody knows.
    if (typeof header !== "string" || typeof secret !== "string" || secret === "") return false;
    const signature = parseHeader(header);
    if (!signature || !/^[0-9]+$/.test(signature.timestamp)) return false;
    // In whole seconds, like `t`.
    if (!(Math.abs(Math.floor(now) - Number(signature.timestamp)) <= toleranceSeconds)) return false;
    const expected = digest(utf8ToBytes(secret), `${signature.timestamp}.`, toBytes(rawBody));
    // Compares all digests, so that the time does not reveal which one matches.
    return signature.digests.filter((digest) => isSame(digest, expected)).length > 0;
  } catch {
    return false;
  }
}

/** Parses the header: one `t`, and a `v1` for each signing secret. */
function parseHeader(header: string): { timestamp: string; digests: string[] } | null {
  const pieces = header.split(",").map((piece) => {
    const at = piece.indexOf("=");
    return { key: trimBlanks(piece.slice(0, at)), value: piece.slice(at + 1), isPair: at >= 0 };
  });
  if (!pieces.every(({ isPair }) => isPair)) return null;
  const valuesOf = (name: string) => pieces.filter(({ key }) => key === name).map(({ value }) => value);
  const [timestamp, second] = valuesOf("t");
  const digests = valuesOf("v1");
  if (timestamp === undefined || second !== undefined || digests.length === 0) return null;
  return { timestamp, digests };
}

/** Trims spaces and tabs, which HTTP allows. `trim` would also remove Unicode's spaces. */
function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, "");
}

/** Compares texts in a time that depends only on their lengths. */
function isSame(supplied: string, expected: string): boolean {
  if (supplied.length !== expected.length) return false;
  let difference = 0;
  for (let at = 0; at < expected.length; at++)
    difference |= supplied.charCodeAt(at) ^ expected.charCodeAt(at);
  return difference === 0;
}

function digest(key: Uint8Array, prefix: string, body: Uint8Array): string {
  return bytesToHex(mac(key, prefix, body));
}

function mac(key: Uint8Array, prefix: string, body: Uint8Array): Uint8Array {
  return hmac.create(sha256, key).update(utf8ToBytes(prefix)).update(body).digest();
}

function toBytes(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === "string") return utf8ToBytes(body);
  // An object of another realm, as in some test runners, is not an instance of this realm's classes.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") return new Uint8Array(body);
  throw new TypeError("The body must be text or bytes.");
}
