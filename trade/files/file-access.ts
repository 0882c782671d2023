import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, exists, isNull, ne, or, type SQL, sql } from "../../db/drizzle.ts";
import { file, fileUse, order, orderMessage } from "../../db/schema.ts";
import { ownsArbiter } from "../../db/wallets.ts";
import { isId } from "../../protocol/facts/ids.ts";
import type { Caller } from "../context.ts";
import { Refusal } from "../refusal.ts";

export type FileRow = typeof file.$inferSelect;

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
export function isShownUse(db: Database | Transaction): SQL | undefined {
  return or(ne(fileUse.purpose, "message"), exists(messagesNaming(db, isNull(orderMessage.hiddenAt))));
}

/** Selects the messages of a file's owner that name the file of a use. */
export function messagesNaming(db: Database | Transaction, condition?: SQL) {
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

/** Whether a file is complete, not withheld and not erased. */
export function isReadable({ completedAt, withheldAt, erasedAt }: FileRow): boolean {
  return completedAt !== null && withheldAt === null && erasedAt === null;
}

/** The refusal of a file that a caller may not use, or that does not exist. */
export function refuseUnknownFile(fileId: string): Refusal {
  return new Refusal(
    "file_not_found",
    `There is no file ${fileId} that you may use. Upload it by POST /files.`,
  );
}
