import { hashes, verify as verifyEd25519 } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { base58, base64urlnopad } from "@scure/base";
import type * as z from "zod";
import {
  proofSchema,
  type SettlementClaim,
  type SignedSettlementDocument,
  settlementDocumentSchema,
} from "./document.ts";
import { type ReceiptFailure, Rejection } from "./errors.ts";
import { locateIssuer } from "./issuer.ts";
import { parseJson } from "./json.ts";
import { assertKeyValidAt, fetchKey, type IssuerKey } from "./keyset.ts";
import { proofInput } from "./proof.ts";
import {
  jwsHeaderSchema,
  offerEnvelopeSchema,
  receiptEnvelopeSchema,
  type X402Offer,
  type X402Receipt,
  x402OfferSchema,
  x402ReceiptSchema,
} from "./x402.ts";

// noble's synchronous functions work where WebCrypto does not, such as pages served over plain http.
hashes.sha512 = sha512;

const MAX_DOCUMENT_CHARACTERS = 65_536;
const MAX_JWS_CHARACTERS = 16_384;
const CLOCK_SKEW_MS = 60_000;
const COMPACT_JWS = /^[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]*\.[A-Za-z0-9_=-]*$/;

export interface VerifyOptions {
  /** The did:web name the receipt must come from. It is yours to know: a receipt's own word for it is not trusted. */
  issuer: string;
  /** Fetches the issuer's DID document; the global `fetch` unless told. */
  fetch?: typeof fetch;
  /** The time of the check; now unless told. */
  now?: Date;
}

/** What the caller already knows about an x402 receipt or offer; each value given must be the signed one. */
export interface X402ReceiptOptions
  extends VerifyOptions,
    Partial<Omit<X402Receipt, "version" | "issuedAt">> {}
export interface OfferOptions extends VerifyOptions, Partial<Omit<X402Offer, "version" | "validUntil">> {}

interface Signed {
  valid: true;
  issuer: string;
  /** The DID URL of the key that signed. */
  keyId: string;
}

/** A good signature: the issuer said this. Whether money moved is the chain's to say (`confirmOnChain`). */
export interface VerifiedDocument extends Signed {
  kind: "settlement_document";
  claim: SettlementClaim;
  document: SignedSettlementDocument;
}
export interface VerifiedX402Receipt extends Signed {
  kind: "x402_receipt";
  receipt: X402Receipt;
}
export interface VerifiedOffer extends Signed {
  kind: "x402_offer";
  offer: X402Offer;
}

/**
 * Checks a settlement document: its exact shape, its eddsa-jcs-2022 proof, and that the key is the expected issuer's
 * and was valid at the time of signing. Give the text where there is one, so that doubled members are seen too.
 * Never throws.
 */
export function verifyReceipt(
  document: unknown,
  options: VerifyOptions,
): Promise<VerifiedDocument | ReceiptFailure> {
  return answer(async () => {
    const issuer = expectedIssuer(options).name;
    const { proof: signedProof, ...statement } = readDocument(document);
    const signed = parseShape(settlementDocumentSchema, statement);
    const proof = readProof(signedProof);
    if (signed.issuer !== issuer) throw new Rejection("foreign_issuer", `It is ${signed.issuer}.`);
    const key = await fetchKey(issuer, proof.verificationMethod, "Multikey", options);
    const { proofValue, ...proofOptions } = proof;
    assertSignature(readProofValue(proofValue), proofInput(signed, proofOptions), key);
    for (const time of [signed.issued_at, proof.created]) assertSigningTime(key, new Date(time), options);
    return {
      valid: true,
      kind: "settlement_document",
      claim: signed.claim,
      document: { ...signed, proof },
      issuer,
      keyId: key.id,
    };
  });
}

/**
 * Checks an x402 receipt: a compact JWS, or x402's `{format: "jws", signature}`, that says a resource was paid for and
 * delivered. Fields given in the options must be the signed ones. Never throws.
 */
