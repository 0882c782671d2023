// First, because zod probes for `eval` when the first schema is made, which the page's policy forbids.
import "../../../receipts/page-policy.ts";
import { type Address, createPublicClient, custom, type EIP1193Provider, type PublicClient } from "viem";
import type { Connector } from "wagmi";
import { describeHistory, rememberInBrowser } from "../../../protocol/tlog/browser.ts";
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
import { i18n } from "../text/i18n.ts";

export type { ReceiptParts };

/** One check with its outcome and a sentence about it. */
export type Check = { name: string; outcome: "good" | "bad" | "unknown"; message: string };

/** The checks of one signed part. `verified` is null if a check fails. */
export type PartVerdict<T> = { isGood: boolean; checks: Check[]; verified: T | null };

/** The user's input: a receipt, or the text of a signed record of an agent. */
export type ReceiptInputValue = { receipt: ReceiptParts } | { record: string };

export type Verdict = {
  document: PartVerdict<VerifiedDocument> | null;
  x402: PartVerdict<VerifiedX402Receipt> | null;
};

/** The verifier's checks in their order. */
const order = ["form", "issuer", "key", "signature", "content", "time", "status"] as const;
type Stage = (typeof order)[number];

/** The name of a check, and the sentence for a good outcome. */
const stageText = (stage: Stage): { name: string; message: string } =>
  ({
    form: { name: i18n.t("Form"), message: i18n.t("The receipt is complete and well-formed.") },
    issuer: {
      name: i18n.t("Issuer"),
      message: i18n.t("The receipt names this service and one of its keys."),
    },
    key: { name: i18n.t("Key"), message: i18n.t("The service publishes this key.") },
    signature: {
      name: i18n.t("Signature"),
      message: i18n.t("The signature is valid for this exact text."),
    },
    content: {
      name: i18n.t("Same event"),
      message: i18n.t("Both receipts are about the same transaction."),
    },
    time: { name: i18n.t("Time"), message: i18n.t("The key was valid at the time of signing.") },
    status: {
      name: i18n.t("Not revoked"),
      message: i18n.t("The receipt is not on the service's revocation list."),
    },
  })[stage];

/** The stages of a receipt that is compared with no other receipt. */
const alone = order.filter((stage) => stage !== "content");

/** The stage of each error code. Codes that are not listed belong to "form". */
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

/** Parses the user's input: a signed record, a settlement document, a JWS, or the API's receipt. Throws if it is not JSON. */
export function parseReceiptInput(text: string): ReceiptInputValue {
  const receipt = readParts(text);
  const isRecord =
    typeof receipt.document === "string" && typeOf(receipt.document) === "AgentRecordStatement";
  return isRecord ? { record: text } : { receipt };
}

function typeOf(text: string): unknown {
  const value = parseJson(text);
  return typeof value === "object" && value !== null && "type" in value ? value.type : null;
}

/** The stages of a signed record, which expires and cannot be revoked. */
const recordStages = order.filter((stage) => stage !== "content" && stage !== "status");

/** Checks a signed record of an agent in this browser, with the issuer's published keys. */
export async function checkRecord(
  text: string,
  issuer: string,
): Promise<PartVerdict<VerifiedRecordStatement>> {
  return describe(await verifyRecordStatement(text, { issuer }), recordStages);
}

/** Checks all signed parts of a receipt in this browser, with the issuer's published keys. */
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

/** @param checked the stages of this kind of document, in order */
function describe<T extends VerifiedDocument | VerifiedX402Receipt | VerifiedRecordStatement>(
  result: T | ReceiptFailure,
  checked: readonly Stage[],
): PartVerdict<T> {
  if (result.valid) {
    const checks = checked.map((stage): Check => {
      const { name, message } = stageText(stage);
      return stage === "status" && "status" in result && result.status === "unknown"
        ? { name, outcome: "unknown", message: result.statusReason?.message ?? "" }
        : { name, outcome: "good", message: stage === "key" ? `${message} ${result.keyId}` : message };
    });
    return { isGood: true, checks, verified: result };
  }
  const failed = checked.indexOf(stageOf[result.code] ?? "form");
  const checks = checked.map((stage, at): Check => {
    const { name, message } = stageText(stage);
    if (at < failed) return { name, outcome: "good", message };
    if (at > failed)
      return { name, outcome: "unknown", message: i18n.t("Not checked, because the check above failed.") };
    return { name, outcome: result.code === "keys_unavailable" ? "unknown" : "bad", message: result.message };
  });
  return { isGood: false, checks, verified: null };
}

/** Looks up the receipt in the issuer's log and compares the log with the one that this browser saw last. */
export async function checkLog(parts: ReceiptParts, issuer: string): Promise<Check[]> {
  const memory = rememberInBrowser();
  const result = await lookUpReceipt(partsInLog(parts), { issuer, ...(memory ? { memory } : {}) });
  const name = i18n.t("Included in log");
  if (!result.valid) {
    return [
      { name, outcome: result.outcome === "contradicted" ? "bad" : "unknown", message: result.message },
    ];
  }
  const { index, checkpoint, seen } = result;
  return [
    {
      name,
      outcome: "good",
      message: i18n.t("Entry {index} of {size} in {origin}.", {
        index,
        size: checkpoint.size,
        origin: checkpoint.origin,
      }),
    },
    {
      name: i18n.t("Log consistency"),
      outcome: seen === null || seen === "nothing" ? "unknown" : "good",
      message: describeHistory(seen),
    },
  ];
}

/** Asks a node whether the event is on the chain and whether the contract has the escrow's code. */
export async function checkChain(verified: VerifiedDocument, node: PublicClient): Promise<Check[]> {
  const answer = await confirmOnChain(verified, node);
  const name = i18n.t("Event on the chain");
  if (!answer.checked) return [{ name, outcome: "unknown", message: answer.message }];
  if (!answer.agrees) return [{ name, outcome: "bad", message: answer.message }];
  const { confirmations } = answer;
  const event: Check = {
    name,
    outcome: "good",
    message: i18n.t(
      "The node has this event. Its block has {confirmations, plural, one {# confirmation} other {# confirmations}}.",
      { confirmations },
    ),
  };
  return [event, await checkContract(node, verified.document.contract as Address)];
}

/** Compares the contract's code, because anyone can deploy a contract that emits the same events. */
async function checkContract(node: PublicClient, contract: Address): Promise<Check> {
  const name = i18n.t("Escrow contract");
  try {
    const { compareEscrow } = await import("../../../protocol/settlement/escrow-code.ts");
    const [difference] = await compareEscrow(node, contract);
    return difference === undefined
      ? {
          name,
          outcome: "good",
          message: i18n.t("{contract} has the code of the escrow contract.", { contract }),
        }
      : { name, outcome: "bad", message: difference };
  } catch {
    return { name, outcome: "unknown", message: i18n.t("The node did not give the contract's code.") };
  }
}

/** Returns the node of a wallet. It serves public data, so the wallet need not be connected. */
export async function nodeOf(connector: Connector): Promise<PublicClient> {
  const provider = (await connector.getProvider()) as EIP1193Provider;
  return createPublicClient({ transport: custom(provider, { retryCount: 0 }) });
}
