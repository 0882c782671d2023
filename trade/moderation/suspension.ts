import type { Transaction } from "../../db/client.ts";
import { and, eq, inArray, type SQL, sql } from "../../db/drizzle.ts";
import { agent, moderation, type PublicationStatus, service } from "../../db/schema.ts";
import { addTask } from "../../db/task-queue.ts";
import type { SubjectName } from "./subject.ts";

/** The status of an agent or a service before its suspension, and its version since then. */
export type Suspended = { statusBefore: PublicationStatus; versionAfter: number };

/** The id of an act's row, with the author and the reason for the rows that follow from the act. */
export type Cause = { id: string; operatorAccountId: string; reason: string };

/** Suspends an agent or a service. The new version refuses orders that are about to be placed. */
export async function suspend(tx: Transaction, { kind, id }: SubjectName): Promise<Suspended> {
  const [suspended] = await suspendAll(tx, kind, [id]);
  if (!suspended) throw new Error(`The ${kind} ${id} is not there.`);
  const { statusBefore, versionAfter } = suspended;
  return { statusBefore, versionAfter };
}

/** Suspends agents or services by their ids. */
export async function suspendAll(
  tx: Transaction,
  kind: SubjectName["kind"],
  ids: string[],
): Promise<(Suspended & { id: string })[]> {
  const table = kind === "agent" ? agent : service;
  const before = await tx
    .select({ id: table.id, statusBefore: table.status, versionAfter: sql<number>`${table.version} + 1` })
    .from(table)
    .where(inArray(table.id, ids))
    .orderBy(table.id)
    .for("update");
  await tx
    .update(table)
    .set({ status: "suspended", version: sql`${table.version} + 1`, updatedAt: sql`now()` })
    .where(inArray(table.id, ids));
  if (kind === "agent") await probeAnew(tx, ids);
  return before;
}

/**
 * Ends suspensions by their acts. A subject gets its status back. One that its owner has changed meanwhile is paused, so that
 * its owner publishes what nobody has seen.
 */
export async function endSuspensions(tx: Transaction, kind: SubjectName["kind"], acts: SQL): Promise<void> {
  const table = kind === "agent" ? agent : service;
  const changed =
    kind === "agent"
      ? sql`(${table.version} <> ${moderation.versionAfter} or exists (
          select from ${service} as sold where sold.agent_id = ${table.id} and sold.updated_at > ${moderation.createdAt}))`
      : sql`${table.version} <> ${moderation.versionAfter}`;
  const restored = await tx
    .update(table)
    .set({
      status: sql`case when ${moderation.statusBefore} = 'published' and ${changed} then 'paused' else ${moderation.statusBefore} end`,
      version: sql`${table.version} + 1`,
      updatedAt: sql`now()`,
    })
    .from(moderation)
    .where(and(eq(moderation.subjectKind, kind), eq(moderation.subjectId, table.id), acts))
    .returning({ id: table.id });
  const ids = restored.map(({ id }) => id);
  if (kind === "agent") await probeAnew(tx, ids);
}

/** Lets the worker choose anew what it probes of the accounts of agents. */
async function probeAnew(tx: Transaction, agentIds: string[]): Promise<void> {
  if (agentIds.length === 0) return;
  const owners = await tx
    .selectDistinct({ accountId: agent.accountId })
    .from(agent)
    .where(inArray(agent.id, agentIds));
  for (const { accountId } of owners) {
    const payload = { account_id: accountId };
    await addTask(tx, "probe_targets", { payload, key: `probe_targets ${accountId}` });
  }
}
