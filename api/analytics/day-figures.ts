import type { PgColumn } from "drizzle-orm/pg-core";
import { type Address, getAddress } from "viem";
import type { Database } from "../../db/client.ts";
import { and, asc, between, desc, eq, inArray, or, type SQL, sql } from "../../db/drizzle.ts";
import { agent, deliveryDay, orderDay, scoreDay, settlementDay, webhookDay } from "../../db/schema.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { type OrderStatus, orderStatuses, type Party } from "../../protocol/settlement/vocabulary.ts";
import type { Days } from "./analytics-query.ts";

/** The extent of the figures: an account, its days, and the agent whose sales count, or null for all. */
export type Extent = Days & { accountId: string; agentId: string | null };

/** The most agents whose scores an answer has. */
const mostAgents = 10;

type Counted = { accountId: PgColumn; day: PgColumn };

function isWithin(table: Counted, { accountId, since, until }: Extent): SQL | undefined {
  return and(eq(table.accountId, accountId), between(table.day, since, until));
}

const isOfAgent = (column: PgColumn, { agentId }: Extent) =>
  agentId === null ? undefined : eq(column, agentId);

/** Reads revenue and spending by day and token. */
export async function readMoney(db: Database, extent: Extent) {
  const { day, role, claim, chainId, token, tokenSymbol, tokenDecimals, amount, settlements } = settlementDay;
  const isSale = and(eq(role, "provider"), isOfAgent(settlementDay.agentId, extent));
  const group = [day, role, chainId, token, tokenSymbol, tokenDecimals];
  const sumOf = (name: string) =>
    sql<string>`coalesce(sum(${amount}) filter (where ${claim} = ${name}), 0)::text`;
  const rows = await db
    .select({
      day,
      role,
      chainId,
      token,
      tokenSymbol,
      tokenDecimals,
      funded: sumOf("funded"),
      released: sumOf("released"),
      refunded: sumOf("refunded"),
      settlements: sql<number>`sum(${settlements})::int`,
    })
    .from(settlementDay)
    .where(and(isWithin(settlementDay, extent), or(eq(role, "buyer"), isSale)))
    .groupBy(...group)
    .having(sql`sum(${settlements}) > 0`)
    .orderBy(...group);
  const tokenOf = (row: { chainId: number; token: Address; tokenSymbol: string }) => ({
    chain_id: row.chainId,
    token_address: getAddress(row.token),
    currency: row.tokenSymbol,
  });
  const shown = (baseUnits: string, decimals: number) => formatAmount(BigInt(baseUnits), decimals);
  const rowsOf = (party: Party) => rows.filter((row) => row.role === party);
  return {
    revenue: rowsOf("provider").map(({ day, released, settlements, tokenDecimals, ...row }) => ({
      day,
      ...tokenOf(row),
      amount: shown(released, tokenDecimals),
      amount_base_units: released,
      releases: settlements,
    })),
    spending: rowsOf("buyer").map(({ day, funded, refunded, tokenDecimals, ...row }) => ({
      day,
      ...tokenOf(row),
      paid: shown(funded, tokenDecimals),
      paid_base_units: funded,
      refunded: shown(refunded, tokenDecimals),
      refunded_base_units: refunded,
    })),
  };
}

/** Counts the orders that were placed in the days, by their status now: the sales and the purchases. */
export async function readOrders(db: Database, extent: Extent) {
  const { role, status, orders } = orderDay;
  const isSale = and(eq(role, "provider"), isOfAgent(orderDay.agentId, extent));
  const rows = await db
    .select({ role, status, orders: sql<number>`sum(${orders})::int` })
    .from(orderDay)
    .where(and(isWithin(orderDay, extent), or(eq(role, "buyer"), isSale)))
    .groupBy(role, status);
  const countsOf = (party: Party) => countByStatus(rows.filter((row) => row.role === party));
  return { sales: countsOf("provider"), purchases: countsOf("buyer") };
}

function countByStatus(rows: readonly { status: OrderStatus; orders: number }[]) {
  const counts = new Map(rows.map((row) => [row.status, row.orders]));
  const by_status = Object.fromEntries(orderStatuses.map((name) => [name, counts.get(name) ?? 0])) as Record<
    OrderStatus,
    number
  >;
  const placed = rows.reduce((sum, row) => sum + row.orders, 0);
  return {
    placed,
    paid: placed - by_status.created - by_status.expired,
    completed: by_status.released,
    by_status,
  };
}

/** Reads how the settled orders of the days were delivered. */
export async function readDeliveries(db: Database, extent: Extent) {
  const { delivery, step, orders } = deliveryDay;
  const rows = await db
    .select({ delivery, step, orders: sql<number>`sum(${orders})::int` })
    .from(deliveryDay)
    .where(and(isWithin(deliveryDay, extent), isOfAgent(deliveryDay.agentId, extent)))
    .groupBy(delivery, step)
    .orderBy(asc(step));
  const countOf = (name: string) =>
    rows.reduce((sum, row) => (row.delivery === name ? sum + row.orders : sum), 0);
  const [onTime, late, none] = [countOf("on_time"), countOf("late"), countOf("none")];
  return {
    on_time: onTime,
    late,
    not_delivered: none,
    on_time_percent: percentOf(onTime, onTime + late + none),
    median_seconds: rankOf(50),
    p90_seconds: rankOf(90),
  };

  /** The longest time of the step at the nearest rank, as `earnest.duration_step` makes steps. */
  function rankOf(percent: number): number | null {
    const rank = Math.ceil(((onTime + late) * percent) / 100);
    let seen = 0;
    for (const row of rows) {
      seen += row.step === null ? 0 : row.orders;
      if (row.step !== null && row.orders > 0 && seen >= rank) return Math.floor(2 ** (row.step / 8) - 1);
    }
    return null;
  }
}

export async function readWebhooks(db: Database, extent: Extent) {
  const [row] = await db
    .select({
      succeeded: sql<number>`coalesce(sum(${webhookDay.succeeded}), 0)::int`,
      failed: sql<number>`coalesce(sum(${webhookDay.failed}), 0)::int`,
    })
    .from(webhookDay)
    .where(isWithin(webhookDay, extent));
  const { succeeded, failed } = row ?? { succeeded: 0, failed: 0 };
  return { succeeded, failed, success_percent: percentOf(succeeded, succeeded + failed) };
}

/** Reads the scores of the agent, or of those agents of the account that have completed the most orders. */
export async function readScores(db: Database, { accountId, agentId, since, until }: Extent) {
  const agents = db
    .select({ id: agent.id })
    .from(agent)
    .where(and(eq(agent.accountId, accountId), agentId === null ? undefined : eq(agent.id, agentId)))
    .orderBy(desc(agent.completedOrders), agent.id)
    .limit(mostAgents);
  const { day, score, upper, orders } = scoreDay;
  const { id, slug, name } = agent;
  const rows = await db
    .select({ agent: { id, slug, name }, of: { day, score, upper, orders } })
    .from(scoreDay)
    .innerJoin(agent, eq(agent.id, scoreDay.agentId))
    .where(and(inArray(scoreDay.agentId, agents), between(day, since, until)))
    .orderBy(agent.id, day);
  return [...Map.groupBy(rows, ({ agent: { id } }) => id).values()].flatMap((group) =>
    group[0] ? [{ agent: group[0].agent, days: group.map(({ of }) => of) }] : [],
  );
}

/** The percentage of a part, rounded down; null of nothing. */
function percentOf(part: number, all: number): number | null {
  return all === 0 ? null : Math.floor((100 * part) / all);
}
