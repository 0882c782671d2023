import type { Transaction } from "../../db/client.ts";
import { and, eq, gt, isNull, sql } from "../../db/drizzle.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { order, orderMessage } from "../../db/schema.ts";
import { isParty } from "../fair-shares/funded-party.ts";
import { Refusal } from "../refusal.ts";
import type { Correspondent } from "./read-state.ts";

/**
 * The most messages of one account: on one order, with their bytes and the number that nobody has answered; and on all
 * orders. An unpaid order costs nothing, so a stranger could place one to write to its provider. It takes few messages until
 * the other party answers, and an account gets few from another on all their unpaid orders. An account that is no party of a
 * funded order has a smaller allowance for the day.
 */
export const messageLimits = {
  ofOrder: 1000,
  bytesOfOrder: 2_000_000,
  unanswered: 50,
  unansweredUnpaid: 5,
  ofOrderAMinute: 20,
  aMinute: 60,
  aDay: 2000,
  aDayUnproven: 50,
  aDayUnpaidToOne: 30,
};

/** The counts of an account's recent messages. */
type Recent = { of_order: number; in_minute: number; in_day: number };

/**
 * Throws if an account may not write another message of this size now. The transaction must hold the order's lock.
 *
 * @param own what the account has written on the order before; undefined for nothing
 * @throws Refusal `rate_limited`; `invalid_state` beyond a limit of the order
 */
export async function requireMessageRoom(
  tx: Transaction,
  accountId: string,
  row: OrderRow,
  own: Correspondent | undefined,
  bytes: number,
): Promise<void> {
  const { ofOrder, bytesOfOrder } = messageLimits;
  const unanswered = row.fundedAt === null ? messageLimits.unansweredUnpaid : messageLimits.unanswered;
  if ((own?.written ?? 0) >= ofOrder || (own?.writtenBytes ?? 0) + bytes > bytesOfOrder) {
    throw new Refusal(
      "invalid_state",
      `An account can write ${ofOrder} messages with ${bytesOfOrder} bytes on one order. You have reached this limit.`,
    );
  }
  if ((own?.unanswered ?? 0) >= unanswered) {
    const until = row.fundedAt === null ? " or for the payment of the order" : "";
    throw new Refusal(
      "invalid_state",
      `You have written ${unanswered} messages without an answer. Wait for an answer${until}.`,
    );
  }
  // An advisory lock until the end of the transaction serialises the messages of one account.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`messages of ${accountId}`}, 0))`);
  const { rows } = await tx.execute<Recent>(sql`
    select count(*)::int as in_day,
      count(*) filter (where created_at > now() - interval '1 minute')::int as in_minute,
      count(*) filter (where created_at > now() - interval '1 minute' and order_id = ${row.id})::int as of_order
    from (
      select order_id, created_at from ${orderMessage}
      where author_account_id = ${accountId} and created_at > now() - interval '1 day'
      order by created_at desc limit ${messageLimits.aDay}) as recent`);
  const { of_order, in_minute, in_day } = rows[0] as Recent;
  if (of_order >= messageLimits.ofOrderAMinute)
    throw tooMany(messageLimits.ofOrderAMinute, "on one order a minute", 60);
  if (in_minute >= messageLimits.aMinute) throw tooMany(messageLimits.aMinute, "a minute", 60);
  if (in_day >= messageLimits.aDay) throw tooMany(messageLimits.aDay, "a day", 3600);
  if (in_day >= messageLimits.aDayUnproven && !(await isParty(tx, accountId))) {
    throw tooMany(messageLimits.aDayUnproven, "a day before its first paid order", 3600);
  }
  if (row.fundedAt === null) await requireRoomToOne(tx, accountId, row);
}

/** Bounds what one account gets from another on all their unpaid orders in a day. */
async function requireRoomToOne(tx: Transaction, accountId: string, row: OrderRow): Promise<void> {
  const isBuyer = row.buyerAccountId === accountId;
  const other = isBuyer ? row.providerAccountId : row.buyerAccountId;
  const otherColumn = isBuyer ? order.providerAccountId : order.buyerAccountId;
  const most = messageLimits.aDayUnpaidToOne;
  const found = await tx
    .select({ id: orderMessage.id })
    .from(orderMessage)
    .innerJoin(order, eq(order.id, orderMessage.orderId))
    .where(
      and(
        eq(orderMessage.authorAccountId, accountId),
        gt(orderMessage.createdAt, sql`now() - interval '1 day'`),
        isNull(order.fundedAt),
        eq(otherColumn, other),
      ),
    )
    .limit(most);
  if (found.length >= most) throw tooMany(most, "a day to one account on unpaid orders", 3600);
}

function tooMany(most: number, when: string, seconds: number): Refusal {
  return new Refusal("rate_limited", `An account can write ${most} messages ${when}.`, undefined, seconds);
}
