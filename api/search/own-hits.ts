import type { Database } from "../../db/client.ts";
import { and, eq, type SQL, sql } from "../../db/drizzle.ts";
import { agent, service } from "../../db/schema.ts";
import { summariseOrder } from "../../protocol/facts/order-summary.ts";
import type { OrderStatus, Party } from "../../protocol/settlement/vocabulary.ts";
import { newestFirst, orderBy, positionOf } from "../http/list-order.ts";
import { hasWords } from "../http/word-match.ts";
import { readOrderRows } from "../orders/order-list.ts";
import { selectOwnOrders } from "../orders/own-orders.ts";

type Sought = { accountId: string; q: string; most: number };

/** Finds the newest orders of an account, of both its sides. */
export async function findOwnOrders(db: Database, sought: Sought) {
  const placed = await findOfSide(db, sought, "buyer");
  const received = await findOfSide(db, sought, "provider");
  return [...placed, ...received]
    .sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
    .slice(0, sought.most);
}

async function findOfSide(db: Database, { accountId, q, most }: Sought, side: Party) {
  const { selection, ordering } = await selectOwnOrders(db, { accountId, side }, { q, sort: "newest" });
  const rows = await readOrderRows(db, { accountId }, selection, {
    position: positionOf(ordering),
    after: undefined,
    order: orderBy(ordering),
    limit: most,
    offset: 0,
  });
  return rows.map(({ row }) => {
    const summary = summariseOrder(row, row.status as OrderStatus);
    const { id, reference, status, service, agent, total_amount, currency } = summary;
    const created_at = row.createdAt.toISOString();
    return { id, reference, status, your_role: side, service, agent, total_amount, currency, created_at };
  });
}

/** Finds agents of an account, newest first. An account has a bounded number of them. */
export function findOwnAgents(db: Database, { accountId, q, most }: Sought) {
  return db
    .select({ id: agent.id, slug: agent.slug, name: agent.name, status: agent.status })
    .from(agent)
    .where(and(eq(agent.accountId, accountId), hasWords(folded(sql`${agent.name}, ${agent.slug}`), q)))
    .orderBy(...orderBy(newestFirst(agent.createdAt, agent.id)))
    .limit(most);
}

/** Finds services of an account's agents, newest first. An account has a bounded number of them. */
export function findOwnServices(db: Database, { accountId, q, most }: Sought) {
  const words = folded(sql`${service.title}, ${service.slug}, ${agent.name}`);
  return db
    .select({
      id: service.id,
      slug: service.slug,
      title: service.title,
      agent: { id: agent.id, slug: agent.slug, name: agent.name },
      status: service.status,
    })
    .from(agent)
    .innerJoin(service, eq(service.agentId, agent.id))
    .where(and(eq(agent.accountId, accountId), hasWords(words, q)))
    .orderBy(...orderBy(newestFirst(service.createdAt, service.id)))
    .limit(most);
}

/** No word of a search spans two lines. */
const folded = (texts: SQL): SQL => sql`earnest.fold_text(concat_ws(chr(10), ${texts}))`;
