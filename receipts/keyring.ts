import { createPrivateKey, createPublicKey } from "node:crypto";
import { base64urlnopad } from "@scure/base";
import * as z from "zod";
import {
  followKeyLog,
  hashEntry,
  type KeyLogEntry,
  type KeyState,
  keyLogEntrySchema,
  keyLogMethodId,
  signerOfChange,
} from "./key-log.ts";
import { findCurrentKey } from "./key-window.ts";
import { encodeMultikey } from "./multikey.ts";
import { addProof } from "./sign.ts";
import { createSigningKey, type SigningKey, signingKeySchema } from "./signing-keys.ts";

/** The content of a key file: the signing keys in the order of their creation, and their log. */
export interface Keyring {
  keys: SigningKey[];
  log: KeyLogEntry[];
}

const keyFileSchema = z.strictObject({
  version: z.literal(1),
  keys: z
    .array(signingKeySchema)
    .min(1)
    .refine((keys) => new Set(keys.map((key) => key.kid)).size === keys.length, "must not repeat a kid"),
  /** Optional: without a log, `parseKeyring` derives one from the keys. */
  log: z.array(keyLogEntrySchema).min(1).optional(),
});

/** Thrown if a change is not possible, with a sentence for the operator. */
export class KeyringError extends Error {
  override name = "KeyringError";
}

/** Creates a keyring with one key, valid from now on. */
export function createKeyring(now = new Date()): Keyring {
  const key = createSigningKey("key-1", now);
  return append({ keys: [], log: [] }, "add", key, key.not_before);
}

/**
 * Adds a new key that signs from `begin` on, and retires the keys in use at `end`.
 *
 * @throws KeyringError
 */
export function rotateKeys(
  ring: Keyring,
  { begin, end, now }: { begin: Date; end: Date; now: Date },
): Keyring {
  const at = entryTime(ring, now);
  const waiting = ring.keys.find((key) => isUsable(key, at) && Date.parse(key.not_before) > Date.parse(at));
  if (waiting) {
    throw new KeyringError(`A rotation is under way: ${waiting.kid} signs from ${waiting.not_before} on.`);
  }
  if (begin < new Date(at) || end < begin) {
    throw new KeyringError(
      "The new key must begin now or later, and the earlier keys must be retired after that.",
    );
  }
  const key = createSigningKey(nextKid(ring), begin);
  let rotated = append(ring, "add", { ...key, created: at }, at);
  for (const old of ring.keys) {
    const endsBefore = old.retired_at !== null && Date.parse(old.retired_at) <= end.getTime();
    if (!isUsable(old, at) || endsBefore) continue;
    rotated = append(rotated, "retire", { ...old, retired_at: end.toISOString() }, at);
  }
  return rotated;
}

/**
 * Retires a key, now or at a later time.
 *
 * @throws KeyringError if no signing key would remain, or for an earlier time
 */
export function retireKey(ring: Keyring, kid: string, options: { end?: Date; now: Date }): Keyring {
  const at = entryTime(ring, options.now);
  const end = options.end ?? new Date(at);
  const key = find(ring, kid);
  if (key.compromised_since !== null)
    throw new KeyringError(`${kid} is compromised, so it cannot be retired.`);
  if (!isUsable(key, at)) throw new KeyringError(`${kid} was retired at ${key.retired_at}.`);
  if (end < new Date(at)) {
    throw new KeyringError(
      `${kid} cannot be retired in the past, because its later signatures would become invalid. If others may have the key, run \`npm run keys -- compromise ${kid} --since <time>\`.`,
    );
  }
  const retired = append(ring, "retire", { ...key, retired_at: end.toISOString() }, at);
  const after = new Date(Math.max(end.getTime(), Date.parse(key.not_before)) + 1);
  const successor = retired.keys.find((one) => findCurrentKey([one], after));
  if (!successor)
    throw new KeyringError(`Without ${kid}, no signing key would remain. Rotate first, then retire it.`);
  return retired;
}

/** Marks a key as compromised. If it is the only key in use, a new key replaces it at once. */
export function compromiseKey(
  ring: Keyring,
  kid: string,
  { since, now }: { since: Date; now: Date },
): Keyring {
  const at = entryTime(ring, now);
  const key = find(ring, kid);
  if (since > new Date(at)) throw new KeyringError("The time of a compromise must not be in the future.");
  if (key.compromised_since !== null && Date.parse(key.compromised_since) <= since.getTime()) {
    throw new KeyringError(`${kid} is already compromised since ${key.compromised_since}.`);
  }
  const others = ring.keys.filter((one) => one.kid !== kid);
  const replaced = findCurrentKey(others, new Date(at))
    ? ring
    : append(ring, "add", createSigningKey(nextKid(ring), new Date(at)), at);
  return append(replaced, "compromise", { ...key, compromised_since: since.toISOString() }, at);
}

