import { base64urlnopad } from "@scure/base";
import { CompactSign, compactVerify } from "jose";
import type * as z from "zod";
import { canonicalBytes } from "./canonical-bytes.ts";
import type { Memo } from "./did-resolution.ts";
import { isSoundKey } from "./ed25519.ts";
import { Rejection } from "./errors.ts";
import { expectedIssuer } from "./issuer.ts";
import { assertOwnMethod, fetchKeySet, findKey, type IssuerKey, type KeySet } from "./issuer-key-set.ts";
import { parseJson } from "./json.ts";
import { decodeOrNull, parseShape, unsigned } from "./proof-check.ts";
import type { StatusOptions } from "./revocation.ts";
import {
  jwsHeaderSchema,
  offerEnvelopeSchema,
  receiptEnvelopeSchema,
  type X402Offer,
  type X402Receipt,
} from "./x402.ts";

const MAX_JWS_CHARACTERS = 16_384;

/** A private key: a `KeyObject` of Node or a `CryptoKey` of WebCrypto. */
type PlatformKey = { type: string };

/**
 * Signs a payload's canonical JSON as a compact JWS. `kid` is the DID URL of the key.
 *
 * @param header further members of the protected header
 */
export function makeJws(
  payload: object,
  { kid, privateKey, header = {} }: { kid: string; privateKey: PlatformKey; header?: object },
): Promise<string> {
  return new CompactSign(canonicalBytes(payload))
    .setProtectedHeader({ alg: "EdDSA", kid, ...header })
    .sign(privateKey);
}

/** Whether an input is a JWS and not a document. */
export function isJws(receipt: unknown): boolean {
  if (typeof receipt === "string") return !receipt.trimStart().startsWith("{");
  return typeof receipt === "object" && receipt !== null && "signature" in receipt;
}

/**
 * Reads a compact JWS of one kind. Checks that the expected issuer's key signed it, that its resource is the
 * issuer's, and that fields equal those in the options. Throws a `Rejection`. The caller checks the key's validity.
 */
export async function readJws<T extends X402Receipt | X402Offer>(
  input: unknown,
  kind: "x402_receipt" | "x402_offer",
  schema: z.ZodType<T>,
  options: StatusOptions & { issuer: string } & Partial<T>,
  memo?: Memo,
): Promise<{ payload: T; key: IssuerKey; keySet: KeySet; text: string }> {
  const issuer = expectedIssuer(options?.issuer);
  const [headerText, payloadText, signatureText, jws] = splitJws(input, kind);
  const header = readHeader(parseJson(decodeText(headerText, "header")));
  const content = parseJson(decodeText(payloadText, "payload"));
  if (kindOf(content) !== kind) throw new Rejection("wrong_kind", `The payload is not an ${kind}.`);
  const payload = parseShape(schema, content);
  // Both the text and the resolved URL: dots in the path must not lead out of it.
  for (const url of [payload.resourceUrl, new URL(payload.resourceUrl).href]) {
    if (!url.startsWith(`${issuer.baseUrl}/`)) {
      throw new Rejection("foreign_resource", `The resource is ${payload.resourceUrl}.`);
    }
  }
  const signature = decodeOrNull(() => base64urlnopad.decode(signatureText));
  if (signature?.length !== 64)
    throw new Rejection("invalid_encoding", "The signature is not base64url of 64 bytes.");
  assertOwnMethod(issuer.name, header.kid);
  const keySet = await fetchKeySet(issuer.name, options, memo);
  const key = findKey(keySet, header.kid, "JsonWebKey");
  await assertSignedBy(key, jws);
  for (const field of Object.keys(payload) as (keyof T & string)[]) {
    if (field !== "version" && options[field] !== undefined && options[field] !== payload[field]) {
      throw new Rejection("unexpected_value", `${field} is ${payload[field]}, expected ${options[field]}.`);
    }
  }
  return { payload, key, keySet, text: jws };
}

/** Throws unless the key signed the JWS. */
async function assertSignedBy(key: IssuerKey, jws: string): Promise<void> {
  if (!isSoundKey(key.bytes)) throw unsigned(key);
  const x = base64urlnopad.encode(key.bytes);
  try {
    await compactVerify(jws, { kty: "OKP", crv: "Ed25519", x }, { algorithms: ["EdDSA"] });
  } catch (error) {
    // A page over plain HTTP has no WebCrypto, and an old browser has no Ed25519.
    const isMissing = typeof crypto === "undefined" || !crypto.subtle || isNamed(error, "NotSupportedError");
    if (isMissing)
      throw new Rejection(
        "unsupported_algorithm",
        "WebCrypto has no Ed25519: use HTTPS and a current browser.",
      );
    throw unsigned(key);
  }
}

const isNamed = (error: unknown, name: string) => error instanceof Error && error.name === name;

function splitJws(input: unknown, kind: "x402_receipt" | "x402_offer"): [string, string, string, string] {
  let jws = input;
  if (typeof input === "object" && input !== null) {
    const envelope = (kind === "x402_offer" ? offerEnvelopeSchema : receiptEnvelopeSchema).safeParse(input);
    if (!envelope.success) throw new Rejection("wrong_kind", "The input is not a compact JWS.");
    jws = envelope.data.signature;
  }
  if (typeof jws !== "string") throw new Rejection("malformed", "The input is not a compact JWS.");
  if (jws.length > MAX_JWS_CHARACTERS) throw new Rejection("too_large");
  if (jws.trimStart().startsWith("{"))
    throw new Rejection("wrong_kind", "The input is a JSON document, not a compact JWS.");
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

/** Determines the kind by the fields, because the JWS of offers and receipts has no type. */
function kindOf(payload: unknown): "x402_receipt" | "x402_offer" | null {
  if (typeof payload !== "object" || payload === null) return null;
  if ("scheme" in payload || "payTo" in payload || "validUntil" in payload) return "x402_offer";
  return "payer" in payload || "issuedAt" in payload ? "x402_receipt" : null;
}

function decodeText(part: string, name: string): string {
  const bytes = decodeOrNull(() => base64urlnopad.decode(part));
  if (!bytes) throw new Rejection("invalid_encoding", `The ${name} is not canonical base64url.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Rejection("malformed", `The ${name} is not UTF-8.`);
  }
}
