import { typeid } from "typeid-js";
import { assignPositions } from "../../db/account-events.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, asc, eq, gt, isNotNull, isNull, lte, sql } from "../../db/drizzle.ts";
import { account, event, mailMessage, mailSetting } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { canonicalAddressOf, siteOf } from "../../trade/mail/mail-address.ts";
import { isSubscribed } from "./mailed-events.ts";

/** Accounts in one round, and events in one message. */
const round = { accounts: 50, events: 200 };

/** Seconds between two messages to an account: at first, at most, and of a digest. */
const gaps = { least: 60, most: 3600, digest: 24 * 3600 };

/**
 * Writes one message for each account that has mail switched on and new events. Later events wait for the next message.
 * While events keep coming, the gap to the next message doubles, from a minute to an hour. After a quiet time longer
 * than the last gap, it is a minute again. The gap of a digest is a day. An account gets at most 60 messages an hour.
 *
 * The message and the account's position are written together, so that no event is mailed twice after a crash or by a
 * second worker.
 */
export async function queueMail(db: Database, signal?: AbortSignal): Promise<void> {
  const due = await db
    .select({ accountId: mailSetting.accountId })
    .from(mailSetting)
    .where(
      and(
        lte(mailSetting.nextAt, sql`now()`),
        isNotNull(mailSetting.verifiedAt),
        isNull(mailSetting.stoppedAt),
        sql`(exists (select from ${event} where event.account_id = ${mailSetting.accountId}
              and event.position > ${mailSetting.position})
          or exists (select from ${event} where event.account_id = ${mailSetting.accountId} and event.position is null))`,
      ),
    )
    .orderBy(asc(mailSetting.nextAt))
    .limit(round.accounts);
  for (const { accountId } of due) {
    if (signal?.aborted) return;
    await inTransaction(db, (tx) => queueFor(tx, accountId));
  }
}

async function queueFor(tx: Transaction, accountId: string): Promise<void> {
  const [setting] = await tx
    .select()
    .from(mailSetting)
    .where(
      and(
        eq(mailSetting.accountId, accountId),
        lte(mailSetting.nextAt, sql`now()`),
        isNotNull(mailSetting.verifiedAt),
        isNull(mailSetting.stoppedAt),
      ),
    )
    .for("update", { skipLocked: true });
  if (!setting) return;
  await assignPositions(tx, [accountId]);
  const newEvents = await tx
    .select({ position: event.position, type: event.type, notifies: event.notifies })
    .from(event)
    .where(and(eq(event.accountId, accountId), gt(event.position, setting.position)))
    .orderBy(asc(event.position))
    .limit(round.events);
  const last = newEvents.at(-1)?.position;
  if (last === undefined || last === null) return;
  const isMailed = newEvents.some(
    ({ type, notifies }) => isSubscribed(setting.events, type) && (type !== "order.message" || notifies),
  );
  // After a quiet time longer than the last gap, the gaps are short again.
  const gap =
    setting.mode === "digest"
      ? sql<number>`${gaps.digest}::int`
      : sql<number>`(case when now() - ${mailSetting.nextAt} > make_interval(secs => ${mailSetting.gapSeconds})
          then ${gaps.least} else least(${gaps.most}, greatest(${gaps.least}, 2 * ${mailSetting.gapSeconds})) end)::int`;
  await tx
    .update(mailSetting)
    .set({
      position: last,
      ...(isMailed ? { gapSeconds: gap, nextAt: sql`now() + make_interval(secs => ${gap})` } : {}),
    })
    .where(eq(mailSetting.accountId, accountId));
  if (!isMailed) return;
  const [owner] = await tx
    .select({ network: account.network })
    .from(account)
    .where(eq(account.id, accountId));
  await tx
    .insert(mailMessage)
    .values({
      id: typeid("eml").toString(),
      accountId,
      kind: "events",
      key: `events:${accountId}:${last}`,
      address: setting.address,
      canonicalAddress: canonicalAddressOf(setting.address),
      site: await siteOf(setting.address),
      network: owner?.network ?? null,
      after: setting.position,
      upTo: last,
    })
    .onConflictDoNothing();
}
