import { createPublicClient, http } from "viem";
import * as z from "zod";
import { confirmOnChain, findNode } from "./chain-check.ts";
import type { ReceiptErrorCode, ReceiptFailure } from "./errors.ts";
import { parseJson } from "./json.ts";
import { verifyKeyLog } from "./key-log.ts";
import type { SignedRecordStatement } from "./record-statement.ts";
import type { StatusAnswer } from "./revocation.ts";
import type { VerifiedDocument } from "./verified.ts";
import { verifyReceipt, verifyRecordStatement, verifyX402Receipt } from "./verify.ts";

const jwsSchema = z.union([z.string(), z.looseObject({ format: z.literal("jws"), signature: z.string() })]);

/** The API's receipt object. Only its signed parts are evidence. */
const receiptObjectSchema = z.looseObject({
  document: z.unknown().refine((document) => document !== undefined && document !== null),
  x402_receipt: jwsSchema.nullish(),
  revoked: z.boolean().optional(),
});

/** The signed parts of a receipt, and whether the service reports it as revoked. */
export type ReceiptParts = {
  document?: unknown;
  jws?: unknown;
  revoked?: boolean;
};

export type ReportOptions = {
  /** the did:web name of the expected issuer */
  issuer: string;
  /** the RPC URLs of nodes, of one chain or several; without any, the chain is skipped */
  rpc: readonly string[];
  /** the expected escrow contract; the receipt's by default */
  contract: string | undefined;
  /** the required confirmations */
  confirmations: number;
  /** whether to read the issuer's list of revoked receipts */
  status: "ask" | "skip";
  /** prints lines, which may contain untrusted text: the caller applies `printable` */
  print: (...lines: string[]) => void;
};

/** `agent`: the id or slug of the expected agent. */
type RecordReportOptions = Pick<ReportOptions, "issuer" | "print"> & { agent: string | undefined };

/** `pin`: the head of an earlier check. */
type KeyLogOptions = Pick<ReportOptions, "issuer" | "print"> & { pin: string | undefined };

/** Splits an input into its signed parts. A document stays text, so that repeated members are found. */
export function readParts(input: string): ReceiptParts {
  const trimmed = input.trim();
  if (!trimmed.startsWith("{")) return { jws: trimmed };
  const value = parseJson(trimmed);
  if (jwsSchema.safeParse(value).success) return { jws: value };
  const receipt = receiptObjectSchema.safeParse(value);
  if (!receipt.success) return { document: trimmed };
  const { document, x402_receipt, revoked = false } = receipt.data;
  return { document, jws: x402_receipt ?? undefined, revoked };
}

/** Checks all parts of a receipt and prints the results. Returns whether all checks passed. */
export async function reportReceipt(parts: ReceiptParts, options: ReportOptions): Promise<boolean> {
  const verified = "document" in parts ? await checkDocument(parts.document, options) : null;
  const documentGood = !("document" in parts) || (verified !== null && isStatusGood(verified));
  const jwsGood = parts.jws === undefined || (await checkX402Receipt(parts.jws, options, verified));
  if (parts.revoked) options.print("service: reports this receipt as revoked");
  const chainGood = await checkChain(options, parts, verified);
  return documentGood && jwsGood && chainGood && !parts.revoked;
}

async function checkDocument(document: unknown, options: ReportOptions): Promise<VerifiedDocument | null> {
  const { issuer, status, contract, confirmations, print } = options;
  const client = await findNode(clientsOf(options), chainOf(document));
  const chain = client && contract !== undefined ? { client, contract, confirmations } : undefined;
  const result = await verifyReceipt(document, { issuer, status, chain });
  if (!result.valid) {
    print(...describeFailure("settlement document", result));
    return null;
  }
  const claimed = result.document;
  const sentence = {
    funded: `${claimed.buyer} funded the escrow for ${claimed.provider}`,
    part_released: `a part of the escrow was released to ${claimed.provider}`,
    released: `the escrow was released to ${claimed.provider}`,
    refunded: `the escrow was refunded to ${claimed.buyer}`,
  }[claimed.claim];
  print("settlement document: signature valid");
  print(`  key          ${result.keyId}`);
  print(`  states       ${sentence}`);
  print(`  amount       ${claimed.amount} base units of ${claimed.token}`);
  print(`  order        ${claimed.order_id}, agreement ${claimed.agreement_hash}`);
  print(`  transaction  ${claimed.transaction} on ${claimed.chain}, block ${claimed.block_number}`);
  print(`  issued at    ${claimed.issued_at}`);
  if (result.compromisedSince) {
    print(
      `  note         the key is compromised since ${result.compromisedSince}; the chain confirms the event, but`,
    );
    print("               not the fields that the event does not have");
  }
  print(...describeStatus(result));
  return result;
}

async function checkX402Receipt(
  jws: unknown,
  { issuer, status, print }: ReportOptions,
  verified: VerifiedDocument | null,
): Promise<boolean> {
  const beside = verified
    ? { transaction: verified.document.transaction, network: verified.document.chain }
    : {};
  const result = await verifyX402Receipt(jws, { issuer, status, ...beside });
  if (!result.valid) {
    print(...describeFailure("x402 receipt", result));
    return false;
  }
  const { receipt } = result;
  print("x402 receipt: signature valid");
  print(`  key          ${result.keyId}`);
  print(`  states       ${receipt.payer} paid for ${receipt.resourceUrl}, which was delivered`);
  print(`  transaction  ${receipt.transaction} on ${receipt.network}`);
  print(`  issued at    ${new Date(receipt.issuedAt * 1000).toISOString()}`);
  print(...describeStatus(result));
  return isStatusGood(result);
}

