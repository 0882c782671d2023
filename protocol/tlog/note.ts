import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64 } from "@scure/base";
import { checkPortably, isSoundKey } from "../../receipts/ed25519.ts";
import { LogRejection } from "./errors.ts";
import { decodeBase64, readText } from "./note-text.ts";

/** The kinds of keys that sign notes here: the byte of c2sp.org/signed-note. */
export const keyTypes = { ed25519: 0x01, cosignature: 0x04 } as const;
export type KeyType = (typeof keyTypes)[keyof typeof keyTypes];

/** A signer of notes: a name, and an Ed25519 key of 32 bytes. */
export interface NoteKey {
  name: string;
  type: KeyType;
  publicKey: Uint8Array;
  /** The first four bytes of SHA-256 over name, type and key, as a number. */
  id: number;
}

/** A key with its private half. */
export interface NoteSigner {
  key: NoteKey;
  /** The Ed25519 signature of a message, 64 bytes. */
  sign: (message: Uint8Array) => Uint8Array;
}

/** Whether an Ed25519 signature of a message is that of a public key, told at once; the portable check unless given. */
export type CheckNow = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean;

/** One signature line. */
export interface NoteSignature {
  name: string;
  id: number;
  /** The bytes after the id. */
  bytes: Uint8Array;
}

export interface Note {
  /** With its last newline, without the blank line. */
  text: string;
  signatures: NoteSignature[];
}

/** More characters, or bytes of UTF-8, than any note of ours: it fits 16 signatures of 5 kB, as the standard asks. */
export const maxNoteLength = 131_072;
const maxSignatures = 64;

/** Makes the key of a name. Throws `malformed_key` for a name that no note can have, or a key that verifiers differ about. */
export function noteKey(name: string, type: KeyType, publicKey: Uint8Array): NoteKey {
  if (!isKeyName(name))
    throw new LogRejection("malformed_key", "The name is empty, or has a space or a plus.");
  if (!isSoundKey(publicKey))
    throw new LogRejection("malformed_key", "It is no sound Ed25519 key of 32 bytes.");
  const digest = sha256(concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(type), publicKey));
  return { name, type, publicKey, id: readId(digest) };
}

/** Reads a verifier key: `name+id+base64`. Throws `malformed_key`, or `unsupported_key` for another kind than ours. */
export function parseVerifierKey(vkey: string): NoteKey {
  const [name, id, encoded, ...rest] = vkey.length > 1024 ? [] : vkey.split("+");
  // The base64 itself may have a plus.
  const material = [encoded, ...rest].join("+");
  if (name === undefined || id === undefined || !isKeyName(name) || !/^[0-9a-f]{8}$/.test(id)) {
    throw new LogRejection("malformed_key");
  }
  let bytes: Uint8Array;
  try {
    bytes = base64.decode(material);
  } catch {
    throw new LogRejection("malformed_key", "It does not end in base64.");
  }
  const type = Object.values(keyTypes).find((each) => each === bytes[0]);
  if (type === undefined) throw new LogRejection("unsupported_key", `Its type is ${bytes[0] ?? "missing"}.`);
  const key = noteKey(name, type, bytes.slice(1));
  if (formatId(key.id) !== id) throw new LogRejection("malformed_key", "The id is another key's.");
  return key;
}

/** A verifier key as text. */
export function formatVerifierKey({ name, type, publicKey, id }: NoteKey): string {
  return `${name}+${formatId(id)}+${base64.encode(concatBytes(Uint8Array.of(type), publicKey))}`;
}

/** Reads a signed note (c2sp.org/signed-note) without checking a signature. Throws `malformed` or `too_large`. */
export function parseNote(input: string | Uint8Array): Note {
  const note = readText(input, maxNoteLength);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (/[\0-\x09\x0b-\x1f]/.test(note)) throw new LogRejection("malformed", "It has a control character.");
  const blank = note.lastIndexOf("\n\n");
  if (blank === -1) throw new LogRejection("malformed", "No blank line separates the signatures.");
  return { text: note.slice(0, blank + 1), signatures: parseSignatures(note.slice(blank + 2)) };
}

/** Reads signature lines, of which there is one at least. Throws `malformed` or `too_large`. */
export function parseSignatures(text: string): NoteSignature[] {
  if (!text.endsWith("\n")) throw new LogRejection("malformed", "A signature line ends in a newline.");
  const lines = text.slice(0, -1).split("\n");
  if (lines.length > maxSignatures) throw new LogRejection("too_large", `It has ${lines.length} signatures.`);
  return lines.map((line) => {
    const [dash, name = "", encoded = "", ...rest] = line.split(" ");
    if (dash !== "—" || !isKeyName(name) || rest.length > 0) {
      throw new LogRejection("malformed", "A signature line is a dash, a name and base64.");
    }
    const bytes = decodeBase64(encoded);
    if (bytes.length < 5) throw new LogRejection("malformed", "A signature has a key's id and more.");
    return { name, id: readId(bytes), bytes: bytes.slice(4) };
  });
}

/** A signature as its line, newline included. */
export function formatSignature({ name, id, bytes }: NoteSignature): string {
  const idBytes = Uint8Array.of(id >>> 24, id >>> 16, id >>> 8, id);
  return `— ${name} ${base64.encode(concatBytes(idBytes, bytes))}\n`;
}

/** A note as text. */
export function formatNote({ text, signatures }: Note): string {
  return `${text}\n${signatures.map(formatSignature).join("")}`;
}

/** Signs a note's text, which ends in a newline, by a key of type `ed25519`. */
export function signNote(text: string, { key, sign }: NoteSigner): NoteSignature {
  if (key.type !== keyTypes.ed25519) throw new TypeError("A cosigner's key signs by `cosign`.");
  return { name: key.name, id: key.id, bytes: sign(utf8ToBytes(text)) };
}

/** The signature of a key on a note, which is the first that bears its name and id; undefined where there is none. */
export function findSignature(note: Note, key: NoteKey): NoteSignature | undefined {
  return note.signatures.find(({ name, id }) => name === key.name && id === key.id);
}

/** Throws `invalid_signature` unless a message's signature is the key's. */
export function assertSignedBy(
  key: NoteKey,
  signature: Uint8Array,
  message: Uint8Array,
  check: CheckNow = checkPortably,
): void {
  let good = false;
  try {
    good = signature.length === 64 && check(signature, message, key.publicKey);
  } catch {}
  if (!good) throw new LogRejection("invalid_signature", `The key is ${key.name}'s.`);
}

/** Neither empty nor with a space or a plus, as all key names. */
function isKeyName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  return name !== "" && name.isWellFormed() && !/[\p{White_Space}+\0-\x1f]/u.test(name);
}

function readId(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
}

function formatId(id: number): string {
  return bytesToHex(Uint8Array.of(id >>> 24, id >>> 16, id >>> 8, id));
}
