import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, inArray, isNotNull, or, sql } from "../../db/drizzle.ts";
import {
  account,
  agent,
  file,
  moderationSubject,
  order,
  orderMessage,
  review,
  service,
} from "../../db/schema.ts";
import { ownsArbiter } from "../../db/wallets.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { type SubjectKind, subjectKinds } from "../../protocol/settlement/vocabulary.ts";
import { Refusal } from "../refusal.ts";
import { agentShownTo, serviceShownTo } from "../visibility.ts";

/** A thing that people report. */
export type SubjectName = { kind: SubjectKind; id: string };

/** A subject with the accounts that it concerns. */
export type Subject = SubjectName & {
  /** the account that the subject belongs to */
  ownerAccountId: string;
  /** the provider of a review's order, who is a party of the matter; else null */
  providerAccountId: string | null;
  /** whether others than its owner may see it */
  isShown: boolean;
  /** the text of a review, which its author may change or withdraw; null for other subjects */
  text: string | null;
};

export type ModerationSubjectRow = typeof moderationSubject.$inferSelect;

/** The prefix of each kind's ids. */
export const idPrefixes = {
  agent: "agt",
  service: "svc",
  review: "rev",
  message: "msg",
  file: "fil",
  account: "acc",
} as const satisfies Record<SubjectKind, string>;

/** The kinds that are no public things: an operator sees one only after a report by somebody who may read it. */
const privateKinds: readonly SubjectKind[] = ["message", "file"];

/** Whether operators may see and withhold a subject. */
export function isOpenToOperators(
  { kind }: SubjectName,
  known: Pick<ModerationSubjectRow, "reports"> | undefined,
): boolean {
  return !privateKinds.includes(kind) || (known?.reports ?? 0) > 0;
}

type Found = Omit<Subject, "kind" | "id" | "text"> & { text?: string | null };

const readers: Record<SubjectKind, (tx: Transaction, id: string) => Promise<Found | undefined>> = {
  agent: async (tx, id) => {
    const [found] = await tx
      .select({
        ownerAccountId: agent.accountId,
        isShown: sql<boolean>`${agentShownTo(undefined)}`,
      })
      .from(agent)
      .where(eq(agent.id, id));
    return found && { ...found, providerAccountId: null };
  },
  service: async (tx, id) => {
    const [found] = await tx
      .select({
        ownerAccountId: agent.accountId,
        isShown: sql<boolean>`${serviceShownTo(undefined)}`,
      })
      .from(service)
      .innerJoin(agent, eq(agent.id, service.agentId))
      .where(eq(service.id, id));
    return found && { ...found, providerAccountId: null };
  },
  review: async (tx, id) => {
    const [found] = await tx
      .select({
        ownerAccountId: review.buyerAccountId,
        providerAccountId: review.providerAccountId,
        text: review.text,
        isShown: sql<boolean>`(${review.hiddenAt} is null and ${review.withdrawnAt} is null and ${agentShownTo(undefined)})`,
      })
      .from(review)
      .innerJoin(agent, eq(agent.id, review.agentId))
      .where(eq(review.id, id));
    return found;
  },
  message: async (tx, id) => {
    const [found] = await tx
      .select({
        ownerAccountId: orderMessage.authorAccountId,
        isShown: sql<boolean>`(${orderMessage.withdrawnAt} is null and ${orderMessage.hiddenAt} is null)`,
      })
      .from(orderMessage)
      .where(eq(orderMessage.id, id));
    return found && { ...found, providerAccountId: null };
  },
  file: async (tx, id) => {
    const [found] = await tx
      .select({
        ownerAccountId: file.accountId,
        isShown: sql<boolean>`(${file.completedAt} is not null and ${file.withheldAt} is null)`,
      })
      .from(file)
      .where(eq(file.id, id));
    return found && { ...found, providerAccountId: null };
  },
  account: async (tx, id) => {
    const [found] = await tx.select({ id: account.id }).from(account).where(eq(account.id, id));
    return found && { ownerAccountId: id, providerAccountId: null, isShown: true };
  },
};

