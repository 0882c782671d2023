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
import { compareRequest, readAgreed } from "earnest-client/buying/agreed";
import { getAddress } from "viem";

/**
 * Places an order and compares its agreement with the service that the user saw: price, schemas, provider, windows, arbiter.
 * A quote's price and delivery time replace the service's. A subscription places the order of the first period.
 *
 * @throws UntrustedOrderError if they differ; nothing was paid
 */
export async function placeOrder(
  client: Earnest,
  request: {
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
  const { agent, quote, input, quantity, rail, arbiter, buyer, key } = request;
  const service = quote ? quotedService(request.service, quote) : request.service;
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
  compareRequest(agreed, { service, payoutWallet, input, quantity }, arbiter);
  return order;
}

/** Subscribes to a service. Returns the order of the first period. */
async function subscribe(client: Earnest, body: SubscriptionRequest, key: string): Promise<Order> {
  const { latest_order_id } = await client.subscriptions.create(body, { idempotencyKey: key });
  return await client.orders.get(String(latest_order_id));
}

/** @throws UntrustedOrderError if the quote is for another service */
function quotedService(service: Service, quote: Quote): Service {
  if (service.id !== quote.service.id) {
    throw new UntrustedOrderError(null, "quote.service.id", service.id, quote.service.id);
  }
  const { price_base_units, delivery_time_hours } = quote;
  return { ...service, price_base_units, delivery_time_hours };
}
