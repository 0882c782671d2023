import type {
  Agent,
  Earnest,
  Order,
  Quote,
  Service,
  SettlementRail,
  SubscriptionRequest,
} from "earnest-client";
import { UntrustedOrderError } from "earnest-client";
import { compareAsked, readAgreed } from "earnest-client/buying/agreed";
import { getAddress } from "viem";

/**
 * Places an order, and compares its agreement with the service as it was shown: price, schemas, provider, windows, arbiter. Where
 * a quote is accepted, its price and its time count instead of the service's. Of a plan it is the first period's order.
 *
 * @throws UntrustedOrderError where they differ; nothing was paid
 */
export async function placeOrder(
  client: Earnest,
  asked: {
    service: Service;
    agent: Agent;
    quote?: Quote | undefined;
    input: Record<string, unknown> | null;
    quantity: number;
    rail: SettlementRail;
    arbiter: string | undefined;
    buyer: string;
    key: string;
  },
): Promise<Order> {
  const { agent, quote, input, quantity, rail, arbiter, buyer, key } = asked;
  const service = quote ? quotedService(asked.service, quote) : asked.service;
  const body = {
    input_payload: input,
    settlement_rail: rail,
    buyer_address: buyer,
    ...(arbiter ? { arbiter } : {}),
  };
  const order = await (quote
    ? client.quotes.accept(quote.id, body, { idempotencyKey: key })
    : service.pricing_model === "subscription"
      ? subscribe(client, { ...body, service_id: service.id }, key)
      : client.orders.place({ ...body, service_id: service.id, quantity }, { idempotencyKey: key }));
  const agreed = readAgreed(order.id, order, await client.orders.getAgreement(order.id));
  const payoutWallet = getAddress(agent.payout_wallet ?? "");
  compareAsked(agreed, { service, payoutWallet, input, quantity }, arbiter);
  return order;
}

/** Subscribes to a plan. Returns the order of the first period, which is placed with it. */
async function subscribe(client: Earnest, body: SubscriptionRequest, key: string): Promise<Order> {
  const { latest_order_id } = await client.subscriptions.create(body, { idempotencyKey: key });
  return await client.orders.get(String(latest_order_id));
}

/** @throws UntrustedOrderError where the quote is of another service */
function quotedService(service: Service, quote: Quote): Service {
  if (service.id !== quote.service.id) {
    throw new UntrustedOrderError(null, "quote.service.id", service.id, quote.service.id);
  }
  const { price_base_units, delivery_time_hours } = quote;
  return { ...service, price_base_units, delivery_time_hours };
}
