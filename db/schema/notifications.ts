import { bigint, primaryKey, text } from "drizzle-orm/pg-core";
import { account } from "./accounts.ts";
import { earnest } from "./base.ts";
import { event } from "./facts.ts";

/** The position in an account's feed up to which a person has read all notifications. */
export const notificationRead = earnest.table(
  "notification_read",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    memberAccountId: text("member_account_id")
      .notNull()
      .references(() => account.id),
    position: bigint("position", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.memberAccountId] })],
);

/** A notification that a person has read by itself. It is removed with its event. */
export const notificationMark = earnest.table(
  "notification_mark",
  {
    eventId: text("event_id")
      .notNull()
      .references(() => event.id, { onDelete: "cascade" }),
    memberAccountId: text("member_account_id")
      .notNull()
      .references(() => account.id),
  },
  (table) => [primaryKey({ columns: [table.eventId, table.memberAccountId] })],
);
