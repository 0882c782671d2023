import { sha256 } from "@noble/hashes/sha2.js";
import canonicalize from "canonicalize";

const encoder = new TextEncoder();

/** Encodes a JSON value as its canonical bytes (JCS, RFC 8785). */
export function canonicalBytes(value: object): Uint8Array {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("The value has no JSON form.");
  return encoder.encode(text);
}

/**
 * Computes the 64 bytes that an eddsa-jcs-2022 proof signs: the hash of the proof options, then the hash of the
 * document without its proof. Source: https://www.w3.org/TR/vc-di-eddsa/#eddsa-jcs-2022
 */
export function proofInput(document: object, proofOptions: object): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set(sha256(canonicalBytes(proofOptions)), 0);
  bytes.set(sha256(canonicalBytes(document)), 32);
  return bytes;
}
