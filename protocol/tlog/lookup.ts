import { locateIssuer } from "../../receipts/issuer.ts";
import type { ReceiptEntry } from "./entry.ts";
import { failureOf, type LogErrorCode, type LogFailure, LogRejection } from "./errors.ts";
import { type FetchOptions, fetchAnswer, fetchFrom } from "./fetch.ts";
import { idOf, type LoggedReceipt, type VerifiedEntry, verifyReceiptProof } from "./logged-receipt.ts";
import { checkMemory, type LogMemory, type MemoryFailure, type RememberedCheckpoint } from "./memory.ts";
import { maxNoteLength, parseVerifierKey } from "./note.ts";
import { decodeText } from "./note-text.ts";
import { maxProofLength, parseProof } from "./proof.ts";
import type { Trust } from "./verify.ts";

/** The path of a service's log, below the service's own URL. */
const logPath = "/log";

export interface LookupOptions extends Trust, FetchOptions {
  /** The did:web name of the service that issued the receipt, as the caller knows it. */
  issuer: string;
  /** The memory of logs; without it the log's history is not compared. */
  memory?: LogMemory;
}

/** A receipt that is in the log of its issuer. The log continues the remembered checkpoint. */
export interface LogLookup extends VerifiedEntry<ReceiptEntry> {
  /** True if the caller gave the log's key or a policy; otherwise the key comes from the issuer's host. */
  pinned: boolean;
  /** The comparison with the memory; null without a memory. */
  seen: RememberedCheckpoint["seen"] | null;
}

/**
 * A receipt that was not found. `contradicted`: the log's answer cannot be true. `absent`: the issuer answers that its
 * log does not contain the receipt, or not yet. `unknown`: the log could not be read.
 */
export type LookupFailure = MemoryFailure & { outcome: "contradicted" | "absent" | "unknown" };

const absent: readonly LogErrorCode[] = ["not_logged"];
const unknown: readonly LogErrorCode[] = [
  "log_unavailable",
  "tile_unavailable",
  "no_receipt_id",
  "malformed_key",
  "malformed_policy",
  "no_trusted_log",
  "unsupported_key",
];

/**
 * Looks a receipt up in its issuer's log. Fetches the proof, and checks it against the log's key or the caller's
 * policy. Also checks that the log only grew since the memory's checkpoint. The receipt's signature is not checked:
 * `verifyReceipt` does that. Never throws because of the issuer. Throws a TypeError for an `issuer` that is not a
 * did:web name, and errors of the memory.
 */
export async function lookUpReceipt(
  receipt: LoggedReceipt,
  options: LookupOptions,
): Promise<LogLookup | LookupFailure> {
  try {
    return await lookUp(receipt, options);
  } catch (error) {
    if (!(error instanceof LogRejection)) throw error;
    return refused(failureOf(error));
  }
}

async function lookUp(receipt: LoggedReceipt, options: LookupOptions): Promise<LogLookup | LookupFailure> {
  const { issuer, memory, vkey, policy, check } = options;
  const baseUrl = locateIssuer(issuer)?.baseUrl;
  if (baseUrl === undefined)
    throw new TypeError(
      `The issuer ${issuer} is not a did:web name: give a name such as did:web:example.com.`,
    );
  const id = receipt.id ?? idOf(receipt.document);
  if (id === undefined) throw new LogRejection("no_receipt_id");
  const prefix = `${baseUrl}${logPath}`;
  const pinned = vkey !== undefined || policy !== undefined;
  const trust: Trust = pinned ? { vkey, policy, check } : { vkey: await fetchKey(prefix, options), check };
  const answer = await fetchAnswer(`${prefix}/proofs/${id}`, maxProofLength, options);
  if (answer.status === 404) throw new LogRejection("not_logged");
  if (answer.status !== 200) throw new LogRejection("log_unavailable", `The status is ${answer.status}.`);
  const proof = verifyReceiptProof(answer.bytes, { ...receipt, id }, trust);
  if (!proof.valid) return refused(proof);
  if (!memory) return { ...proof, pinned, seen: null };
  const note = parseProof(answer.bytes).checkpoint;
  const remembered = await checkMemory(note, trust, { memory, fetch: fetchFrom(prefix, options) });
  return remembered.valid ? { ...proof, pinned, seen: remembered.seen } : refused(remembered);
}

/** Fetches the log's key from the issuer's host. The key must name the log of this issuer. */
async function fetchKey(prefix: string, options: FetchOptions): Promise<string> {
  const { status, bytes } = await fetchAnswer(`${prefix}/vkey`, maxNoteLength, options);
  if (status === 404) throw new LogRejection("not_logged", "The issuer has no log.");
  if (status !== 200) throw new LogRejection("log_unavailable", `The status is ${status}.`);
  const vkey = decodeText(bytes).trimEnd();
  const { name } = parseVerifierKey(vkey);
  const expected = prefix.replace(/^https?:\/\//, "");
  if (name !== expected)
    throw new LogRejection("foreign_origin", `The key names ${JSON.stringify(name)}, not ${expected}.`);
  return vkey;
}

function refused(failure: LogFailure | MemoryFailure): LookupFailure {
  const outcome = absent.includes(failure.code)
    ? "absent"
    : unknown.includes(failure.code)
      ? "unknown"
      : "contradicted";
  return { ...failure, outcome };
}
