import { and, asc, eq, gt, type SQL, sql } from "drizzle-orm";
import { type Address, getAddress } from "viem";
import type { Database, Transaction } from "../../db/client.ts";
import { counterparty, order, orderOutcome, provenance, receipt, service } from "../../db/schema.ts";
import type { Outcome } from "../../reputation/outcome.ts";

/** Lines that are read at once of a long list. */
const page = 1000;

/** Outcomes with all that their public lines say, and their place in a list. */
export function selectOutcomes(db: Database | Transaction, position: SQL<string[]> = sql`null`) {
  return db
    .select({
      outcome: orderOutcome,
      position,
      service: service.slug,
      counterparty: counterparty.number,
      contract: order.escrowContract,
      escrowId: order.escrowId,
      receipts: sql<string[]>`array(
        select id from ${receipt} as r where r.order_id = ${orderOutcome.orderId} and r.revoked_at is null
        order by r.created_at, id limit 4)`,
      isChecked: sql<boolean>`exists (
        select from ${provenance} as p where p.provider_account_id = ${orderOutcome.providerAccountId}
          and p.buyer_address = ${orderOutcome.buyerAddress} and p.chain_id = ${orderOutcome.chainId}
          and p.token = ${orderOutcome.token} and p.checked_at >= ${orderOutcome.recordedAt})`,
    })
    .from(orderOutcome)
    .innerJoin(order, eq(order.id, orderOutcome.orderId))
    .innerJoin(service, eq(service.id, orderOutcome.serviceId))
    .innerJoin(
      counterparty,
      and(
        eq(counterparty.agentId, orderOutcome.agentId),
        eq(counterparty.buyerAccountId, orderOutcome.buyerAccountId),
      ),
    );
}

/** The public line of an outcome. */
export function presentOutcome({
  outcome,
  ...of
}: Awaited<ReturnType<typeof selectOutcomes>>[number]): Outcome {
  return {
    order_id: outcome.orderId,
    service: of.service,
    chain: `eip155:${outcome.chainId}`,
    contract: getAddress(of.contract),
    escrow_id: of.escrowId,
    provider: getAddress(outcome.providerAddress),
    buyer: getAddress(outcome.buyerAddress),
    token: getAddress(outcome.token as Address),
    token_decimals: outcome.tokenDecimals,
    amount: outcome.amount.toString(),
    released: outcome.released.toString(),
    refunded: outcome.refunded.toString(),
    receipts: of.receipts,
    funded_at: outcome.fundedAt.toISOString(),
    settled_at: outcome.settledAt.toISOString(),
    recorded_at: outcome.recordedAt.toISOString(),
    promised_seconds: outcome.promisedSeconds,
    delivered_at: outcome.deliveredAt?.toISOString() ?? null,
    ended: outcome.ended,
    dispute: outcome.dispute,
    disputed_by: outcome.disputedBy,
    disputed_at: outcome.disputedAt?.toISOString() ?? null,
    counterparty: `c${of.counterparty}`,
    apart: outcome.apart,
    // Whose money it was matters only where the provider was paid all of it.
    unchecked: outcome.apart === null && outcome.ended === "released" && !of.isChecked,
  };
}

/** All lines of an agent that were known at a moment, by time of settlement, however many there are. */
export async function* readOutcomes(
  db: Database | Transaction,
  agentId: string,
  asOf: Date,
): AsyncGenerator<Outcome> {
  const known = and(
    eq(orderOutcome.agentId, agentId),
    sql`${orderOutcome.recordedAt} <= ${asOf.toISOString()}::timestamptz`,
  );
  const after = (last: Outcome | undefined) =>
    last &&
    gt(
      sql`(${orderOutcome.settledAt}, ${orderOutcome.orderId})`,
      sql`(${last.settled_at}::timestamptz, ${last.order_id}::text)`,
    );
  for (let last: Outcome | undefined; ; ) {
    const rows = await selectOutcomes(db)
      .where(and(known, after(last)))
      .orderBy(asc(orderOutcome.settledAt), asc(orderOutcome.orderId))
      .limit(page);
    const lines = rows.map(presentOutcome);
    yield* lines;
    last = lines.at(-1);
    if (lines.length < page) return;
  }
}
