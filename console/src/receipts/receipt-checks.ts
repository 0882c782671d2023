// First: zod would try, as soon as a schema is made, what the page's policy forbids.
import "../../../receipts/page-policy.ts";
import { type Address, createPublicClient, custom, type EIP1193Provider, type PublicClient } from "viem";
import type { Connector } from "wagmi";
import { rememberInBrowser, sayHistory } from "../../../protocol/tlog/browser.ts";
import { lookUpReceipt, partsInLog } from "../../../protocol/tlog/index.ts";
import {
  confirmOnChain,
  type ReceiptErrorCode,
  type ReceiptFailure,
  type VerifiedDocument,
  type VerifiedRecordStatement,
  type VerifiedX402Receipt,
  verifyReceipt,
  verifyRecordStatement,
  verifyX402Receipt,
} from "../../../receipts/index.ts";
import { parseJson } from "../../../receipts/json.ts";
import { type ReceiptParts, readParts } from "../../../receipts/receipt-report.ts";

export type { ReceiptParts };

/** One thing that was looked at: what came of it, in a word and a sentence. */
export type Check = { name: string; outcome: "good" | "bad" | "unknown"; says: string };

/** All that was found of one signed part; `verified` where its signature is good. */
export type PartVerdict<T> = { isGood: boolean; checks: Check[]; verified: T | null };

/** What somebody gave: a receipt, or the text of a statement of an agent's record, which is none. */
export type Given = { receipt: ReceiptParts } | { record: string };

export type Verdict = {
  document: PartVerdict<VerifiedDocument> | null;
  x402: PartVerdict<VerifiedX402Receipt> | null;
};

type Stage = "form" | "issuer" | "key" | "signature" | "content" | "time" | "status";

/** What the verifier looks at, in its order, and what is said of each where it is good. */
const stages: Record<Stage, { name: string; says: string }> = {
  form: { name: "Form", says: "It is complete, and every field is in its exact form." },
  issuer: { name: "Issuer", says: "It names this service and one of its keys." },
  key: { name: "Key", says: "The service publishes the key that it names." },
  signature: { name: "Signature", says: "The key signed exactly this text." },
  content: { name: "Same event", says: "It is about the transaction that the document names." },
  time: { name: "Time", says: "The key was valid when it signed." },
  status: { name: "Not taken back", says: "It is not on the service's list of revoked receipts." },
};
const order = Object.keys(stages) as Stage[];
/** Of a receipt that is compared with no other. */
const alone = order.filter((stage) => stage !== "content");

/** Where the verifier stopped. What has no line here is about the form. */
const stageOf: Partial<Record<ReceiptErrorCode, Stage>> = {
  invalid_issuer: "issuer",
  foreign_issuer: "issuer",
  foreign_key: "issuer",
  foreign_resource: "issuer",
  keys_unavailable: "key",
  invalid_key_document: "key",
  unknown_key: "key",
  invalid_signature: "signature",
  unexpected_value: "content",
  key_not_yet_valid: "time",
  key_retired: "time",
  key_compromised: "time",
  issued_in_future: "time",
  statement_expired: "time",
  receipt_revoked: "status",
};

/** Takes a text apart: a statement, or a document, a JWS, or the API's object with both. Throws for what is no JSON. */
export function readGiven(text: string): Given {
  const receipt = readParts(text);
  const isRecord =
    typeof receipt.document === "string" && typeOf(receipt.document) === "AgentRecordStatement";
  return isRecord ? { record: text } : { receipt };
}

function typeOf(text: string): unknown {
  const value = parseJson(text);
  return typeof value === "object" && value !== null && "type" in value ? value.type : null;
}

/** The stages of a statement, which ends by itself and is on no list. */
const recordStages = order.filter((stage) => stage !== "content" && stage !== "status");

/** Checks a statement of an agent's record in this browser, with the keys that the issuer publishes. */
export async function checkRecord(
  text: string,
  issuer: string,
): Promise<PartVerdict<VerifiedRecordStatement>> {
  return describe(await verifyRecordStatement(text, { issuer }), recordStages);
}

