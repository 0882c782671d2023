import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { CheckSignature } from "./ed25519.ts";

// Parsing a key costs as much as a signature check, and an issuer has few keys.
const keys = new LRUCache<string, KeyObject>({ max: 100 });

/** Checks Ed25519 signatures with node:crypto: the `checkSignature` of servers. */
export const checkSignature = ((signature, message, publicKey) =>
  verify(null, message, readKey(publicKey), signature)) satisfies CheckSignature;

function readKey(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey).toString("base64url");
  let key = keys.get(x);
  if (!key) {
    key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    keys.set(x, key);
  }
  return key;
}
