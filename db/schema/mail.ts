import { bigint, boolean, index, integer, text } from "drizzle-orm/pg-core";
import type { Language } from "../../console/src/text/catalogues.ts";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";

/** The mail address of an account for its events, at most one. Only the verification is sent before the address is verified. */
export const mailSetting = earnest.table(
  "mail_setting",
  {
    accountId: text("account_id")
      .primaryKey()
      .references(() => account.id),
    address: text("address").notNull(),
    /** types, or `*` alone for all */
    events: text("events").array().notNull(),
    mode: text("mode").$type<"at_once" | "digest">().notNull(),
    /** the language of the mails */
    language: text("language").$type<Language>().notNull().default("en"),
    verifiedAt: time("verified_at"),
    /** source of the pending verification's token, which is stored nowhere; null if no verification is pending */
    verificationNonce: text("verification_nonce"),
    verificationExpiresAt: time("verification_expires_at"),
    /** when mail stopped, because the reader unsubscribed or the mail server rejects the address */
    stoppedAt: time("stopped_at"),
    stoppedReason: text("stopped_reason").$type<"unsubscribed" | "rejected">(),
    /** accounts of the persons who set the address and who confirmed it; if they lose their role, the address is removed */
    setBy: text("set_by").references(() => account.id),
    verifiedBy: text("verified_by").references(() => account.id),
    /** position in the account's feed up to which mail was sent */
    position: bigint("position", { mode: "number" }).notNull().default(0),
    /** when the next message is due; new events are collected until then */
    nextAt: time("next_at").notNull().defaultNow(),
    /** seconds between the last two messages, which grow with the number of events */
    gapSeconds: integer("gap_seconds").notNull().default(0),
    createdAt: createdAt(),
    updatedAt: time("updated_at").notNull().defaultNow(),
  },
  (table) => [
    index("mail_setting_due")
      .on(table.nextAt)
      .where(sql`${table.verifiedAt} is not null and ${table.stoppedAt} is null`),
    index("mail_setting_unverified").on(table.createdAt).where(sql`${table.verifiedAt} is null`),
  ],
);

/** A queued message. It has no text and no token: both are made when it is sent. */
export const mailMessage = earnest.table(
  "mail_message",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    kind: text("kind").$type<"verification" | "events">().notNull(),
    /** key under which it is written once: `events:<account>:<last position>`, or `verification:<nonce>` */
    key: text("key").notNull().unique(),
    address: text("address").notNull(),
    /** one form for all spellings of the address, by which messages are counted */
    canonicalAddress: text("canonical_address").notNull(),
    /** registered domain of the address, network of the account, and whether the account is a party of a funded order */
    site: text("site"),
    network: text("network"),
    forParty: boolean("for_party").notNull().default(false),
    /** positions of its events: after `after`, up to `up_to` */
    after: bigint("after", { mode: "number" }),
    upTo: bigint("up_to", { mode: "number" }),
    status: text("status").$type<"pending" | "sent" | "failed" | "cancelled">().notNull().default("pending"),
    attempts: integer("attempts").notNull().default(0),
    /** while it is sent, when another sender retries it */
    nextAttemptAt: time("next_attempt_at").notNull().defaultNow(),
    lastError: text("last_error"),
    createdAt: createdAt(),
    finishedAt: time("finished_at"),
  },
  (table) => [
    index("mail_message_due").on(table.nextAttemptAt).where(sql`${table.status} = 'pending'`),
    index("mail_message_account").on(table.accountId, table.kind, table.createdAt),
    index("mail_message_address").on(table.canonicalAddress, table.kind),
    index("mail_message_old").on(table.createdAt),
    index("mail_message_sent").on(table.finishedAt).where(sql`${table.status} = 'sent'`),
  ],
);
