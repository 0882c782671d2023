import type { Transaction } from "../../db/client.ts";
import { and, eq, gt, inArray, or, sql } from "../../db/drizzle.ts";
import { moderationSubject, orderMessage } from "../../db/schema.ts";
import { isId } from "../../protocol/facts/ids.ts";
import type { Caller } from "../context.ts";
import { isDisputePending } from "../disputes/dispute-opening.ts";
import { lockFiles, removeMessageUses } from "../files/file-use.ts";
import { lockSharedOrder } from "../orders/order-access.ts";
import { Refusal } from "../refusal.ts";
import { isOwnMessage, type MessageRow } from "./order-message.ts";
import { refuseUnknownMessage } from "./read-state.ts";

/**
 * Withdraws a message of the caller's account for ever: its text goes, and a mark stays. A repeated withdrawal changes
 * nothing. The arbiter of a dispute and the operators judge what was written, so a message stays until they have.
 *
 * @throws Refusal `not_found`; `invalid_state` while a dispute is pending or open, or a report waits for its answer
 */
export async function withdrawMessage(
  tx: Transaction,
  caller: Caller,
  orderId: string,
  messageId: string,
): Promise<MessageRow> {
  const { row } = await lockSharedOrder(tx, caller, orderId);
  const [message] = isId("msg", messageId)
    ? await tx
        .select()
        .from(orderMessage)
        .where(isOwnMessage(caller, orderId, messageId))
    : [];
  if (!message) throw refuseUnknownMessage();
  if (message.withdrawnAt) return message;
  if (row.status === "disputed" || (await isDisputePending(tx, row))) {
    throw new Refusal(
      "invalid_state",
      "A dispute is pending or open, and its arbiter reads the messages. No message can be withdrawn before it is settled.",
    );
  }
  const fileIds = message.files.map(({ file_id }) => file_id);
  if (await isReported(tx, messageId, fileIds)) {
    throw new Refusal(
      "invalid_state",
      "This message or one of its files was reported. It can be withdrawn once an operator has answered the report.",
    );
  }
  const [withdrawn] = await tx
    .update(orderMessage)
    .set({ text: null, files: [], withdrawnAt: sql`now()` })
    .where(eq(orderMessage.id, messageId))
    .returning();
  if (!withdrawn) throw new Error(`The message ${messageId} is not there.`);
  await removeMessageUses(tx, orderId, fileIds);
  return withdrawn;
}

/**
 * Whether a report of a message, or of one of its files, waits for an answer. A report of a message locks its order, and one of a
 * file the file.
 */
async function isReported(tx: Transaction, messageId: string, fileIds: string[]): Promise<boolean> {
  await lockFiles(tx, fileIds);
  const { kind, id, open } = moderationSubject;
  const reported = or(
    and(eq(kind, "message"), eq(id, messageId)),
    and(eq(kind, "file"), inArray(id, fileIds)),
  );
  const found = await tx
    .select({ id })
    .from(moderationSubject)
    .where(and(reported, gt(open, 0)))
    .limit(1);
  return found.length > 0;
}