export function verifyX402Receipt(
  jws: unknown,
  options: X402ReceiptOptions,
): Promise<VerifiedX402Receipt | ReceiptFailure> {
  return answer(async () => {
    const { payload, key, issuer } = await readJws(jws, "x402_receipt", x402ReceiptSchema, options);
    assertSigningTime(key, new Date(payload.issuedAt * 1000), options);
    return { valid: true, kind: "x402_receipt", receipt: payload, issuer, keyId: key.id };
  });
}

/**
 * Checks an x402 offer and that it still stands. An offer carries no time of signing, so its key must be valid at the
 * time of the check. Never throws.
 */
export function verifyOffer(jws: unknown, options: OfferOptions): Promise<VerifiedOffer | ReceiptFailure> {
  return answer(async () => {
    const { payload, key, issuer } = await readJws(jws, "x402_offer", x402OfferSchema, options);
    const now = options.now ?? new Date();
    assertKeyValidAt(key, now);
    if (now.getTime() > payload.validUntil * 1000) {
      throw new Rejection(
        "offer_expired",
        `It stood until ${new Date(payload.validUntil * 1000).toISOString()}.`,
      );
    }
    return { valid: true, kind: "x402_offer", offer: payload, issuer, keyId: key.id };
  });
}

/** Turns what is thrown into a refusal, so that no input at all makes a verifier throw. */
async function answer<T>(check: () => Promise<T>): Promise<T | ReceiptFailure> {
  try {
    return await check();
  } catch (error) {
    const { code, message } = error instanceof Rejection ? error : new Rejection("malformed", String(error));
    return { valid: false, code, message };
  }
}

function expectedIssuer(options: VerifyOptions): { name: string; host: string } {
  const location = typeof options?.issuer === "string" ? locateIssuer(options.issuer) : null;
  if (!location)
    throw new Rejection("invalid_issuer", "Give the name as in did:web:example.com or did:web:host%3A8080.");
  return { name: options.issuer, host: location.host };
}

function readDocument(input: unknown): Record<string, unknown> {
  if (typeof input === "string") {
    if (input.length > MAX_DOCUMENT_CHARACTERS) throw new Rejection("too_large");
    if (COMPACT_JWS.test(input.trim())) throw new Rejection("wrong_kind", "It is a compact JWS.");
  }
  const value = typeof input === "string" ? parseJson(input) : input;
  if (
    typeof value !== "object" ||
    value === null ||
    !("type" in value) ||
    value.type !== "SettlementDocument"
  ) {
    throw new Rejection("wrong_kind", "Its type is not SettlementDocument.");
  }
  return { ...value };
}

function readProof(value: unknown) {
  if (value === undefined || value === null) throw new Rejection("missing_proof");
  if (typeof value !== "object" || Array.isArray(value))
    throw new Rejection("invalid_proof", "It is not one object.");
  const { type, cryptosuite, proofPurpose } = value as Record<string, unknown>;
  if (type !== "DataIntegrityProof" || cryptosuite !== "eddsa-jcs-2022") {
    throw new Rejection("unsupported_cryptosuite");
  }
  if (proofPurpose !== "assertionMethod") throw new Rejection("wrong_proof_purpose");
  return parseShape(proofSchema, value, "invalid_proof");
}

function readProofValue(text: string): Uint8Array {
  const bytes = text.startsWith("z") ? decode(() => base58.decode(text.slice(1))) : null;
  if (bytes?.length !== 64)
    throw new Rejection("invalid_encoding", "proofValue is not base58btc of 64 bytes.");
  return bytes;
}

