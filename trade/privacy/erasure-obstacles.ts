import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, gt, inArray, isNotNull, or } from "../../db/drizzle.ts";
import { type accountErasure, moderationSubject, order, organisationMember } from "../../db/schema.ts";
import type { OrderStatus } from "../../protocol/settlement/vocabulary.ts";
import { selectDecided } from "../disputes/decided-orders.ts";

/** Statuses of orders that keep their parties. */
const openStatuses: OrderStatus[] = ["created", "funded", "started", "delivered", "disputed"];

/** Days after `dueAt` for which a dispute that the account decides, a report or an appeal can hold up an erasure. */
const heldDays = 30;

/** The open orders, the disputes to decide and the organisations that keep an account from its erasure. */
export type Obstacles = { openOrders: number; disputes: number; organisations: number };

type DueErasure = Pick<typeof accountErasure.$inferSelect, "accountId" | "dueAt">;

/** Counts what keeps an account from its erasure. Leaving an organisation ends keys, mail and endpoints that the person set. */
export async function readObstacles(db: Database | Transaction, accountId: string): Promise<Obstacles> {
  const isParty = or(eq(order.buyerAccountId, accountId), eq(order.providerAccountId, accountId));
  return {
    openOrders: await db.$count(order, and(isParty, inArray(order.status, openStatuses))),
    disputes: await db.$count(
      order,
      and(eq(order.status, "disputed"), isNotNull(order.disputedAt), await selectDecided(db, accountId)),
    ),
    organisations: await db.$count(organisationMember, eq(organisationMember.memberAccountId, accountId)),
  };
}

/**
 * Whether a due erasure waits. Open orders and memberships hold it up without limit, because the account can end them. Disputes
 * that the account decides, reports and appeals hold it up for `heldDays` at most, because others can begin them.
 */
export async function isHeldUp(tx: Transaction, { accountId, dueAt }: DueErasure): Promise<boolean> {
  const { openOrders, disputes, organisations } = await readObstacles(tx, accountId);
  if (openOrders + organisations > 0) return true;
  if (Date.now() > dueAt.getTime() + heldDays * 24 * 3_600_000) return false;
  const isWaiting = or(gt(moderationSubject.openCounted, 0), moderationSubject.appealed);
  const ofOperator = and(eq(moderationSubject.ownerAccountId, accountId), isWaiting);
  return disputes > 0 || (await tx.$count(moderationSubject, ofOperator)) > 0;
}
