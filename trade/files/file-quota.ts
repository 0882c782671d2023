import { typeid } from "typeid-js";
import type { Config } from "../../config/config.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, inArray, isNull, sql } from "../../db/drizzle.ts";
import { file, fileTally } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Caller } from "../context.ts";
import { findFullShare } from "../fair-shares/capacity-shares.ts";
import { lookUpAccount } from "../fair-shares/funded-party.ts";
import { Refusal } from "../refusal.ts";
import type { FileRow } from "./file-access.ts";

/** The part of an account's bytes that an account without a funded order may store. */
const newAccountShare = 1 / 4;

/** A file that is to be uploaded. The size is exact, so it reserves the bytes. */
export type NewFile = { name: string; size: number; sha256: FileRow["sha256"] };

/**
 * Writes the row of a file before its first byte, within the quotas of the account and of all accounts. An upload that does
 * not end frees its bytes after `unusedSeconds`.
 *
 * @throws Refusal `file_quota_exceeded`
 */
export function createFile(
  { db, config }: { db: Database; config: Pick<Config, "files"> },
  { accountId }: Caller,
  { name, size, sha256 }: NewFile,
): Promise<FileRow> {
  const { files } = config;
  if (size > files.largest) throw full(`A file has at most ${files.largest} bytes.`);
  return inTransaction(db, async (tx) => {
    const { isParty, network } = await lookUpAccount(tx, accountId);
    const ofAccount = isParty ? files.ofAccount : Math.ceil(files.ofAccount * newAccountShare);
    await requireRoom(tx, accountId, size, { ...files, ofAccount });
    const ofNetwork = network === null ? [] : [`${isParty ? "parties" : "network"} ${network}`];
    const tallied = ["all", ...(isParty ? [] : ["unproven"]), ...ofNetwork];
    const values = { id: typeid("fil").toString(), accountId, name, size, namedSha256: sha256 };
    const dueAt = sql`now() + make_interval(secs => ${files.unusedSeconds})`;
    const [row] = await tx
      .insert(file)
      .values({ ...values, tallied, dueAt })
      .returning();
    await requireShare(tx, tallied, files.inAll, isParty);
    return row as FileRow;
  });
}

/** Checks the quota of an account. A lock until the end of the transaction serialises its new files. */
async function requireRoom(
  tx: Transaction,
  accountId: string,
  size: number,
  { ofAccount, counts }: Pick<Config["files"], "ofAccount" | "counts">,
): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`files ${accountId}`}, 0))`);
  const [held] = await tx
    .select({
      bytes: sql<string>`coalesce(sum(${file.size}), 0)`,
      files: sql<number>`count(*)::integer`,
      uploads: sql<number>`(count(*) filter (where ${file.completedAt} is null))::integer`,
    })
    .from(file)
    .where(and(eq(file.accountId, accountId), isNull(file.removedAt)));
  if (!held) throw new Error("The database counted nothing.");
  const stored = Number(held.bytes);
  if (stored + size > ofAccount) {
    throw full(`Your account stores ${stored} bytes of at most ${ofAccount}: delete unused files.`);
  }
  if (held.files >= counts.account)
    throw full(`Your account has ${held.files} files, the maximum: delete unused files.`);
  if (held.uploads >= counts.uploads) {
    throw full(
      `Your account has ${held.uploads} uploads that are not complete, the maximum: end or delete some.`,
    );
  }
}

/** Checks the share of all accounts, of new accounts, and of the account's network within its kind, with the new file counted. */
async function requireShare(
  tx: Transaction,
  tallied: string[],
  inAll: number,
  isParty: boolean,
): Promise<void> {
  const rows = await tx.select().from(fileTally).where(inArray(fileTally.bucket, tallied));
  // A share is full when it holds its total, so a file that fills it exactly still fits.
  const bytesOf = (isMeant: (bucket: string) => boolean) =>
    (rows.find((row) => isMeant(row.bucket))?.bytes ?? 0) - 1;
  const isFull = findFullShare(inAll, isParty, {
    inAll: bytesOf((bucket) => bucket === "all"),
    unproven: bytesOf((bucket) => bucket === "unproven"),
    network: bytesOf((bucket) => bucket.includes(" ")),
  });
  if (isFull)
    throw full("The space for files of all accounts, or of your network, is used up: try again later.");
}

function full(message: string): Refusal {
  return new Refusal("file_quota_exceeded", message);
}
