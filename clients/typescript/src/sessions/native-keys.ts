import { Buffer } from "node:buffer";
import { createRequire } from "node:module";
import { type Address, type Hex, type LocalAccount, toHex } from "viem";
import { privateKeyToAccount, publicKeyToAddress } from "viem/accounts";

/** The part of the package `secp256k1` that sessions use. */
type Secp256k1 = {
  ecdsaSign: (digest: Uint8Array, key: Uint8Array) => { signature: Uint8Array; recid: number };
  ecdsaRecover: (signature: Uint8Array, recid: number, digest: Uint8Array, compressed: boolean) => Uint8Array;
};

/** libsecp256k1, if the optional package `secp256k1` is installed for this machine; otherwise null. */
const library = load();

function load(): Secp256k1 | null {
  try {
    // The package's main file falls back to a slower library than noble.
    return createRequire(import.meta.url)("secp256k1/bindings.js") as Secp256k1;
  } catch {
    return null;
  }
}

/**
 * Returns the viem account of a private key. It signs the vouchers of sessions five times as fast if the optional package
 * `secp256k1` is installed.
 */
export function keyAccount(privateKey: Hex): LocalAccount {
  const account = privateKeyToAccount(privateKey);
  if (!library) return account;
  const { ecdsaSign } = library;
  const key = bytesOf(privateKey);
  return {
    ...account,
    sign: async ({ hash }) => {
      const { signature, recid } = ecdsaSign(bytesOf(hash), key);
      return `${toHex(signature)}${(27 + recid).toString(16)}`;
    },
  };
}

/**
 * Returns a function that recovers the signer of a digest, for `readKeySignature`; undefined without the package. It keeps the
 * address of the last key.
 */
export function nativeRecovery(): ((digest: Hex, signature: Hex) => Address) | undefined {
  if (!library) return undefined;
  const { ecdsaRecover } = library;
  let last: { key: Buffer; address: Address } | null = null;
  return (digest, signature) => {
    const bytes = bytesOf(signature);
    const parity = (bytes[64] as number) - 27;
    const key = Buffer.from(ecdsaRecover(bytes.subarray(0, 64), parity, bytesOf(digest), false));
    if (!last?.key.equals(key)) last = { key, address: publicKeyToAddress(toHex(key)) };
    return last.address;
  };
}

const bytesOf = (hex: Hex): Buffer => Buffer.from(hex.slice(2), "hex");
