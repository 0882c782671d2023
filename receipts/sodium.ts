import { createRequire } from "node:module";

/** As much of libsodium as is used. Its package ends the program on arrays of other lengths. */
interface Sodium {
  crypto_sign_seed_keypair(publicKey: Uint8Array, secretKey: Uint8Array, seed: Uint8Array): void;
  crypto_sign_detached(signature: Uint8Array, message: Uint8Array, secretKey: Uint8Array): void;
  crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
}

let loaded: Sodium | null | undefined;

/** libsodium; null where its package is not installed or has nothing for the platform. */
function load(): Sodium | null {
  if (loaded !== undefined) return loaded;
  try {
    loaded = createRequire(import.meta.url)("sodium-native") as Sodium;
  } catch {
    loaded = null;
  }
  return loaded;
}

/** What signs by Ed25519 with a private key's 32 bytes; null without libsodium. */
export function signerBySodium(seed: Uint8Array): ((message: Uint8Array) => Buffer) | null {
  const sodium = load();
  if (!sodium || seed.length !== 32) return null;
  const secretKey = new Uint8Array(64);
  sodium.crypto_sign_seed_keypair(new Uint8Array(32), secretKey, seed);
  return (message) => {
    const signature = Buffer.allocUnsafe(64);
    sodium.crypto_sign_detached(signature, message, secretKey);
    return signature;
  };
}

/**
 * Whether libsodium takes an Ed25519 signature. It has the equation of node:crypto, without the cofactor, and refuses some
 * keys and signatures of small order before: what it takes, node:crypto takes, and what it does not, node:crypto may. A test
 * holds the installed version to that.
 */
export function isTakenBySodium(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false;
  return load()?.crypto_sign_verify_detached(signature, message, publicKey) ?? false;
}
