import type { Database } from "../../db/client.ts";
import { and, eq, inArray, or, type SQL, sql } from "../../db/drizzle.ts";
import { order, tradedService } from "../../db/schema.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { hasWords } from "../http/word-match.ts";
import { type OwnOrders, ownerColumns } from "./order-filters.ts";

/** The fewest characters of a reference that are searched for. Fewer are the beginning of too many other accounts' references. */
const fewestCharacters = 3;
const referencePart = new RegExp(`^(?:E-)?([0-9A-HJKMNP-TV-Z]{${fewestCharacters},6})$`);

/** The most orders that one beginning of a reference finds. */
const mostReferences = 100;

/**
 * Finds which orders of an account a text names: an order's id, the beginning of a reference, or words of the names that its
 * orders have.
 *
 * @returns the condition for these orders; undefined if all orders match
 */
export async function findMatchingOrders(db: Database, own: OwnOrders, q: string): Promise<SQL | undefined> {
  const [ids, names] = await Promise.all([findIds(db, own, q), findNames(db, own, q)]);
  if (names === "all") return undefined;
  return or(ids.length > 0 ? inArray(order.id, ids) : undefined, names) ?? sql`false`;
}

async function findIds(db: Database, { accountId, side }: OwnOrders, q: string): Promise<string[]> {
  const named = isId("ord", q) ? eq(order.id, q) : hasReference(q);
  if (!named) return [];
  const rows = await db
    .select({ id: order.id })
    .from(order)
    .where(and(named, eq(ownerColumns[side], accountId)))
    .limit(mostReferences);
  return rows.map(({ id }) => id);
}

/** References have none of the letters I, L and O. People who type these letters mean 1 and 0. */
function hasReference(q: string): SQL | undefined {
  const text = q.toUpperCase().replaceAll(/[IL]/g, "1").replaceAll("O", "0");
  const part = referencePart.exec(text)?.[1];
  // The characters of a reference have no meaning in a pattern.
  return part === undefined ? undefined : sql`${order.reference} like ${`E-${part}%`}`;
}

/** Finds the traded services whose title and agent's name have each word. */
async function findNames(
  db: Database,
  { accountId, side }: OwnOrders,
  q: string,
): Promise<SQL | "all" | undefined> {
  const own = and(eq(tradedService.accountId, accountId), eq(tradedService.side, side));
  const has = hasWords(sql`${tradedService.words}`, q);
  const { rows } = await db.execute<{ service_id: string; is_whole: boolean; is_every: boolean }>(sql`
    select service_id, is_whole, matching = total as is_every
    from (
      select service_id, bool_and(has) as is_whole, bool_or(has) as is_found,
        sum(count(*) filter (where has)) over () as matching, sum(count(*)) over () as total
      from (select ${tradedService.serviceId} as service_id, ${has} as has from ${tradedService} where ${own}) as named
      group by service_id) as of_service
    where is_found`);
  if (rows.length === 0) return undefined;
  if (rows[0]?.is_every) return "all";
  const services = inArray(
    order.serviceId,
    rows.map(({ service_id }) => service_id),
  );
  if (rows.every(({ is_whole }) => is_whole)) return services;
  // A service has had several names, and the words are in some of them.
  return and(
    services,
    sql`exists (
      select from ${tradedService} where ${own} and ${tradedService.serviceId} = ${order.serviceId}
        and ${tradedService.serviceTitle} = ${order.serviceTitle} and ${tradedService.agentName} = ${order.agentName}
        and ${has})`,
  );
}
