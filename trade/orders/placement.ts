import { randomBytes } from "node:crypto";
import { typeid } from "typeid-js";
import type { Config } from "../../config.ts";
import { readNow } from "../../db/chain.ts";
import type { Transaction } from "../../db/client.ts";
import { type OrderRow, recordFacts, recordOrder } from "../../db/ledger.ts";
import { writeAgreement } from "../../settlement/agreement.ts";
import { formatAmount } from "../../settlement/money.ts";
import { depositAddressOf, digestOf, escrowIdOf } from "../../settlement/terms.ts";
import { acceptanceHoursOf } from "../services/acceptance.ts";
import { approvalRequest } from "../spending/approval.ts";
import { recordSpending, requireToPlace } from "../spending/spending.ts";
import { checkParties } from "./parties.ts";
import { settlementChainOf } from "./settlement-chain.ts";
import type { AgreedTerms } from "./terms.ts";
import { requireRoom } from "./unpaid.ts";

/**
 * Writes an order, however it came about: checks its parties, freezes what is agreed, computes the escrow that would pay
 * for it, and records the first fact. It counts against the limits of the key that places it, and waits for approval where
 * these say so. No money moves.
 *
 * @throws SpendRefusal; Refusal `too_many_unpaid_orders`, `dependency_unavailable` where no chain is configured; PartiesRefused
 */
export async function writeOrder(
  tx: Transaction,
  config: Pick<Config, "defaultChain" | "unpaidOrders" | "windows">,
  terms: AgreedTerms,
): Promise<OrderRow> {
  const { windows, unpaidOrders } = config;
  const chain = settlementChainOf(config);
  const { agent, service, buyerAccountId, settlementRail } = terms;
  if (unpaidOrders)
    await requireRoom(tx, { buyerAccountId, providerAccountId: agent.accountId }, unpaidOrders);
  const parties = await checkParties(tx, chain, {
    serviceId: service.id,
    buyerAccountId,
    buyer: terms.buyer,
    arbiter: terms.arbiter,
  });
  const placedAt = new Date();
  const id = terms.orderId ?? typeid("ord").toString();
  const agreed = {
    quantity: terms.quantity,
    unitPrice: terms.unitPrice,
    amount: terms.unitPrice * BigInt(terms.quantity),
    inputPayload: terms.inputPayload,
    inputSchema: service.inputSchema,
    outputSchema: service.outputSchema,
    chainId: chain.chain_id,
    escrowContract: chain.escrow_contract,
    // The contract looks at the chain's clock, which on a local chain may have been turned forward.
    fundBy: Number(await readNow(tx, chain.chain_id)) + windows.fundingSeconds,
    deliveryWindow: terms.deliveryTimeHours * 3600,
    acceptanceWindow: acceptanceHoursOf(service, config) * 3600,
    disputeWindow: windows.disputeSeconds,
    appealWindow: windows.appealSeconds,
  };
  const waits = await requireToPlace(tx, terms.keyId, {
    agentId: agent.id,
    serviceId: service.id,
    token: chain.token,
    amount: agreed.amount,
  });
  const agreement = writeAgreement(
    { ...agreed, ...parties, orderId: id, agent, service, token: chain.token },
    terms.digests,
  );
  const orderHash = digestOf(agreement);
  const escrowId = escrowIdOf(chain.chain_id, chain.escrow_contract, {
    ...agreed,
    ...parties,
    token: chain.token.address,
    orderHash,
  });
  const placed = {
    id,
    buyerAccountId,
    providerAccountId: agent.accountId,
    agentId: agent.id,
    serviceId: service.id,
    settlementRail,
    ...agreed,
    agreement,
    buyerAddress: parties.buyer,
    providerAddress: parties.provider,
    arbiter: parties.arbiter,
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
      ...terms.origin,
    },
  } as const;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const row = await recordOrder(tx, { ...placed, reference: createReference() }, created);
    if (!row) continue;
    if (terms.keyId !== null) await recordSpending(tx, terms.keyId, row, true);
    if (!waits) return row;
    const { state } = await recordFacts(tx, row, [approvalRequest(id, placedAt)]);
    const { revisionRequested: _, ...columns } = state;
    return { ...row, ...columns };
  }
  throw new Error("No free order reference was found in five tries.");
}

/** Six of Crockford's characters, which have no I, L, O or U to mistake. */
function createReference(): string {
  const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return `E-${Array.from(randomBytes(6), (byte) => alphabet[byte % 32]).join("")}`;
}
