import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { base64 } from "@scure/base";

const prefix = "whsec_";

/** Derives an endpoint's signing secret from the master key: `whsec_` and the base64 of an HMAC-SHA256. */
export function deriveSecret(master: Uint8Array, endpointId: string, version: number): string {
  return `${prefix}${base64.encode(hmac(sha256, master, utf8ToBytes(`webhook:${endpointId}:${version}`)))}`;
}

/** Decodes the bytes of a secret, which key the headers of Standard Webhooks. */
export function secretBytes(secret: string): Uint8Array {
  return base64.decode(secret.slice(prefix.length));
}
