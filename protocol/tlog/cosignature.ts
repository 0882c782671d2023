import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { LogRejection } from "./errors.ts";
import {
  assertSignedBy,
  type CheckSync,
  keyTypes,
  type NoteKey,
  type NoteSignature,
  type NoteSigner,
} from "./note.ts";

/**
 * Cosigns the text of a checkpoint as a witness (c2sp.org/tlog-cosignature, Ed25519). The cosignature states that at
 * this time the witness knew no larger tree of the log.
 *
 * @param at Unix seconds
 */
export function cosign(text: string, { key, sign }: NoteSigner, at: number): NoteSignature {
  if (key.type !== keyTypes.cosignature) throw new TypeError("The key is a log's: sign with `signNote`.");
  const time = new Uint8Array(8);
  new DataView(time.buffer).setBigUint64(0, BigInt(at));
  return { name: key.name, id: key.id, bytes: concatBytes(time, sign(cosignedMessage(text, at))) };
}

/**
 * Checks a cosignature of a checkpoint's text. Throws `invalid_signature`.
 *
 * @returns the time of the cosignature, in Unix seconds
 */
export function openCosignature(
  text: string,
  signature: NoteSignature,
  key: NoteKey,
  check?: CheckSync,
): number {
  const { bytes } = signature;
  const isSameKey = signature.name === key.name && signature.id === key.id;
  if (!isSameKey || key.type !== keyTypes.cosignature || bytes.length !== 72) {
    throw new LogRejection("invalid_signature", `The key is ${key.name}'s.`);
  }
  const time = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  if (!Number.isSafeInteger(time))
    throw new LogRejection("invalid_signature", "The time of the cosignature exceeds 2^53 - 1.");
  assertSignedBy(key, bytes.subarray(8), cosignedMessage(text, time), check);
  return time;
}

function cosignedMessage(text: string, at: number): Uint8Array {
  return utf8ToBytes(`cosignature/v1\ntime ${at}\n${text}`);
}
