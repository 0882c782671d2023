import { base58 } from "@scure/base";
import type * as z from "zod";
import { proofInput } from "./canonical-bytes.ts";
import { proofSchema } from "./document.ts";
import { type CheckSignature, checkPortably, isSoundKey } from "./ed25519.ts";
import { type ReceiptErrorCode, Rejection } from "./errors.ts";
import { parseJson } from "./json.ts";

/** The largest accepted lead of another clock, in milliseconds. */
const CLOCK_SKEW_MS = 60_000;

/** A verification key with its name for messages. */
export interface VerifyingKey {
  id: string;
  bytes: Uint8Array;
}

/** Reads a signed document from text or a parsed object. Throws `wrong_kind` unless it has the expected type. */
export function readTyped(input: unknown, type: string, maxCharacters: number): Record<string, unknown> {
  if (typeof input === "string" && input.length > maxCharacters) throw new Rejection("too_large");
  const value = typeof input === "string" ? parseJson(input) : input;
  if (typeof value !== "object" || value === null || !("type" in value) || value.type !== type) {
    throw new Rejection("wrong_kind", `The type of the document is not ${type}.`);
  }
  return { ...value };
}

/** Reads a proof of the accepted form. */
export function readProof(value: unknown): z.infer<typeof proofSchema> {
  if (value === undefined || value === null) throw new Rejection("missing_proof");
  if (typeof value !== "object" || Array.isArray(value))
    throw new Rejection("invalid_proof", "The proof is not an object.");
  const { type, cryptosuite, proofPurpose } = value as Record<string, unknown>;
  if (type !== "DataIntegrityProof" || cryptosuite !== "eddsa-jcs-2022") {
    throw new Rejection("unsupported_cryptosuite");
  }
  if (proofPurpose !== "assertionMethod") throw new Rejection("wrong_proof_purpose");
  return parseShape(proofSchema, value, "invalid_proof");
}

/** Throws unless the key signed the statement. */
export async function assertProof(
  statement: object,
  proof: z.infer<typeof proofSchema>,
  key: VerifyingKey,
  check?: CheckSignature,
): Promise<void> {
  const { signature, options } = splitProof(proof);
  await assertSignature(signature, proofInput(statement, options), key, check);
}

/** Throws unless the key signed the message. */
export async function assertSignature(
  signature: Uint8Array,
  message: Uint8Array,
  key: VerifyingKey,
  check: CheckSignature = checkPortably,
): Promise<void> {
  let good = false;
  try {
    good = isSoundKey(key.bytes) && (await check(signature, message, key.bytes));
  } catch {}
  if (!good) throw unsigned(key);
}

/** Checks a proof like `assertProof`, but synchronously and by the portable check. */
export function assertProofNow(
  statement: object,
  proof: z.infer<typeof proofSchema>,
  key: VerifyingKey,
): void {
  const { signature, options } = splitProof(proof);
  let good = false;
  try {
    good = isSoundKey(key.bytes) && checkPortably(signature, proofInput(statement, options), key.bytes);
  } catch {}
  if (!good) throw unsigned(key);
}

export const unsigned = ({ id }: VerifyingKey) => new Rejection("invalid_signature", `The key is ${id}.`);

/** 64 bytes have at most 88 characters. The decoding time grows with the square of the length. */
const LONGEST_PROOF_VALUE = 89;

function splitProof({ proofValue, ...options }: z.infer<typeof proofSchema>) {
  const isText = proofValue.startsWith("z") && proofValue.length <= LONGEST_PROOF_VALUE;
  const signature = isText ? decodeOrNull(() => base58.decode(proofValue.slice(1))) : null;
  if (signature?.length !== 64)
    throw new Rejection("invalid_encoding", "proofValue is not base58btc of 64 bytes.");
  return { signature, options };
}

/** Throws if a time is in the future by more than the accepted clock skew. */
export function assertPast(at: Date, now = new Date()): void {
  if (at.getTime() > now.getTime() + CLOCK_SKEW_MS) {
    throw new Rejection("issued_in_future", `The time is ${at.toISOString()}.`);
  }
}

/** Parses a value by a schema. Throws the issues as a Rejection. */
export function parseShape<T>(
  schema: z.ZodType<T>,
  value: unknown,
  code: ReceiptErrorCode = "invalid_shape",
): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => `${issue.path.join(".") || "object"}: ${issue.message}`);
  throw new Rejection(code, issues.join("; "));
}

/** Returns a codec's result, or null. The codecs accept only canonical texts. */
export function decodeOrNull(read: () => Uint8Array): Uint8Array | null {
  try {
    return read();
  } catch {
    return null;
  }
}
