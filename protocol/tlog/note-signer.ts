import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { type KeyType, type NoteSigner, noteKey } from "./note.ts";

/** The bytes before the seed in an Ed25519 key's PKCS #8 (RFC 8410). */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** Creates a signer of notes from a name and an Ed25519 seed of 32 bytes. Needs Node; verifiers do not use it. */
export function createSigner(name: string, type: KeyType, seed: Uint8Array): NoteSigner {
  if (seed.length !== 32) throw new TypeError(`The seed has ${seed.length} bytes: an Ed25519 seed has 32.`);
  const key = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: "der", type: "pkcs8" });
  const { x } = createPublicKey(key).export({ format: "jwk" });
  return {
    key: noteKey(name, type, new Uint8Array(Buffer.from(x ?? "", "base64url"))),
    sign: (message) => new Uint8Array(sign(null, message, key)),
  };
}
