import { sign } from "node:crypto";
import { base64urlnopad } from "@scure/base";
import { canonicalBytes } from "../../../receipts/canonical-bytes.ts";
import type { SettlementDocument } from "../../../receipts/document.ts";
import { addProof } from "../../../receipts/sign.ts";
import { jwkMethodId, multikeyMethodId, type SigningKey } from "../../../receipts/signing-keys.ts";
import { issuedAt, keys, market, now, privateKeyOf } from "./issuers.ts";

export const buyer = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const provider = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
export const contract = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
export const token = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512";
export const arbiter = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
export const hash = (byte: string) => `0x${byte.repeat(32)}`;
const order = "https://market.example/api/v1/orders/ord_01kah7w8zqf3d9v2t5b6n7m8x9";

export type Statement = Extract<SettlementDocument, { version: 2 }>;

/** Makes a document of a release by the market; `fields` replace its own. */
export function statement(fields: Record<string, unknown> = {}): Statement {
  return {
    $schema: "https://market.example/api/v1/schemas/settlement-document-2.json",
    id: "https://market.example/api/v1/receipts/rcp_01kah7w8zqf3d9v2t5b6n7m8x0",
    type: "SettlementDocument",
    version: 2,
    issuer: market,
    issued_at: issuedAt,
    order_id: "ord_01kah7w8zqf3d9v2t5b6n7m8x9",
    agreement_hash: hash("11"),
    claim: "released",
    chain: "eip155:8453",
    contract,
    escrow_id: hash("22"),
    transaction: hash("33"),
    block_number: 42,
    block_hash: hash("44"),
    log_index: 3,
    buyer,
    provider,
    token,
    amount: "2500000",
    output_hash: hash("55"),
    released_so_far: null,
    terms: {
      amount: "2500000",
      fund_by: 1_795_181_400,
      delivery_window: 86_400,
      acceptance_window: 259_200,
      dispute_window: 604_800,
      appeal_window: 86_400,
      arbiter,
    },
    ...fields,
  } as Statement;
}

/** Signs any content, as a faulty issuer would. */
export function signed(
  document: object = statement(),
  key: SigningKey = keys.current,
  proof: Record<string, unknown> = {},
): Record<string, unknown> & { proof: Record<string, unknown> } {
  const { issuer = market, issued_at = issuedAt } = document as Partial<Statement>;
  const options = {
    type: "DataIntegrityProof" as const,
    cryptosuite: "eddsa-jcs-2022" as const,
    created: issued_at,
    verificationMethod: multikeyMethodId(issuer, key),
    proofPurpose: "assertionMethod" as const,
    ...proof,
  };
  return addProof(document, options, privateKeyOf(key)) as never;
}

export const text = (value: unknown) => JSON.stringify(value);

export function receiptPayload(fields: Record<string, unknown> = {}) {
  return {
    version: 1,
    network: "eip155:8453",
    resourceUrl: order,
    payer: buyer,
    issuedAt: Date.parse(issuedAt) / 1000,
    transaction: hash("33"),
    ...fields,
  };
}

export function offerPayload(fields: Record<string, unknown> = {}) {
  return {
    version: 1,
    resourceUrl: `${order}/payment`,
    scheme: "exact",
    network: "eip155:8453",
    asset: token,
    payTo: contract,
    amount: "2500000",
    validUntil: Date.parse(now) / 1000 + 300,
    ...fields,
  };
}

export const encode = (part: string | Uint8Array) =>
  base64urlnopad.encode(typeof part === "string" ? new TextEncoder().encode(part) : part);

const canonicalText = (part: object | string) =>
  typeof part === "string" ? part : new TextDecoder().decode(canonicalBytes(part));

/** Makes a compact JWS over any payload and header, each an object or an exact text. */
export function jws(
  payload: object | string = receiptPayload(),
  key: SigningKey = keys.current,
  header: object | string = { alg: "EdDSA", kid: jwkMethodId(market, key) },
): string {
  const input = [header, payload].map((part) => encode(canonicalText(part))).join(".");
  return `${input}.${sign(null, Buffer.from(input), privateKeyOf(key)).toString("base64url")}`;
}

/** Replaces one part of a JWS. */
export function withPart(compact: string, at: 0 | 1 | 2, change: (part: string) => string): string {
  return compact
    .split(".")
    .map((part, index) => (index === at ? change(part) : part))
    .join(".");
}

/** Makes x402's envelope of a JWS. */
export const envelope = (signature: string, more: object = {}) => text({ format: "jws", signature, ...more });
