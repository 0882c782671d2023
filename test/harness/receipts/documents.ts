import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { SettlementDocument } from "../../../receipts/document.ts";
import { issuerOf } from "../../../receipts/issuer.ts";
import type { RecordStatement } from "../../../receipts/record-statement.ts";
import type { StatusList } from "../../../receipts/revocation.ts";
import { signStatusList } from "../../../receipts/sign.ts";
import { createSigningKey, didDocumentOf, jwksOf, type SigningKey } from "../../../receipts/signing-keys.ts";

export const ISSUED_AT = "2026-11-20T12:00:00.000Z";
export const NOW = new Date("2026-11-20T12:05:00.000Z");
export const KEY_CREATED = new Date("2026-11-01T00:00:00.000Z");

export const BUYER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const PROVIDER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const ARBITER = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const CONTRACT = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const TOKEN = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512";

export interface Issuer {
  /** The origin, `http://localhost:<port>`. */
  url: string;
  did: string;
  /** A current key, and one retired a week before. */
  key: SigningKey;
  retired: SigningKey;
  close(): Promise<void>;
}

/** Serves text over a real HTTP server on a free port. */
export async function serve(listener: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/**
 * An issuer that serves its DID document, its JWKS and its empty list of revoked receipts at the service's
 * paths.
 */
export async function startIssuer(): Promise<Issuer> {
  const key = createSigningKey("key-2", KEY_CREATED);
  const retired = {
    ...createSigningKey("key-1", new Date("2026-10-01T00:00:00.000Z")),
    retired_at: "2026-11-13T00:00:00.000Z",
  };
  const { url, close } = await serve((request, response) => {
    const did = issuerOf(url);
    const bodies: Record<string, unknown> = {
      "/.well-known/did.json": didDocumentOf(did, [retired, key]),
      "/.well-known/jwks.json": jwksOf(did, [retired, key]),
      "/.well-known/earnest-receipt-status.json": signStatusList(sampleStatusList({ did }), key, did),
    };
    const body = bodies[request.url ?? ""];
    response
      .writeHead(body ? 200 : 404, { "content-type": "application/json" })
      .end(JSON.stringify(body ?? {}));
  });
  return { url, did: issuerOf(url), key, retired, close };
}

/** A list of revoked receipts that is valid for a long time. */
export function sampleStatusList(issuer: { did: string }, fields: Partial<StatusList> = {}): StatusList {
  return {
    type: "ReceiptStatusList",
    version: 1,
    issuer: issuer.did,
    issued_at: ISSUED_AT,
    valid_until: "2099-01-01T00:00:00.000Z",
    revoked: [],
    ...fields,
  };
}

type CurrentDocument = Extract<SettlementDocument, { version: 2 }>;

/** A valid released document of the issuer, in the current version. */
export function sampleDocument(
  issuer: { url: string; did: string },
  fields: Partial<CurrentDocument> = {},
): CurrentDocument {
  return {
    $schema: `${issuer.url}/api/v1/schemas/settlement-document-2.json`,
    id: `${issuer.url}/api/v1/receipts/rcp_01kah7w8zqf3d9v2t5b6n7m8x0`,
    type: "SettlementDocument",
    version: 2,
    issuer: issuer.did,
    issued_at: ISSUED_AT,
    order_id: "ord_01kah7w8zqf3d9v2t5b6n7m8x9",
    agreement_hash: hash("11"),
    claim: "released",
    chain: "eip155:31337",
    contract: CONTRACT,
    escrow_id: hash("22"),
    transaction: hash("33"),
    block_number: 42,
    block_hash: hash("44"),
    log_index: 3,
    buyer: BUYER,
    provider: PROVIDER,
    token: TOKEN,
    amount: "2500000",
    output_hash: hash("55"),
    released_so_far: null,
    terms: {
      amount: "2500000",
      fund_by: Date.parse(ISSUED_AT) / 1000 + 3600,
      delivery_window: 86_400,
      acceptance_window: 259_200,
      dispute_window: 604_800,
      appeal_window: 86_400,
      arbiter: ARBITER,
    },
    ...fields,
  };
}

/** The same in version 1, which stays valid. */
export function sampleDocument1(issuer: { url: string; did: string }): SettlementDocument {
  const { $schema: _schema, terms: _terms, released_so_far: _sum, ...fields } = sampleDocument(issuer);
  return { ...fields, claim: "released", version: 1 };
}

/** A statement of an agent's record, as the issuer would make it. */
export function sampleRecord(
  issuer: { url: string; did: string },
  fields: Partial<RecordStatement> = {},
): RecordStatement {
  const record = {
    orders: 2,
    volume: [{ currency: "USD", amount: "5" }],
    counterparties: 2,
    delivered_on_time: 1,
    delivered_late: 1,
    not_delivered: 0,
    seconds_promised: { median: 86_400, p90: 86_400 },
    seconds_taken: { median: 3_600, p90: 93_600 },
    refunds: 0,
    declined: 0,
    disputes: { provider: 0, buyer: 0, split: 0, lapsed: 0 },
    repeat_counterparties: 0,
    apart: { orders: 0, volume: [] },
  };
  return {
    $schema: `${issuer.url}/api/v1/schemas/agent-record-statement-1.json`,
    id: `${issuer.url}/api/v1/agents/translator/record/statement`,
    type: "AgentRecordStatement",
    version: 1,
    issuer: issuer.did,
    issued_at: ISSUED_AT,
    valid_until: "2099-01-01T00:00:00.000Z",
    agent: {
      id: "agt_01kah7w8zqf3d9v2t5b6n7m8xa",
      slug: "translator",
      name: "Translator",
      wallets: [PROVIDER],
    },
    as_of: ISSUED_AT,
    score: { formula: "earnest-score-1", value: 300, upper: 900, share: 800, evidence: 1_500 },
    ever: record,
    days_90: record,
    days_30: record,
    outcomes_root: hash("66"),
    ...fields,
  };
}

export function sampleReceipt(issuer: { url: string }) {
  return {
    resourceUrl: `${issuer.url}/api/v1/orders/ord_01kah7w8zqf3d9v2t5b6n7m8x9`,
    payer: BUYER,
    network: "eip155:31337",
    transaction: hash("33"),
    issuedAt: Date.parse(ISSUED_AT) / 1000,
  };
}

export function sampleOffer(issuer: { url: string }) {
  return {
    resourceUrl: `${issuer.url}/api/v1/orders/ord_01kah7w8zqf3d9v2t5b6n7m8x9/payment`,
    scheme: "exact",
    network: "eip155:31337",
    asset: TOKEN,
    payTo: CONTRACT,
    amount: "2500000",
    validUntil: NOW.getTime() / 1000 + 300,
  };
}

export function hash(byte: string): string {
  return `0x${byte.repeat(32)}`;
}
