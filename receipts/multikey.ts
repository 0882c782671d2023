import { base58 } from "@scure/base";

/** The multicodec prefix ed25519-pub. */
const PREFIX = [0xed, 0x01];

/** Encodes an Ed25519 public key as a Multikey: base58btc of the prefix and the 32 bytes. */
export function encodeMultikey(bytes: Uint8Array): string {
  return `z${base58.encode(Uint8Array.of(...PREFIX, ...bytes))}`;
}

/** Decodes the 32 bytes of an Ed25519 Multikey; null for any other text. */
export function decodeMultikey(text: string): Uint8Array | null {
  if (!text.startsWith("z") || text.length > 64) return null;
  try {
    const bytes = base58.decode(text.slice(1));
    return bytes.length === 34 && PREFIX.every((byte, i) => bytes[i] === byte) ? bytes.slice(2) : null;
  } catch {
    return null;
  }
}
