import { base64 } from "@scure/base";
import { LogRejection } from "./errors.ts";
import type { Hash } from "./merkle.ts";
import { formatNote, type NoteSigner, signNote } from "./note.ts";
import { decodeHash, parseDecimal } from "./note-text.ts";

/** A log's statement of its tree (c2sp.org/tlog-checkpoint). */
export interface Checkpoint {
  /** The log's name. */
  origin: string;
  size: number;
  root: Hash;
  /** Further signed lines, which this implementation ignores. */
  extensions: string[];
}

/** Writes a checkpoint as the text of a note. Throws on a checkpoint that `parseCheckpoint` would refuse. */
export function formatCheckpoint({ origin, size, root, extensions }: Checkpoint): string {
  const text = [origin, size, base64.encode(root), ...extensions, ""].join("\n");
  parseCheckpoint(text);
  return text;
}

/** Parses the text of a checkpoint's note. Throws `malformed` or `size_too_large`. */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = "", size = "", root = "", ...extensions] = text.split("\n");
  if (extensions.pop() !== "") throw new LogRejection("malformed", "A checkpoint must end in a newline.");
  if (origin === "" || extensions.includes(""))
    throw new LogRejection("malformed", "A checkpoint must not have an empty line.");
  return { origin, size: parseDecimal(size), root: decodeHash(root), extensions };
}

/** Signs a checkpoint as a note of its log. The origin is the name of the signer's key. */
export function signCheckpoint(tree: { size: number; root: Hash }, signer: NoteSigner): string {
  const text = formatCheckpoint({
    origin: signer.key.name,
    size: tree.size,
    root: tree.root,
    extensions: [],
  });
  return formatNote({ text, signatures: [signNote(text, signer)] });
}
