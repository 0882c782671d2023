import type { Config } from "../../config/config.ts";
import type { NewOrder } from "../../db/new-order.ts";
import { writeAgreement } from "../../protocol/settlement/agreement.ts";
import { depositAddressOf, digestOf, escrowIdOf } from "../../protocol/settlement/terms.ts";
import { acceptanceWindowOf } from "../services/acceptance-window.ts";
import { requireAmountIn } from "../services/payment-token.ts";
import type { AgreedTerms } from "./order-terms.ts";
import type { Parties } from "./parties.ts";

/** An unwritten order, without a buyer's account. */
export type Draft = Omit<NewOrder, "buyerAccountId" | "reference" | "createdAt">;

/** The source of a draft: the agreed terms, the parties, the id and the funding deadline. */
export type DraftSource = {
  id: string;
  /** unix seconds */
  fundBy: number;
  terms: Omit<AgreedTerms, "buyerAccountId" | "keyId" | "buyer" | "arbiter">;
  parties: Parties;
};

/**
 * Freezes the agreed terms and computes the order's escrow. Deterministic; writes nothing.
 *
 * @throws Refusal `invalid_state` if the token cannot pay the price exactly
 */
export function draftOrder(
  config: Pick<Config, "defaultChain" | "windows">,
  { id, fundBy, terms, parties }: DraftSource,
): Draft {
  const { windows } = config;
  const { agent, service, settlementRail, paidIn } = terms;
  const { chain, token } = paidIn;
  const unitPrice = requireAmountIn(config, terms.price, paidIn);
  const agreed = {
    quantity: terms.quantity,
    stages:
      terms.stages?.map((stage) => ({
        ...stage,
        amount: requireAmountIn(config, BigInt(stage.amount), paidIn).toString(),
      })) ?? null,
    unitPrice,
    amount: unitPrice * BigInt(terms.quantity),
    inputPayload: terms.inputPayload,
    inputSchema: service.inputSchema,
    outputSchema: service.outputSchema,
    chainId: chain.chain_id,
    escrowContract: chain.escrow_contract,
    fundBy,
    deliveryWindow: terms.deliveryTimeHours * 3600,
    acceptanceWindow: acceptanceWindowOf(service, chain),
    disputeWindow: windows.disputeSeconds,
    appealWindow: windows.appealSeconds,
  };
  const agreement = writeAgreement(
    { ...agreed, ...parties, orderId: id, agent, service, token },
    terms.digests,
  );
  const orderHash = digestOf(agreement);
  const escrowId = escrowIdOf(chain.chain_id, chain.escrow_contract, {
    ...agreed,
    ...parties,
    token: token.address,
    orderHash,
  });
  return {
    id,
    providerAccountId: agent.accountId,
    agentId: agent.id,
    serviceId: service.id,
    agentSlug: agent.slug,
    agentName: agent.name,
    serviceSlug: service.slug,
    serviceTitle: service.title,
    pricingModel: service.pricingModel,
    settlementRail,
    ...agreed,
    agreement,
    buyerAddress: parties.buyer,
    providerAddress: parties.provider,
    arbiter: parties.arbiter,
    token: token.address,
    tokenSymbol: token.symbol,
    tokenDecimals: token.decimals,
    currency: token.currency ?? token.symbol,
    orderHash,
    escrowId,
    depositAddress: depositAddressOf(chain.escrow_contract, chain.deposit_implementation, escrowId),
  };
}