/**
 * Parses a key file. Errors contain none of its content, which is secret. For a file without a log, derives the log
 * from the keys' times, the same on every reading.
 */
export function parseKeyring(text: string): Keyring {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error("The key file is not JSON. Restore it from a backup: a new key cannot replace it.");
  }
  const file = keyFileSchema.safeParse(json);
  if (!file.success) {
    const where = file.error.issues
      .map((issue) => `${issue.path.join(".") || "file"} (${issue.code})`)
      .join(", ");
    throw new Error(`The key file is invalid at ${where}. Restore it from a backup.`);
  }
  const { keys, log } = file.data;
  for (const { kid, jwk } of keys) {
    const publicHalf = createPublicKey(createPrivateKey({ key: jwk, format: "jwk" })).export({
      format: "jwk",
    });
    if (publicHalf.x !== jwk.x)
      throw new Error(
        `The two halves of the key file's ${kid} do not match. Restore the file from a backup.`,
      );
  }
  if (!log) return beginLog(keys);
  const logged = followKeyLog(log).keys;
  if (JSON.stringify(logged) !== JSON.stringify(keys.map(stateOf))) {
    throw new Error(
      "The key file's keys differ from its log: the file was edited. Restore it from a backup, and change it only with `npm run keys`.",
    );
  }
  return { keys, log };
}

/** Serialises a key file. It contains private keys, so the file needs mode 0600. */
export function serializeKeyring({ keys, log }: Keyring): string {
  return `${JSON.stringify(keyFileSchema.parse({ version: 1, keys, log }), null, 2)}\n`;
}

/** Derives the log of keys without one. Each change gets the time at which it took effect. */
function beginLog(keys: readonly SigningKey[]): Keyring {
  const time = (text: string) => Date.parse(text);
  const sorted = [...keys].sort((a, b) => time(a.not_before) - time(b.not_before));
  let ring: Keyring = { keys: [], log: [] };
  for (const key of sorted) {
    const { retired_at, compromised_since } = key;
    if (compromised_since !== null)
      throw new Error(`The key file marks ${key.kid} as compromised but has no log.`);
    ring = append(ring, "add", { ...key, retired_at: null }, key.not_before);
    if (retired_at === null) continue;
    // A retirement before the next key's begin must be logged while the retiring key can still sign.
    ring = append(ring, "retire", { ...key, retired_at }, key.not_before);
  }
  return ring;
}

function append(ring: Keyring, action: KeyLogEntry["action"], key: SigningKey, at: string): Keyring {
  const state = stateOf(key);
  const before = ring.keys.find((one) => one.kid === key.kid);
  const signer = signerOfChange(ring.keys, { action, kid: key.kid, at: new Date(at) }, key);
  if (!signer) {
    throw new KeyringError(
      `No key of the file is in use at ${at}, so no key can sign the change. Restore a backup with a key in use.`,
    );
  }
  const last = ring.log.at(-1);
  const statement = {
    seq: ring.log.length + 1,
    at,
    action,
    ...state,
    previous: last ? hashEntry(last) : null,
  };
  const entry = addProof(
    statement,
    {
      type: "DataIntegrityProof",
      cryptosuite: "eddsa-jcs-2022",
      created: at,
      verificationMethod: keyLogMethodId(stateOf(signer).public_key),
      proofPurpose: "assertionMethod",
    },
    createPrivateKey({ key: signer.jwk, format: "jwk" }),
  );
  const log = [...ring.log, keyLogEntrySchema.parse(entry)];
  const keys = before ? ring.keys.map((one) => (one === before ? key : one)) : [...ring.keys, key];
  return { keys, log };
}

function stateOf({ kid, jwk, not_before, retired_at, compromised_since }: SigningKey): KeyState {
  return {
    kid,
    public_key: encodeMultikey(base64urlnopad.decode(jwk.x)),
    not_before,
    retired_at,
    compromised_since,
  };
}

/** Returns the time of a new entry, in whole seconds and not before the newest entry: a clock may go back. */
function entryTime({ log }: Keyring, now: Date): string {
  const last = log.at(-1);
  const seconds = Math.floor(now.getTime() / 1000) * 1000;
  return new Date(Math.max(seconds, last ? Date.parse(last.at) : 0)).toISOString();
}

function isUsable(key: SigningKey, at: string): boolean {
  const isOver = key.retired_at !== null && Date.parse(key.retired_at) < Date.parse(at);
  return key.compromised_since === null && !isOver;
}

function nextKid({ keys }: Keyring): string {
  const numbers = keys.map(({ kid }) => Number(/^key-(\d{1,9})$/.exec(kid)?.[1] ?? 0));
  return `key-${Math.max(keys.length, ...numbers) + 1}`;
}

function find({ keys }: Keyring, kid: string): SigningKey {
  const key = keys.find((one) => one.kid === kid);
  if (!key)
    throw new KeyringError(`There is no key ${kid}. The keys are ${keys.map((one) => one.kid).join(", ")}.`);
  return key;
}
