import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { base64urlnopad } from "@scure/base";
import * as z from "zod";
import { canonicalBytes } from "./canonical-bytes.ts";
import { type FetchLimits, fetchText } from "./did-resolution.ts";
import { hashSchema, proofSchema, timeSchema } from "./document.ts";
import { answer, type ReceiptFailure, Rejection } from "./errors.ts";
import { expectedIssuer, issuerSchema, keyLogService } from "./issuer.ts";
import { fetchKeySet, findService, type KeySet, type Method } from "./issuer-key-set.ts";
import { findCurrentKey, type KeyWindow, kidSchema } from "./key-window.ts";
import { decodeMultikey, encodeMultikey } from "./multikey.ts";
import { assertPast, assertProofNow, decodeOrNull, parseShape, readTyped } from "./proof-check.ts";

/** About 1500 entries. */
const MAX_LOG_BYTES = 1_048_576;

/** One change of the issuer's keys, with the key's state after it. */
export const keyLogEntrySchema = z.strictObject({
  /** From 1 on, without gaps. */
  seq: z.int().positive(),
  /** The time of the entry. */
  at: timeSchema,
  action: z.enum(["add", "retire", "compromise"]),
  kid: kidSchema,
  /** Multikey. */
  public_key: z.string().max(64),
  not_before: timeSchema,
  retired_at: timeSchema.nullable(),
  compromised_since: timeSchema.nullable(),
  /** SHA-256 over JCS of the previous entry, its proof included; null in the first. */
  previous: hashSchema.nullable(),
  proof: proofSchema,
});

export const keyLogSchema = z.strictObject({
  type: z.literal("KeyLog"),
  version: z.literal(1),
  issuer: issuerSchema,
  entries: z.array(keyLogEntrySchema).min(1),
});

export type KeyLogEntry = z.infer<typeof keyLogEntrySchema>;
export type KeyLog = z.infer<typeof keyLogSchema>;

/** A key's state at the end of the log. */
export type KeyState = KeyWindow & { public_key: string };

/** The result of a log. */
export interface KeyHistory {
  keys: KeyState[];
  /** The hash of the newest entry, by which a later check sees that the log only grew. Null without entries. */
  head: string | null;
  /** The hash of each entry. */
  hashes: string[];
  /** The `seq` of entries that a key signed after it was compromised. A thief could have made them. */
  doubtful: number[];
}

export interface KeyLogOptions extends FetchLimits {
  /** The did:web name of the log's issuer. */
  issuer: string;
  /** The `head` of an earlier check. The log must contain that entry. */
  pin?: string;
  /** The time of the check; now by default. */
  now?: Date;
}

export interface VerifiedKeyLog {
  valid: true;
  kind: "key_log";
  issuer: string;
  /** The hash of the newest entry: the `pin` of the next check. */
  head: string;
  entries: number;
  keys: KeyState[];
  doubtful: number[];
}

/**
 * Checks an issuer's key log. Each entry must follow the previous one and have the required signer. The keys of the
 * DID document must be those at the log's end. With a pin, the log must contain the pinned entry. Without a log,
 * fetches it from the URL in the DID document. Never throws.
 */
export function verifyKeyLog(log: unknown, options: KeyLogOptions): Promise<VerifiedKeyLog | ReceiptFailure> {
  return answer(async () => {
    const issuer = expectedIssuer(options?.issuer).name;
    const keySet = await fetchKeySet(issuer, options);
    const input = log === undefined ? await fetchKeyLog(keySet, options) : log;
    const { entries, ...read } = parseShape(keyLogSchema, readTyped(input, "KeyLog", MAX_LOG_BYTES));
    if (read.issuer !== issuer) throw new Rejection("foreign_issuer", `The log names ${read.issuer}.`);
    const { keys, hashes, doubtful } = followKeyLog(entries);
    for (const { at } of entries) assertPast(new Date(at), options.now);
    if (options.pin !== undefined && !hashes.includes(options.pin)) {
      throw new Rejection("key_log_rewritten", `The pinned entry is ${options.pin}.`);
    }
    assertSameKeys(keySet, keys);
    const head = hashes.at(-1) as string;
    return { valid: true, kind: "key_log", issuer, head, entries: entries.length, keys, doubtful };
  });
}

