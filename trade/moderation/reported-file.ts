import type { Database, Transaction } from "../../db/client.ts";
import { and, desc, eq, gt, isNotNull, or, sql } from "../../db/drizzle.ts";
import { file, fileUse, moderationSubject, orderMessage, report } from "../../db/schema.ts";
import { isId } from "../../protocol/facts/ids.ts";
import type { FileRow } from "../files/file-access.ts";
import { refuseUnknownFile } from "../files/file-access.ts";

/** A file that operators may load, with why: an open report of it or of a message that names it, or the act that withholds one. */
export type ReportedFile = { row: FileRow; reportId: string | null; heldBy: string | null };

/**
 * Reads a file that operators may load to judge a report: while the report waits for an answer, and while an act withholds
 * the file or the message.
 *
 * @throws Refusal `file_not_found`
 */
export async function readReportedFile(db: Database | Transaction, fileId: string): Promise<ReportedFile> {
  const [row] = isId("fil", fileId) ? await db.select().from(file).where(eq(file.id, fileId)) : [];
  if (!row) throw refuseUnknownFile(fileId);
  const reference = sql`jsonb_build_array(jsonb_build_object('file_id', ${fileId}::text))`;
  const naming = db
    .select({ id: orderMessage.id })
    .from(orderMessage)
    .innerJoin(fileUse, and(eq(fileUse.orderId, orderMessage.orderId), eq(fileUse.fileId, fileId)))
    .where(sql`${orderMessage.files} @> ${reference}`);
  const concerned = or(
    and(eq(moderationSubject.kind, "file"), eq(moderationSubject.id, fileId)),
    and(eq(moderationSubject.kind, "message"), sql`${moderationSubject.id} in ${naming}`),
  );
  const [found] = await db
    .select()
    .from(moderationSubject)
    .where(and(concerned, or(gt(moderationSubject.open, 0), isNotNull(moderationSubject.heldBy))))
    .limit(1);
  if (!found) throw refuseUnknownFile(fileId);
  const { kind, id, heldBy } = found;
  const [latest] = await db
    .select({ id: report.id })
    .from(report)
    .where(and(eq(report.subjectKind, kind), eq(report.subjectId, id)))
    .orderBy(desc(report.createdAt), desc(report.id))
    .limit(1);
  return { row, reportId: latest?.id ?? null, heldBy };
}