/** Checks all that is signed of a receipt, in this browser, with the keys that the issuer publishes. */
export async function checkReceipt(parts: ReceiptParts, issuer: string): Promise<Verdict> {
  const verified = "document" in parts ? await verifyReceipt(parts.document, { issuer }) : null;
  const beside = verified?.valid
    ? { transaction: verified.document.transaction, network: verified.document.chain }
    : {};
  const jws = parts.jws === undefined ? null : await verifyX402Receipt(parts.jws, { issuer, ...beside });
  return {
    document: verified && describe(verified, alone),
    x402: jws && describe(jws, "transaction" in beside ? order : alone),
  };
}

/** @param looked what is looked at of such a thing, in order */
function describe<T extends VerifiedDocument | VerifiedX402Receipt | VerifiedRecordStatement>(
  result: T | ReceiptFailure,
  looked: Stage[],
): PartVerdict<T> {
  if (result.valid) {
    const checks = looked.map((stage): Check => {
      const { name, says } = stages[stage];
      return stage === "status" && "status" in result && result.status === "unknown"
        ? { name, outcome: "unknown", says: result.statusReason?.message ?? "" }
        : { name, outcome: "good", says: stage === "key" ? `${says} ${result.keyId}` : says };
    });
    return { isGood: true, checks, verified: result };
  }
  const failed = looked.indexOf(stageOf[result.code] ?? "form");
  const checks = looked.map((stage, at): Check => {
    const { name, says } = stages[stage];
    if (at < failed) return { name, outcome: "good", says };
    if (at > failed) return { name, outcome: "unknown", says: "Not looked at, because of the one above." };
    return { name, outcome: result.code === "keys_unavailable" ? "unknown" : "bad", says: result.message };
  });
  return { isGood: false, checks, verified: null };
}

/** Looks the receipt up in the issuer's log, and compares the log with what this browser saw of it before. */
export async function checkLog(parts: ReceiptParts, issuer: string): Promise<Check[]> {
  const memory = rememberInBrowser();
  const found = await lookUpReceipt(partsInLog(parts), { issuer, ...(memory ? { memory } : {}) });
  const name = "In the log";
  if (!found.valid) {
    return [{ name, outcome: found.outcome === "contradicted" ? "bad" : "unknown", says: found.message }];
  }
  const { index, checkpoint, seen } = found;
  return [
    { name, outcome: "good", says: `It is entry ${index} of ${checkpoint.size} in ${checkpoint.origin}.` },
    {
      name: "One history",
      outcome: seen === null || seen === "nothing" ? "unknown" : "good",
      says: sayHistory(seen),
    },
  ];
}

/** Asks a node of the chain whether the event is there, and whether the contract has the escrow's own code. */
export async function checkChain(verified: VerifiedDocument, node: PublicClient): Promise<Check[]> {
  const answer = await confirmOnChain(verified, node);
  const name = "Event on the chain";
  if (!answer.checked) return [{ name, outcome: "unknown", says: answer.message }];
  if (!answer.agrees) return [{ name, outcome: "bad", says: answer.message }];
  const { confirmations } = answer;
  const event: Check = {
    name,
    outcome: "good",
    says: `The node has exactly this event. Its block has ${confirmations} ${confirmations === 1 ? "confirmation" : "confirmations"}.`,
  };
  return [event, await checkContract(node, verified.document.contract as Address)];
}

/** Anyone can deploy a contract with the same events: only its code tells. */
async function checkContract(node: PublicClient, contract: Address): Promise<Check> {
  const name = "Escrow contract";
  try {
    const { compareEscrow } = await import("../../../protocol/settlement/escrow-code.ts");
    const [difference] = await compareEscrow(node, contract);
    return difference === undefined
      ? { name, outcome: "good", says: `${contract} has the code of the escrow contract.` }
      : { name, outcome: "bad", says: difference };
  } catch {
    return { name, outcome: "unknown", says: "The node did not give the contract's code." };
  }
}

/** The node of a wallet. It is asked for what everybody may read; the wallet is not connected for it. */
export async function nodeOf(connector: Connector): Promise<PublicClient> {
  const provider = (await connector.getProvider()) as EIP1193Provider;
  return createPublicClient({ transport: custom(provider, { retryCount: 0 }) });
}
