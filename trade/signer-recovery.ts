import { recover } from "tiny-secp256k1";
import { type Address, bytesToHex, type Hex, hexToBytes } from "viem";
import { publicKeyToAddress } from "viem/accounts";

/**
 * Recovers the address whose key signed a digest of 32 bytes, from 65 bytes of r, s and v (0, 1, 27 or 28). Accepts a
 * high s. libsecp256k1 takes a tenth of the time of viem's `recoverAddress`, with the same results.
 *
 * @throws if the bytes are no key's signature
 */
export function recoverSigner(digest: Hex, signature: Hex): Address {
  const [hash, bytes] = [hexToBytes(digest), hexToBytes(signature)];
  if (hash.length !== 32 || bytes.length !== 65)
    throw new Error("A digest must have 32 bytes, and a signature 65.");
  const v = bytes[64] as number;
  const parity = v >= 27 ? v - 27 : v;
  if (parity !== 0 && parity !== 1) throw new Error("The last byte of a signature must be 0, 1, 27 or 28.");
  const key = recover(hash, bytes.subarray(0, 64), parity, false);
  if (key === null) throw new Error("The bytes are no key's signature.");
  return publicKeyToAddress(bytesToHex(key));
}
