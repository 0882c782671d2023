import type { Hex } from "viem";
import type * as z from "zod";
import { type ChainClient, confirmOnChain } from "./chain-check.ts";
import type { Memo } from "./did-resolution.ts";
import { settlementDocumentSchema } from "./document.ts";
import { answer, type ReceiptFailure, Rejection } from "./errors.ts";
import { expectedIssuer } from "./issuer.ts";
import {
  assertKeyValidAt,
  assertOwnMethod,
  assertUncompromised,
  fetchKeySet,
  findKey,
  type IssuerKey,
} from "./issuer-key-set.ts";
import { isJws, readJws } from "./jws.ts";
import { hashJws } from "./jws-hash.ts";
import { assertPast, assertProof, parseShape, readProof, readTyped } from "./proof-check.ts";
import { recordStatementSchema } from "./record-statement.ts";
import { askStatus, type StatusOptions } from "./revocation.ts";
import type {
  VerifiedDocument,
  VerifiedOffer,
  VerifiedRecordStatement,
  VerifiedX402Receipt,
} from "./verified.ts";
import { type X402Offer, type X402Receipt, x402OfferSchema, x402ReceiptSchema } from "./x402.ts";

const MAX_DOCUMENT_CHARACTERS = 65_536;
const COMPACT_JWS = /^[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]*\.[A-Za-z0-9_=-]*$/;

export interface VerifyOptions extends StatusOptions {
  /** The did:web name of the expected issuer. The caller must know it: the issuer in the receipt is not trusted. */
  issuer: string;
}

export interface DocumentOptions extends VerifyOptions {
  /**
   * Used only if the signing key is compromised. A document is then valid if the chain confirms it with
   * `confirmations` (1 by default). The event must be of this escrow contract, and from before the compromise.
   */
  chain?: { client: ChainClient & BlockReader; contract: string; confirmations?: number };
}

/** The part of a viem public client that reads a block's time, in Unix seconds. */
export interface BlockReader {
  getBlock(args: { blockHash: Hex }): Promise<{ timestamp: bigint }>;
}

/** The expected values of an x402 receipt or offer. Each given value must equal the signed one. */
export interface X402ReceiptOptions
  extends VerifyOptions,
    Partial<Omit<X402Receipt, "version" | "issuedAt">> {}
export interface OfferOptions extends VerifyOptions, Partial<Omit<X402Offer, "version" | "validUntil">> {}

/** `agent`: the id or slug of the expected agent; any agent by default. */
export interface RecordOptions extends Omit<VerifyOptions, "status"> {
  agent?: string;
}
/**
 * Checks a settlement document: its exact shape, its eddsa-jcs-2022 proof, its key and its status. The key must be
 * the expected issuer's, and valid at the time of signing. The issuer must not have revoked the receipt. Pass the
 * text if possible, so that repeated members are found. Never throws.
 */
export function verifyReceipt(
  document: unknown,
  options: DocumentOptions,
): Promise<VerifiedDocument | ReceiptFailure> {
  return answer(() => checkDocument(document, options));
}

/**
 * Checks an x402 receipt, which states that a resource was paid for and delivered: a compact JWS, or x402's `{format:
 * "jws", signature}`. Fields in the options must equal the signed ones. Never throws.
 */
export function verifyX402Receipt(
  jws: unknown,
  options: X402ReceiptOptions,
): Promise<VerifiedX402Receipt | ReceiptFailure> {
  return answer(() => checkX402Receipt(jws, options));
}

/**
 * Checks many receipts of one issuer: settlement documents and x402 receipts in any order. The issuer's keys and its
 * list of revoked receipts are fetched once. The results are in the order of the receipts. Never throws.
 */
export function verifyReceipts(
  receipts: readonly unknown[],
  options: DocumentOptions,
): Promise<(VerifiedDocument | VerifiedX402Receipt | ReceiptFailure)[]> {
  const memo: Memo = new Map();
  return Promise.all(
    receipts.map((receipt) =>
      answer<VerifiedDocument | VerifiedX402Receipt>(() =>
        isJws(receipt) ? checkX402Receipt(receipt, options, memo) : checkDocument(receipt, options, memo),
      ),
    ),
  );
}

async function checkDocument(
  document: unknown,
  options: DocumentOptions,
  memo?: Memo,
): Promise<VerifiedDocument> {
  const read = await readSigned(document, "SettlementDocument", settlementDocumentSchema, options, memo);
  const { signed, proof, key, keySet } = read;
  const status = await askStatus(keySet, { id: signed.id }, options, memo);
  const result: VerifiedDocument = {
    valid: true,
    kind: "settlement_document",
    claim: signed.claim,
    document: { ...signed, proof },
    issuer: keySet.issuer,
    keyId: key.id,
    compromisedSince: key.compromisedSince?.toISOString() ?? null,
    ...status,
  };
  if (key.compromisedSince) await assertCorroborated(result, key, key.compromisedSince, options);
  return result;
}

