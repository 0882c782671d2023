import { randomBytes } from "node:crypto";
import { typeid } from "typeid-js";
import { zeroAddress } from "viem";
import type { Chain } from "../../../config/config.ts";
import type { Database } from "../../../db/client.ts";
import { lockOrder, recordFacts } from "../../../db/ledger.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { order } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { depositAddressOf, digestOf, escrowIdOf, termsOf } from "../../../protocol/settlement/terms.ts";
import type { Session } from "../../harness/api.ts";
import { amount, type Life } from "./plan.ts";

export type Parties = {
  buyer: Session;
  provider: Session;
  arbiter: Session;
  agentId: string;
  serviceId: string;
};

/**
 * Places an order for each life as the API would, in one transaction, with windows that no service may
 * have.
 */
export function placeOrders(
  db: Database,
  chain: Chain,
  { buyer, provider, arbiter, agentId, serviceId }: Parties,
  lives: Life[],
  now: number,
): Promise<OrderRow[]> {
  const { chain_id: chainId, escrow_contract: escrowContract, token } = chain;
  const rows = lives.map((life) => {
    const id = typeid("ord").toString();
    const agreement = { order_id: id };
    const terms = {
      buyerAddress: buyer.account.address,
      providerAddress: provider.account.address,
      token: token.address,
      amount,
      fundBy: now + life.funding,
      deliveryWindow: life.delivery,
      acceptanceWindow: life.acceptance,
      disputeWindow: life.dispute,
      appealWindow: life.appeal,
      arbiter: life.arbitrated ? arbiter.account.address : zeroAddress,
      orderHash: digestOf(agreement),
    };
    const escrowId = escrowIdOf(chainId, escrowContract, termsOf(terms));
    return {
      ...terms,
      id,
      reference: `E-${randomBytes(6).toString("hex")}`,
      buyerAccountId: buyer.accountId,
      providerAccountId: provider.accountId,
      agentId,
      serviceId,
      agentSlug: "agent",
      agentName: "Agent",
      serviceSlug: "work",
      serviceTitle: "Work",
      settlementRail: "escrow" as const,
      pricingModel: "fixed",
      quantity: 1,
      unitPrice: amount,
      agreement,
      chainId,
      escrowContract,
      tokenSymbol: token.symbol,
      tokenDecimals: token.decimals,
      currency: token.symbol,
      escrowId,
      depositAddress: depositAddressOf(escrowContract, chain.deposit_implementation, escrowId),
      status: "created",
    };
  });
  return inTransaction(db, async (tx) => {
    const placed = await tx.insert(order).values(rows).returning();
    for (const { id } of placed) {
      const row = (await lockOrder(tx, id)) as OrderRow;
      const created = { type: "order.created", actor: "buyer", key: `${id}:created` } as const;
      await recordFacts(tx, row, [{ ...created, occurredAt: new Date() }]);
    }
    return placed;
  });
}