async function fetchKeyLog(keySet: KeySet, options: KeyLogOptions): Promise<string> {
  const url = findService(keySet, keyLogService);
  if (url === null) throw new Rejection("key_log_unavailable");
  try {
    return await fetchText(url, { ...options, maxBytes: options.maxBytes ?? MAX_LOG_BYTES });
  } catch (error) {
    throw new Rejection("key_log_unavailable", error instanceof Error ? error.message : String(error));
  }
}

/** Throws unless the DID document's methods are exactly those of the log's keys. */
function assertSameKeys(keySet: KeySet, keys: readonly KeyState[]): void {
  const expected = keys.flatMap((key) => {
    const { kid, public_key, not_before, retired_at, compromised_since } = key;
    const times = [not_before, retired_at, compromised_since];
    const multikey = describeMethod(`${kid}-mb`, "Multikey", public_key, times, compromised_since === null);
    return compromised_since === null
      ? [describeMethod(kid, "JsonWebKey", public_key, times, true), multikey]
      : [multikey];
  });
  const published = keySet.methods.map((method) =>
    describeMethod(
      method.controller === keySet.issuer ? method.id.slice(keySet.issuer.length + 1) : method.id,
      method.type,
      publicKeyOf(method),
      [method.validFrom, method.validUntil, method.revoked],
      keySet.assertionMethod.includes(method.id),
    ),
  );
  const extra = published.find((method) => !expected.includes(method));
  const missing = expected.find((method) => !published.includes(method));
  if (extra) throw new Rejection("key_log_differs", `The log does not have ${extra}.`);
  if (missing || published.length !== expected.length) {
    throw new Rejection("key_log_differs", `The DID document does not have ${missing ?? "each key once"}.`);
  }
}

function describeMethod(
  fragment: string,
  type: string,
  publicKey: string,
  times: readonly (string | null | undefined)[],
  isForAssertions: boolean,
): string {
  const [from, until, revoked] = times.map((time) => (time ? new Date(time).toISOString() : "-"));
  return `#${fragment} (${type}) ${publicKey}, ${from} to ${until}, revoked ${revoked}, ${isForAssertions ? "for" : "not for"} assertions`;
}

function publicKeyOf({ publicKeyMultibase, publicKeyJwk }: Method): string {
  if (publicKeyMultibase !== undefined) return publicKeyMultibase;
  const bytes = decodeOrNull(() => base64urlnopad.decode(publicKeyJwk?.x ?? ""));
  return publicKeyJwk?.crv === "Ed25519" && bytes ? encodeMultikey(bytes) : "of another kind";
}

/** Hashes an entry, for the next entry or a pin. */
export function hashEntry(entry: KeyLogEntry): string {
  return `0x${bytesToHex(sha256(canonicalBytes(entry)))}`;
}

/** Returns the DID URL of a key in an entry's proof. It is a did:key, so the log alone suffices to check an entry. */
export function keyLogMethodId(publicKey: string): string {
  return `did:key:${publicKey}#${publicKey}`;
}

/**
 * Returns the key that must sign a change: the current key before the change. The first key signs its own entry. The
 * current one of the other keys signs a compromise.
 */
export function signerOfChange<T extends KeyWindow>(
  keys: readonly T[],
  change: { action: KeyLogEntry["action"]; kid: string; at: Date },
  own: T,
): T | undefined {
  if (keys.length === 0) return own;
  const others = change.action === "compromise" ? keys.filter((key) => key.kid !== change.kid) : keys;
  return findCurrentKey(others, change.at);
}

