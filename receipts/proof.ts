import { sha256 } from "@noble/hashes/sha2.js";
import canonicalize from "canonicalize";

const encoder = new TextEncoder();

/** The canonical bytes of a JSON value (JCS, RFC 8785). */
export function canonicalBytes(value: object): Uint8Array {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("The value has no JSON form.");
  return encoder.encode(text);
}

/**
 * The 64 bytes an eddsa-jcs-2022 proof signs: hash of the proof without its value, then hash of the document without
 * its proof. Source: https://www.w3.org/TR/vc-di-eddsa/#eddsa-jcs-2022
 */
export function proofInput(document: object, proofOptions: object): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set(sha256(canonicalBytes(proofOptions)), 0);
  bytes.set(sha256(canonicalBytes(document)), 32);
  return bytes;
}
