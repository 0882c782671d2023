import { bigint, index, integer, primaryKey, text } from "drizzle-orm/pg-core";
import { bytes, hex } from "../column-types.ts";
import { sql } from "../drizzle.ts";
import { account } from "./accounts.ts";
import { createdAt, earnest, time } from "./base.ts";
import { order } from "./orders.ts";

/** The purposes for which an order names a file. */
export type FilePurpose = "input" | "output" | "evidence" | "message";

/**
 * A file of an account. The bytes are in the file store under the file's id. The row with name, size and hash stays when the
 * bytes of a used file are erased.
 */
export const file = earnest.table(
  "file",
  {
    id: text("id").primaryKey(),
    /** the account that uploads the file */
    accountId: text("account_id")
      .notNull()
      .references(() => account.id),
    name: text("name").notNull(),
    /** the bytes of the whole file, declared before the first byte */
    size: bigint("size", { mode: "number" }).notNull(),
    /** null until the upload is complete */
    sha256: hex("sha256"),
    /** the hash that the uploader named, which the bytes must have */
    namedSha256: hex("named_sha256"),
    /** the media type by the content; null until the upload is complete */
    type: text("type"),

    // The progress of an upload.
    /** the state of SHA-256 after the first `hashed` bytes */
    hashState: bytes("hash_state"),
    hashed: bigint("hashed", { mode: "number" }).notNull().default(0),
    /** the requests that sent bytes */
    writes: integer("writes").notNull().default(0),
    /** the request that writes now, until its lease ends */
    leaseOwner: text("lease_owner"),
    leasedUntil: time("leased_until"),

    /** the orders' uses of the file */
    uses: integer("uses").notNull().default(0),
    /** the buckets of `file_tally` that count the file's bytes */
    tallied: text("tallied").array().notNull(),
    /** when retention reads the row next: the end of an unused file, or a check of the orders of a used one */
    dueAt: time("due_at").notNull(),
    completedAt: time("completed_at"),
    /** set by an operator: nobody but the uploader and the operators sees the file */
    withheldAt: time("withheld_at"),
    /** set before the bytes are removed from the store */
    erasedAt: time("erased_at"),
    /** set after the bytes are removed from the store */
    removedAt: time("removed_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("file_account").on(table.accountId, table.createdAt, table.id),
    // The sum of an account reads the index only.
    index("file_stored")
      .on(table.accountId, table.completedAt, table.size)
      .where(sql`${table.removedAt} is null`),
    index("file_due").on(table.dueAt).where(sql`${table.erasedAt} is null`),
    index("file_erased")
      .on(table.erasedAt)
      .where(sql`${table.erasedAt} is not null and ${table.removedAt} is null`),
  ],
);

/** An order that names a file. The row gives the other party, and the arbiter of a dispute, the right to read the file. */
export const fileUse = earnest.table(
  "file_use",
  {
    fileId: text("file_id")
      .notNull()
      .references(() => file.id),
    orderId: text("order_id")
      .notNull()
      .references(() => order.id),
    purpose: text("purpose").$type<FilePurpose>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ name: "file_use_pk", columns: [table.fileId, table.orderId, table.purpose] }),
    index("file_use_order").on(table.orderId),
  ],
);

/** The stored bytes of all files, of accounts without a funded order, and of either kind of accounts of a network. Triggers of `file` count. */
export const fileTally = earnest.table("file_tally", {
  bucket: text("bucket").primaryKey(),
  bytes: bigint("bytes", { mode: "number" }).notNull(),
});
