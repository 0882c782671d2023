import type {
  AcceptedToken,
  Agent,
  Earnest,
  Order,
  Quote,
  Service,
  SettlementRail,
  SubscriptionRequest,
} from "earnest-client";
import { UntrustedOrderError } from "earnest-client";
import { type AgreedOrder, compareRequest, readAgreed } from "earnest-client/buying/agreement-check";
import { getAddress } from "viem";
import { findToken, paysIn } from "../settings.ts";
import type { Payable } from "./pay-with.tsx";

/**
 * Places an order and compares its agreement with the service that the user saw: token, price, schemas, provider, windows, arbiter.
 * A quote's price, delivery time and stages replace the service's. A subscription places the order of the first period.
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
    /** the token of the order, as the user saw it */
    payable: Pick<Payable, "accepted">;
    buyer: string;
    key: string;
  },
): Promise<Order> {
  const { agent, quote, input, quantity, rail, arbiter, buyer, key } = request;
  const { accepted } = request.payable;
  const { acceptance_hours, arbiters } = accepted;
  // An order follows the rules of the chain on which it settles.
  const service = {
    ...(quote ? quotedService(request.service, quote) : request.service),
    acceptance_hours,
    arbiters,
  };
  const body = {
    input_payload: input,
    settlement_rail: rail,
    buyer_address: buyer,
    pay_with: { chain_id: accepted.chain_id, token: accepted.token },
    ...(arbiter ? { arbiter } : {}),
  };
  const order = await (quote
    ? client.quotes.accept(quote.id, body, { idempotencyKey: key })
    : service.pricing_model === "subscription"
      ? subscribe(client, { ...body, service_id: service.id }, key)
      : client.orders.place({ ...body, service_id: service.id, quantity }, { idempotencyKey: key }));
  const agreed = readAgreed(order.id, order, await client.orders.getAgreement(order.id));
  const payoutWallet = getAddress(agent.payout_wallet ?? "");
  compareToken(agreed, accepted, quote?.currency ?? service.price_currency);
  const quoted = quote && { quoted: { price: quote.price, currency: quote.currency } };
  const { decimals } = accepted;
  compareRequest(agreed, { service, payoutWallet, input, quantity, ...quoted }, { decimals, arbiter });
  return order;
}

/**
 * Compares the agreement's token with the one that the user chose, which has to be worth the currency of the price.
 *
 * @throws UntrustedOrderError if they differ
 */
function compareToken(
  { orderId, chainId, terms, agreement }: AgreedOrder,
  accepted: AcceptedToken,
  currency: string,
): void {
  const served = findToken(accepted.chain_id, accepted.token);
  if (!served || !paysIn(served, currency))
    throw new UntrustedOrderError(orderId, "service.accepts", currency, accepted.symbol);
  const { symbol, decimals } = agreement.token as { symbol: string; decimals: number };
  const pairs = [
    ["chain", accepted.chain_id, chainId],
    ["token.address", accepted.token, terms.token],
    ["token.symbol", accepted.symbol, symbol],
    ["token.decimals", accepted.decimals, decimals],
  ] as const;
  for (const [field, expected, found] of pairs) {
    if (expected !== found) throw new UntrustedOrderError(orderId, `agreement.${field}`, expected, found);
  }
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
  const { delivery_time_hours, stages } = quote;
  return { ...service, delivery_time_hours, stages };
}
