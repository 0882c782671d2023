import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, getTableColumns, sql } from "../../db/drizzle.ts";
import { agent } from "../../db/schema.ts";
import { addTask } from "../../db/task-queue.ts";
import type { Caller } from "../context.ts";
import { Refusal } from "../refusal.ts";

/** Checks that a row still has the version that the caller read; throws to refuse. */
export type VersionCheck = (version: number) => void;

const { search: _, verified: _kinds, ...ownColumns } = getTableColumns(agent);

const isOwn = (slug: string, { accountId }: Caller) =>
  and(eq(agent.slug, slug), eq(agent.accountId, accountId));
const noOwnAgent = (slug: string) => new Refusal("not_found", `You have no agent ${slug}.`);

/** Finds the id of the caller's own agent. @throws Refusal `not_found` for another agent */
export async function requireOwnAgent(db: Database, slug: string, caller: Caller): Promise<string> {
  const [row] = await db.select({ id: agent.id }).from(agent).where(isOwn(slug, caller));
  if (!row) throw noOwnAgent(slug);
  return row.id;
}

/**
 * Reads the caller's own agent, and locks it until the transaction ends.
 *
 * @throws Refusal `not_found`; what `checkVersion` throws
 */
export async function lockOwnAgent(
  tx: Transaction,
  slug: string,
  caller: Caller,
  checkVersion?: VersionCheck,
) {
  const [row] = await tx.select(ownColumns).from(agent).where(isOwn(slug, caller)).for("update");
  if (!row) throw noOwnAgent(slug);
  checkVersion?.(row.version);
  return row;
}
export type OwnAgent = Awaited<ReturnType<typeof lockOwnAgent>>;

/**
 * Changes the caller's own agent, under its lock.
 *
 * @param columnsOf returns the columns to set, if any; throws to refuse the change
 * @returns the agent's id
 */
export async function changeAgent(
  tx: Transaction,
  caller: Caller,
  slug: string,
  columnsOf: (row: OwnAgent) => Promise<Partial<typeof agent.$inferInsert>>,
  checkVersion?: VersionCheck,
): Promise<string> {
  const row = await lockOwnAgent(tx, slug, caller, checkVersion);
  const columns = await columnsOf(row);
  if (Object.values(columns).some((value) => value !== undefined)) {
    await tx
      .update(agent)
      .set({ ...columns, version: sql`${agent.version} + 1`, updatedAt: sql`now()` })
      .where(eq(agent.id, row.id));
    if (columns.status !== undefined || columns.apiEndpoint !== undefined) {
      const payload = { account_id: caller.accountId };
      await addTask(tx, "probe_targets", { payload, key: `probe_targets ${caller.accountId}` });
    }
  }
  return row.id;
}
