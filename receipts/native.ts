import { createPublicKey, hash, type KeyObject, verify } from "node:crypto";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import * as z from "zod";
import type { CheckSignature } from "./ed25519.ts";
import { canonicalText } from "./proof.ts";
import { isTakenBySodium } from "./sodium.ts";

// Reading a key costs as much as a signature, and an issuer has few.
const keys = new Map<string, KeyObject>();
const MAX_KEYS = 100;

/** `proofInput` by node:crypto. A buffer for each of its hashes would cost as much as the hash. */
export function proofInputNatively(
  document: object,
  proofOptions: object,
  text = canonicalText(document),
): Uint8Array {
  const bytes = Buffer.allocUnsafe(64);
  bytes.write(sha256(canonicalText(proofOptions)), 0, "latin1");
  bytes.write(sha256(text), 32, "latin1");
  return bytes;
}

const sha256 = (text: string): string => hash("sha256", text, "binary");

const compiled = new WeakMap<z.ZodType, z.ZodType>();

/** A schema's compiled form, which checks about twice as fast. It is made at its first use, in a few milliseconds. */
export function compile<Schema extends z.ZodType>(schema: Schema): Schema {
  const known = compiled.get(schema) as Schema | undefined;
  if (known) return known;
  const made = z.compile(schema);
  compiled.set(schema, made);
  return made;
}

const helpers = {
  proofInput: (document: object, proofOptions: object) => proofInputNatively(document, proofOptions),
  compile,
};

/** On two processors, libsodium is done with many before the threads of node:crypto are. */
const hasThreads = availableParallelism() > 2;

/**
 * Checks Ed25519 signatures with libsodium and node:crypto: the verifier's `checkSignature` for a server. What libsodium does
 * not take, node:crypto judges, so that the verdict is the same without libsodium.
 */
export const checkSignature = Object.assign(
  (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) =>
    isTakenBySodium(signature, message, publicKey) || verify(null, message, readKey(publicKey), signature),
  {
    ...helpers,
    shared: Object.assign(
      (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) =>
        (!hasThreads && isTakenBySodium(signature, message, publicKey)) ||
        verifyInThread(null, message, readKey(publicKey), signature),
      helpers,
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
