import type { Config } from "../../config/config.ts";
import { unpaidPayloadSeconds } from "../../config/limits.ts";
import type { Database } from "../../db/client.ts";
import { and, eq, isNull, lt, or, sql } from "../../db/drizzle.ts";
import { file } from "../../db/schema.ts";
import type { Caller } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { readableFile, refuseUnknownFile } from "./file-access.ts";
import { checkSeconds } from "./file-use.ts";
import type { OpenStore } from "./open-store.ts";
import type { FileStore } from "./store/file-store.ts";
import { removeBytes } from "./upload.ts";

/** The files of one round. */
const batch = 200;

/** No request writes bytes of the upload. Bytes that are removed during a write may be written again. */
const isIdle = or(isNull(file.leasedUntil), lt(file.leasedUntil, sql`now()`));

/**
 * Deletes a file or an upload of the caller that no order names.
 *
 * @throws Refusal `file_not_found`, or `conflict` for a file that an order names
 */
export async function deleteFile(db: Database, store: FileStore, caller: Caller, id: string): Promise<void> {
  const row = await readableFile(db, caller, id);
  if (row.accountId !== caller.accountId) throw refuseUnknownFile(id);
  const [erased] = await db
    .update(file)
    .set({ erasedAt: sql`now()` })
    .where(and(eq(file.id, id), eq(file.uses, 0), isNull(file.erasedAt)))
    .returning({ isIdle: sql<boolean>`(${isIdle})` });
  if (!erased) {
    throw new Refusal(
      "conflict",
      "An order names this file, so it is kept as long as the order's rule says.",
    );
  }
  // The worker removes the bytes of the others.
  if (erased.isIdle) await removeBytes(db, store, id);
}

/**
 * Erases the files whose time has come: unused files and uploads that did not end, and files whose orders ended before
 * `retentionSeconds`, or lapsed unpaid `unpaidPayloadSeconds` ago. A reported file stays until the operator's answer. Name, size
 * and hash of a used file stay. Then removes the bytes of erased files.
 *
 * @returns the number of files whose bytes were removed
 */
export async function removeDueFiles(
  { db, config }: { db: Database; config: Pick<Config, "files"> },
  openStore: OpenStore,
  signal?: AbortSignal,
): Promise<number> {
  const { retentionSeconds } = config.files;
  let removed = 0;
  while (!signal?.aborted) {
    // A session or a subscription order ends like any other: by its settlement, or unpaid at its funding deadline.
    const due = await db.execute(sql`
      update earnest.file set
        erased_at = case when checked.is_over then now() end,
        due_at = now() + make_interval(secs => ${checkSeconds})
      from (
        select id as checked_id, not exists (
          select from earnest.moderation_subject reported
          where reported.kind = 'file' and reported.id = due.id and reported.open > 0) and (uses = 0 or not exists (
          select from earnest.file_use
          join earnest."order" on "order".id = file_use.order_id
          where file_use.file_id = due.id and not coalesce(
            case "order".status
              when 'expired' then to_timestamp("order".fund_by + ${unpaidPayloadSeconds})
              when 'released' then "order".completed_at + make_interval(secs => ${retentionSeconds})
              when 'refunded' then "order".completed_at + make_interval(secs => ${retentionSeconds})
            end < now(), false))) as is_over
        from earnest.file due
        where due_at < now() and erased_at is null and coalesce(leased_until, '-infinity') < now()
        order by due_at limit ${batch} for update skip locked) as checked
      where file.id = checked.checked_id`);
    const erased = await db
      .select({ id: file.id })
      .from(file)
      .where(and(sql`${file.erasedAt} is not null`, isNull(file.removedAt), isIdle))
      .orderBy(file.erasedAt)
      .limit(batch);
    const failures: unknown[] = [];
    for (const { id } of erased) {
      if (signal?.aborted) break;
      const store = await openStore();
      // A file that the store does not remove holds up no other.
      await removeBytes(db, store, id).then(
        () => {
          removed += 1;
        },
        (error: unknown) => failures.push(error),
      );
    }
    if (failures.length > 0) throw failures[0];
    if ((due.rowCount ?? 0) < batch && erased.length < batch) break;
  }
  return removed;
}
