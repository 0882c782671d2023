import { randomBytes, sign } from "node:crypto";
import { privateKeyOf } from "../../receipts/sign.ts";
import type { SigningKey } from "../../receipts/signing-keys.ts";
import { currentKey, jwkMethodId } from "../../receipts/signing-keys.ts";
import {
  components,
  contentDigest,
  label,
  signatureBase,
  tag,
  validSeconds,
  writeParams,
} from "./signature.ts";

/** An unsigned request to a provider's endpoint. */
export type Unsigned = {
  url: string;
  body: string;
  /** the same for each attempt of an execution */
  idempotencyKey: string;
};

/**
 * Signs the request that executes a paid order, by RFC 9421 with the service's current key. Returns the headers.
 *
 * @param at the time of signing; a signature is valid for five minutes
 * @throws Error if no key is valid
 */
export function signExecution(
  { url, body, idempotencyKey }: Unsigned,
  { issuer, keys }: { issuer: string; keys: readonly SigningKey[] },
  at = new Date(),
): Record<string, string> {
  const key = currentKey(keys, at);
  const created = Math.floor(at.getTime() / 1000);
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "Content-Digest": contentDigest(body),
    "Idempotency-Key": idempotencyKey,
  };
  const params = writeParams(components, {
    created,
    expires: created + validSeconds,
    nonce: randomBytes(16).toString("hex"),
    keyid: jwkMethodId(issuer, key),
    alg: "ed25519",
    tag,
  });
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const base = signatureBase(components, params, {
    method: "POST",
    url,
    header: (name) => lower.get(name) ?? null,
  });
  const signature = sign(null, Buffer.from(base), privateKeyOf(key)).toString("base64");
  return { ...headers, "Signature-Input": `${label}=${params}`, Signature: `${label}=:${signature}:` };
}
