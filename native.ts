import type { Address, Hex } from "viem";
import { type Primitives, portable, usePrimitives } from "./settlement/primitives.ts";

/** How many checksummed addresses are kept: the same few come again and again. */
const addressesKept = 10_000;

let plugged: Promise<void> | undefined;

/**
 * Has this process hash and recover by WebAssembly: hash-wasm's Keccak, and libsecp256k1 as tiny-secp256k1 builds it. It
 * takes a moment and until then, and where a platform runs no WebAssembly, the portable code does the same.
 */
export function plugInNative(log: { warn: (details: object, message: string) => void }): Promise<void> {
  plugged ??= loadNative().then(usePrimitives, (error) =>
    log.warn({ err: error }, "no WebAssembly: hashes and signatures are computed by portable code"),
  );
  return plugged;
}

/** The same answers as `portable` gives, by WebAssembly. */
export async function loadNative(): Promise<Primitives> {
  // Not before a program asks: a command that hashes nothing does not wait for them.
  const [{ createKeccak }, secp256k1] = await Promise.all([import("hash-wasm"), import("tiny-secp256k1")]);
  const hasher = await createKeccak(256);
  const keccak = (data: Uint8Array | string): string => hasher.init().update(data).digest();
  const letters = Buffer.alloc(40);
  const addresses = new Map<Hex, Address>();

  function keccak256(data: Hex | Uint8Array): Hex {
    const bytes = typeof data === "string" ? bytesOf(data) : data;
    // viem has words for what is no hex.
    return bytes === null ? portable.keccak256(data) : `0x${keccak(bytes)}`;
  }

  function recoverAddress(digest: Hex, signature: Hex): Address {
    const [hashed, bytes] = [bytesOf(digest), bytesOf(signature)];
    if (hashed?.length !== 32 || bytes?.length !== 65) {
      throw new Error("A digest has 32 bytes, and a signature 65.");
    }
    const v = bytes[64] as number;
    const parity = v >= 27 ? v - 27 : v;
    if (parity !== 0 && parity !== 1) throw new Error("The last byte of a signature is 0, 1, 27 or 28.");
    const key = secp256k1.recover(hashed, bytes.subarray(0, 64), parity, false);
    if (key === null) throw new Error("This is the signature of no key.");
    return checksumAddress(`0x${keccak(key.subarray(1)).slice(24)}`);
  }

  function checksumAddress(address: Hex): Address {
    const known = addresses.get(address);
    if (known) return known;
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return portable.checksumAddress(address);
    letters.write(address.slice(2).toLowerCase(), "latin1");
    const bytes = hasher.init().update(letters).digest("binary");
    for (let at = 0; at < 40; at++) {
      const letter = letters[at] as number;
      const digit = (bytes[at >> 1] as number) >> (at % 2 === 0 ? 4 : 0);
      // A letter is upper case where its digit of the hash is 8 or more (EIP-55).
      if (letter > nine && (digit & 8) !== 0) letters[at] = letter - toUpper;
    }
    const text = `0x${letters.toString("latin1")}`;
    if (addresses.size >= addressesKept) addresses.clear();
    addresses.set(address, text as Address);
    return text as Address;
  }

  return { keccak256, recoverAddress, checksumAddress };
}

/** What letters follow in ASCII, and how far small ones are from large ones. */
const nine = "9".charCodeAt(0);
const toUpper = 32;

/** The bytes of 0x-hex; null for any other text. */
function bytesOf(hex: Hex): Uint8Array | null {
  if (!hex.startsWith("0x")) return null;
  const bytes = Buffer.from(hex.slice(2), "hex");
  return bytes.length * 2 === hex.length - 2 ? bytes : null;
}
