import { createHash } from "node:crypto";
import { base64 } from "@scure/base";
import type { Database } from "../../db/client.ts";
import { readLogTiles } from "../../db/log-tiles.ts";
import { openCosignature } from "../../protocol/tlog/cosignature.ts";
import { LogRejection } from "../../protocol/tlog/errors.ts";
import {
  findSignature,
  formatSignature,
  type NoteKey,
  parseNote,
  parseSignatures,
} from "../../protocol/tlog/note.ts";
import { consistencyTiles, proveConsistency } from "../../protocol/tlog/tiles.ts";
import { checkSignature } from "../../receipts/native-ed25519.ts";
import type { SendOptions, SendResult } from "../../untrusted/outbound/guarded-request.ts";
import type { Known } from "./log-head.ts";

/** Milliseconds for a witness's answer, and its most bytes: a few signature lines, or a checkpoint. */
const timeoutMs = 4000;
const maxResponseBytes = 16_384;
/** The most requests in a row: a witness may report another size than we assumed. */
const mostTries = 3;

export type Send = (url: string, options: Omit<SendOptions, "policy">) => Promise<SendResult>;

/** The result of a request: a signature line, or why there is none. `isContradicted` marks a refusal to investigate. */
export type CosignResult =
  | { ok: true; line: string; size: number }
  | { ok: false; failure: string; isContradicted: boolean };

/**
 * Asks a witness to cosign a checkpoint (c2sp.org/tlog-witness). A failure is a result, and is not thrown.
 *
 * @param before the size that the witness is known to have signed last
 */
export async function requestCosignature(
  db: Database,
  { url, key }: { url: string; key: NoteKey },
  { size, checkpoint }: Known,
  before: number,
  send: Send,
): Promise<CosignResult> {
  const refuse = (failure: string, isContradicted = false): CosignResult => ({
    ok: false,
    failure,
    isContradicted,
  });
  let old = before;
  for (let tries = 0; tries < mostTries; tries++) {
    if (old > size) return refuse("ahead", true);
    const tiles = await readLogTiles(db, consistencyTiles(old, size));
    if (!tiles) throw new Error(`The database lacks tiles of the log's first ${size} entries.`);
    const proof = proveConsistency(old, size, tiles).map((hash) => `${base64.encode(hash)}\n`);
    const answer = await send(`${url}/add-checkpoint`, {
      body: `old ${old}\n${proof.join("")}\n${checkpoint}`,
      headers: { "content-type": "text/plain; charset=utf-8" },
      timeoutMs,
      maxResponseBytes,
    });
    if (!answer.ok) return refuse(answer.error);
    if (answer.status === 200) {
      const line = findCosignature(answer.body, checkpoint, key);
      if (line !== null) return { ok: true, line, size };
      return refuse(answer.broken?.error ?? "invalid_cosignature");
    }
    if (answer.status !== 409) return refuse(`status_${answer.status}`, answer.status === 422);
    if (answer.broken) return refuse(answer.broken.error);
    const reportedSize = /^(0|[1-9]\d{0,14})\n?$/.exec(answer.body)?.[1];
    if (reportedSize === undefined || Number(reportedSize) === old) return refuse("invalid_answer");
    old = Number(reportedSize);
  }
  return refuse("conflict");
}

/** Reads the checkpoint that a witness signed last; null if it reports none. The content is not verified. */
export async function readWitnessed(url: string, origin: string, send: Send): Promise<string | null> {
  const hash = createHash("sha256").update(origin).digest("hex");
  const answer = await send(`${url}/${hash}/checkpoint`, { method: "GET", timeoutMs, maxResponseBytes });
  return answer.ok && answer.status === 200 && !answer.isTruncated ? answer.body : null;
}

/** Finds the witness's valid signature of the checkpoint, as a line; null if there is none. */
function findCosignature(body: string, checkpoint: string, key: NoteKey): string | null {
  try {
    const { text } = parseNote(checkpoint);
    const signature = findSignature({ text, signatures: parseSignatures(body) }, key);
    if (!signature) return null;
    openCosignature(text, signature, key, (...signed) => checkSignature(...signed) === true);
    return formatSignature(signature);
  } catch (error) {
    if (error instanceof LogRejection) return null;
    throw error;
  }
}
