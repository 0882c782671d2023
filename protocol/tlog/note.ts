import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64 } from "@scure/base";
import { checkPortably, isSoundKey } from "../../receipts/ed25519.ts";
import { LogRejection } from "./errors.ts";
import { decodeBase64, readText } from "./note-text.ts";

/** The supported types of note keys: the type byte of c2sp.org/signed-note. */
export const keyTypes = { ed25519: 0x01, cosignature: 0x04 } as const;
export type KeyType = (typeof keyTypes)[keyof typeof keyTypes];

/** A public key of notes: a name and an Ed25519 key of 32 bytes. */
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
  /** Returns the Ed25519 signature of a message: 64 bytes. */
  sign: (message: Uint8Array) => Uint8Array;
}

/** Checks an Ed25519 signature synchronously. The portable check is the default. */
export type CheckSync = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean;

/** One signature line. */
export interface NoteSignature {
  name: string;
  id: number;
  /** The bytes after the id. */
  bytes: Uint8Array;
}

export interface Note {
  /** The signed text with its last newline, without the blank line. */
  text: string;
  signatures: NoteSignature[];
}

/** The limit of a note, in characters or bytes of UTF-8. It fits 16 signatures of 5 kB, as the standard requires. */
export const maxNoteLength = 131_072;
const maxSignatures = 64;

/** Builds the key of a name. Throws `malformed_key` for an invalid name, or a key that not all verifiers accept. */
export function noteKey(name: string, type: KeyType, publicKey: Uint8Array): NoteKey {
  if (!isKeyName(name))
    throw new LogRejection(
      "malformed_key",
      "The name must not be empty and must not have a space or a plus.",
    );
  if (!isSoundKey(publicKey))
    throw new LogRejection("malformed_key", "The key must be a sound Ed25519 key of 32 bytes.");
  const digest = sha256(concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(type), publicKey));
  return { name, type, publicKey, id: readId(digest) };
}

/** Parses a verifier key: `name+id+base64`. Throws `malformed_key`, or `unsupported_key` for an unknown type. */
export function parseVerifierKey(vkey: string): NoteKey {
  const [name, id, encoded, ...rest] = vkey.length > 1024 ? [] : vkey.split("+");
  // The base64 may contain a plus.
  const material = [encoded, ...rest].join("+");
  if (name === undefined || id === undefined || !isKeyName(name) || !/^[0-9a-f]{8}$/.test(id)) {
    throw new LogRejection("malformed_key");
  }
  let bytes: Uint8Array;
  try {
    bytes = base64.decode(material);
  } catch {
    throw new LogRejection("malformed_key", "The text must end in base64.");
  }
  const type = Object.values(keyTypes).find((each) => each === bytes[0]);
  if (type === undefined) throw new LogRejection("unsupported_key", `The type is ${bytes[0] ?? "missing"}.`);
  const key = noteKey(name, type, bytes.slice(1));
  if (formatId(key.id) !== id) throw new LogRejection("malformed_key", "The id belongs to another key.");
  return key;
}

/** Writes a verifier key as text. */
export function formatVerifierKey({ name, type, publicKey, id }: NoteKey): string {
  return `${name}+${formatId(id)}+${base64.encode(concatBytes(Uint8Array.of(type), publicKey))}`;
}

/** Parses a signed note (c2sp.org/signed-note) without checking a signature. Throws `malformed` or `too_large`. */
export function parseNote(input: string | Uint8Array): Note {
  const note = readText(input, maxNoteLength);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them.
  if (/[\0-\x09\x0b-\x1f]/.test(note))
    throw new LogRejection("malformed", "The note has a control character.");
  const blank = note.lastIndexOf("\n\n");
  if (blank === -1) throw new LogRejection("malformed", "The note has no blank line before its signatures.");
  return { text: note.slice(0, blank + 1), signatures: parseSignatures(note.slice(blank + 2)) };
}

/** Parses one or more signature lines. Throws `malformed` or `too_large`. */
export function parseSignatures(text: string): NoteSignature[] {
  if (!text.endsWith("\n")) throw new LogRejection("malformed", "A signature line must end in a newline.");
  const lines = text.slice(0, -1).split("\n");
  if (lines.length > maxSignatures)
    throw new LogRejection(
      "too_large",
      `The note has ${lines.length} signatures, at most ${maxSignatures} are allowed.`,
    );
  return lines.map((line) => {
    const [dash, name = "", encoded = "", ...rest] = line.split(" ");
    if (dash !== "—" || !isKeyName(name) || rest.length > 0) {
      throw new LogRejection("malformed", "A signature line must be a dash, a name and base64.");
    }
    const bytes = decodeBase64(encoded);
    if (bytes.length < 5)
      throw new LogRejection("malformed", "A signature must have the id of its key and further bytes.");
    return { name, id: readId(bytes), bytes: bytes.slice(4) };
  });
}

/** Writes a signature as its line, with the newline. */
export function formatSignature({ name, id, bytes }: NoteSignature): string {
  const idBytes = Uint8Array.of(id >>> 24, id >>> 16, id >>> 8, id);
  return `— ${name} ${base64.encode(concatBytes(idBytes, bytes))}\n`;
}

/** Writes a note as text. */
export function formatNote({ text, signatures }: Note): string {
  return `${text}\n${signatures.map(formatSignature).join("")}`;
}

/** Signs the text of a note, which must end in a newline, with a key of type `ed25519`. */
export function signNote(text: string, { key, sign }: NoteSigner): NoteSignature {
  if (key.type !== keyTypes.ed25519) throw new TypeError("The key is a witness's: sign with `cosign`.");
  return { name: key.name, id: key.id, bytes: sign(utf8ToBytes(text)) };
}

/** Finds the first signature with the name and id of a key. */
export function findSignature(note: Note, key: NoteKey): NoteSignature | undefined {
  return note.signatures.find(({ name, id }) => name === key.name && id === key.id);
}

/** Throws `invalid_signature` unless the key signed the message. */
export function assertSignedBy(
  key: NoteKey,
  signature: Uint8Array,
  message: Uint8Array,
  check: CheckSync = checkPortably,
): void {
  let good = false;
  try {
    good = signature.length === 64 && check(signature, message, key.publicKey);
  } catch {}
  if (!good) throw new LogRejection("invalid_signature", `The signature of ${key.name} is bad.`);
}

/** Checks that the name of a key is not empty and has no space, plus or control character. */
function isKeyName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them.
  return name !== "" && name.isWellFormed() && !/[\p{White_Space}+\0-\x1f]/u.test(name);
}

function readId(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
}

function formatId(id: number): string {
  return bytesToHex(Uint8Array.of(id >>> 24, id >>> 16, id >>> 8, id));
}
