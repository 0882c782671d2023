import { base64 } from "@scure/base";
import type { Checkpoint } from "./checkpoint.ts";
import { answer, type LogFailure, LogRejection } from "./errors.ts";
import { type Hash, hashLeaf, verifyInclusion } from "./merkle.ts";
import { maxNoteLength } from "./note.ts";
import { decodeBase64, decodeHash, parseDecimal, readText } from "./note-text.ts";
import { type Cosignature, openCheckpoint, type Trust } from "./verify.ts";

/** An offline proof that an entry is in a log (c2sp.org/tlog-proof). */
export interface LogProof {
  /** The bytes of the entry, for a verifier that has only a part of the logged data. */
  extra: Uint8Array | null;
  index: number;
  /** The hashes from the leaf's sibling to the root's child. */
  hashes: Hash[];
  /** The signed note. */
  checkpoint: string;
}

const header = "c2sp.org/tlog-proof@v1";
/** The size limit of a proof, in bytes. */
export const maxProofLength = maxNoteLength + 98_304;
const maxHashes = 63;

/** Writes a proof as text. */
export function formatProof({ extra, index, hashes, checkpoint }: LogProof): string {
  const lines = [
    header,
    ...(extra ? [`extra ${base64.encode(extra)}`] : []),
    `index ${index}`,
    ...hashes.map((hash) => base64.encode(hash)),
  ];
  return `${lines.join("\n")}\n\n${checkpoint}`;
}

/** Parses a proof without checking it. Throws `malformed`, `too_large` or `size_too_large`. */
export function parseProof(input: string | Uint8Array): LogProof {
  const text = readText(input, maxProofLength);
  const blank = text.indexOf("\n\n");
  if (blank === -1) throw new LogRejection("malformed", "The proof has no blank line before the checkpoint.");
  const [first, ...lines] = text.slice(0, blank).split("\n");
  if (first !== header) throw new LogRejection("malformed", `The proof must begin with ${header}.`);
  const extra = lines[0]?.startsWith("extra ") ? decodeBase64((lines.shift() ?? "").slice(6)) : null;
  const index = lines.shift() ?? "";
  if (!index.startsWith("index ")) throw new LogRejection("malformed", "The proof has no index line.");
  if (lines.length > maxHashes)
    throw new LogRejection(
      "too_large",
      `The proof has ${lines.length} hashes, at most ${maxHashes} are allowed.`,
    );
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

/** Checks that the checkpoint is trusted and that the entry is in its tree. Never throws. */
export function verifyProof(
  proof: string | Uint8Array,
  entry: Uint8Array,
  trust: Trust,
): VerifiedProof | LogFailure {
  return answer(() => openProof(parseProof(proof), entry, trust));
}

/** Checks a parsed proof like `verifyProof`, but throws a `LogRejection`. */
export function openProof(
  { index, hashes, checkpoint: note }: LogProof,
  entry: Uint8Array,
  trust: Trust,
): VerifiedProof {
  const { checkpoint, cosignatures } = openCheckpoint(note, trust);
  const { size, root } = checkpoint;
  if (!verifyInclusion({ hash: hashLeaf(entry), index, size, root, proof: hashes })) {
    throw new LogRejection("not_included", `The proof is for entry ${index} of ${size}.`);
  }
  return { valid: true, index, checkpoint, cosignatures };
}
