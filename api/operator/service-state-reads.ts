import type { Database } from "../../db/client.ts";
import { and, asc, desc, eq, sql } from "../../db/drizzle.ts";
import { order, webhookDelivery, webhookEndpoint } from "../../db/schema.ts";
import { firstIdSince } from "../../protocol/facts/ids.ts";

/** The most rows of a queue or of a day that are counted, so that no count takes long. */
export const mostCounted = 10_000;
/** The most disputes and failed deliveries that are listed. */
const mostListed = 20;
/** The days of growth, today among them. */
export const growthDays = 14;

/**
 * The queues of the service with their waiting rows. The work of a row is due from its time on. An index
 * reads the waiting rows in the order of the time, so the oldest row is counted.
 */
const queues = {
  relays: `select queued_at as due from earnest.relay where status in ('queued', 'signed') and key not like 'batch:%' order by queued_at`,
  executions: `select next_attempt_at as due from earnest.execution where status = 'pending' order by next_attempt_at`,
  webhooks: `select next_attempt_at as due from earnest.webhook_delivery where status = 'pending' order by next_attempt_at`,
  mail: `select next_attempt_at as due from earnest.mail_message where status = 'pending' order by next_attempt_at`,
  log: `select created_at as due from earnest.log_queue where refused is null order by position`,
  tasks: `select run_at as due from graphile_worker.jobs order by run_at`,
} as const;
export const queueNames = Object.keys(queues) as (keyof typeof queues)[];

/** Counts the waiting rows of each queue, and those that are due, with the age of the oldest. Counts end at `most`. */
export async function readQueues(db: Database, most = mostCounted) {
  const parts = queueNames.map(
    (name) => sql`
      select ${name}::text as name, count(*)::int as waiting, (count(*) filter (where due <= now()))::int as due,
        greatest(0, coalesce(extract(epoch from now() - min(due)), 0))::float as age
      from (${sql.raw(queues[name])} limit ${most}) as waiting`,
  );
  const { rows } = await db.execute<{
    name: (typeof queueNames)[number];
    waiting: number;
    due: number;
    age: number;
  }>(sql.join(parts, sql` union all `));
  return rows;
}

/** Reads the disputes whose arbiters have the least time left. */
export async function readOldestDisputes(db: Database) {
  return db
    .select({
      id: order.id,
      reference: order.reference,
      chainId: order.chainId,
      disputedAt: order.disputedAt,
      decideBy: sql<string>`${order.disputedAt} + make_interval(secs => ${order.disputeWindow})`.mapWith(
        (value: string | Date) => new Date(value),
      ),
    })
    .from(order)
    .where(eq(order.status, "disputed"))
    .orderBy(asc(order.disputedAt), asc(order.id))
    .limit(mostListed);
}

/** Reads the newest webhook deliveries that failed for good, without their bodies. */
export async function readFailedDeliveries(db: Database) {
  return db
    .select({
      id: webhookDelivery.id,
      type: webhookDelivery.type,
      host: webhookEndpoint.host,
      endpointStatus: webhookEndpoint.status,
      attempts: webhookDelivery.attempts,
      lastStatusCode: webhookDelivery.lastStatusCode,
      createdAt: webhookDelivery.createdAt,
    })
    .from(webhookDelivery)
    .innerJoin(webhookEndpoint, eq(webhookEndpoint.id, webhookDelivery.endpointId))
    .where(eq(webhookDelivery.status, "failed"))
    .orderBy(desc(webhookDelivery.createdAt), desc(webhookDelivery.id))
    .limit(mostListed);
}

/** Finds a webhook delivery with its endpoint. */
export async function findDelivery(db: Database, id: string) {
  const [found] = await db
    .select({ endpoint: webhookEndpoint, status: webhookDelivery.status })
    .from(webhookDelivery)
    .innerJoin(webhookEndpoint, eq(webhookEndpoint.id, webhookDelivery.endpointId))
    .where(and(eq(webhookDelivery.id, id)));
  return found;
}

const grown = {
  accounts: ["account", "acc"],
  agents: ["agent", "agt"],
  services: ["service", "svc"],
  orders: ["order", "ord"],
} as const;
const dayMilliseconds = 86_400_000;

/**
 * Counts what was made on each of the last days (UTC), the newest first. Ids are ordered by time, so the primary key alone
 * answers, and each count ends at `mostCounted`.
 */
export async function readGrowth(db: Database, now = Date.now()) {
  const today = Math.floor(now / dayMilliseconds) * dayMilliseconds;
  const days = Array.from({ length: growthDays }, (_, at) => today - at * dayMilliseconds);
  const countOf = ([table, prefix]: readonly [string, string], day: number) => sql`(
    select count(*)::int from (
      select from earnest.${sql.identifier(table)}
      where id >= ${firstIdSince(prefix, day)} and id < ${firstIdSince(prefix, day + dayMilliseconds)}
      limit ${mostCounted}) as made)`;
  const parts = days.map(
    (day) => sql`
      select ${new Date(day).toISOString().slice(0, 10)}::text as day, ${countOf(grown.accounts, day)} as accounts,
        ${countOf(grown.agents, day)} as agents, ${countOf(grown.services, day)} as services,
        ${countOf(grown.orders, day)} as orders`,
  );
  const { rows } = await db.execute<{
    day: string;
    accounts: number;
    agents: number;
    services: number;
    orders: number;
  }>(sql.join(parts, sql` union all `));
  return rows;
}
