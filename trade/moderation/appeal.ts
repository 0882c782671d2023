import type { Transaction } from "../../db/client.ts";
import { and, eq, sql } from "../../db/drizzle.ts";
import { moderation, moderationSubject } from "../../db/schema.ts";
import { isId } from "../../protocol/facts/ids.ts";
import type { Caller } from "../context.ts";
import { Refusal } from "../refusal.ts";
import type { ModerationRow } from "./act.ts";
import { countInMonth } from "./monthly-counts.ts";
import { isSubject, lockSubject } from "./subject.ts";

/**
 * Appeals against an act that withholds something of the caller's. An act takes one appeal; a repeated appeal changes nothing.
 *
 * @throws Refusal `not_found`; `invalid_state` for an act that withholds nothing now; `conflict` for another appeal
 */
export async function appeal(
  tx: Transaction,
  { accountId }: Caller,
  moderationId: string,
  text: string,
): Promise<ModerationRow> {
  const own = and(eq(moderation.id, moderationId), eq(moderation.ownerAccountId, accountId));
  const [found] = isId("mod", moderationId) ? await tx.select().from(moderation).where(own) : [];
  if (!found) throw new Refusal("not_found", "No act with this id concerns you.");
  const name = { kind: found.subjectKind, id: found.subjectId };
  const locked = await lockSubject(tx, { ...name, ownerAccountId: accountId });
  if (found.causeId !== null) {
    throw new Refusal(
      "invalid_state",
      "The ban of the account withholds this agent: appeal against the ban.",
    );
  }
  if (locked.heldBy !== found.id) throw new Refusal("invalid_state", "This act withholds nothing any more.");
  const [row] = await tx
    .update(moderation)
    .set({ appeal: text, appealedAt: sql`now()` })
    .where(and(own, sql`${moderation.appeal} is null`))
    .returning();
  if (!row) {
    const [written] = await tx.select().from(moderation).where(own);
    if (written?.appeal === text) return written;
    throw new Refusal("conflict", "An act takes one appeal, and this one has it.");
  }
  await tx.update(moderationSubject).set({ appealed: true, noticedAt: sql`now()` }).where(isSubject(name));
  await countInMonth(tx, name.kind, "appealed");
  return row;
}
