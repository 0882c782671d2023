import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";
import { order } from "../../db/schema.ts";
import { Refusal } from "../refusal.ts";

/** Orders that nobody has paid yet: of one buyer, and of buyers who never paid any, with one provider and in all. */
export type UnpaidCaps = { ofNewBuyer: number; ofBuyer: number; withProvider: number; inAll: number };

/**
 * Refuses an order where too many unpaid ones stand already. What buyers who never paid any place, with one provider or
 * in all, takes no place from those who did: made-up accounts shut nobody out who is known to pay. Orders that are placed
 * at the same instant may exceed the caps by as many.
 *
 * @throws Refusal `too_many_unpaid_orders`, with the seconds until the first of them expires
 */
export async function requireRoom(
  tx: Transaction,
  { buyerAccountId, providerAccountId }: { buyerAccountId: string; providerAccountId: string },
  caps: UnpaidCaps,
): Promise<void> {
  const ofBuyer = eq(order.buyerAccountId, buyerAccountId);
  const own = await countUnpaid(tx, ofBuyer, caps.ofBuyer);
  if (own.count >= caps.ofBuyer)
    throw tooMany(`You have ${own.count} orders that nobody has paid`, own.until);

  const [paid] = await tx
    .select({ id: order.id })
    .from(order)
    .where(and(ofBuyer, sql`${order.fundedAt} is not null`))
    .limit(1);
  if (paid) return;
  if (own.count >= caps.ofNewBuyer)
    throw tooMany(`You have ${own.count} unpaid orders, and have paid none yet`, own.until);
  const withProvider = await countUnpaid(
    tx,
    eq(order.providerAccountId, providerAccountId),
    caps.withProvider,
  );
  if (withProvider.count >= caps.withProvider) {
    throw tooMany("This provider has as many unpaid orders of new buyers as it can", withProvider.until);
  }
  const all = await countUnpaid(tx, undefined, caps.inAll);
  if (all.count >= caps.inAll)
    throw tooMany("As many orders of new buyers as there may be wait for their money", all.until);
}

/** Counted in an index of what is unpaid, and no further than to the cap. */
async function countUnpaid(tx: Transaction, whose: ReturnType<typeof eq> | undefined, cap: number) {
  const some = tx
    .select({ fundBy: order.fundBy })
    .from(order)
    .where(and(whose, eq(order.status, "created")))
    .limit(cap)
    .as("some");
  const [found] = await tx
    .select({ count: sql<number>`count(*)::int`, until: sql<number | null>`min(${some.fundBy})::int` })
    .from(some);
  return found ?? { count: 0, until: null };
}

function tooMany(what: string, until: number | null): Refusal {
  const seconds = Math.max(1, (until ?? 0) - Math.floor(Date.now() / 1000));
  const message = `${what}: pay some of them, or wait until some expire.`;
  return new Refusal("too_many_unpaid_orders", message, undefined, seconds);
}
