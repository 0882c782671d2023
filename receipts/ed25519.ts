import { Point } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";

/**
 * Checks an Ed25519 signature of a message by a public key of 32 bytes: RFC 8032, section 5.1.7, by the equation
 * without the cofactor, as WebCrypto and OpenSSL do.
 */
export type CheckSignature = (
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
) => boolean | Promise<boolean>;

/** Keys of small order, by their y without the sign, in little-endian hex. Anyone can sign under these keys. */
const weak = new Set([
  `00${"00".repeat(31)}`,
  `01${"00".repeat(31)}`,
  `ec${"ff".repeat(30)}7f`,
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
]);

/**
 * Whether all verifiers agree on a key. Platforms differ on small orders and on a y beyond the field. The check
 * itself decides whether the y belongs to a point.
 */
export function isSoundKey(publicKey: Uint8Array): boolean {
  if (publicKey.length !== 32) return false;
  const last = (publicKey[31] as number) & 0x7f;
  // Nearly all keys return here.
  if (![0x00, 0x05, 0x7a, 0x7f].includes(last)) return true;
  const hex = Array.from(publicKey, (byte, i) => (i === 31 ? last : byte).toString(16).padStart(2, "0")).join(
    "",
  );
  const isBeyond = last === 0x7f && hex.slice(2, 62) === "ff".repeat(30) && (publicKey[0] as number) >= 0xed;
  return !isBeyond && !weak.has(hex);
}

const numberOf = (littleEndian: Uint8Array): bigint =>
  BigInt(
    `0x${Array.from(littleEndian, (byte) => byte.toString(16).padStart(2, "0"))
      .reverse()
      .join("")}`,
  );

const { n: groupOrder } = Point.CURVE();

/** Checks a signature in JavaScript, on every platform. */
export function checkPortably(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  const s = numberOf(signature.subarray(32));
  if (signature.length !== 64 || s >= groupOrder) return false;
  const hashed = new Uint8Array(64 + message.length);
  hashed.set(signature.subarray(0, 32));
  hashed.set(publicKey, 32);
  hashed.set(message, 64);
  const k = numberOf(sha512(hashed)) % groupOrder;
  const key = Point.fromBytes(publicKey);
  const r = Point.BASE.multiply(s, false).subtract(key.multiply(k, false)).toBytes();
  return r.every((byte, i) => byte === signature[i]);
}
