import { type Address, checksumAddress } from "viem";
import { formatAmount } from "../settlement/money.ts";
import type { OrderStatus } from "../settlement/vocabulary.ts";

/** The fields of an order that its summary needs; the amount in base units. */
export type SummarisedOrder = {
  id: string;
  reference: string;
  serviceId: string;
  agentId: string;
  agentSlug: string;
  agentName: string;
  serviceSlug: string;
  serviceTitle: string;
  amount: bigint;
  tokenDecimals: number;
  tokenSymbol: string;
  arbiter: Address;
};

/** Summarises an order: the fields that the order in the API and each of its events share. */
export function summariseOrder(order: SummarisedOrder, status: OrderStatus) {
  return {
    id: order.id,
    reference: order.reference,
    service_id: order.serviceId,
    service: { id: order.serviceId, slug: order.serviceSlug, title: order.serviceTitle },
    agent_id: order.agentId,
    agent: { id: order.agentId, slug: order.agentSlug, name: order.agentName },
    status,
    total_amount: formatAmount(order.amount, order.tokenDecimals),
    total_amount_base_units: order.amount.toString(),
    currency: order.tokenSymbol,
    arbiter: checksumAddress(order.arbiter),
  };
}
