import type { Transaction } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";

/**
 * A step of an erasure: one batch in one transaction. A repeated batch changes nothing.
 *
 * @param cursor where the last batch ended; null for the first
 * @returns where the next batch begins; null after the last
 */
export type ErasureStep = (
  tx: Transaction,
  accountId: string,
  cursor: string | null,
) => Promise<string | null>;

/** Rows of a batch. */
const usualRows = 200;

/**
 * Makes a step of the rows of a table, in the order of their times and ids, which an index has.
 *
 * @param whose the condition for the rows of the account
 * @param erase erases the rows of a batch
 */
export function eachBatch(
  table: SQL,
  whose: (accountId: string) => SQL,
  erase: (tx: Transaction, ids: string[], accountId: string) => Promise<void>,
  rows = usualRows,
): ErasureStep {
  return async (tx, accountId, cursor) => {
    const [at, id] = cursor?.split("|") ?? ["-infinity", ""];
    const { rows: batch } = await tx.execute<{ id: string; at: string }>(sql`
      select id, created_at::text as at from ${table}
      where ${whose(accountId)} and (created_at, id) > (${at}::timestamptz, ${id})
      order by created_at, id limit ${rows}`);
    const last = batch.at(-1);
    if (!last) return null;
    await erase(
      tx,
      batch.map((row) => row.id),
      accountId,
    );
    return batch.length < rows ? null : `${last.at}|${last.id}`;
  };
}

/**
 * Makes a step that repeats a statement until it changes fewer rows than a batch has.
 *
 * @param change takes the number of rows of a batch
 */
export function untilDone(change: (accountId: string, rows: number) => SQL, rows = usualRows): ErasureStep {
  return async (tx, accountId) => {
    const { rowCount } = await tx.execute(change(accountId, rows));
    return (rowCount ?? 0) < rows ? null : "more";
  };
}

/** A list of ids in a statement. */
export const idsIn = (ids: readonly string[]) => sql`any(${sql.param(ids)}::text[])`;
