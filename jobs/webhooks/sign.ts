import { hash } from "node:crypto";
import type { Signable, SignatureHeaders } from "../../webhooks/signature.ts";

// What webhooks/signature.ts makes anywhere, by Node's own SHA-256, which is native. A test compares the two.

const secretPrefix = "whsec_";

/** Secrets that are remembered, each with its two keys; of each master key as many. */
const mostRemembered = 1024;

/** As `signDelivery` of webhooks/signature.ts. */
export function signDelivery({ id, timestamp, body, secrets }: Signable): SignatureHeaders {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  let own = `t=${timestamp}`;
  let standard = "";
  for (const secret of secrets) {
    const keys = remember(keysOf, secret, () => readKeys(secret));
    own += `,v1=${mac(keys.own, `${timestamp}.`, bytes, "hex")}`;
    standard += `${standard && " "}v1,${mac(keys.standard, `${id}.${timestamp}.`, bytes, "base64")}`;
  }
  return {
    "X-Service-Signature": own,
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": standard,
  };
}

/** As `deriveSecret` of webhooks/signature.ts. */
export function deriveSecret(master: Uint8Array, endpointId: string, version: number): string {
  const secrets = secretsOf.get(master) ?? new Map<string, string>();
  secretsOf.set(master, secrets);
  const name = `${endpointId}:${version}`;
  return remember(secrets, name, () => {
    const bytes = mac(padKey(master), `webhook:${name}`, new Uint8Array(), "base64");
    return `${secretPrefix}${bytes}`;
  });
}

const secretsOf = new WeakMap<Uint8Array, Map<string, string>>();
const keysOf = new Map<string, { own: PaddedKey; standard: PaddedKey }>();

function readKeys(secret: string) {
  return {
    own: padKey(Buffer.from(secret)),
    standard: padKey(Buffer.from(secret.slice(secretPrefix.length), "base64")),
  };
}

function remember<Value>(known: Map<string, Value>, name: string, make: () => Value): Value {
  const found = known.get(name);
  if (found !== undefined) return found;
  const made = make();
  known.set(name, made);
  // The one made longest ago goes first: what is still used is made again.
  if (known.size > mostRemembered) known.delete(known.keys().next().value as string);
  return made;
}

const block = 64;
const digestBytes = 32;

/** A key as HMAC (RFC 2104) puts it before what it signs, and before the digest of that. */
type PaddedKey = { inner: Uint8Array; outer: Uint8Array };

function padKey(key: Uint8Array): PaddedKey {
  const padded = new Uint8Array(block);
  padded.set(key.length > block ? hash("sha256", key, "buffer") : key);
  return { inner: padded.map((byte) => byte ^ 0x36), outer: padded.map((byte) => byte ^ 0x5c) };
}

/** Where what is hashed is put together, so that it is hashed by one call. */
let space = Buffer.alloc(32_768);
const outerSpace = Buffer.alloc(block + digestBytes);

/** HMAC-SHA-256 of a text and bytes: node:crypto's own makes three objects for each, which takes as long as the hash. */
function mac(key: PaddedKey, text: string, bytes: Uint8Array, form: "hex" | "base64"): string {
  // A character takes three bytes at most.
  const most = block + 3 * text.length + bytes.length;
  if (most > space.length) space = Buffer.alloc(2 * most);
  space.set(key.inner);
  const at = block + space.write(text, block);
  space.set(bytes, at);
  outerSpace.set(key.outer);
  outerSpace.set(hash("sha256", space.subarray(0, at + bytes.length), "buffer"), block);
  return hash("sha256", outerSpace, form);
}
