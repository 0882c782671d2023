import { typeid } from "typeid-js";
import type { Transaction } from "../../db/client.ts";
import { and, asc, eq, notInArray, sql } from "../../db/drizzle.ts";
import {
  account,
  agent,
  deskSubject,
  file,
  moderation,
  openRequest,
  orderMessage,
  type PublicationStatus,
  review,
  service,
} from "../../db/schema.ts";
import { addTask } from "../../db/task-queue.ts";
import { Refusal } from "../refusal.ts";
import { isOperator } from "./operators.ts";
import { isSubject, lockSubject, type Subject, type SubjectName } from "./subject.ts";

/** The id of an act's row, with the author and the reason for the rows that follow from the act. */
export type Cause = { id: string; operatorAccountId: string; reason: string };

/**
 * Withholds a subject, which its transaction has locked by `lockSubject`: takes it off the market, hides it, or bans it.
 * Orders, payments and facts stay as they are.
 *
 * @returns the status before, of an agent or a service
 */
export async function withhold(
  tx: Transaction,
  subject: Subject,
  cause: Cause,
): Promise<PublicationStatus | null> {
  await tx.update(deskSubject).set({ heldBy: cause.id }).where(isSubject(subject));
  switch (subject.kind) {
    case "agent":
    case "service":
      return await suspend(tx, subject);
    case "review":
      await tx.update(review).set({ hiddenAt: sql`now()` }).where(eq(review.id, subject.id));
      return null;
    case "message":
      await tx.update(orderMessage).set({ hiddenAt: sql`now()` }).where(eq(orderMessage.id, subject.id));
      return null;
    case "file":
      await tx.update(file).set({ withheldAt: sql`now()` }).where(eq(file.id, subject.id));
      return null;
    case "account":
      await ban(tx, subject, cause);
      return null;
  }
}

/** Ends what `withhold` did, by the act that did it. */
export async function restore(
  tx: Transaction,
  subject: SubjectName,
  by: Pick<typeof moderation.$inferSelect, "id" | "statusBefore">,
): Promise<void> {
  await tx.update(deskSubject).set({ heldBy: null }).where(isSubject(subject));
  switch (subject.kind) {
    case "agent":
    case "service":
      return setStatus(tx, subject, by.statusBefore ?? "paused");
    case "review":
      await tx.update(review).set({ hiddenAt: null }).where(eq(review.id, subject.id));
      return;
    case "message":
      await tx.update(orderMessage).set({ hiddenAt: null }).where(eq(orderMessage.id, subject.id));
      return;
    case "file":
      await tx.update(file).set({ withheldAt: null }).where(eq(file.id, subject.id));
      return;
    case "account":
      await tx.update(account).set({ bannedAt: null }).where(eq(account.id, subject.id));
      await restoreAgents(tx, by.id);
  }
}

async function suspend(tx: Transaction, { kind, id }: SubjectName): Promise<PublicationStatus> {
  const table = kind === "agent" ? agent : service;
  const [row] = await tx.select({ status: table.status }).from(table).where(eq(table.id, id)).for("update");
  if (!row) throw new Error(`The ${kind} ${id} is not there.`);
  await setStatus(tx, { kind, id }, "suspended");
  return row.status;
}

/** The new version refuses orders that were about to be placed. */
async function setStatus(tx: Transaction, { kind, id }: SubjectName, status: PublicationStatus) {
  const table = kind === "agent" ? agent : service;
  await tx
    .update(table)
    .set({ status, version: sql`${table.version} + 1`, updatedAt: sql`now()` })
    .where(eq(table.id, id));
  if (kind !== "agent") return;
  const [of] = await tx.select({ accountId: agent.accountId }).from(agent).where(eq(agent.id, id));
  if (!of) return;
  const payload = { account_id: of.accountId };
  await addTask(tx, "probe_targets", { payload, key: `probe_targets ${of.accountId}` });
}

/** Suspends all agents of an account that others see, closes its open requests, and keeps it from more. */
async function ban(tx: Transaction, { id: accountId }: Subject, cause: Cause): Promise<void> {
  if (await isOperator(tx, accountId)) {
    throw new Refusal("conflict", "This account is an operator's. Take its role back first.");
  }
  await suspendAgents(tx, accountId, cause);
  await tx.update(account).set({ bannedAt: sql`now()` }).where(eq(account.id, accountId));
  // The lock of the account now keeps it from publishing. This pass takes the agents that it published meanwhile.
  await suspendAgents(tx, accountId, cause);
  await tx
    .update(openRequest)
    .set({ status: "closed", closedAt: sql`now()` })
    .where(and(eq(openRequest.accountId, accountId), eq(openRequest.status, "open")));
}

/** Suspends the agents of an account that others see. Each row of the desk is locked before its agent. */
async function suspendAgents(tx: Transaction, ownerAccountId: string, cause: Cause): Promise<void> {
  const agents = await tx
    .select({ id: agent.id })
    .from(agent)
    .where(and(eq(agent.accountId, ownerAccountId), notInArray(agent.status, ["draft", "suspended"])))
    .orderBy(asc(agent.id));
  for (const { id } of agents) {
    const name = { kind: "agent", id } as const;
    const { heldBy } = await lockSubject(tx, { ...name, ownerAccountId });
    if (heldBy !== null) continue;
    const act = { id: typeid("mod").toString(), act: "suspend" as const };
    const { id: causeId, operatorAccountId, reason } = cause;
    await tx.update(deskSubject).set({ heldBy: act.id }).where(isSubject(name));
    const statusBefore = await suspend(tx, name);
    const about = { subjectKind: name.kind, subjectId: id, ownerAccountId };
    await tx
      .insert(moderation)
      .values({ ...act, ...about, causeId, operatorAccountId, reason, statusBefore });
  }
}

/** Restores the agents that a ban suspended and that no other act holds. */
async function restoreAgents(tx: Transaction, banId: string): Promise<void> {
  const suspended = await tx
    .select()
    .from(moderation)
    .where(eq(moderation.causeId, banId))
    .orderBy(asc(moderation.subjectId));
  for (const by of suspended) {
    const name = { kind: by.subjectKind, id: by.subjectId };
    const { heldBy } = await lockSubject(tx, { ...name, ownerAccountId: by.ownerAccountId });
    if (heldBy === by.id) await restore(tx, name, by);
  }
}
