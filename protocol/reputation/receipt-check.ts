import * as z from "zod";
import { type VerifyOptions, verifyReceipts } from "../../receipts/verify.ts";
import type { Outcome } from "./public-outcome.ts";
import { type Installation, Unreadable } from "./public-record.ts";
import type { RecordFinding } from "./recompute.ts";

/** The response of `GET /receipts/{id}`. */
const receiptAnswer = z.looseObject({ document: z.unknown() });
/** The number of lines whose receipts are read at once. */
const atOnce = 8;

/**
 * Checks the receipts of outcomes. Each funding and each settlement needs a receipt that this issuer signed, and the
 * receipt must agree with the line of the outcome.
 *
 * @returns the findings, the agreement hash of each order by its receipts, and the number of valid receipts
 */
export async function checkReceipts(
  installation: Installation,
  outcomes: readonly Outcome[],
  options: VerifyOptions,
): Promise<{ findings: RecordFinding[]; agreements: Map<string, string>; good: number }> {
  const findings: RecordFinding[] = [];
  const agreements = new Map<string, string>();
  let good = 0;
  for (let at = 0; at < outcomes.length; at += atOnce) {
    const lines = outcomes.slice(at, at + atOnce);
    const read = await Promise.all(lines.map((line) => readReceipts(installation, line)));
    const documents = read.flatMap(({ documents }) => documents);
    const verified = await verifyReceipts(documents, { ...options, status: options.status ?? "ask" });
    let next = 0;
    for (const [index, line] of lines.entries()) {
      const parts = read[index] ?? { documents: [], missing: [] };
      const claims = new Map<string, bigint>();
      const addFinding = (code: RecordFinding["code"], what: string) =>
        findings.push({ code, what: `${line.order_id}: ${what}` });
      for (const id of parts.missing) addFinding("receipt_missing", id);
      for (const _ of parts.documents) {
        const result = verified[next++];
        if (!result?.valid)
          addFinding("receipt_bad", result ? `${result.code}: ${result.message}` : "unread");
        else if (result.kind === "settlement_document") {
          const { document } = result;
          const differs = compare(line, document);
          if (differs) addFinding("receipt_bad", differs);
          else {
            good++;
            claims.set(document.claim, BigInt(document.amount));
            agreements.set(line.order_id, document.agreement_hash);
          }
        }
      }
      if (parts.missing.length === 0) {
        const expected = { funded: line.amount, released: line.released, refunded: line.refunded };
        for (const [claim, amount] of Object.entries(expected)) {
          const has = claims.get(claim) ?? 0n;
          if (has !== BigInt(amount))
            addFinding("receipt_bad", `its receipts have ${claim} ${has}, the line ${amount}`);
        }
      }
    }
  }
  return { findings, agreements, good };
}

/**
 * Reads the escrows of stored receipts. The issuer of a receipt cannot deny that it knows the escrow.
 *
 * @returns the escrows, and a sentence for each invalid receipt
 */
export async function readKeptReceipts(
  texts: readonly string[],
  issuer: string,
): Promise<{ escrows: Set<string>; unknown: string[] }> {
  const escrows = new Set<string>();
  const unknown: string[] = [];
  // A revoked receipt also shows that the issuer knows the escrow.
  const verified = await verifyReceipts(texts, { issuer, status: "skip" });
  for (const [index, result] of verified.entries()) {
    if (result.valid && result.kind === "settlement_document") escrows.add(result.document.escrow_id);
    else unknown.push(`the kept receipt ${index + 1}: ${result.valid ? "names no escrow" : result.message}`);
  }
  return { escrows, unknown };
}

async function readReceipts(installation: Installation, line: Outcome) {
  const missing: string[] = [];
  const documents: unknown[] = [];
  if (line.receipts.length === 0) missing.push("it has no receipt");
  for (const id of line.receipts) {
    try {
      documents.push((await installation.read(`/receipts/${id}`, receiptAnswer)).document);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      missing.push(error.message);
    }
  }
  return { documents, missing };
}

/** Finds a difference between a receipt and its line; null if there is none. */
function compare(
  line: Outcome,
  document: Record<"order_id" | "chain" | "contract" | "escrow_id" | "buyer" | "provider" | "token", string>,
): string | null {
  const names = ["order_id", "chain", "contract", "escrow_id", "buyer", "provider", "token"] as const;
  const differing = names.find((name) => document[name].toLowerCase() !== line[name].toLowerCase());
  return differing
    ? `its receipt has ${differing} ${document[differing]}, the line ${line[differing]}`
    : null;
}
