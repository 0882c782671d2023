import { typeid } from "typeid-js";
import type { Database, Transaction } from "../../db/client.ts";
import { and, count, desc, eq, gt, ne, or, sql } from "../../db/drizzle.ts";
import { dataExport } from "../../db/schema.ts";
import { addTask } from "../../db/task-queue.ts";
import type { Caller } from "../context.ts";
import { openFileStore } from "../files/open-store.ts";
import { Refusal } from "../refusal.ts";

export type DataExport = typeof dataExport.$inferSelect;

/** Days for which an export is stored, and the most requests of an account in a day. Only failed ones may be repeated. */
export const exportDays = 3;
const mostADay = 3;

/** Reads the newest export of an account; undefined if it has none that is stored. */
export async function readExport(
  db: Database | Transaction,
  accountId: string,
): Promise<DataExport | undefined> {
  const [row] = await db
    .select()
    .from(dataExport)
    .where(
      and(
        eq(dataExport.accountId, accountId),
        gt(dataExport.createdAt, sql`now() - make_interval(days => ${exportDays})`),
      ),
    )
    .orderBy(desc(dataExport.createdAt))
    .limit(1);
  return row;
}

/**
 * Requests an export of an account's data, one in a day.
 *
 * @throws Refusal `conflict` while one is being made, `rate_limited` within a day of the last one
 */
export async function requestExport(tx: Transaction, { accountId }: Caller): Promise<DataExport> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`export ${accountId}`}, 0))`);
  const isRecent = or(
    gt(dataExport.createdAt, sql`now() - interval '1 day'`),
    // The worker may have been stopped for longer.
    eq(dataExport.status, "waiting"),
  );
  const [recent] = await tx
    .select({
      requested: count(),
      good: sql<number>`(count(*) filter (where ${ne(dataExport.status, "failed")}))::int`,
      waiting: sql<number>`(count(*) filter (where ${eq(dataExport.status, "waiting")}))::int`,
    })
    .from(dataExport)
    .where(and(eq(dataExport.accountId, accountId), isRecent));
  if (recent && recent.waiting > 0) {
    throw new Refusal("conflict", "An export of your data is being made. GET /me/export shows its state.");
  }
  if (recent && (recent.good > 0 || recent.requested >= mostADay)) {
    throw new Refusal(
      "rate_limited",
      "Your data is exported once a day. Try again tomorrow.",
      undefined,
      3600,
    );
  }
  const [row] = await tx
    .insert(dataExport)
    // The store takes names of files. No row of `file` has this one, so no operation on files reaches the export.
    .values({ id: typeid("dxp").toString(), accountId, stored: typeid("fil").toString() })
    .returning();
  await addTask(tx, "exports", { key: "exports" });
  return row as DataExport;
}

/** Opens the store of files for exports. */
export function openExportStore(context: { config: Parameters<typeof openFileStore>[0]; db: Database }) {
  return openFileStore(context.config, async (id) => {
    const { Upload } = await import("@tus/server");
    const [row] = await context.db.select().from(dataExport).where(eq(dataExport.stored, id));
    return (
      row && new Upload({ id, size: row.size ?? 0, offset: 0, creation_date: row.createdAt.toISOString() })
    );
  });
}
