import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the public key of a folder's session key, for the service's `session_key`. Makes the key if there is none. */
export function sessionKeyOf(folder: string): string {
  return publicTextOf(readKey(folder));
}

/** Returns the public key in base64url without padding. */
export function publicTextOf(key: KeyObject): string {
  return String(createPublicKey(key).export({ format: "jwk" }).x);
}

/** Reads the key of a folder, which signs the answers. Makes the key if there is none. */
export function readKey(folder: string): KeyObject {
  const path = join(folder, "session-key.pem");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    return createPrivateKey(readFileSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const { privateKey } = generateKeyPairSync("ed25519");
  // Another process may make the key at the same time: the first one counts.
  try {
    writeFileSync(path, privateKey.export({ format: "pem", type: "pkcs8" }), {
      mode: 0o600,
      flag: "wx",
      flush: true,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return createPrivateKey(readFileSync(path));
}
