import type { Transaction } from "../../db/client.ts";
import { eq, sql } from "../../db/drizzle.ts";
import { file, moderation, moderationSubject, orderMessage, review } from "../../db/schema.ts";
import { ban, endBan } from "./ban.ts";
import { isSubject, type Subject, type SubjectName } from "./subject.ts";
import { type Cause, endSuspensions, type Suspended, suspend } from "./suspension.ts";

/**
 * Withholds a subject, which its transaction has locked by `lockSubject`: takes it off the market, hides it, or bans it.
 * Orders, payments and facts stay as they are.
 *
 * @returns the state of an agent or a service, which `restore` needs
 */
export async function withhold(tx: Transaction, subject: Subject, cause: Cause): Promise<Suspended | null> {
  await tx.update(moderationSubject).set({ heldBy: cause.id }).where(isSubject(subject));
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
  { id: actId }: Pick<typeof moderation.$inferSelect, "id">,
): Promise<void> {
  await tx.update(moderationSubject).set({ heldBy: null }).where(isSubject(subject));
  switch (subject.kind) {
    case "agent":
    case "service":
      return endSuspensions(tx, subject.kind, eq(moderation.id, actId));
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
      return endBan(tx, subject.id, actId);
  }
}