/** Reads a subject, shown or not. @throws Refusal `not_found` */
export async function readSubject(tx: Transaction, { kind, id }: SubjectName): Promise<Subject> {
  const found = isId(idPrefixes[kind], id) ? await readers[kind](tx, id) : undefined;
  if (!found) throw noSubject(kind);
  return { kind, id, text: null, ...found };
}

export function noSubject(kind: SubjectKind): Refusal {
  return new Refusal("not_found", `There is no ${kind} with this id.`);
}

/**
 * Locks the row of a subject until the transaction ends, and makes it if there is none. Every transaction takes this
 * lock before it locks the subject itself. The order of a message comes first, as for its writers, readers and withdrawal.
 */
export async function lockSubject(
  tx: Transaction,
  { kind, id, ownerAccountId }: Pick<Subject, "kind" | "id" | "ownerAccountId">,
): Promise<ModerationSubjectRow> {
  if (kind === "message") {
    await tx.execute(sql`
      select from ${order}
      where id = (select order_id from ${orderMessage} where ${orderMessage.id} = ${id}) for update`);
  }
  const [row] = await tx
    .insert(moderationSubject)
    .values({ kind, id, ownerAccountId })
    .onConflictDoUpdate({ target: [moderationSubject.kind, moderationSubject.id], set: { ownerAccountId } })
    .returning();
  if (!row) throw new Error("The database returned no subject.");
  return row;
}

export const isSubject = ({ kind, id }: SubjectName) =>
  and(eq(moderationSubject.kind, kind), eq(moderationSubject.id, id));

/** The kind of the subject with an id; undefined for another id. */
export function kindOf(id: string): SubjectKind | undefined {
  return subjectKinds.find((kind) => isId(idPrefixes[kind], id));
}

const titles: Record<
  SubjectKind,
  (db: Database, ids: string[]) => PromiseLike<{ id: string; title: string }[]>
> = {
  agent: (db, ids) =>
    db.select({ id: agent.id, title: agent.name }).from(agent).where(inArray(agent.id, ids)),
  service: (db, ids) =>
    db.select({ id: service.id, title: service.title }).from(service).where(inArray(service.id, ids)),
  review: (db, ids) =>
    db
      .select({ id: review.id, title: agent.name })
      .from(review)
      .innerJoin(agent, eq(agent.id, review.agentId))
      .where(inArray(review.id, ids)),
  message: (db, ids) =>
    db
      .select({
        id: orderMessage.id,
        title: sql<string>`coalesce(left(${orderMessage.text}, 80), 'withdrawn')`,
      })
      .from(orderMessage)
      .where(inArray(orderMessage.id, ids)),
  file: (db, ids) => db.select({ id: file.id, title: file.name }).from(file).where(inArray(file.id, ids)),
  account: (db, ids) =>
    db
      .select({
        id: account.id,
        title: sql<string>`coalesce(${account.displayName}, ${account.username}, ${account.id})`,
      })
      .from(account)
      .where(inArray(account.id, ids)),
};

/** Reads the texts by which an operator recognises subjects, by their ids: one query for each kind. */
export async function readTitles(db: Database, names: readonly SubjectName[]): Promise<Map<string, string>> {
  const found = await Promise.all(
    subjectKinds.map((kind) => {
      const ids = names.filter((name) => name.kind === kind).map(({ id }) => id);
      return ids.length === 0 ? [] : titles[kind](db, ids);
    }),
  );
  return new Map(found.flat().map(({ id, title }) => [id, title]));
}

/** Whether an account may read a message: it is a party of its order, or the arbiter of its dispute. */
export async function mayReadMessage(tx: Transaction, accountId: string, id: string): Promise<boolean> {
  const found = await tx
    .select({ id: orderMessage.id })
    .from(orderMessage)
    .innerJoin(order, eq(order.id, orderMessage.orderId))
    .where(
      and(
        eq(orderMessage.id, id),
        or(
          eq(order.buyerAccountId, accountId),
          eq(order.providerAccountId, accountId),
          and(isNotNull(order.disputedAt), eq(orderMessage.afterEnd, false), ownsArbiter(tx, accountId)),
        ),
      ),
    );
  return found.length > 0;
}
