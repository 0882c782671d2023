import { createHmac, type Hmac } from "node:crypto";
import type { Signable, SignatureHeaders } from "../../webhooks/signature.ts";

// What webhooks/signature.ts makes anywhere, by Node's own HMAC, which is native. A test compares the two.

const secretPrefix = "whsec_";

/** As `signDelivery` of webhooks/signature.ts. */
export function signDelivery({ id, timestamp, body, secrets }: Signable): SignatureHeaders {
  const own = secrets.map((secret) => `v1=${mac(secret, `${timestamp}.`, body).digest("hex")}`);
  const standard = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
    return `v1,${mac(key, `${id}.${timestamp}.`, body).digest("base64")}`;
  });
  return {
    "X-Service-Signature": [`t=${timestamp}`, ...own].join(","),
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": standard.join(" "),
  };
}

/** As `deriveSecret` of webhooks/signature.ts. */
export function deriveSecret(master: Uint8Array, endpointId: string, version: number): string {
  return `${secretPrefix}${mac(master, `webhook:${endpointId}:${version}`, "").digest("base64")}`;
}

function mac(key: string | Uint8Array, prefix: string, body: string | Uint8Array): Hmac {
  return createHmac("sha256", key).update(prefix).update(body);
}
