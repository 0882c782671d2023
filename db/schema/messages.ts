import { boolean, check, index, integer, jsonb, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Hex } from "viem";
import type { Role } from "../../protocol/settlement/vocabulary.ts";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";
import { order } from "./orders.ts";

/** A file that a message refers to; see `trade/files/file-reference.ts`. */
type ReferredFile = { file_id: string; sha256: Hex; size: number; name: string };

/**
 * A message on an order. It is no fact: it changes no state of the order. A trigger refuses every change but a
 * withdrawal, which removes the text, and `hidden_at`.
 */
export const orderMessage = earnest.table(
  "order_message",
  {
    id: text("id").primaryKey(),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    /** the number of the message in its order, from 1 */
    position: integer("position").notNull(),
    authorAccountId: text("author_account_id")
      .notNull()
      .references(() => account.id),
    authorRole: text("author_role").$type<Role>().notNull(),
    /** whether the order had ended when it was written; the arbiter of its dispute reads earlier messages alone */
    afterEnd: boolean("after_end").notNull().default(false),
    /** null after a withdrawal */
    text: text("text"),
    files: jsonb("files").$type<ReferredFile[]>().notNull().default([]),
    createdAt: createdAt(),
    withdrawnAt: time("withdrawn_at"),
    /** when the operator hid it from everybody but its author */
    hiddenAt: time("hidden_at"),
  },
  (table) => [
    uniqueIndex("order_message_position").on(table.orderId, table.position),
    index("order_message_author").on(table.authorAccountId, table.createdAt),
    check("order_message_withdrawn", sql`(${table.text} is null) = (${table.withdrawnAt} is not null)`),
  ],
);

/** An account's part in the messages of an order: what it has read, and how much it has written. */
export const orderCorrespondent = earnest.table(
  "order_correspondent",
  {
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    role: text("role").$type<Role>().notNull(),
    /** the position up to which it has read */
    readPosition: integer("read_position").notNull().default(0),
    /** messages of others after that position that are neither withdrawn nor hidden */
    unread: integer("unread").notNull().default(0),
    /** when people were last notified of an unread message; null once it is read */
    notifiedAt: time("notified_at"),
    /** how much it has written in all, and how many messages since the last one of others */
    written: integer("written").notNull().default(0),
    writtenBytes: integer("written_bytes").notNull().default(0),
    unanswered: integer("unanswered").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.orderId, table.accountId] }),
    index("order_correspondent_unread").on(table.accountId, table.role).where(sql`${table.unread} > 0`),
  ],
);
