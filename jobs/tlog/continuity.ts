import { toHex } from "viem";
import type { Database } from "../../db/client.ts";
import type { AnchorRow } from "../../db/log-anchors.ts";
import { parseCheckpoint } from "../../protocol/tlog/checkpoint.ts";
import { isSameHash } from "../../protocol/tlog/merkle.ts";
import { parseNote } from "../../protocol/tlog/note.ts";
import { verifyCheckpoint } from "../../protocol/tlog/verify.ts";
import { loadTree } from "./stored-tree.ts";

/** The reason that halts the log: the tree in the database does not continue a checkpoint that our key signed. */
export type Contradiction = {
  code: "tree_broken" | "memory_unreadable" | "rolled_back" | "forked";
  because: string;
  /** the checkpoint; null if the contradiction is an anchor, or not a checkpoint */
  note: string | null;
};

/**
 * Compares the tree in the database with a checkpoint from elsewhere.
 *
 * @param size how many entries the database has
 * @param options.source "memory" is our own file, which must be readable; "evidence" comes from others and counts only
 * if our key signed it
 * @returns null if the tree continues the checkpoint, or there is none
 */
export async function compareWithCheckpoint(
  db: Database,
  size: number,
  note: string | null,
  { vkey, source }: { vkey: string; source: "memory" | "evidence" },
): Promise<Contradiction | null> {
  if (note === null) return null;
  const opened = verifyCheckpoint(note, { vkey });
  if (!opened.valid) {
    if (source === "evidence") return null;
    return {
      code: "memory_unreadable",
      because: `The log's memory file is not a checkpoint of the log: ${opened.message}`,
      note: null,
    };
  }
  const { checkpoint } = opened;
  if (checkpoint.size > size) {
    const because = `The database has ${size} entries, but a checkpoint of ${checkpoint.size} entries was signed.`;
    return { code: "rolled_back", because, note };
  }
  const tree = await loadTree(db, checkpoint.size);
  if (tree && isSameHash(tree.root, checkpoint.root)) return null;
  const because = `The database's first ${checkpoint.size} entries differ from a signed checkpoint.`;
  return { code: "forked", because, note };
}

/** Compares the tree in the database with the largest tree that our wallet anchored on the chain. */
export async function compareToAnchor(
  db: Database,
  size: number,
  anchor: AnchorRow | null,
): Promise<Contradiction | null> {
  if (!anchor) return null;
  const where = `transaction ${anchor.transactionHash} anchored`;
  if (anchor.size > BigInt(size)) {
    const because = `The database has ${size} entries, but ${where} a tree of ${anchor.size}.`;
    return { code: "rolled_back", because, note: null };
  }
  const tree = await loadTree(db, Number(anchor.size));
  if (tree && toHex(tree.root) === anchor.root) return null;
  const because = `The database's first ${anchor.size} entries differ from those that ${where}.`;
  return { code: "forked", because, note: null };
}

/** Reads a tree's size from a note without a check of its signatures; null if the note is no checkpoint. */
export function sizeOf(note: string): number | null {
  try {
    return parseCheckpoint(parseNote(note).text).size;
  } catch {
    return null;
  }
}
