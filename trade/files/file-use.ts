import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, exists, inArray, isNull, ne, notExists, or, type SQL, sql } from "../../db/drizzle.ts";
import { type FilePurpose, file, fileUse, order, orderMessage } from "../../db/schema.ts";
import { ownsArbiter } from "../../db/wallets.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { mostAttachedFiles } from "../../protocol/settlement/vocabulary.ts";
import type { Caller } from "../context.ts";
import { Refusal } from "../refusal.ts";
import type { FileReference } from "./file-reference.ts";

export type FileRow = typeof file.$inferSelect;

/** The most orders' uses of one file. Each read by a party searches them. */
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

/**
 * Reads a file for the account that uploaded it, a party of an order that names it, or the arbiter of such an order's
 * dispute. Others than the uploader see no upload in progress, and no file that an operator withholds.
 *
 * @throws Refusal `file_not_found` for other callers, as for a file that does not exist
 */
export async function readableFile(
  db: Database | Transaction,
  caller: Caller,
  fileId: string,
): Promise<FileRow> {
  const rows = isId("fil", fileId) ? await db.select().from(file).where(eq(file.id, fileId)) : [];
  const [row] = rows;
  if (row?.accountId === caller.accountId && (row.erasedAt === null || row.uses > 0)) return row;
  if (!row?.completedAt || row.withheldAt || !(await isShared(db, caller, fileId)))
    throw refuseUnknownFile(fileId);
  return row;
}

/** Whether an order that names the file has the caller as a party, or as the arbiter of its dispute. */
async function isShared(db: Database | Transaction, { accountId }: Caller, fileId: string): Promise<boolean> {
  const [found] = await db
    .select({ orderId: fileUse.orderId })
    .from(fileUse)
    .innerJoin(order, eq(order.id, fileUse.orderId))
    .where(
      and(
        eq(fileUse.fileId, fileId),
        isShownUse(db),
        or(
          eq(order.buyerAccountId, accountId),
          eq(order.providerAccountId, accountId),
          and(sql`${order.disputedAt} is not null`, ownsArbiter(db, accountId)),
        ),
      ),
    )
    .limit(1);
  return found !== undefined;
}

/**
 * A condition that a use still lets others read the file. The use of a message does while a message of the file's owner names
 * the file, and no operator hides that message. Another reader's message keeps nothing readable.
 */
function isShownUse(db: Database | Transaction): SQL | undefined {
  return or(ne(fileUse.purpose, "message"), exists(messagesNaming(db, isNull(orderMessage.hiddenAt))));
}

/** Selects the messages of a file's owner that name the file of a use. */
function messagesNaming(db: Database | Transaction, condition?: SQL) {
  const owner = db.select({ accountId: file.accountId }).from(file).where(eq(file.id, fileUse.fileId));
  const reference = sql`jsonb_build_array(jsonb_build_object('file_id', ${fileUse.fileId}))`;
  return db
    .select({ one: sql`1` })
    .from(orderMessage)
    .where(
      and(
        eq(orderMessage.orderId, fileUse.orderId),
        sql`${orderMessage.files} @> ${reference}`,
        sql`${orderMessage.authorAccountId} = (${owner})`,
        condition,
      ),
    );
}

function isReadable({ completedAt, withheldAt, erasedAt }: FileRow): boolean {
  return completedAt !== null && withheldAt === null && erasedAt === null;
}

export function refuseUnknownFile(fileId: string): Refusal {
  return new Refusal(
    "file_not_found",
    `There is no file ${fileId} that you may use. Upload it by POST /files.`,
  );
}

function requireMatch(row: FileRow, ref: FileReference): void {
  const wrong = (["sha256", "size", "name"] as const).find((member) => row[member] !== ref[member]);
  if (!wrong) return;
  throw new Refusal(
    "file_mismatch",
    `The file ${row.id} has the ${wrong} ${String(row[wrong])}. Use the sha256, size and name that GET /files/{id} shows.`,
  );
}
