import canonicalize from "canonicalize";
import type { Hex } from "viem";
import { sha256OfText } from "./sha256.ts";

/** SHA-256 over the canonical JSON (RFC 8785) of a value: how agreements, schemas, inputs and outputs are named. */
export function digestOf(value: unknown): Hex {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("This value has no JSON form.");
  return sha256OfText(text);
}

/** The same of what may be none. */
export function digestOrNull(value: unknown): Hex | null {
  return value === null || value === undefined ? null : digestOf(value);
}
