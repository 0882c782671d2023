import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** Hashes the compact JWS of an x402 receipt: SHA-256. Lists and logs name it by this hash, because it has no id. */
export function hashJws(jws: string): string {
  return `0x${bytesToHex(sha256(new TextEncoder().encode(jws)))}`;
}
