import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { base58 } from "@scure/base";
import { proofInput } from "./canonical-bytes.ts";
import {
  type SettlementDocument,
  type SignedSettlementDocument,
  settlementDocumentSchema,
} from "./document.ts";
import { makeJws } from "./jws.ts";
import { isValidAt } from "./key-window.ts";
import {
  type RecordStatement,
  recordStatementSchema,
  type SignedRecordStatement,
} from "./record-statement.ts";
import { type SignedStatusList, type StatusList, statusListSchema } from "./revocation.ts";
import { jwkMethodId, multikeyMethodId, type SigningKey } from "./signing-keys.ts";
import { type X402Offer, type X402Receipt, x402OfferSchema, x402ReceiptSchema } from "./x402.ts";

/** A Data Integrity proof without its value. */
export interface ProofOptions {
  type: "DataIntegrityProof";
  cryptosuite: "eddsa-jcs-2022";
  /** RFC 3339. */
  created: string;
  verificationMethod: string;
  proofPurpose: "assertionMethod";
}

/**
 * Signs a settlement document. Synchronous and deterministic: the proof has the document's time, so the same document
 * gets the same bytes. Throws for a document that verifiers refuse.
 */
export function signDocument(
  document: SettlementDocument,
  key: SigningKey,
  issuer: string,
): SignedSettlementDocument {
  return signStatement(settlementDocumentSchema.parse(document), key, issuer);
}

/** Signs a list of revoked receipts like a document. */
export function signStatusList(list: StatusList, key: SigningKey, issuer: string): SignedStatusList {
  return signStatement(statusListSchema.parse(list), key, issuer);
}

/** Signs a statement of an agent's record like a document. */
export function signRecordStatement(
  statement: RecordStatement,
  key: SigningKey,
  issuer: string,
): SignedRecordStatement {
  return signStatement(recordStatementSchema.parse(statement), key, issuer);
}

function signStatement<T extends { issuer: string; issued_at: string }>(
  statement: T,
  key: SigningKey,
  issuer: string,
) {
  if (statement.issuer !== issuer) throw new Error(`The document names ${statement.issuer}, not ${issuer}.`);
  assertValidAt(key, new Date(statement.issued_at));
  const options: ProofOptions = {
    type: "DataIntegrityProof",
    cryptosuite: "eddsa-jcs-2022",
    created: statement.issued_at,
    verificationMethod: multikeyMethodId(issuer, key),
    proofPurpose: "assertionMethod",
  };
  return prove(statement, options, privateKeyOf(key));
}

/**
 * Adds an eddsa-jcs-2022 proof to a JSON document. The proof repeats the document's `@context`. Source:
 * https://www.w3.org/TR/vc-di-eddsa/#create-proof-eddsa-jcs-2022
 */
export function addProof<T extends object>(document: T, options: ProofOptions, privateKey: KeyObject) {
  const context = "@context" in document ? { "@context": document["@context"] } : {};
  return prove(document, { ...options, ...context }, privateKey);
}

function prove<T extends object>(document: T, proof: ProofOptions, privateKey: KeyObject) {
  const proofValue = `z${base58.encode(sign(null, proofInput(document, proof), privateKey))}`;
  return { ...document, proof: { ...proof, proofValue } };
}

/** Signs an x402 receipt as a compact JWS of x402's offer-and-receipt extension. */
export async function signX402Receipt(
  receipt: Omit<X402Receipt, "version">,
  key: SigningKey,
  issuer: string,
): Promise<string> {
  assertValidAt(key, new Date(receipt.issuedAt * 1000));
  return signJws(x402ReceiptSchema.parse({ version: 1, ...receipt }), key, issuer);
}

/** Signs an x402 offer for a 402 response. Its addresses must be written as in `accepts`. */
export async function signX402Offer(
  offer: Omit<X402Offer, "version">,
  key: SigningKey,
  issuer: string,
): Promise<string> {
  return signJws(x402OfferSchema.parse({ version: 1, ...offer }), key, issuer);
}

/**
 * Signs an agent card of A2A (section 8.4 of its specification): a JWS over the canonical JSON of the card, without its
 * payload. The card must have no empty members, because verifiers remove them.
 *
 * @param keysUrl the URL of the JWK set that has the key
 */
export async function signAgentCard(
  card: object,
  key: SigningKey,
  { issuer, keysUrl }: { issuer: string; keysUrl: string },
): Promise<{ protected: string; signature: string }> {
  const jws = await makeJws(card, {
    kid: jwkMethodId(issuer, key),
    privateKey: privateKeyOf(key),
    header: { typ: "JOSE", jku: keysUrl },
  });
  const [header = "", , signature = ""] = jws.split(".");
  return { protected: header, signature };
}

function signJws(payload: object, key: SigningKey, issuer: string): Promise<string> {
  return makeJws(payload, { kid: jwkMethodId(issuer, key), privateKey: privateKeyOf(key) });
}

function assertValidAt(key: SigningKey, at: Date): void {
  if (isValidAt(key, at)) return;
  throw new Error(`The key ${key.kid} is not valid at ${at.toISOString()}. Sign with the current key.`);
}

// Parsing a JWK costs as much as several signatures, and a server signs with one or two keys.
const privateKeys = new WeakMap<SigningKey, KeyObject>();

/** Returns the private key, parsed once. */
export function privateKeyOf(key: SigningKey): KeyObject {
  const known = privateKeys.get(key);
  if (known) return known;
  const read = createPrivateKey({ key: key.jwk, format: "jwk" });
  privateKeys.set(key, read);
  return read;
}
