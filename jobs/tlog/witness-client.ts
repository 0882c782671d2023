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
import { checkSignature } from "../../receipts/native.ts";
import type { SendOptions, SendResult } from "../../untrusted/outbound/guarded-request.ts";
import type { Known } from "./log-head.ts";

/** Milliseconds that a witness has for an answer, and the bytes of it that are read: a few signature lines, or a checkpoint. */
const timeoutMs = 4000;
const maxResponseBytes = 16_384;
/** How often a witness is asked at once: it may say that it knows of another size than we thought. */
const mostTries = 3;

export type Send = (url: string, options: Omit<SendOptions, "policy">) => Promise<SendResult>;

/** What asking came to: a signature line, or why there is none; of a refusal that may have a reason, what is to be looked into. */
export type Asked =
  | { ok: true; line: string; size: number }
  | { ok: false; failure: string; isContradicted: boolean };

/**
 * Asks a witness to sign a checkpoint (c2sp.org/tlog-witness). Whatever it does is an answer.
 *
 * @param before the size that it is known to have signed last
 */
export async function askWitness(
  db: Database,
  { url, key }: { url: string; key: NoteKey },
  { size, checkpoint }: Known,
  before: number,
  send: Send,
): Promise<Asked> {
  const refuse = (failure: string, isContradicted = false): Asked => ({ ok: false, failure, isContradicted });
  let old = before;
  for (let tries = 0; tries < mostTries; tries++) {
    if (old > size) return refuse("ahead", true);
    const tiles = await readLogTiles(db, consistencyTiles(old, size));
    if (!tiles) throw new Error(`The log lacks tiles of its first ${size} entries.`);
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
    const told = /^(0|[1-9]\d{0,14})\n?$/.exec(answer.body)?.[1];
    if (told === undefined || Number(told) === old) return refuse("invalid_answer");
    old = Number(told);
  }
  return refuse("conflict");
}

/** The checkpoint that a witness says it signed last; null where it does not say. It may be anybody's. */
export async function readWitnessed(url: string, origin: string, send: Send): Promise<string | null> {
  const hash = createHash("sha256").update(origin).digest("hex");
  const answer = await send(`${url}/${hash}/checkpoint`, { method: "GET", timeoutMs, maxResponseBytes });
  return answer.ok && answer.status === 200 && !answer.truncated ? answer.body : null;
}

/** The witness's signature of the checkpoint as a line of it; null where there is no good one. */
function findCosignature(body: string, checkpoint: string, key: NoteKey): string | null {
  try {
    const { text } = parseNote(checkpoint);
    const found = findSignature({ text, signatures: parseSignatures(body) }, key);
    if (!found) return null;
    openCosignature(text, found, key, (...signed) => checkSignature(...signed) === true);
    return formatSignature(found);
  } catch (error) {
    if (error instanceof LogRejection) return null;
    throw error;
  }
}
