import { createHmac, createSecretKey, type Hmac, type KeyObject } from "node:crypto";
import type { Signable, SignatureHeaders } from "../../webhooks/signature.ts";

// What webhooks/signature.ts makes anywhere, by Node's own HMAC, which is native. A test compares the two.

const secretPrefix = "whsec_";

/** Secrets that are remembered, each with its two keys; of each master key as many. */
const mostRemembered = 1024;

/** As `signDelivery` of webhooks/signature.ts. */
export function signDelivery({ id, timestamp, body, secrets }: Signable): SignatureHeaders {
  const keys = secrets.map((secret) => remember(keysOf, secret, () => readKeys(secret)));
  const own = keys.map(({ own }) => `v1=${mac(own, `${timestamp}.`, body).digest("hex")}`);
  const standard = keys.map(
    ({ standard }) => `v1,${mac(standard, `${id}.${timestamp}.`, body).digest("base64")}`,
  );
  return {
    "X-Service-Signature": [`t=${timestamp}`, ...own].join(","),
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": standard.join(" "),
  };
}

/** As `deriveSecret` of webhooks/signature.ts. */
export function deriveSecret(master: Uint8Array, endpointId: string, version: number): string {
  const secrets = secretsOf.get(master) ?? new Map<string, string>();
  secretsOf.set(master, secrets);
  const name = `${endpointId}:${version}`;
  return remember(secrets, name, () => {
    const bytes = mac(createSecretKey(master), `webhook:${name}`, "").digest("base64");
    return `${secretPrefix}${bytes}`;
  });
}

const secretsOf = new WeakMap<Uint8Array, Map<string, string>>();
const keysOf = new Map<string, { own: KeyObject; standard: KeyObject }>();

/** As node:crypto takes them: of other forms it asks each time what they are. */
function readKeys(secret: string) {
  return {
    own: createSecretKey(secret, "utf8"),
    standard: createSecretKey(secret.slice(secretPrefix.length), "base64"),
  };
}

function remember<Value>(known: Map<string, Value>, name: string, make: () => Value): Value {
  const found = known.get(name) ?? make();
  // The one used longest ago goes first.
  known.delete(name);
  known.set(name, found);
  if (known.size <= mostRemembered) return found;
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
  return found;
}

function mac(key: KeyObject, prefix: string, body: string | Uint8Array): Hmac {
  return createHmac("sha256", key).update(prefix).update(body);
}
