import { randomBytes } from "node:crypto";
import { typeid } from "typeid-js";
import { type Address, getAddress } from "viem";
import { createAgreement } from "../settlement/agreement.ts";
import { formatAmount } from "../settlement/money.ts";
import { depositAddressOf, digestOf, escrowIdOf } from "../settlement/terms.ts";
import type { Transaction } from "./client.ts";
import { type OrderRow, recordOrder } from "./ledger.ts";
import type { agent, JsonObject, service } from "./schema.ts";

export type ServiceRow = Omit<typeof service.$inferSelect, "search">;
export type AgentRow = Omit<typeof agent.$inferSelect, "search">;

/** The chain that an order settles on, as its deployment says. */
export type Venue = {
  chain_id: number;
  escrow_contract: Address;
  deposit_implementation: Address;
  token: { address: Address; symbol: string; decimals: number };
};

/** What buyer and provider agreed on; all of it was checked before. */
export type Deal = {
  buyerAccountId: string;
  buyer: Address;
  provider: Address;
  arbiter: Address;
  seller: AgentRow;
  offered: ServiceRow;
  quantity: number;
  /** base units of the token */
  unitPrice: bigint;
  deliveryTimeHours: number;
  inputPayload: JsonObject | null;
  settlementRail: "escrow" | "x402";
  /** what the order came of, told in its first step: a quote, or a subscription's period */
  origin?: { quote_id: string } | { subscription_id: string; period: number };
  /** the order's id where it is known already, so that the same order is never written twice */
  orderId?: string | undefined;
};

/**
 * Writes an order: freezes what is agreed, computes the escrow that would pay for it, and records the first fact. No
 * money moves.
 *
 * @param windows seconds
 */
export async function insertOrder(
  tx: Transaction,
  chain: Venue,
  windows: { fundingSeconds: number; disputeSeconds: number; appealSeconds: number },
  deal: Deal,
): Promise<OrderRow> {
  const { seller, offered, buyer, provider, arbiter, settlementRail } = deal;
  const placedAt = new Date();
  const id = deal.orderId ?? typeid("ord").toString();
  const agreed = {
    quantity: deal.quantity,
    unitPrice: deal.unitPrice,
    amount: deal.unitPrice * BigInt(deal.quantity),
    inputPayload: deal.inputPayload,
    inputSchema: offered.inputSchema,
    outputSchema: offered.outputSchema,
    chainId: chain.chain_id,
    escrowContract: chain.escrow_contract,
    fundBy: Math.floor(placedAt.getTime() / 1000) + windows.fundingSeconds,
    deliveryWindow: deal.deliveryTimeHours * 3600,
    acceptanceWindow: offered.acceptanceHours * 3600,
    disputeWindow: windows.disputeSeconds,
    appealWindow: windows.appealSeconds,
  };
  const parties = { buyer, provider, arbiter };
  const agreement = createAgreement({
    ...agreed,
    ...parties,
    orderId: id,
    agent: seller,
    service: offered,
    token: chain.token,
  });
  const orderHash = digestOf(agreement);
  const escrowId = escrowIdOf(chain.chain_id, chain.escrow_contract, {
    ...agreed,
    ...parties,
    token: chain.token.address,
    orderHash,
  });
  const placed = {
    id,
    buyerAccountId: deal.buyerAccountId,
    providerAccountId: seller.accountId,
    agentId: seller.id,
    serviceId: offered.id,
    settlementRail,
    ...agreed,
    agreement,
    buyerAddress: getAddress(buyer),
    providerAddress: getAddress(provider),
    arbiter: getAddress(arbiter),
    token: chain.token.address,
    tokenSymbol: chain.token.symbol,
    tokenDecimals: chain.token.decimals,
    orderHash,
    escrowId,
    depositAddress: depositAddressOf(chain.escrow_contract, chain.deposit_implementation, escrowId),
    createdAt: placedAt,
  };
  const created = {
    type: "order.created",
    actor: "buyer",
    key: `${id}:created`,
    occurredAt: placedAt,
    data: {
      amount: formatAmount(agreed.amount, chain.token.decimals),
      amount_base_units: agreed.amount.toString(),
      currency: chain.token.symbol,
      settlement_rail: settlementRail,
      funding_deadline: new Date(agreed.fundBy * 1000).toISOString(),
      order_hash: orderHash,
      ...deal.origin,
    },
  } as const;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const row = await recordOrder(tx, { ...placed, reference: createReference() }, created);
    if (row) return row;
  }
  throw new Error("No free order reference was found in five tries.");
}

/** Six of Crockford's characters, which have no I, L, O or U to mistake. */
function createReference(): string {
  const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return `E-${Array.from(randomBytes(6), (byte) => alphabet[byte % 32]).join("")}`;
}