function describeStatus({ status, statusReason }: StatusAnswer): string[] {
  const name = "  status       ";
  if (status === "good") return [`${name}good: the issuer has not revoked it`];
  if (statusReason.code === "status_not_asked") return [`${name}not checked`];
  return [`${name}unknown, ${statusReason.code}`, `  ${statusReason.message}`];
}

function isStatusGood({ status, statusReason }: StatusAnswer): boolean {
  return status === "good" || statusReason.code === "status_not_asked";
}

function describeFailure(name: string, { code, message }: ReceiptFailure): string[] {
  const verdicts: Partial<Record<ReceiptErrorCode, string>> = {
    keys_unavailable: "signature not checked",
    key_compromised: "signature not trusted",
    receipt_revoked: "signature valid, but revoked",
    statement_expired: "signature valid, but expired",
  };
  return [`${name}: ${verdicts[code] ?? "signature invalid"}, ${code}`, `  ${message}`];
}

/** The chain that a document names, before it is verified; empty if it names none. */
function chainOf(document: unknown): string {
  try {
    const value = typeof document === "string" ? parseJson(document) : document;
    return z.looseObject({ chain: z.string() }).parse(value).chain;
  } catch {
    return "";
  }
}

const clientsOf = ({ rpc }: ReportOptions) =>
  rpc.map((url) => createPublicClient({ transport: http(url, { retryCount: 1, timeout: 10_000 }) }));

async function checkChain(
  options: ReportOptions,
  parts: ReceiptParts,
  verified: VerifiedDocument | null,
): Promise<boolean> {
  const { confirmations, contract, print } = options;
  const clients = clientsOf(options);
  if (clients.length === 0) {
    print("chain: not checked (give --rpc to check); a valid signature does not show that money moved");
    return true;
  }
  if (!verified) {
    const reason =
      "document" in parts ? "the document is not valid" : "only a settlement document names an event";
    print(`chain: not checked, ${reason}`);
    return false;
  }
  const client = await findNode(clients, verified.document.chain);
  if (!client) return false;
  const answer = await confirmOnChain(verified, client, { confirmations, contract });
  if (!answer.checked) print(`chain: not checked, ${answer.code}`, `  ${answer.message}`);
  else if (!answer.agrees) print(`chain: disagrees, ${answer.code}`, `  ${answer.message}`);
  else print(`chain: agrees, ${answer.confirmations} confirmations`);
  return answer.checked && answer.agrees;
}

/** Checks a statement of an agent's record and prints the result. Returns whether it is valid. */
export async function reportRecord(
  statement: string,
  { issuer, agent, print }: RecordReportOptions,
): Promise<boolean> {
  const result = await verifyRecordStatement(statement, {
    issuer,
    ...(agent === undefined ? {} : { agent }),
  });
  if (!result.valid) {
    print(...describeFailure("agent record", result));
    return false;
  }
  const { agent: about, score, ever, as_of, issued_at, valid_until, outcomes_root } = result.statement;
  print("agent record: signature valid");
  print(`  key          ${result.keyId}`);
  // Not the name, which the agent chose.
  print(`  agent        ${about.slug} (${about.id})`);
  print(`  score        ${score.value}, up to ${score.upper}, by ${score.formula}`);
  print(`  orders       ${ever.orders} of ${ever.counterparties} counterparties, ${volumeOf(ever)} released`);
  print(`  apart        ${ever.apart.orders} orders not at arm's length, ${volumeOf(ever.apart)} released`);
  print(`  outcomes     ${outcomes_root}`);
  print(`  as of        ${as_of}, issued at ${issued_at}, valid until ${valid_until}`);
  print("  note         only the issuer states this; npm run reputation recomputes it");
  return true;
}

const volumeOf = ({ volume }: Pick<SignedRecordStatement["ever"], "volume">) =>
  volume.map(({ currency, amount }) => `${amount} ${currency}`).join(", ") || "nothing";

/** Checks an issuer's key log and prints the result. Returns whether it is valid. */
export async function reportKeyLog({ issuer, pin, print }: KeyLogOptions): Promise<boolean> {
  const result = await verifyKeyLog(undefined, { issuer, pin });
  if (!result.valid) {
    print(`key log: invalid, ${result.code}`, `  ${result.message}`);
    return false;
  }
  const counted = `${result.entries} ${result.entries === 1 ? "entry" : "entries"}`;
  print(`key log: valid, ${counted}${pin ? ", including the pinned one" : ""}`);
  for (const { kid, not_before, retired_at, compromised_since } of result.keys) {
    const until = retired_at ? ` to ${retired_at}` : "";
    print(
      `  ${kid}  from ${not_before}${until}${compromised_since ? `, compromised since ${compromised_since}` : ""}`,
    );
  }
  if (result.doubtful.length > 0) {
    print(
      `  entries after their key's compromise, which a thief could have made: ${result.doubtful.join(", ")}`,
    );
  }
  print(`  head  ${result.head}`);
  return true;
}
