import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, gt, isNull, ne, not, type SQL, sql } from "../../db/drizzle.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { orderCorrespondent, orderMessage } from "../../db/schema.ts";
import { readArbiter } from "../../db/wallets.ts";
import { isId } from "../../protocol/facts/ids.ts";
import type { Role } from "../../protocol/settlement/vocabulary.ts";
import type { Caller } from "../context.ts";
import { lockSharedOrder } from "../orders/order-access.ts";
import { Refusal } from "../refusal.ts";

export type Correspondent = typeof orderCorrespondent.$inferSelect;

/** Minutes after which people are notified again of an order with unread messages. */
export const notifyMinutes = 15;

/** An account that may read an order's messages, with its role. */
export type Reader = { accountId: string; role: Role };

/** Finds the readers of an order's new message: its parties, and the arbiter while a dispute is open. */
export async function findReaders(tx: Transaction, row: OrderRow): Promise<Reader[]> {
  const arbiter = row.status === "disputed" ? await readArbiter(tx, row) : null;
  const readers = new Map<string, Role>();
  if (arbiter !== null) readers.set(arbiter, "arbiter");
  readers.set(row.providerAccountId, "provider");
  readers.set(row.buyerAccountId, "buyer");
  return [...readers].map(([accountId, role]) => ({ accountId, role }));
}

export async function findCorrespondent(
  db: Database | Transaction,
  orderId: string,
  accountId: string,
): Promise<Correspondent | undefined> {
  const [found] = await db.select().from(orderCorrespondent).where(isOf(orderId, accountId));
  return found;
}

const isOf = (orderId: string, accountId: string) =>
  and(eq(orderCorrespondent.orderId, orderId), eq(orderCorrespondent.accountId, accountId));

/** Counts a message for its author. */
export async function countWrittenMessage(
  tx: Transaction,
  orderId: string,
  { accountId, role }: Reader,
  bytes: number,
): Promise<void> {
  const { written, writtenBytes, unanswered } = orderCorrespondent;
  await tx
    .insert(orderCorrespondent)
    .values({ orderId, accountId, role, written: 1, writtenBytes: bytes, unanswered: 1 })
    .onConflictDoUpdate({
      target: [orderCorrespondent.orderId, orderCorrespondent.accountId],
      set: {
        written: sql`${written} + 1`,
        writtenBytes: sql`${writtenBytes} + ${bytes}::int`,
        unanswered: sql`${unanswered} + 1`,
      },
    });
}

/**
 * Counts a message as unread for its readers, and answers what they have written.
 *
 * @returns which readers are notified: those who were not for `notifyMinutes`, or have read since
 */
export async function countUnreadMessage(
  tx: Transaction,
  orderId: string,
  readers: readonly Reader[],
  position: number,
): Promise<Map<string, boolean>> {
  if (readers.length === 0) return new Map();
  const { unread, notifiedAt } = orderCorrespondent;
  const isQuiet = sql`${notifiedAt} > now() - make_interval(mins => ${notifyMinutes})`;
  const rows = await tx
    .insert(orderCorrespondent)
    .values(
      readers.map(({ accountId, role }) => ({
        orderId,
        accountId,
        role,
        readPosition: position - 1,
        unread: 1,
        notifiedAt: sql`now()`,
      })),
    )
    .onConflictDoUpdate({
      target: [orderCorrespondent.orderId, orderCorrespondent.accountId],
      set: {
        unread: sql`${unread} + 1`,
        unanswered: 0,
        notifiedAt: sql`case when ${isQuiet} then ${notifiedAt} else now() end`,
      },
    })
    .returning({
      accountId: orderCorrespondent.accountId,
      notifies: sql<boolean>`${notifiedAt} = now()`,
    });
  return new Map(rows.map(({ accountId, notifies }) => [accountId, notifies]));
}

/**
 * The condition for the messages that a role may read. The arbiter of a dispute reads those before and during it, and not
 * what the parties write after its end.
 */
export function isReadableBy(role: Role): SQL | undefined {
  return role === "arbiter" ? not(orderMessage.afterEnd) : undefined;
}

/**
 * Marks an order's messages as read by the caller's account, up to a message.
 *
 * @returns how many messages are unread after it
 * @throws Refusal `not_found`
 */
export async function markMessagesRead(
  tx: Transaction,
  { accountId }: Caller,
  orderId: string,
  messageId: string,
): Promise<number> {
  // The order's lock serialises this count with new messages.
  const { role } = await lockSharedOrder(tx, { accountId }, orderId);
  const readable = and(eq(orderMessage.orderId, orderId), isReadableBy(role));
  const [last] = isId("msg", messageId)
    ? await tx
        .select({ position: orderMessage.position })
        .from(orderMessage)
        .where(and(readable, eq(orderMessage.id, messageId)))
    : [];
  if (!last) throw refuseUnknownMessage();
  const before = await findCorrespondent(tx, orderId, accountId);
  const readPosition = Math.max(last.position, before?.readPosition ?? 0);
  const unread = await tx.$count(
    orderMessage,
    and(
      readable,
      gt(orderMessage.position, readPosition),
      ne(orderMessage.authorAccountId, accountId),
      isNull(orderMessage.withdrawnAt),
      isNull(orderMessage.hiddenAt),
    ),
  );
  const read = { readPosition, unread, notifiedAt: null };
  await tx
    .insert(orderCorrespondent)
    .values({ orderId, accountId, role, ...read })
    .onConflictDoUpdate({ target: [orderCorrespondent.orderId, orderCorrespondent.accountId], set: read });
  return unread;
}

/** Refuses a message that does not exist, or that the caller may not see or withdraw. */
export function refuseUnknownMessage(): Refusal {
  return new Refusal("not_found", "This order has no such message of yours.");
}
