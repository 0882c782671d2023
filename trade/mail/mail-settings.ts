import { randomBytes } from "node:crypto";
import { typeid } from "typeid-js";
import { assignPositions } from "../../db/account-events.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, gt, or, sql } from "../../db/drizzle.ts";
import { account, event, mailMessage, mailSetting } from "../../db/schema.ts";
import { addTask } from "../../db/task-queue.ts";
import type { Member } from "../context.ts";
import { type FullShare, findFullShare } from "../fair-shares/capacity-shares.ts";
import { selectIsParty } from "../fair-shares/funded-party.ts";
import { Refusal } from "../refusal.ts";
import { canonicalAddressOf, siteOf } from "./mail-address.ts";
import { accountOfToken, createMailToken, isMailToken } from "./mail-tokens.ts";

export type MailSetting = typeof mailSetting.$inferSelect;
export type MailPreference = Pick<MailSetting, "address" | "events" | "mode" | "language">;

/** The most verification mails: in a day for one account, to one address and in total, and in 30 days to one address. */
const verifications = { ofAccount: 5, toAddress: 3, inAll: 2000, toAddressAMonth: 10 };

/** Seconds for which a verification is valid. */
const verificationSeconds = 24 * 3600;

export async function readMailSetting(
  db: Database | Transaction,
  accountId: string,
): Promise<MailSetting | undefined> {
  const [row] = await db.select().from(mailSetting).where(eq(mailSetting.accountId, accountId));
  return row;
}

/**
 * Sets the mail address and the events of an account. An unverified or stopped address gets a verification mail, and
 * no events until it is confirmed. Earlier events are not sent.
 *
 * @throws Refusal `rate_limited` if too many verifications were sent today
 */
export async function setMail(
  tx: Transaction,
  { accountId, memberAccountId }: Member,
  preference: MailPreference,
): Promise<MailSetting> {
  await lockMail(tx, accountId);
  const before = await readMailSetting(tx, accountId);
  const isVerified =
    before?.address === preference.address && before.verifiedAt !== null && before.stoppedAt === null;
  if (before && isVerified) {
    const [row] = await tx
      .update(mailSetting)
      .set({ ...preference, updatedAt: sql`now()`, nextAt: sql`now()` })
      .where(eq(mailSetting.accountId, accountId))
      .returning();
    return row as MailSetting;
  }
  const nonce = randomBytes(16).toString("hex");
  const counted = await countVerification(tx, accountId, preference.address);
  const fresh = {
    ...preference,
    verifiedAt: null,
    verificationNonce: nonce,
    verificationExpiresAt: sql`now() + make_interval(secs => ${verificationSeconds})`,
    stoppedAt: null,
    stoppedReason: null,
    setBy: memberAccountId,
    verifiedBy: null,
    updatedAt: sql`now()`,
    createdAt: sql`now()`,
  };
  const [row] = await tx
    .insert(mailSetting)
    .values({ accountId, ...fresh })
    .onConflictDoUpdate({ target: mailSetting.accountId, set: fresh })
    .returning();
  await tx.insert(mailMessage).values({
    id: typeid("eml").toString(),
    accountId,
    kind: "verification",
    key: `verification:${nonce}`,
    address: preference.address,
    ...counted,
  });
  await addTask(tx, "mail");
  return row as MailSetting;
}

/** The columns by which a message counts: its recipient, and its shares of the total. */
type Counted = Pick<typeof mailMessage.$inferInsert, "canonicalAddress" | "site" | "network" | "forParty">;

