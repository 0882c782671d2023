import { type Address, getAddress } from "viem";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, type SQL, sql } from "../../db/drizzle.ts";
import { counterparty, order, orderOutcome, provenance, receipt, service } from "../../db/schema.ts";
import { isPaid, type Outcome } from "../../protocol/reputation/public-outcome.ts";
import { shownService } from "../visibility.ts";

/** Selects settlement outcomes with the columns of their public lines and their position in a list. */
export function selectOutcomes(db: Database | Transaction, position: SQL<string> = sql`null`) {
  return db
    .select({
      outcome: orderOutcome,
      position,
      service: shownService.slug,
      counterparty: counterparty.number,
      contract: order.escrowContract,
      escrowId: order.escrowId,
      receipts: sql<string[]>`array(
        select id from ${receipt} as r where r.order_id = ${orderOutcome.orderId} and r.revoked_at is null
          and r.claim <> 'part_released'
        order by r.created_at, id limit 4)`,
      isChecked: sql<boolean>`exists (
        select from ${provenance} as p where p.provider_account_id = ${orderOutcome.providerAccountId}
          and p.wallet = ${orderOutcome.wallet} and p.chain_id = ${orderOutcome.chainId}
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

/** Presents the public line of a settlement outcome. */
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
    wallet: getAddress(outcome.wallet),
    token: getAddress(outcome.token as Address),
    token_decimals: outcome.tokenDecimals,
    currency: outcome.currency,
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
    unchecked: outcome.apart === null && isPaid(outcome) && !of.isChecked,
  };
}