async function checkX402Receipt(
  jws: unknown,
  options: X402ReceiptOptions,
  memo?: Memo,
): Promise<VerifiedX402Receipt> {
  const { payload, key, keySet, text } = await readJws(jws, "x402_receipt", x402ReceiptSchema, options, memo);
  assertSigningTime(key, new Date(payload.issuedAt * 1000), options);
  assertUncompromised(key);
  const status = await askStatus(keySet, { x402_sha256: hashJws(text) }, options, memo);
  const { issuer } = keySet;
  return { valid: true, kind: "x402_receipt", receipt: payload, issuer, keyId: key.id, ...status };
}

/**
 * Checks an x402 offer and its validity. An offer has no time of signing, so its key must be valid at the time of the
 * check. Never throws.
 */
export function verifyOffer(jws: unknown, options: OfferOptions): Promise<VerifiedOffer | ReceiptFailure> {
  return answer(async () => {
    const { payload, key, keySet } = await readJws(jws, "x402_offer", x402OfferSchema, options);
    const now = options.now ?? new Date();
    assertKeyValidAt(key, now);
    assertUncompromised(key);
    if (now.getTime() > payload.validUntil * 1000) {
      throw new Rejection(
        "offer_expired",
        `The offer was valid until ${new Date(payload.validUntil * 1000).toISOString()}.`,
      );
    }
    return { valid: true, kind: "x402_offer", offer: payload, issuer: keySet.issuer, keyId: key.id };
  });
}

/**
 * Checks a statement of an agent's record: its exact shape, its eddsa-jcs-2022 proof, its key and its validity. The
 * key must be the expected issuer's, valid at the time of signing, and uncompromised. A statement is not a receipt.
 * Pass the text if possible, so that repeated members are found. Never throws.
 */
export function verifyRecordStatement(
  statement: unknown,
  options: RecordOptions,
): Promise<VerifiedRecordStatement | ReceiptFailure> {
  return answer(async () => {
    const read = await readSigned(statement, "AgentRecordStatement", recordStatementSchema, options);
    const { signed, proof, key, keySet } = read;
    // A thief can choose the time, and no chain confirms a record.
    assertUncompromised(key);
    if ((options.now ?? new Date()) > new Date(signed.valid_until)) {
      throw new Rejection("statement_expired", `The statement was valid until ${signed.valid_until}.`);
    }
    const { id, slug } = signed.agent;
    if (options.agent !== undefined && options.agent !== id && options.agent !== slug) {
      throw new Rejection("unexpected_value", `agent is ${slug} (${id}), expected ${options.agent}.`);
    }
    return {
      valid: true,
      kind: "record_statement",
      statement: { ...signed, proof },
      issuer: keySet.issuer,
      keyId: key.id,
    };
  });
}

/** Reads a document of one type that has a proof, and checks its signer and its time. */
async function readSigned<T extends { issuer: string; issued_at: string }>(
  input: unknown,
  type: string,
  schema: z.ZodType<T>,
  options: VerifyOptions,
  memo?: Memo,
) {
  const issuer = expectedIssuer(options?.issuer).name;
  const { proof: signedProof, ...statement } = readDocument(input, type);
  const signed = parseShape(schema, statement);
  const proof = readProof(signedProof);
  if (signed.issuer !== issuer) throw new Rejection("foreign_issuer", `The document names ${signed.issuer}.`);
  assertOwnMethod(issuer, proof.verificationMethod);
  const keySet = await fetchKeySet(issuer, options, memo);
  const key = findKey(keySet, proof.verificationMethod, "Multikey");
  await assertProof(signed, proof, key, options.checkSignature);
  for (const time of [signed.issued_at, proof.created]) assertSigningTime(key, new Date(time), options);
  return { signed, proof, key, keySet };
}

function readDocument(input: unknown, type: string): Record<string, unknown> {
  if (
    typeof input === "string" &&
    input.length <= MAX_DOCUMENT_CHARACTERS &&
    COMPACT_JWS.test(input.trim())
  ) {
    throw new Rejection("wrong_kind", "The input is a compact JWS.");
  }
  return readTyped(input, type, MAX_DOCUMENT_CHARACTERS);
}

/**
 * Checks a compromised key's document. A thief can write any time into it, so the chain must confirm it. The event
 * must be of the caller's contract, and from before the compromise.
 */
async function assertCorroborated(
  result: VerifiedDocument,
  key: IssuerKey,
  since: Date,
  { chain }: DocumentOptions,
): Promise<void> {
  const { issued_at, proof, block_hash } = result.document;
  const isLater = [issued_at, proof.created].some((time) => new Date(time) >= since);
  if (isLater || !chain) return assertUncompromised(key);
  const { client, contract, confirmations } = chain;
  const found = await confirmOnChain(result, client, { contract, confirmations });
  if (!found.checked || !found.agrees) {
    throw new Rejection("key_compromised", `The chain does not confirm the document: ${found.code}.`);
  }
  const block = await client.getBlock({ blockHash: block_hash as Hex }).catch(() => null);
  if (!block) throw new Rejection("key_compromised", "The block's time could not be read.");
  if (Number(block.timestamp) * 1000 >= since.getTime()) {
    throw new Rejection("key_compromised", "The event is not from before the compromise.");
  }
}

function assertSigningTime(key: IssuerKey, at: Date, options: VerifyOptions): void {
  assertKeyValidAt(key, at);
  assertPast(at, options.now);
}
