import { base64 } from "@scure/base";
import type { Checkpoint } from "./checkpoint.ts";
import { answer, type LogFailure, LogRejection } from "./errors.ts";
import { type Hash, hashLeaf, verifyInclusion } from "./merkle.ts";
import { maxNoteLength } from "./note.ts";
import { decodeBase64, decodeHash, parseDecimal, readText } from "./note-text.ts";
import { type Cosignature, openCheckpoint, type Trust } from "./verify.ts";

/** A proof that an entry is in a log, to be checked offline (c2sp.org/tlog-proof). */
export interface LogProof {
  /** The entry's own bytes, as this log gives them: who has only a part of what is logged needs them. */
  extra: Uint8Array | null;
  index: number;
  /** From the leaf's sibling to the root's child. */
  hashes: Hash[];
  /** The signed note. */
  checkpoint: string;
}

const header = "c2sp.org/tlog-proof@v1";
/** More bytes than any proof has. */
export const maxProofLength = maxNoteLength + 98_304;
const maxHashes = 63;

/** A proof as text. */
export function formatProof({ extra, index, hashes, checkpoint }: LogProof): string {
  const lines = [
    header,
    ...(extra ? [`extra ${base64.encode(extra)}`] : []),
    `index ${index}`,
    ...hashes.map((hash) => base64.encode(hash)),
  ];
  return `${lines.join("\n")}\n\n${checkpoint}`;
}

/** Reads a proof without checking anything. Throws `malformed`, `too_large` or `size_too_large`. */
export function parseProof(input: string | Uint8Array): LogProof {
  const text = readText(input, maxProofLength);
  const blank = text.indexOf("\n\n");
  if (blank === -1) throw new LogRejection("malformed", "No blank line comes before the checkpoint.");
  const [first, ...lines] = text.slice(0, blank).split("\n");
  if (first !== header) throw new LogRejection("malformed", `It does not begin with ${header}.`);
  const extra = lines[0]?.startsWith("extra ") ? decodeBase64((lines.shift() ?? "").slice(6)) : null;
  const index = lines.shift() ?? "";
  if (!index.startsWith("index ")) throw new LogRejection("malformed", "It has no index line.");
  if (lines.length > maxHashes) throw new LogRejection("too_large", `It has ${lines.length} hashes.`);
  return {
    extra,
    index: parseDecimal(index.slice(6)),
    hashes: lines.map(decodeHash),
    checkpoint: text.slice(blank + 2),
  };
}

export interface VerifiedProof {
  valid: true;
  index: number;
  checkpoint: Checkpoint;
  cosignatures: Cosignature[];
}

/** Checks that the log's checkpoint is to be trusted and that an entry's bytes are in its tree. Never throws. */
export function verifyProof(
  proof: string | Uint8Array,
  entry: Uint8Array,
  trust: Trust,
): VerifiedProof | LogFailure {
  return answer(() => openProof(parseProof(proof), entry, trust));
}

/** The same of a proof that was read, for this room's own functions: throws a `LogRejection`. */
export function openProof(
  { index, hashes, checkpoint: note }: LogProof,
  entry: Uint8Array,
  trust: Trust,
): VerifiedProof {
  const { checkpoint, cosignatures } = openCheckpoint(note, trust);
  const { size, root } = checkpoint;
  if (!verifyInclusion({ hash: hashLeaf(entry), index, size, root, proof: hashes })) {
    throw new LogRejection("not_included", `It is to be entry ${index} of ${size}.`);
  }
  return { valid: true, index, checkpoint, cosignatures };
}
