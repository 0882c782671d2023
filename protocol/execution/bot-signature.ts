import { sign } from "node:crypto";
import { calculateJwkThumbprint } from "jose";
import { findCurrentKey } from "../../receipts/key-window.ts";
import { privateKeyOf } from "../../receipts/sign.ts";
import { type PublicKey, publicJwkOf, type SigningKey } from "../../receipts/signing-keys.ts";
import { signatureBase, validSeconds, writeParams } from "./signature.ts";

/** The path of the keys of an origin's automated requests. */
export const directoryPath = "/.well-known/http-message-signatures-directory";
export const directoryType = "application/http-message-signatures-directory+json";

const label = "bot";
const agentOf = `signature-agent;key="${label}"`;
const components = ["@method", "@target-uri", agentOf];

/**
 * Signs an automated request by Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol), so that the receiver can tell the
 * service from programs that use its name. Returns the headers; none if the service has no https origin or no valid key.
 *
 * @param at the time of signing; a signature is valid for five minutes
 */
export async function signAsBot(
  { method, url }: { method: string; url: string },
  { publicUrl, keys }: { publicUrl: string; keys: readonly SigningKey[] },
  at = new Date(),
): Promise<Record<string, string>> {
  const key = findCurrentKey(keys, at);
  const { protocol, origin } = new URL(publicUrl);
  if (!key || protocol !== "https:") return {};
  const created = Math.floor(at.getTime() / 1000);
  const params = writeParams(components, {
    created,
    expires: created + validSeconds,
    keyid: await thumbprintOf(key),
    alg: "ed25519",
    tag: "web-bot-auth",
  });
  const agent = `"${origin}"`;
  const base = signatureBase(components, params, {
    method,
    url,
    header: (name) => (name === agentOf ? agent : null),
  });
  const signature = sign(null, Buffer.from(base), privateKeyOf(key)).toString("base64");
  return {
    "Signature-Agent": `${label}=${agent}`,
    "Signature-Input": `${label}=${params}`,
    Signature: `${label}=:${signature}:`,
  };
}

/** Adds a request's signatures to those that it has. Both are dictionaries of labels. */
export function joinSignatures(
  signed: Record<string, string>,
  more: Record<string, string>,
): Record<string, string> {
  const joined = { ...more, ...signed };
  for (const name of ["Signature-Input", "Signature"]) {
    const values = [signed[name], more[name]].filter((value) => value !== undefined);
    if (values.length > 0) joined[name] = values.join(", ");
  }
  return joined;
}

/** Builds the directory of the keys that sign automated requests: a JWKS whose `kid` is the key's thumbprint (RFC 7638). */
export async function directoryOf(keys: readonly PublicKey[], at = new Date()) {
  const sound = keys.filter(
    ({ compromised_since, retired_at }) =>
      compromised_since === null && (retired_at === null || Date.parse(retired_at) > at.getTime()),
  );
  return {
    keys: await Promise.all(sound.map(async (key) => publicJwkOf(key, { kid: await thumbprintOf(key) }))),
  };
}

const thumbprintOf = ({ jwk: { x } }: Pick<PublicKey, "jwk">) =>
  calculateJwkThumbprint({ kty: "OKP", crv: "Ed25519", x });