/** Counts one more verification against the caps of its account and address and the shares of the total. */
async function countVerification(tx: Transaction, accountId: string, address: string): Promise<Counted> {
  const canonicalAddress = canonicalAddressOf(address);
  const site = await siteOf(address);
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`mail to ${canonicalAddress}`}, 0))`);
  const {
    rows: [sent],
  } = await tx.execute<{
    network: string | null;
    is_party: boolean;
    of_account: number;
    to_address: number;
    in_month: number;
    held: { inAll: number; unproven: number; network: number; site: number };
  }>(sql`
    select own.network, own.is_party,
      count(*) filter (where sent.account_id = ${accountId})::int as of_account,
      count(*) filter (where sent.canonical_address = ${canonicalAddress})::int as to_address,
      (select count(*) from ${mailMessage} where canonical_address = ${canonicalAddress} and kind = 'verification')::int as in_month,
      json_build_object(
        'inAll', count(sent.id),
        'unproven', count(*) filter (where not sent.for_party),
        'network', count(*) filter (where sent.for_party = own.is_party and sent.network = own.network),
        'site', count(*) filter (where sent.for_party = own.is_party and sent.site = ${site})) as held
    from (
      select network, ${selectIsParty(sql`account.id`)} as is_party from ${account} where account.id = ${accountId}) as own
    left join ${mailMessage} as sent on sent.kind = 'verification' and sent.created_at > now() - interval '24 hours'
    group by own.network, own.is_party`);
  if (!sent) throw new Error("The database counted nothing.");
  const { ofAccount, toAddress, toAddressAMonth, inAll } = verifications;
  const tooMany = (message: string) => new Refusal("rate_limited", message, undefined, 24 * 3600);
  if (sent.of_account >= ofAccount || sent.to_address >= toAddress || sent.in_month >= toAddressAMonth) {
    throw tooMany(
      `No more verifications are sent today. The limits are ${ofAccount} a day for an account, ${toAddress} a day to an address, and ${toAddressAMonth} to an address in 30 days. Use the last one that was sent.`,
    );
  }
  const full = findFullShare(inAll, sent.is_party, sent.held);
  if (full) throw tooMany(usedUp[full]);
  return { canonicalAddress, site, network: sent.network, forParty: sent.is_party };
}

/** The message for each used-up share. */
const usedUp: Record<FullShare, string> = {
  all: "No more verifications are sent today. Try again tomorrow.",
  unproven: "No more verifications are sent today for accounts that never had a funded order.",
  network:
    "No more verifications are sent today for accounts from your network (an IPv4 /24 or an IPv6 /48).",
  site: "No more verifications are sent today to this domain.",
};

/**
 * Confirms the mail address of the account that a token names. A token works once.
 *
 * @param verifiedBy the account of the person who confirms the address; null without a session
 * @throws Refusal `invalid_request` for an invalid or expired token
 */
export async function verifyMail(
  tx: Transaction,
  key: Uint8Array,
  token: string,
  verifiedBy: string | null = null,
): Promise<MailSetting> {
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
          verifiedBy,
          verificationNonce: null,
          verificationExpiresAt: null,
          position: await readLastPosition(tx, accountId),
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
    "This link is not valid: it was used, it is more than a day old, or a newer link was sent. Request a new one.",
    [{ path: "/token", keyword: "token", message: "is unknown, used or expired" }],
  );
}

/** Reads the last position of an account's feed. Mail begins after it. */
async function readLastPosition(tx: Transaction, accountId: string): Promise<number> {
  await assignPositions(tx, [accountId]);
  const { rows } = await tx.execute<{ last: string | null }>(
    sql`select max(position) as last from ${event} where account_id = ${accountId}`,
  );
  return Number(rows[0]?.last ?? 0);
}

/** The values that bind an unsubscribe link. The link is void after the address is set again. */
const subscriptionOf = ({ address, createdAt }: MailSetting) => [address, createdAt.toISOString()];

/** Creates the token of an account's unsubscribe link. */
export function unsubscribeToken(key: Uint8Array, setting: MailSetting): string {
  return createMailToken(key, "unsubscribe", setting.accountId, subscriptionOf(setting));
}

/** Finds the mail setting of an unsubscribe token; null unless the token is valid for the account's current address. */
export async function findSubscribed(
  db: Database | Transaction,
  key: Uint8Array,
  token: string,
): Promise<MailSetting | null> {
  const accountId = accountOfToken(token);
  const row = accountId ? await readMailSetting(db, accountId) : undefined;
  return row && isMailToken(token, key, "unsubscribe", row.accountId, subscriptionOf(row)) ? row : null;
}

/** Stops mail to an address and cancels its pending messages. */
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

/** Removes the mail address of an account. */
export async function removeMail(tx: Transaction, accountId: string): Promise<void> {
  await lockMail(tx, accountId);
  await tx.delete(mailSetting).where(eq(mailSetting.accountId, accountId));
  await cancelMessages(tx, accountId);
}

/**
 * Removes the mail address of an account if this person set or confirmed it.
 *
 * @returns the removed address; null if nothing was removed
 */
export async function removeMailOf(
  tx: Transaction,
  accountId: string,
  person: string,
): Promise<string | null> {
  await lockMail(tx, accountId);
  const theirs = or(eq(mailSetting.setBy, person), eq(mailSetting.verifiedBy, person));
  const [removed] = await tx
    .delete(mailSetting)
    .where(and(eq(mailSetting.accountId, accountId), theirs))
    .returning({ address: mailSetting.address });
  if (!removed) return null;
  await cancelMessages(tx, accountId);
  return removed.address;
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
