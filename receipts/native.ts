import { createPublicKey, hash, type KeyObject, verify } from "node:crypto";
import { promisify } from "node:util";
import type { CheckSignature } from "./ed25519.ts";
import { canonicalText } from "./proof.ts";

// Reading a key costs as much as a signature, and an issuer has few.
const keys = new Map<string, KeyObject>();
const MAX_KEYS = 100;

/** SHA-256 of a text's UTF-8. */
export const sha256 = (text: string): Uint8Array => hash("sha256", text, "buffer");

/** `proofInput` by node:crypto. A buffer for each of its hashes would cost as much as the hash. */
export const proofInputNatively = (document: object, proofOptions: object): Uint8Array =>
  Buffer.from(sha256Text(canonicalText(proofOptions)) + sha256Text(canonicalText(document)), "latin1");

const sha256Text = (text: string): string => hash("sha256", text, "binary");

/** Checks Ed25519 signatures with node:crypto: the verifier's `checkSignature` for a server. */
export const checkSignature = Object.assign(
  (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) =>
    verify(null, message, readKey(publicKey), signature),
  {
    sha256,
    shared: Object.assign(
      (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) =>
        verifyInThread(null, message, readKey(publicKey), signature),
      { sha256 },
    ),
  },
) satisfies CheckSignature;

const verifyInThread: (
  algorithm: null,
  message: Uint8Array,
  key: KeyObject,
  signature: Uint8Array,
) => Promise<boolean> = promisify(verify);

function readKey(publicKey: Uint8Array): KeyObject {
  const name = Buffer.from(publicKey).toString("latin1");
  let key = keys.get(name);
  if (!key) {
    const x = Buffer.from(publicKey).toString("base64url");
    key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    if (keys.size >= MAX_KEYS) keys.clear();
    keys.set(name, key);
  }
  return key;
}
