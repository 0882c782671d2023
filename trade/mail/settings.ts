import { randomBytes } from "node:crypto";
import { and, eq, gt, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Database, Transaction } from "../../db/client.ts";
import { placeEvents } from "../../db/events.ts";
import { event, mailMessage, mailSetting } from "../../db/schema.ts";
import { addTask } from "../../db/tasks.ts";
import { Refusal } from "../refusal.ts";
import { countedForm } from "./address.ts";
import { accountOfToken, isMailToken } from "./tokens.ts";

export type MailSetting = typeof mailSetting.$inferSelect;
export type MailWish = Pick<MailSetting, "address" | "events" | "mode">;

/** Verifications that are sent within a day: for one account, to one address whoever asks, and in all; and to one within 30. */
const verifications = { ofAccount: 5, toAddress: 3, inAll: 2000, toAddressAMonth: 10 };

/** Seconds that a verification is good for. */
const verificationSeconds = 24 * 3600;

export async function readMailSetting(
  db: Database | Transaction,
  accountId: string,
): Promise<MailSetting | undefined> {
  const [row] = await db.select().from(mailSetting).where(eq(mailSetting.accountId, accountId));
  return row;
}

/**
 * Sets where and of what an account is told by mail. An address that is not verified, or that was stopped, gets a
 * verification; until it is confirmed nothing else is sent to it. What happened before is not told.
 *
 * @throws Refusal `rate_limited` where too many verifications were sent today
 */
export async function setMail(tx: Transaction, accountId: string, wish: MailWish): Promise<MailSetting> {
  await lockMail(tx, accountId);
  const before = await readMailSetting(tx, accountId);
  const stands = before?.address === wish.address && before.verifiedAt !== null && before.stoppedAt === null;
  if (before && stands) {
    const [row] = await tx
      .update(mailSetting)
      .set({ ...wish, updatedAt: sql`now()`, nextAt: sql`now()` })
      .where(eq(mailSetting.accountId, accountId))
      .returning();
    return row as MailSetting;
  }
  const nonce = randomBytes(16).toString("hex");
  await requireVerifiable(tx, accountId, wish.address);
  const fresh = {
    ...wish,
    verifiedAt: null,
    verificationNonce: nonce,
    verificationExpiresAt: sql`now() + make_interval(secs => ${verificationSeconds})`,
    stoppedAt: null,
    stoppedReason: null,
    updatedAt: sql`now()`,
    createdAt: sql`now()`,
  };
  const [row] = await tx
    .insert(mailSetting)
    .values({ accountId, ...fresh })
    .onConflictDoUpdate({ target: mailSetting.accountId, set: fresh })
    .returning();
  await tx.insert(mailMessage).values({
    id: typeid("msg").toString(),
    accountId,
    kind: "verification",
    key: `verification:${nonce}`,
    address: wish.address,
    counted: countedForm(wish.address),
  });
  await addTask(tx, "mail");
  return row as MailSetting;
}

/** Nobody is flooded by us: neither by one who asks again and again, nor by many who ask for one address. */
async function requireVerifiable(tx: Transaction, accountId: string, address: string): Promise<void> {
  const counted = countedForm(address);
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`mail to ${counted}`}, 0))`);
  const {
    rows: [sent],
  } = await tx.execute<{ of_account: number; to_address: number; in_all: number; in_month: number }>(sql`
    select count(*) filter (where account_id = ${accountId})::int as of_account,
      count(*) filter (where counted = ${counted})::int as to_address,
      count(*)::int as in_all,
      (select count(*) from ${mailMessage} where counted = ${counted} and kind = 'verification')::int as in_month
    from ${mailMessage} where kind = 'verification' and created_at > now() - interval '24 hours'`);
  const most = verifications;
  if (
    sent &&
    (sent.of_account >= most.ofAccount ||
      sent.to_address >= most.toAddress ||
      sent.in_month >= most.toAddressAMonth ||
      sent.in_all >= most.inAll)
  ) {
    throw new Refusal(
      "rate_limited",
      `No more verifications are sent today: ${most.ofAccount} of an account and ${most.toAddress} to an address are the most, and ${most.toAddressAMonth} to an address in 30 days. Look for one that was sent.`,
      undefined,
      24 * 3600,
    );
  }
}

/**
 * Confirms the address of the account that a token names. The token is used up.
 *
 * @throws Refusal `invalid_request` for a token that is not good, or no longer
 */
export async function verifyMail(tx: Transaction, key: Uint8Array, token: string): Promise<MailSetting> {
  const accountId = accountOfToken(token);
  if (accountId) {
    await lockMail(tx, accountId);
    const [row] = await tx
      .select()
      .from(mailSetting)
      .where(and(eq(mailSetting.accountId, accountId), gt(mailSetting.verificationExpiresAt, sql`now()`)));
    const nonce = row?.verificationNonce;
    if (row && nonce && isMailToken(token, key, "verify", accountId, [row.address, nonce])) {
      const [verified] = await tx
        .update(mailSetting)
        .set({
          verifiedAt: sql`now()`,
          verificationNonce: null,
          verificationExpiresAt: null,
          position: await readLastPlace(tx, accountId),
          nextAt: sql`now()`,
          gapSeconds: 0,
        })
        .where(eq(mailSetting.accountId, accountId))
        .returning();
      return verified as MailSetting;
    }
  }
  throw new Refusal(
    "invalid_request",
    "This link is not good any more: it was used, it is over a day old, or a newer one was sent.",
    [{ path: "/token", keyword: "token", message: "is unknown, used or expired" }],
  );
}

/** What an account was told of before it asked to be told, it is not told again. */
async function readLastPlace(tx: Transaction, accountId: string): Promise<number> {
  await placeEvents(tx, [accountId]);
  const { rows } = await tx.execute<{ last: string | null }>(
    sql`select max(position) as last from ${event} where account_id = ${accountId}`,
  );
  return Number(rows[0]?.last ?? 0);
}

/** Whether a token of a link to unsubscribe is good for the address that its account has now. */
export async function findSubscribed(
  db: Database | Transaction,
  key: Uint8Array,
  token: string,
): Promise<MailSetting | null> {
  const accountId = accountOfToken(token);
  const row = accountId ? await readMailSetting(db, accountId) : undefined;
  return row && isMailToken(token, key, "unsubscribe", row.accountId, [row.address]) ? row : null;
}

/** Stops mail to an address, and what is on its way to it. */
export async function stopMail(
  tx: Transaction,
  { accountId, address }: Pick<MailSetting, "accountId" | "address">,
  reason: "unsubscribed" | "rejected",
): Promise<void> {
  await tx
    .update(mailSetting)
    .set({ stoppedAt: sql`now()`, stoppedReason: reason, verificationNonce: null, updatedAt: sql`now()` })
    .where(and(eq(mailSetting.accountId, accountId), eq(mailSetting.address, address)));
  await cancelMessages(tx, accountId);
}

/** Forgets the address of an account. */
export async function removeMail(tx: Transaction, accountId: string): Promise<void> {
  await lockMail(tx, accountId);
  await tx.delete(mailSetting).where(eq(mailSetting.accountId, accountId));
  await cancelMessages(tx, accountId);
}

async function cancelMessages(tx: Transaction, accountId: string): Promise<void> {
  await tx
    .update(mailMessage)
    .set({ status: "cancelled", finishedAt: sql`now()` })
    .where(and(eq(mailMessage.accountId, accountId), eq(mailMessage.status, "pending")));
}

async function lockMail(tx: Transaction, accountId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`mail of ${accountId}`}, 0))`);
}
