import { insertEvents } from "../../db/account-events.ts";
import type { Transaction } from "../../db/client.ts";
import { and, eq, sql } from "../../db/drizzle.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { orderMessage } from "../../db/schema.ts";
import { messageEventData } from "../../protocol/facts/message-events.ts";
import { type OrderStatus, type Role, writableDays } from "../../protocol/settlement/vocabulary.ts";
import { requireActive } from "../accounts/active-account.ts";
import type { Caller } from "../context.ts";
import type { FileReference } from "../files/file-reference.ts";
import { attachFiles } from "../files/file-use.ts";
import { lockSharedOrder } from "../orders/order-access.ts";
import { Refusal } from "../refusal.ts";
import { requireMessageRoom } from "./message-limits.ts";
import { countUnreadMessage, countWrittenMessage, findCorrespondent, findReaders } from "./read-state.ts";

export type MessageRow = typeof orderMessage.$inferSelect;

/** A message to be written. A repeated write has the same id. */
export type NewMessage = { id: string; text: string; files: FileReference[] };

/**
 * Writes a message on an order of the caller, or on one whose open dispute the caller decides. The other readers get an
 * event. A repeated write changes nothing.
 *
 * @throws Refusal `not_found`; `invalid_state` after the end of the order or of the dispute; `account_banned` on an
 *   order that is unpaid or has ended; as `requireMessageRoom` and `attachFiles`
 */
export async function writeMessage(
  tx: Transaction,
  caller: Caller,
  orderId: string,
  { id, text, files }: NewMessage,
): Promise<MessageRow> {
  const { row, role } = await lockSharedOrder(tx, caller, orderId);
  const [written] = await tx
    .select()
    .from(orderMessage)
    .where(isOwnMessage(caller, orderId, id));
  if (written) return written;
  requireWritable(row, role, new Date());
  if (!isOpenAndPaid(row)) await requireActive(tx, caller.accountId);
  const bytes = Buffer.byteLength(text);
  const own = await findCorrespondent(tx, orderId, caller.accountId);
  await requireMessageRoom(tx, caller.accountId, row, own, bytes);
  await attachFiles(tx, caller, orderId, "message", files);
  const [message] = await tx
    .insert(orderMessage)
    .values({
      id,
      orderId,
      text,
      files,
      position: sql`(
        select coalesce(max(other.position), 0) + 1 from ${orderMessage} as other where other.order_id = ${orderId})`,
      authorAccountId: caller.accountId,
      authorRole: role,
      afterEnd: row.completedAt !== null,
      // The time under the order's lock, so that times have the order of positions.
      createdAt: sql`clock_timestamp()`,
    })
    .returning();
  if (!message) throw new Error("The database returned no message.");
  await countWrittenMessage(tx, orderId, { accountId: caller.accountId, role }, bytes);
  await announce(tx, row, message);
  return message;
}

/** Counts a message as unread for the other readers, and writes their events. */
async function announce(tx: Transaction, row: OrderRow, message: MessageRow): Promise<void> {
  const { id, orderId, position, authorAccountId, authorRole: by, createdAt } = message;
  const readers = (await findReaders(tx, row)).filter(({ accountId }) => accountId !== authorAccountId);
  const notified = await countUnreadMessage(tx, orderId, readers, position);
  const status = row.status as OrderStatus;
  await insertEvents(
    tx,
    readers.map(({ accountId, role: reader }) => ({
      accountId,
      type: "order.message",
      orderId,
      key: `message:${id}`,
      data: messageEventData(
        { order: row, status, reader },
        { id, by, sent_at: createdAt.toISOString(), notifies: notified.get(accountId) ?? false },
      ),
    })),
  );
}

/** The condition for one message of the caller's account. */
export const isOwnMessage = ({ accountId }: Caller, orderId: string, id: string) =>
  and(
    eq(orderMessage.id, id),
    eq(orderMessage.orderId, orderId),
    eq(orderMessage.authorAccountId, accountId),
  );

/** Whether an order is open and paid. A banned account can end such an order, so it writes on it. */
function isOpenAndPaid({ fundedAt, completedAt }: OrderRow): boolean {
  return fundedAt !== null && completedAt === null;
}

function requireWritable(row: OrderRow, role: Role, now: Date): void {
  if (role === "arbiter") {
    if (row.status === "disputed") return;
    throw new Refusal("invalid_state", "The dispute is settled. Its arbiter can no longer write.");
  }
  const until = writableUntil(row);
  if (until === null || now < until) return;
  throw new Refusal(
    "invalid_state",
    `The order ended more than ${writableDays} days ago. Its parties can no longer write.`,
  );
}

/** Returns the time until which the parties can write; null while the order has not ended. */
export function writableUntil({
  status,
  completedAt,
  fundBy,
}: Pick<OrderRow, "status" | "completedAt" | "fundBy">): Date | null {
  const end = completedAt?.getTime() ?? (status === "expired" ? fundBy * 1000 : null);
  return end === null ? null : new Date(end + writableDays * 24 * 3_600_000);
}