async function readJws<T extends X402Receipt | X402Offer>(
  input: unknown,
  kind: "x402_receipt" | "x402_offer",
  schema: z.ZodType<T>,
  options: VerifyOptions & Partial<T>,
): Promise<{ payload: T; key: IssuerKey; issuer: string }> {
  const issuer = expectedIssuer(options);
  const [headerText, payloadText, signatureText, jws] = splitJws(input, kind);
  const header = readHeader(parseJson(decodeText(headerText, "header")));
  const content = parseJson(decodeText(payloadText, "payload"));
  if (kindOf(content) !== kind) throw new Rejection("wrong_kind", `It is not an ${kind}.`);
  const payload = parseShape(schema, content);
  if (new URL(payload.resourceUrl).host !== issuer.host) {
    throw new Rejection("foreign_resource", `It is ${payload.resourceUrl}.`);
  }
  const signature = decode(() => base64urlnopad.decode(signatureText));
  if (signature?.length !== 64)
    throw new Rejection("invalid_encoding", "The signature is not base64url of 64 bytes.");
  const key = await fetchKey(issuer.name, header.kid, "JsonWebKey", options);
  assertSignature(signature, new TextEncoder().encode(jws.slice(0, jws.lastIndexOf("."))), key);
  for (const field of Object.keys(payload) as (keyof T & string)[]) {
    if (field !== "version" && options[field] !== undefined && options[field] !== payload[field]) {
      throw new Rejection("unexpected_value", `${field} is ${payload[field]}, expected ${options[field]}.`);
    }
  }
  return { payload, key, issuer: issuer.name };
}

function splitJws(input: unknown, kind: "x402_receipt" | "x402_offer"): [string, string, string, string] {
  let jws = input;
  if (typeof input === "object" && input !== null) {
    const envelope = (kind === "x402_offer" ? offerEnvelopeSchema : receiptEnvelopeSchema).safeParse(input);
    if (!envelope.success) throw new Rejection("wrong_kind", "It is not a compact JWS.");
    jws = envelope.data.signature;
  }
  if (typeof jws !== "string") throw new Rejection("malformed", "It is not a compact JWS.");
  if (jws.length > MAX_JWS_CHARACTERS) throw new Rejection("too_large");
  if (jws.trimStart().startsWith("{"))
    throw new Rejection("wrong_kind", "It is a JSON document, not a compact JWS.");
  const [header, payload, signature, ...rest] = jws.split(".");
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0) {
    throw new Rejection("malformed", "A compact JWS has three parts.");
  }
  return [header, payload, signature, jws];
}

function readHeader(value: unknown): { alg: "EdDSA"; kid: string } {
  if (typeof value === "object" && value !== null) {
    if ("crit" in value) throw new Rejection("unsupported_critical_header");
    if (!("alg" in value) || value.alg !== "EdDSA") throw new Rejection("unsupported_algorithm");
  }
  return parseShape(jwsHeaderSchema, value);
}

/** Offers and receipts share one JWS form without a type, so their own fields must tell them apart. */
function kindOf(payload: unknown): "x402_receipt" | "x402_offer" | null {
  if (typeof payload !== "object" || payload === null) return null;
  if ("scheme" in payload || "payTo" in payload || "validUntil" in payload) return "x402_offer";
  return "payer" in payload || "issuedAt" in payload ? "x402_receipt" : null;
}

function assertSignature(signature: Uint8Array, message: Uint8Array, key: IssuerKey): void {
  let good = false;
  try {
    // RFC 8032 as written: ZIP-215, noble's default, takes encodings that other verifiers refuse.
    good = verifyEd25519(signature, message, key.bytes, { zip215: false });
  } catch {}
  if (!good) throw new Rejection("invalid_signature", `The key is ${key.id}.`);
}

function assertSigningTime(key: IssuerKey, at: Date, options: VerifyOptions): void {
  assertKeyValidAt(key, at);
  if (at.getTime() > (options.now ?? new Date()).getTime() + CLOCK_SKEW_MS) {
    throw new Rejection("issued_in_future", `It is ${at.toISOString()}.`);
  }
}

function parseShape<T>(
  schema: z.ZodType<T>,
  value: unknown,
  code: "invalid_shape" | "invalid_proof" = "invalid_shape",
): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => `${issue.path.join(".") || "object"}: ${issue.message}`);
  throw new Rejection(code, issues.join("; "));
}

function decodeText(part: string, name: string): string {
  const bytes = decode(() => base64urlnopad.decode(part));
  if (!bytes) throw new Rejection("invalid_encoding", `The ${name} is not canonical base64url.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Rejection("malformed", `The ${name} is not UTF-8.`);
  }
}

/** Both codecs refuse every text but the one they would write themselves. */
function decode(read: () => Uint8Array): Uint8Array | null {
  try {
    return read();
  } catch {
    return null;
  }
}
