import { parseJson } from "../../receipts/json.ts";
import { decodeEntry, encodeEntry, hashDocument, hashJws, type LogEntry, receiptEntry } from "./entry.ts";
import { answer, type LogFailure, LogRejection } from "./errors.ts";
import { openProof, parseProof, type VerifiedProof } from "./proof.ts";
import type { Trust } from "./verify.ts";

/** The verifier's parts of a receipt: the settlement document, the x402 receipt, or both. */
export interface LoggedReceipt {
  /** The receipt's id, `rcp_...`; read from the end of the document's `id` unless told. */
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
    if (!document && !x402) throw new LogRejection("other_entry", "Nothing of the receipt was given.");
    const given = document && id !== undefined ? receiptEntry(id, document, x402) : null;
    if (!read.extra && !given) throw new LogRejection("malformed_entry", "The proof has no extra line.");
    const bytes = read.extra ?? (given ? encodeEntry(given) : new Uint8Array());
    const entry = decodeEntry(bytes);
    if (entry.kind !== "receipt") throw new LogRejection("other_entry", `It is a ${entry.kind}.`);
    if (id !== undefined && entry.receipt !== id) {
      throw new LogRejection("other_entry", `It is about ${entry.receipt}.`);
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

/** Checks that a receipt's revocation is in a log; the proof has the entry in its `extra` line. Never throws. */
export function verifyRevocationProof(
  proof: string | Uint8Array,
  receipt: string,
  trust: Trust,
): VerifiedEntry<Extract<LogEntry, { kind: "revocation" }>> | LogFailure {
  return answer(() => {
    const read = parseProof(proof);
    if (!read.extra) throw new LogRejection("malformed_entry", "The proof has no extra line.");
    const entry = decodeEntry(read.extra);
    if (entry.kind !== "revocation" || entry.receipt !== receipt) {
      throw new LogRejection("other_entry", `It is a ${entry.kind}.`);
    }
    return { ...openProof(read, read.extra, trust), entry };
  });
}

/**
 * The signed parts of a receipt as they are handed in: a document as JSON or as its text, a JWS as text or within x402's
 * object. What is not in its form is left out: what verifies receipts says so.
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

/** The receipt's id at the end of its document's own URL. */
export function idOf(document: object | undefined): string | undefined {
  const url = document && "id" in document ? document.id : undefined;
  return typeof url === "string" ? /\/(rcp_[0-9a-z]{1,64})$/.exec(url)?.[1] : undefined;
}
