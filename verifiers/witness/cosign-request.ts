import { LogRejection } from "../../protocol/tlog/errors.ts";
import type { Hash } from "../../protocol/tlog/merkle.ts";
import { maxNoteLength } from "../../protocol/tlog/note.ts";
import { decodeHash, parseDecimal, readText } from "../../protocol/tlog/note-text.ts";

/** The size limit of a request: a note, after the lines of the old size and the proof. */
export const maxRequestBytes = maxNoteLength + 4096;
/** The limit of the protocol. */
const maxProofLines = 63;

/** A request to cosign a checkpoint. */
export type CosignRequest = {
  /** the size of the latest checkpoint, by the caller's knowledge */
  old: number;
  proof: Hash[];
  /** the unparsed signed note */
  note: string;
  /** the note's first line */
  origin: string;
};

/** Reads the body of `add-checkpoint` (c2sp.org/tlog-witness). Throws a `LogRejection`. */
export function parseRequest(body: Uint8Array): CosignRequest {
  const text = readText(body, maxRequestBytes);
  const blank = text.indexOf("\n\n");
  if (blank === -1)
    throw new LogRejection("malformed", "The request has no blank line before the checkpoint.");
  const [first = "", ...proof] = text.slice(0, blank).split("\n");
  if (!first.startsWith("old "))
    throw new LogRejection("malformed", "The request does not begin with the old size.");
  if (proof.length > maxProofLines)
    throw new LogRejection("too_large", `The proof has ${proof.length} hashes.`);
  const note = text.slice(blank + 2);
  return {
    old: parseDecimal(first.slice(4)),
    proof: proof.map(decodeHash),
    note,
    origin: note.slice(0, note.indexOf("\n")),
  };
}
