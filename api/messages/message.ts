import { z } from "@hono/zod-openapi";
import { longest } from "../../protocol/settlement/text-limits.ts";
import type { MessageRow } from "../../trade/messages/order-message.ts";
import { fileReferenceSchema } from "../files/file-reference.ts";
import type { Caller } from "../http/caller.ts";
import { idField, textField, timeField } from "../http/fields.ts";
import { orderRoleField } from "../orders/order-fields.ts";

/** A letter, a digit, a sign or a symbol: some other characters show nothing. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The text of a message. Line ends become `\n`. */
export const messageText = z
  .string()
  .max(2 * longest.orderMessage)
  .transform((text) => text.replaceAll(/\r\n?/g, "\n"))
  .pipe(textField(longest.orderMessage).refine((text) => visible.test(text), "must have a visible character"))
  .openapi({ type: "string", minLength: 1, maxLength: longest.orderMessage });

export const messageSchema = z
  .object({
    id: idField("msg"),
    order_id: idField("ord"),
    by: orderRoleField.openapi({ description: "the role of its author on the order" }),
    is_own: z.boolean().openapi({ description: "whether your account wrote it" }),
    created_at: timeField,
    text: z.string().nullable().openapi({
      description: "plain text; null after a withdrawal, and for other readers of a hidden message",
    }),
    files: z.array(fileReferenceSchema),
    withdrawn_at: timeField.nullable().openapi({ description: "when its author withdrew it" }),
    hidden_at: timeField.nullable().openapi({
      description: "when the operator of this service hid it from everybody but its author",
    }),
  })
  .openapi("Message");

/** Presents a message to a reader of its order. Only its author sees a hidden one. */
export function presentMessage(row: MessageRow, { accountId }: Pick<Caller, "accountId">) {
  const isOwn = row.authorAccountId === accountId;
  const isShown = isOwn || row.hiddenAt === null;
  return {
    id: row.id,
    order_id: row.orderId,
    by: row.authorRole,
    is_own: isOwn,
    created_at: row.createdAt.toISOString(),
    text: isShown ? row.text : null,
    files: isShown ? row.files : [],
    withdrawn_at: row.withdrawnAt?.toISOString() ?? null,
    hidden_at: row.hiddenAt?.toISOString() ?? null,
  };
}
