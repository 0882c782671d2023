import { typeid } from "typeid-js";
import type { Transaction } from "../../db/client.ts";
import { and, asc, eq, notInArray, sql } from "../../db/drizzle.ts";
import { account, agent, moderation, moderationSubject, openRequest } from "../../db/schema.ts";
import { Refusal } from "../refusal.ts";
import { isOperator } from "./operators.ts";
import type { Subject } from "./subject.ts";
import { type Cause, endSuspensions, suspendAll } from "./suspension.ts";

/**
 * Suspends all agents of an account that others see, closes its open requests, and prevents new ones. The number of
 * statements is the same for every account.
 */
export async function ban(tx: Transaction, { id: accountId }: Subject, cause: Cause): Promise<void> {
  if (await isOperator(tx, accountId)) {
    throw new Refusal("conflict", "This account is an operator's. Revoke the operator role first.");
  }
  await takeDown(tx, accountId, cause);
  await tx.update(account).set({ bannedAt: sql`now()` }).where(eq(account.id, accountId));
  // The lock of the account now keeps it from publishing and asking. This pass takes what it published meanwhile.
  await takeDown(tx, accountId, cause);
}

/** Ends a ban. Agents that another act holds stay suspended. */
export async function endBan(tx: Transaction, accountId: string, banId: string): Promise<void> {
  await tx.update(account).set({ bannedAt: null }).where(eq(account.id, accountId));
  const { rowCount } = await tx.execute(sql`
    select from ${moderationSubject} as held join ${moderation} on ${moderation.id} = held.held_by
    where ${moderation.causeId} = ${banId} order by held.id for update of held`);
  if (rowCount === 0) return;
  const holds = sql`exists (
    select from ${moderationSubject} as held
    where held.kind = ${moderation.subjectKind} and held.id = ${moderation.subjectId} and held.held_by = ${moderation.id})`;
  await endSuspensions(tx, "agent", sql`${moderation.causeId} = ${banId} and ${holds}`);
  await tx
    .update(moderationSubject)
    .set({ heldBy: null })
    .where(
      sql`${moderationSubject.heldBy} in (select id from ${moderation} where ${moderation.causeId} = ${banId})`,
    );
}

/**
 * Closes the open requests of an account, and suspends its agents. The requests come first, as for their quotes, whose orders
 * lock the account. Each row of `moderation_subject` is locked before its agent.
 */
async function takeDown(tx: Transaction, accountId: string, cause: Cause): Promise<void> {
  await tx
    .update(openRequest)
    .set({ status: "closed", closedAt: sql`now()` })
    .where(and(eq(openRequest.accountId, accountId), eq(openRequest.status, "open")));
  const shown = tx
    .select({
      kind: sql`'agent'`.as("kind"),
      id: agent.id,
      ownerAccountId: agent.accountId,
      open: sql`0`.as("open"),
      openCounted: sql`0`.as("open_counted"),
      reports: sql`0`.as("reports"),
      appealed: sql`false`.as("appealed"),
      noticedAt: sql`now()`.as("noticed_at"),
      heldBy: sql`null`.as("held_by"),
    })
    .from(agent)
    .where(and(eq(agent.accountId, accountId), notInArray(agent.status, ["draft", "suspended"])))
    .orderBy(asc(agent.id));
  const rows = await tx
    .insert(moderationSubject)
    .select(shown)
    .onConflictDoUpdate({
      target: [moderationSubject.kind, moderationSubject.id],
      set: { ownerAccountId: accountId },
    })
    .returning({ id: moderationSubject.id, heldBy: moderationSubject.heldBy });
  const ids = rows.flatMap(({ id, heldBy }) => (heldBy === null ? [id] : []));
  if (ids.length === 0) return;
  const suspended = await suspendAll(tx, "agent", ids);
  const { id: causeId, operatorAccountId, reason } = cause;
  const about = { act: "suspend", subjectKind: "agent", ownerAccountId: accountId } as const;
  await tx.insert(moderation).values(
    suspended.map(({ id, ...before }) => ({
      id: typeid("mod").toString(),
      ...about,
      subjectId: id,
      ...before,
      causeId,
      operatorAccountId,
      reason,
    })),
  );
  await tx
    .update(moderationSubject)
    .set({ heldBy: moderation.id })
    .from(moderation)
    .where(
      and(
        eq(moderation.causeId, causeId),
        eq(moderationSubject.kind, moderation.subjectKind),
        eq(moderationSubject.id, moderation.subjectId),
      ),
    );
}
