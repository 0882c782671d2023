import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import * as z from "zod";
import { canonicalBytes } from "../../receipts/canonical-bytes.ts";
import { parseJson } from "../../receipts/json.ts";
import { hashJws } from "../../receipts/jws-hash.ts";
import { LogRejection } from "./errors.ts";
import { decodeText } from "./note-text.ts";

/** SHA-256, as `0x` and 64 lower-case hex digits. */
const hashField = z.string().regex(/^0x[0-9a-f]{64}$/);
const receiptField = z.string().regex(/^rcp_[0-9a-z]{1,64}$/);
/** UTC to the millisecond, as `Date.toISOString` writes it: one time has one text. */
const timeField = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The entry of an issued receipt. */
export const receiptEntrySchema = z.strictObject({
  kind: z.literal("receipt"),
  v: z.literal(1),
  /** The id of the receipt: the last segment of its document's `id`. */
  receipt: receiptField,
  /** SHA-256 over JCS (RFC 8785) of the signed settlement document, its proof included. */
  document: hashField,
  /** SHA-256 of the x402 receipt's compact JWS, as ASCII; absent if there is none. */
  x402: hashField.optional(),
});

/** The entry of a revoked receipt. */
export const revocationEntrySchema = z.strictObject({
  kind: z.literal("revocation"),
  v: z.literal(1),
  receipt: receiptField,
  /** The time in the list of revoked receipts. */
  revoked_at: timeField,
});

/** The entry of a change of the keys that sign receipts. */
export const keyEntrySchema = z.strictObject({
  kind: z.literal("key"),
  v: z.literal(1),
  /** The `seq` of the key log's entry. */
  seq: z.int().positive(),
  /** SHA-256 over JCS of the key log's entry, its proof included: the `previous` of the next entry. */
  entry: hashField,
});

/**
 * The content of a leaf: one JSON object in its canonical form (JCS, RFC 8785). It has ids, hashes and times, but no
 * personal data.
 */
export const logEntrySchema = z.discriminatedUnion("kind", [
  receiptEntrySchema,
  revocationEntrySchema,
  keyEntrySchema,
]);

export type ReceiptEntry = z.infer<typeof receiptEntrySchema>;
export type RevocationEntry = z.infer<typeof revocationEntrySchema>;
export type KeyEntry = z.infer<typeof keyEntrySchema>;
export type LogEntry = z.infer<typeof logEntrySchema>;

/** The size limit of an entry, in bytes. */
export const maxEntryBytes = 1024;

/** Builds the entry of a receipt from its signed settlement document and, if there is one, its x402 receipt. */
export function receiptEntry(receipt: string, document: object, x402?: string | null): ReceiptEntry {
  return {
    kind: "receipt",
    v: 1,
    receipt,
    document: hashDocument(document),
    ...(x402 ? { x402: hashJws(x402) } : {}),
  };
}

/** Builds the entry of a revocation. */
export function revocationEntry(receipt: string, revokedAt: Date): RevocationEntry {
  return { kind: "revocation", v: 1, receipt, revoked_at: revokedAt.toISOString() };
}

/** Builds the entry of a change of keys from the entry of the key log. */
export function keyEntry(entry: { seq: number }): KeyEntry {
  return { kind: "key", v: 1, seq: entry.seq, entry: hashDocument(entry) };
}

/** Hashes a JSON object for an entry: SHA-256 over JCS. */
export function hashDocument(document: object): string {
  return `0x${bytesToHex(sha256(canonicalBytes(document)))}`;
}

/** Encodes an entry as the bytes of its leaf. Throws on an entry that `decodeEntry` would refuse. */
export function encodeEntry(entry: LogEntry): Uint8Array {
  return canonicalBytes(logEntrySchema.parse(entry));
}

/** Decodes the bytes of a leaf. Throws `malformed_entry` unless they are the canonical form of an entry. */
export function decodeEntry(bytes: Uint8Array): LogEntry {
  if (bytes.length > maxEntryBytes)
    throw new LogRejection(
      "malformed_entry",
      `It has ${bytes.length} bytes, at most ${maxEntryBytes} are allowed.`,
    );
  let entry: LogEntry;
  try {
    entry = logEntrySchema.parse(parseJson(decodeText(bytes)));
  } catch {
    throw new LogRejection("malformed_entry");
  }
  const canonical = canonicalBytes(entry);
  if (canonical.length !== bytes.length || canonical.some((byte, i) => byte !== bytes[i])) {
    throw new LogRejection("malformed_entry", "The entry is not canonical JSON (RFC 8785).");
  }
  return entry;
}
