import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import canonicalize from "canonicalize";
import type { Hex } from "viem";

/** SHA-256 over the canonical JSON (RFC 8785) of a value: how agreements, schemas, inputs and outputs are named. */
export function digestOf(value: unknown): Hex {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("This value has no JSON form.");
  return `0x${bytesToHex(sha256(utf8ToBytes(text)))}`;
}

/** The same of what may be none. */
export function digestOrNull(value: unknown): Hex | null {
  return value === null || value === undefined ? null : digestOf(value);
}
