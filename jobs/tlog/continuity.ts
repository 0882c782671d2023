import { toHex } from "viem";
import type { Database } from "../../db/client.ts";
import type { AnchorRow } from "../../db/log-anchors.ts";
import { parseCheckpoint } from "../../protocol/tlog/checkpoint.ts";
import { isSameHash } from "../../protocol/tlog/merkle.ts";
import { parseNote } from "../../protocol/tlog/note.ts";
import { verifyCheckpoint } from "../../protocol/tlog/verify.ts";
import { loadTree } from "./stored-tree.ts";

/** Why the log may not go on: a checkpoint that our key signed, and that the tree in the database does not continue. */
export type Contradiction = {
  code: "tree_broken" | "memory_unreadable" | "rolled_back" | "forked";
  because: string;
  /** the checkpoint; null where it is none, or an anchor */
  note: string | null;
};

/**
 * Compares the tree in the database with a checkpoint from elsewhere.
 *
 * @param size how many entries the database has
 * @param options.source "memory" is our own file, which has to be readable; "evidence" came from others, and counts only
 * where our key signed it
 * @returns null where the tree continues the checkpoint, or there is none
 */
export async function compareTo(
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
      because: `The log's memory is no checkpoint of it: ${opened.message}`,
      note: null,
    };
  }
  const { checkpoint } = opened;
  if (checkpoint.size > size) {
    const because = `The database has ${size} entries, and a checkpoint of ${checkpoint.size} was signed.`;
    return { code: "rolled_back", because, note };
  }
  const tree = await loadTree(db, checkpoint.size);
  if (tree && isSameHash(tree.root, checkpoint.root)) return null;
  const because = `The database's first ${checkpoint.size} entries are not those of a checkpoint that was signed.`;
  return { code: "forked", because, note };
}

/** Compares the tree in the database with the largest that our own wallet wrote down on the chain. */
export async function compareToAnchor(
  db: Database,
  size: number,
  anchor: AnchorRow | null,
): Promise<Contradiction | null> {
  if (!anchor) return null;
  const where = `the transaction ${anchor.transactionHash} anchored`;
  if (anchor.size > BigInt(size)) {
    const because = `The database has ${size} entries, and ${where} a tree of ${anchor.size}.`;
    return { code: "rolled_back", because, note: null };
  }
  const tree = await loadTree(db, Number(anchor.size));
  if (tree && toHex(tree.root) === anchor.root) return null;
  const because = `The database's first ${anchor.size} entries are not those that ${where}.`;
  return { code: "forked", because, note: null };
}

/** What a note says of a tree's size, whoever signed it; null where it is no checkpoint. */
export function sizeOf(note: string): number | null {
  try {
    return parseCheckpoint(parseNote(note).text).size;
  } catch {
    return null;
  }
}
