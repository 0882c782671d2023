import { type Database, prepareOnce, type Transaction } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import { account, order } from "../../db/schema.ts";
import { networkShare } from "../fair-shares/capacity-shares.ts";
import { Refusal } from "../refusal.ts";

/** The caps of unpaid orders: of one buyer, and of all buyers who have never paid, with one provider and in total. */
export type UnpaidCaps = { ofNewBuyer: number; ofBuyer: number; withProvider: number; inAll: number };

type Counted = { count: number; until: number | null };
export type UnpaidCounts = {
  own: Counted;
  hasPaid: boolean;
  withProvider: Counted;
  inAll: Counted;
  /** of accounts from the buyer's network, with the provider and in total */
  nearWithProvider: Counted;
  nearInAll: Counted;
};

/** The share of one network in the caps of buyers who never paid. */
const nearOf = ({ withProvider, inAll }: UnpaidCaps) => ({
  withProvider: networkShare(withProvider),
  inAll: networkShare(inAll),
});

/**
 * Selects the counts of unpaid orders of the account `buyerAccountId` as one value; null without caps. For an account
 * that has never paid, it also counts the orders of such accounts with the provider and in total. An index serves the
 * counts, up to the caps.
 *
 * @param providerAccountId a column of the statement, or a placeholder
 */
export function selectUnpaid(providerAccountId: SQL, caps: UnpaidCaps | null): SQL<UnpaidCounts | null> {
  if (!caps) return sql`null::json`;
  // A literal, not a parameter: PostgreSQL cannot cost a generic plan with an unknown limit, and would plan each
  // time.
  const count = (whose: SQL, cap: number, beside = sql``) => sql`(
    select json_build_object('count', count(*), 'until', min(unpaid.fund_by))
    from (
      select fund_by from ${order} as counted ${beside} where ${whose} and counted.status = 'created'
      limit ${sql.raw(String(Math.trunc(cap)))}) as unpaid)`;
  const near = nearOf(caps);
  const buyers = sql`join ${account} as near on near.id = counted.buyer_account_id and near.network = buyer.network`;
  return sql<UnpaidCounts | null>`(
    select json_build_object(
      'own', ${count(sql`counted.buyer_account_id = ${sql.placeholder("buyerAccountId")}`, caps.ofBuyer)},
      'hasPaid', buyer.has_paid,
      'withProvider', case when not buyer.has_paid
        then ${count(sql`counted.provider_account_id = ${providerAccountId}`, caps.withProvider)} end,
      'inAll', case when not buyer.has_paid then ${count(sql`true`, caps.inAll)} end,
      'nearWithProvider', case when not buyer.has_paid
        then ${count(sql`counted.provider_account_id = ${providerAccountId}`, near.withProvider, buyers)} end,
      'nearInAll', case when not buyer.has_paid then ${count(sql`true`, near.inAll, buyers)} end)
    from (
      select exists (
        select from ${order} as paid
        where paid.buyer_account_id = ${sql.placeholder("buyerAccountId")} and paid.funded_at is not null) as has_paid,
        (select network from ${account} as own where own.id = ${sql.placeholder("buyerAccountId")}) as network
    ) as buyer)`;
}

/** Prepares a statement once for each set of caps; see `prepareOnce`. */
export function prepareForCaps<Statement>(
  name: string,
  build: (db: Database | Transaction, caps: UnpaidCaps | null) => { prepare(name: string): Statement },
) {
  const made = new Map<string, (db: Database | Transaction) => Statement>();
  return (db: Database | Transaction, caps: UnpaidCaps | null): Statement => {
    const named = caps ? `${name}_${caps.ofBuyer}_${caps.withProvider}_${caps.inAll}` : name;
    const prepared = made.get(named) ?? prepareOnce(named, (one) => build(one, caps));
    made.set(named, prepared);
    return prepared(db);
  };
}

/**
 * Refuses an order if too many unpaid orders exist. Buyers who have never paid share a cap, with one provider and in
 * total. Buyers who have paid have no part in it, and one network has a bounded share. Simultaneous orders may exceed
 * the caps by their number.
 *
 * @throws Refusal `too_many_unpaid_orders`, with the seconds until the first unpaid order expires
 */
export async function requireBelowUnpaidCaps(
  tx: Transaction,
  accounts: { buyerAccountId: string; providerAccountId: string },
  caps: UnpaidCaps,
): Promise<void> {
  const [found] = await findUnpaid(tx, caps).execute(accounts);
  if (!found?.unpaid) throw new Error("The database counted nothing.");
  refuseTooManyUnpaid(found.unpaid, caps);
}

const findUnpaid = prepareForCaps("find_unpaid", (db, caps) =>
  db
    .select({ unpaid: selectUnpaid(sql`${sql.placeholder("providerAccountId")}`, caps).as("unpaid") })
    .from(sql`(values (1)) as one`),
);

/** Throws a refusal if a count of unpaid orders has reached its cap. */
export function refuseTooManyUnpaid(found: UnpaidCounts, caps: UnpaidCaps): void {
  const { own, hasPaid, withProvider, inAll, nearWithProvider, nearInAll } = found;
  const near = nearOf(caps);
  if (own.count >= caps.ofBuyer) throw tooMany(`You have ${own.count} unpaid orders`, own.until);
  if (hasPaid) return;
  if (own.count >= caps.ofNewBuyer)
    throw tooMany(`You have ${own.count} unpaid orders and have paid none`, own.until);
  if (withProvider.count >= caps.withProvider) {
    throw tooMany("This provider has too many unpaid orders of new buyers", withProvider.until);
  }
  if (inAll.count >= caps.inAll)
    throw tooMany("The market has too many unpaid orders of new buyers", inAll.until);
  if (nearWithProvider.count >= near.withProvider) {
    throw tooMany(
      "New buyers from your network have too many unpaid orders with this provider",
      nearWithProvider.until,
    );
  }
  if (nearInAll.count >= near.inAll)
    throw tooMany("New buyers from your network have too many unpaid orders", nearInAll.until);
}

function tooMany(what: string, until: number | null): Refusal {
  const seconds = Math.max(1, (until ?? 0) - Math.floor(Date.now() / 1000));
  const message = `${what}: pay some of them, or wait until some expire.`;
  return new Refusal("too_many_unpaid_orders", message, undefined, seconds);
}
