import { createHmac, createSecretKey, type Hmac, type KeyObject } from "node:crypto";
import type { Signable, SignatureHeaders } from "../../webhooks/signature.ts";

// What webhooks/signature.ts makes anywhere, by Node's own HMAC, which is native. A test compares the two.

/** Keys that are remembered for each master key. */
const mostRemembered = 1024;

/** What deliveries to an endpoint are signed with: for the service's own header, and for that of Standard Webhooks. */
export type SigningKeys = { own: KeyObject; standard: KeyObject };

/** As `signDelivery` of webhooks/signature.ts, by keys in the place of secrets. */
export function signDelivery({
  id,
  timestamp,
  body,
  keys,
}: Omit<Signable, "secrets"> & { keys: readonly SigningKeys[] }): SignatureHeaders {
  const own = keys.map(({ own }) => `v1=${mac(own, `${timestamp}.`, body).digest("hex")}`);
  const standard = keys.map(
    ({ standard }) => `v1,${mac(standard, `${id}.${timestamp}.`, body).digest("base64")}`,
  );
  return {
    "X-Service-Signature": `t=${timestamp},${own.join(",")}`,
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": standard.join(" "),
  };
}

/** The keys of the secret that `deriveSecret` of webhooks/signature.ts derives. */
export function deriveKeys(master: Uint8Array, endpointId: string, version: number): SigningKeys {
  const known = keysOf.get(master) ?? new Map<string, SigningKeys>();
  const name = `${endpointId}:${version}`;
  const found = known.get(name);
  if (found) return found;
  const bytes = mac(createSecretKey(master), `webhook:${name}`, "").digest();
  // As node:crypto takes them: of other forms it asks each time what they are.
  const keys = {
    own: createSecretKey(`whsec_${bytes.toString("base64")}`, "utf8"),
    standard: createSecretKey(bytes),
  };
  if (known.size >= mostRemembered) known.clear();
  keysOf.set(master, known.set(name, keys));
  return keys;
}

const keysOf = new WeakMap<Uint8Array, Map<string, SigningKeys>>();

function mac(key: KeyObject, prefix: string, body: string | Uint8Array): Hmac {
  return createHmac("sha256", key).update(prefix).update(body);
}
