import type { Agent, Earnest, Order, Service, SettlementRail } from "earnest-client";
import { compareAsked, readAgreed } from "earnest-client/buying/agreed";
import { getAddress } from "viem";

/**
 * Places an order, and compares its agreement with the service as it was shown: price, schemas, provider, windows, arbiter.
 *
 * @throws UntrustedOrderError where they differ; nothing was paid
 */
export async function placeOrder(
  client: Earnest,
  asked: {
    service: Service;
    agent: Agent;
    input: Record<string, unknown> | null;
    quantity: number;
    rail: SettlementRail;
    buyer: string;
    key: string;
  },
): Promise<Order> {
  const { service, agent, input, quantity, rail, buyer, key } = asked;
  const order = await client.orders.place(
    { service_id: service.id, quantity, input_payload: input, settlement_rail: rail, buyer_address: buyer },
    { idempotencyKey: key },
  );
  const agreed = readAgreed(order.id, order, await client.orders.getAgreement(order.id));
  compareAsked(agreed, { service, payoutWallet: getAddress(agent.payout_wallet ?? ""), input, quantity });
  return order;
}
