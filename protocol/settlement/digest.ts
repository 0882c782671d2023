import canonicalize from "canonicalize";
import type { Hex } from "viem";
import { sha256OfText } from "./sha256.ts";

/** Computes the SHA-256 of a value's canonical JSON (RFC 8785), which names agreements, schemas, inputs and outputs. */
export function digestOf(value: unknown): Hex {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("This value has no JSON form.");
  return sha256OfText(text);
}

/** Computes the digest of a value; null for null. */
export function digestOrNull(value: unknown): Hex | null {
  return value === null || value === undefined ? null : digestOf(value);
}
