import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, text } from "drizzle-orm/pg-core";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";

/** Where an account wants mail of its events, one address at most. Nothing is sent to it before it is verified. */
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
    verifiedAt: time("verified_at"),
    /** what the verification that is under way is derived from; null where none is. The token itself is stored nowhere. */
    verificationNonce: text("verification_nonce"),
    verificationExpiresAt: time("verification_expires_at"),
    /** its reader wants no more, or its server says that there is no such address */
    stoppedAt: time("stopped_at"),
    stoppedReason: text("stopped_reason").$type<"unsubscribed" | "rejected">(),
    /** the accounts of the persons who set the address and who confirmed it with a session: the address goes with their role */
    setBy: text("set_by").references(() => account.id),
    verifiedBy: text("verified_by").references(() => account.id),
    /** the place in the account's feed up to which it was told */
    position: bigint("position", { mode: "number" }).notNull().default(0),
    /** until then what is new is gathered */
    nextAt: time("next_at").notNull().defaultNow(),
    /** seconds between the last two messages, which grow while much happens */
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

/** A message on its way. It holds no text and no token: both are made when it is sent. */
export const mailMessage = earnest.table(
  "mail_message",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    kind: text("kind").$type<"verification" | "events">().notNull(),
    /** what makes it be written once: `events:<account>:<last place>`, or `verification:<nonce>` */
    key: text("key").notNull().unique(),
    address: text("address").notNull(),
    /** one form for all spellings of the address, by which messages are counted */
    canonicalAddress: text("canonical_address").notNull(),
    /** the registered domain of the address, the account's network, and whether the account was a party of a funded order */
    site: text("site"),
    network: text("network"),
    forParty: boolean("for_party").notNull().default(false),
    /** the places that it tells of: after the first, up to the last */
    after: bigint("after", { mode: "number" }),
    upTo: bigint("up_to", { mode: "number" }),
    status: text("status").$type<"pending" | "sent" | "failed" | "cancelled">().notNull().default("pending"),
    attempts: integer("attempts").notNull().default(0),
    /** while it is sent, when it is due again if its sender dies */
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
