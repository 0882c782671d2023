import { parseJson } from "../../receipts/json.ts";
import { hashJws } from "../../receipts/jws-hash.ts";
import { decodeEntry, encodeEntry, hashDocument, type LogEntry, receiptEntry } from "./entry.ts";
import { answer, type LogFailure, LogRejection } from "./errors.ts";
import { openProof, parseProof, type VerifiedProof } from "./proof.ts";
import type { Trust } from "./verify.ts";

/** The parts of a receipt to look for: the settlement document, the x402 receipt, or both. */
export interface LoggedReceipt {
  /** The id of the receipt, `rcp_...`; by default the last segment of the document's `id`. */
  id?: string;
  /** The signed settlement document, its proof included. */
  document?: object;
  /** The compact JWS. */
  x402?: string | null;
}

export type VerifiedEntry<T extends LogEntry = LogEntry> = VerifiedProof & { entry: T };

/**
 * Checks that a receipt is in a log. The proof's entry must be about this receipt, and have the hashes of its given
 * parts. The entry must be in the tree of a trusted checkpoint. A proof without the entry (its `extra` line) needs the
 * document. The receipt's own signature is not checked. Never throws.
 */
export function verifyReceiptProof(
  proof: string | Uint8Array,
  receipt: LoggedReceipt,
  trust: Trust,
): VerifiedEntry<Extract<LogEntry, { kind: "receipt" }>> | LogFailure {
  return answer(() => {
    const read = parseProof(proof);
    const { document, x402 } = receipt;
    const id = receipt.id ?? idOf(document);
    if (!document && !x402)
      throw new LogRejection("other_entry", "Give the document or the JWS of the receipt.");
    const given = document && id !== undefined ? receiptEntry(id, document, x402) : null;
    if (!read.extra && !given)
      throw new LogRejection("malformed_entry", "The proof has no `extra` line with the entry.");
    const bytes = read.extra ?? (given ? encodeEntry(given) : new Uint8Array());
    const entry = decodeEntry(bytes);
    if (entry.kind !== "receipt") throw new LogRejection("other_entry", `The entry is a ${entry.kind}.`);
    if (id !== undefined && entry.receipt !== id) {
      throw new LogRejection("other_entry", `The entry is about ${entry.receipt}.`);
    }
    if (document && entry.document !== hashDocument(document)) {
      throw new LogRejection("other_entry", "The hash of the document differs.");
    }
    if (x402 && entry.x402 !== hashJws(x402)) {
      throw new LogRejection("other_entry", "The hash of the x402 receipt differs.");
    }
    return { ...openProof(read, bytes, trust), entry };
  });
}

/** Checks that the revocation of a receipt is in a log. The proof needs the entry in its `extra` line. Never throws. */
export function verifyRevocationProof(
  proof: string | Uint8Array,
  receipt: string,
  trust: Trust,
): VerifiedEntry<Extract<LogEntry, { kind: "revocation" }>> | LogFailure {
  return answer(() => {
    const read = parseProof(proof);
    if (!read.extra)
      throw new LogRejection("malformed_entry", "The proof has no `extra` line with the entry.");
    const entry = decodeEntry(read.extra);
    if (entry.kind !== "revocation" || entry.receipt !== receipt) {
      throw new LogRejection("other_entry", `The entry is a ${entry.kind}.`);
    }
    return { ...openProof(read, read.extra, trust), entry };
  });
}

/**
 * Reads the signed parts of a receipt: a document as JSON or text, a JWS as text or in x402's object. Omits malformed
 * parts, because the verifier of receipts reports them.
 */
export function partsInLog({ document, jws }: { document?: unknown; jws?: unknown }): LoggedReceipt {
  const x402 = typeof jws === "object" && jws !== null && "signature" in jws ? jws.signature : jws;
  return {
    ...(isObject(document) ? { document } : readDocument(document)),
    ...(typeof x402 === "string" ? { x402 } : {}),
  };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function readDocument(text: unknown): LoggedReceipt {
  try {
    const document = parseJson(String(text));
    return isObject(document) ? { document } : {};
  } catch {
    return {};
  }
}

/** Reads the id of a receipt from the end of its document's URL. */
export function idOf(document: object | undefined): string | undefined {
  const url = document && "id" in document ? document.id : undefined;
  return typeof url === "string" ? /\/(rcp_[0-9a-z]{1,64})$/.exec(url)?.[1] : undefined;
}
