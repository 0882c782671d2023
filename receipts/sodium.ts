import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** As much of libsodium as is used, as its package's addon has it: it looks at no array's length, and reads on beyond its end. */
interface Sodium {
  crypto_sign_seed_keypair(publicKey: Uint8Array, secretKey: Uint8Array, seed: Uint8Array): number;
  crypto_sign_detached(signature: Uint8Array, message: Uint8Array, secretKey: Uint8Array): number;
  crypto_sign_verify_detached(...signatureMessageKey: [...Part, ...Part, ...Part]): boolean;
}
type Part = [buffer: ArrayBufferLike, begin: number, length: number];

let loaded: Sodium | null | undefined;

/** libsodium; null where its package is not installed or has nothing for the platform. */
function load(): Sodium | null {
  if (loaded !== undefined) return loaded;
  try {
    const require = createRequire(import.meta.url);
    const folder = dirname(require.resolve("sodium-native/package.json"));
    // The addon alone takes 3 ms and 4 MB: the package's own way to it loads a dozen others, for 30 ms and 9 MB.
    const platform = `${process.platform}-${process.arch}`;
    loaded = require(join(folder, "prebuilds", platform, "sodium-native.node")) as Sodium;
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
  if (sodium.crypto_sign_seed_keypair(new Uint8Array(32), secretKey, seed) !== 0) return null;
  return (message) => {
    const signature = Buffer.allocUnsafe(64);
    if (sodium.crypto_sign_detached(signature, message, secretKey) !== 0) {
      throw new Error("libsodium did not sign.");
    }
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
  const sodium = load();
  if (!sodium) return false;
  return sodium.crypto_sign_verify_detached(
    signature.buffer,
    signature.byteOffset,
    signature.length,
    message.buffer,
    message.byteOffset,
    message.length,
    publicKey.buffer,
    publicKey.byteOffset,
    publicKey.length,
  );
}
