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

type Ordered<Name extends keyof SummarisedOrder> = Pick<SummarisedOrder, Name>;

/** The service of an order, with its title at the time of the order. */
export const orderedService = (order: Ordered<"serviceId" | "serviceSlug" | "serviceTitle">) => ({
  id: order.serviceId,
  slug: order.serviceSlug,
  title: order.serviceTitle,
});

/** The agent of an order, with its name at the time of the order. */
export const orderedAgent = (order: Ordered<"agentId" | "agentSlug" | "agentName">) => ({
  id: order.agentId,
  slug: order.agentSlug,
  name: order.agentName,
});

/** Summarises an order: the fields that the order in the API and each of its events share. */
export function summariseOrder(order: SummarisedOrder, status: OrderStatus) {
  return {
    id: order.id,
    reference: order.reference,
    service_id: order.serviceId,
    service: orderedService(order),
    agent_id: order.agentId,
    agent: orderedAgent(order),
    status,
    total_amount: formatAmount(order.amount, order.tokenDecimals),
    total_amount_base_units: order.amount.toString(),
    currency: order.tokenSymbol,
    arbiter: checksumAddress(order.arbiter),
  };
}
