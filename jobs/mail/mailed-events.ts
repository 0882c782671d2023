import { z } from "zod";
import type { Database } from "../../db/client.ts";
import { and, asc, eq, gt, lte, ne, or, sql } from "../../db/drizzle.ts";
import { agent, event, type mailMessage, order, orderCorrespondent, service } from "../../db/schema.ts";

/** The fields of an event's data that lead to its page, where the event has them. */
const subject = z
  .object({
    request_id: z.string(),
    order_id: z.string(),
    subscription_id: z.string(),
    key_id: z.string(),
    endpoint_id: z.string(),
    agent: z.object({ slug: z.string() }),
  })
  .partial();

/** An event as a mail states it. */
export type MailedEvent = {
  type: string;
  createdAt: Date;
  /** the order that the event concerns; null for other events */
  order: MailedOrder | null;
  /** ids of other subjects of the event */
  of: z.output<typeof subject>;
};

/** An order of an event. `title` and `agentName` may be texts of another account. */
export type MailedOrder = {
  id: string;
  reference: string;
  title: string;
  agentName: string;
  isSale: boolean;
  amount: bigint;
  decimals: number;
  symbol: string;
  fundBy: Date;
  deliveryDeadline: Date | null;
  acceptanceEndsAt: Date | null;
};

/** Whether an account has mails of this type of event. `*` stands for all types. */
export function isSubscribed(types: readonly string[], type: string): boolean {
  return types.includes("*") || types.includes(type);
}

/** The condition that an event of a message notifies, and that its order has unread messages. Withdrawn ones are not counted. */
const isUnread = sql<boolean>`(${event.notifies} and exists (
  select from ${orderCorrespondent} as reader
  where reader.order_id = ${event.orderId} and reader.account_id = ${event.accountId} and reader.unread > 0))`;

/**
 * Reads the events of a mail that the account subscribes to, oldest first. Unread messages on an order appear once, however
 * many there are.
 */
export async function readMailedEvents(
  db: Database,
  { accountId, after, upTo }: Pick<typeof mailMessage.$inferSelect, "accountId" | "after" | "upTo">,
  types: readonly string[],
): Promise<MailedEvent[]> {
  const rows = await db
    .select({
      type: event.type,
      createdAt: event.createdAt,
      data: event.data,
      order: {
        id: order.id,
        reference: order.reference,
        providerAccountId: order.providerAccountId,
        amount: order.amount,
        decimals: order.tokenDecimals,
        symbol: order.tokenSymbol,
        fundBy: order.fundBy,
        pricingModel: order.pricingModel,
        deliveryDeadline: order.deliveryDeadline,
        acceptanceEndsAt: order.acceptanceEndsAt,
      },
      title: service.title,
      agentName: agent.name,
    })
    .from(event)
    .leftJoin(order, eq(order.id, event.orderId))
    .leftJoin(service, eq(service.id, order.serviceId))
    .leftJoin(agent, eq(agent.id, order.agentId))
    .where(
      and(
        eq(event.accountId, accountId),
        gt(event.position, after ?? 0),
        lte(event.position, upTo ?? 0),
        or(ne(event.type, "order.message"), isUnread),
      ),
    )
    .orderBy(asc(event.position));
  const written = new Set<string>();
  return rows
    .filter(({ type }) => isSubscribed(types, type))
    .filter(({ type, order: row }) => {
      if (type !== "order.message" || !row) return true;
      const isFirst = !written.has(row.id);
      written.add(row.id);
      return isFirst;
    })
    .map(({ type, createdAt, data, order: row, title, agentName }) => ({
      type,
      createdAt,
      order: row && {
        ...row,
        title: title ?? "",
        agentName: agentName ?? "",
        isSale: row.providerAccountId === accountId,
        fundBy: new Date(row.fundBy * 1000),
        // A session has no delivery.
        deliveryDeadline: row.pricingModel === "per_call" ? null : row.deliveryDeadline,
      },
      of: subject.safeParse(data).data ?? {},
    }));
}
