import type { Transaction } from "../../db/client.ts";
import { and, eq, inArray, notExists, sql } from "../../db/drizzle.ts";
import { type FilePurpose, file, fileUse } from "../../db/schema.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { mostAttachedFiles } from "../../protocol/settlement/vocabulary.ts";
import type { Caller } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { type FileRow, isReadable, isShownUse, messagesNaming, refuseUnknownFile } from "./file-access.ts";
import type { FileReference } from "./file-reference.ts";

/** The most uses of one file by orders. The number is bounded because each read by a party searches them. */
const mostUses = 1000;

/** Seconds between two checks whether the orders that use a file have ended. */
export const checkSeconds = 24 * 3600;

/**
 * Records that an order names files, in the transaction of the step that names them. The uses let the other party read the
 * files, and keep the files as long as the order. A repeated use is recorded once.
 *
 * A file belongs to the caller's account, or the order names it already.
 *
 * @param refs at most `most`; the hash, the size and the name must be the file's
 * @throws Refusal `file_not_found`, or `file_mismatch` for another hash, size or name and for too many files
 */
export async function attachFiles(
  tx: Transaction,
  caller: Caller,
  orderId: string,
  purpose: FilePurpose,
  refs: readonly FileReference[],
  most = mostAttachedFiles,
): Promise<void> {
  const naming = await lockNamedFiles(tx, caller, orderId, purpose, refs, most);
  await recordUses(tx, naming);
}

/** The files that an order begins to name. */
export type Naming = { orderId: string; purpose: FilePurpose; fileIds: string[] };

/**
 * Checks the files that an order is to name, and locks them until the end of the transaction. `recordUses` writes the uses
 * once the order is written.
 *
 * @throws Refusal as `attachFiles`
 */
export async function lockNamedFiles(
  tx: Transaction,
  caller: Caller,
  orderId: string,
  purpose: FilePurpose,
  refs: readonly FileReference[],
  most = mostAttachedFiles,
): Promise<Naming> {
  if (refs.length === 0) return { orderId, purpose, fileIds: [] };
  if (refs.length > most) throw new Refusal("file_mismatch", `Name at most ${most} files.`);
  const ids = [...new Set(refs.map(({ file_id }) => file_id))].filter((id) => isId("fil", id)).sort();
  // The locks make a deletion wait. Every transaction takes them in the order of the ids.
  const rows = await tx.select().from(file).where(inArray(file.id, ids)).orderBy(file.id).for("update");
  const used = await tx
    .select({ fileId: fileUse.fileId, purpose: fileUse.purpose, isShown: sql<boolean>`(${isShownUse(tx)})` })
    .from(fileUse)
    .where(and(eq(fileUse.orderId, orderId), inArray(fileUse.fileId, ids)));
  for (const ref of refs) {
    const row = rows.find(({ id }) => id === ref.file_id);
    const isShown = used.some((use) => use.fileId === ref.file_id && use.isShown);
    const isOwn = row?.accountId === caller.accountId || isShown;
    if (!row || !isOwn || !isReadable(row)) throw refuseUnknownFile(ref.file_id);
    requireMatch(row, ref);
  }
  const fresh = rows.filter(({ id }) => !used.some((use) => use.fileId === id && use.purpose === purpose));
  const full = fresh.find(({ uses }) => uses >= mostUses);
  if (full) {
    const message = `The file ${full.id} is used ${mostUses} times, the maximum. Upload it again.`;
    throw new Refusal("file_mismatch", message);
  }
  return { orderId, purpose, fileIds: fresh.map(({ id }) => id) };
}

/** Writes the uses of files that `lockNamedFiles` has locked. */
export async function recordUses(tx: Transaction, { orderId, purpose, fileIds }: Naming): Promise<void> {
  if (fileIds.length === 0) return;
  await tx.insert(fileUse).values(fileIds.map((fileId) => ({ fileId, orderId, purpose })));
  await tx
    .update(file)
    .set({ uses: sql`${file.uses} + 1`, dueAt: sql`now() + make_interval(secs => ${checkSeconds})` })
    .where(inArray(file.id, fileIds));
}

/**
 * Removes the uses of files by an order's messages, when a message that named them is withdrawn and no other message of the
 * file's owner names them. A file without any use is kept as one that no order names.
 */
export async function removeMessageUses(tx: Transaction, orderId: string, fileIds: string[]): Promise<void> {
  if (fileIds.length === 0) return;
  // The locks have the order of `lockNamedFiles`.
  await lockFiles(tx, fileIds);
  const removed = await tx
    .delete(fileUse)
    .where(
      and(
        eq(fileUse.orderId, orderId),
        eq(fileUse.purpose, "message"),
        inArray(fileUse.fileId, fileIds),
        notExists(messagesNaming(tx)),
      ),
    )
    .returning({ id: fileUse.fileId });
  if (removed.length === 0) return;
  await tx
    .update(file)
    .set({ uses: sql`${file.uses} - 1`, dueAt: sql`now() + make_interval(secs => ${checkSeconds})` })
    .where(
      inArray(
        file.id,
        removed.map(({ id }) => id),
      ),
    );
}

/** Locks files until the transaction ends, in the order of their ids. */
export async function lockFiles(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx
    .select({ id: file.id })
    .from(file)
    .where(inArray(file.id, [...ids]))
    .orderBy(file.id)
    .for("update");
}

function requireMatch(row: FileRow, ref: FileReference): void {
  const wrong = (["sha256", "size", "name"] as const).find((member) => row[member] !== ref[member]);
  if (!wrong) return;
  throw new Refusal(
    "file_mismatch",
    `The file ${row.id} has the ${wrong} ${String(row[wrong])}. Use the sha256, size and name that GET /files/{id} shows.`,
  );
}