/** Verifies a log from its first entry to its last. Throws a Rejection for an entry that breaks a rule. */
export function followKeyLog(entries: readonly KeyLogEntry[]): KeyHistory {
  const keys: KeyState[] = [];
  const hashes: string[] = [];
  const signers: { entry: KeyLogEntry; kid: string }[] = [];
  for (const entry of entries) {
    const place = `entry ${entry.seq}`;
    const last = entries[hashes.length - 1];
    if (entry.seq !== hashes.length + 1)
      throw new Rejection("key_log_broken", `Entry ${hashes.length + 1} is numbered ${entry.seq}.`);
    if (entry.previous !== (hashes.at(-1) ?? null)) {
      throw new Rejection("key_log_broken", `The previous hash of ${place} is another one.`);
    }
    if (last && Date.parse(entry.at) < Date.parse(last.at)) {
      throw new Rejection("key_log_broken", `The time of ${place} is before that of the previous entry.`);
    }
    const { kid, public_key, not_before, retired_at, compromised_since } = entry;
    const state: KeyState = { kid, public_key, not_before, retired_at, compromised_since };
    const before = keys.findIndex((key) => key.kid === kid);
    assertChange(entry, keys[before], keys);
    const signer = signerOfChange(keys, { ...entry, at: new Date(entry.at) }, state);
    if (!signer) throw new Rejection("key_log_foreign_signer", `No key could sign ${place}.`);
    assertSigned(entry, signer);
    if (before === -1) keys.push(state);
    else keys[before] = state;
    hashes.push(hashEntry(entry));
    signers.push({ entry, kid: signer.kid });
  }
  const doubtful = signers.filter(({ entry, kid }) => {
    const since = keys.find((key) => key.kid === kid)?.compromised_since;
    return since && Date.parse(entry.at) >= Date.parse(since);
  });
  return { keys, hashes, head: hashes.at(-1) ?? null, doubtful: doubtful.map(({ entry }) => entry.seq) };
}

function assertChange(entry: KeyLogEntry, before: KeyState | undefined, keys: readonly KeyState[]): void {
  const refuse = (why: string) => new Rejection("key_log_bad_change", `Entry ${entry.seq}: ${why}.`);
  const [at, begin] = [entry.at, entry.not_before].map((time) => Date.parse(time)) as [number, number];
  if (entry.action === "add") {
    const isFresh = entry.retired_at === null && entry.compromised_since === null;
    if (before || keys.some((key) => key.public_key === entry.public_key)) throw refuse("the key is not new");
    if (!isFresh || begin < at) throw refuse("a new key must begin when it is added or later");
    return;
  }
  if (!before) throw refuse(`there is no ${entry.kid}`);
  const isSame = before.public_key === entry.public_key && before.not_before === entry.not_before;
  if (entry.action === "retire") {
    const end = entry.retired_at === null ? Number.NaN : Date.parse(entry.retired_at);
    const isOver = before.retired_at !== null && Date.parse(before.retired_at) < at;
    if (!isSame || entry.compromised_since !== before.compromised_since)
      throw refuse("the entry changes more than the retirement");
    if (isOver || !(end >= at)) throw refuse("only a key in use can be retired, now or later");
    return;
  }
  const since = entry.compromised_since === null ? Number.NaN : Date.parse(entry.compromised_since);
  const known = before.compromised_since === null ? Infinity : Date.parse(before.compromised_since);
  if (!isSame || entry.retired_at !== before.retired_at)
    throw refuse("the entry changes more than the compromise");
  if (!(since <= at && since < known))
    throw refuse("a key must be compromised since the entry's time or earlier");
}

function assertSigned({ proof, ...statement }: KeyLogEntry, signer: KeyState): void {
  const id = keyLogMethodId(signer.public_key);
  if (proof.verificationMethod !== id) {
    throw new Rejection("key_log_foreign_signer", `The key ${signer.kid} must sign entry ${statement.seq}.`);
  }
  const bytes = decodeMultikey(signer.public_key);
  if (!bytes) throw new Rejection("key_log_bad_change", `${signer.kid} is not an Ed25519 Multikey.`);
  if (proof.created !== statement.at)
    throw new Rejection("invalid_proof", "The proof's time differs from the entry's.");
  assertProofNow(statement, proof, { id, bytes });
}
