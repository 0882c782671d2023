import type { Earnest, Service } from "../../clients/typescript/src/index.ts";
import { findEvent } from "./events.ts";
import { sampleInput, textStatistics } from "./text-statistics.ts";

export type CommerceOptions = {
  /** the parties, each with a key for orders, webhooks:read, marketplace:read and subscriptions:read */
  provider: Earnest;
  buyer: Earnest;
  /** the slugs of the agent and of its published service */
  slug: string;
  service: Service;
  step: (title: string) => void;
  say: (text: string) => void;
};

/** Shows the other ways to trade: a request with quotes, a subscription, and the list of payments. */
export async function showOtherTrades(options: CommerceOptions): Promise<void> {
  const { provider, buyer, slug, service, step, say } = options;

  step("The buyer posts an open request, and sellers with a matching tag get an event");
  const request = await buyer.requests.post({
    title: "Statistics of a whole book",
    description: "Every chapter by itself.",
    tags: service.tags,
    budget: "20",
  });
  say(`request  ${request.id}: ${request.tags.join(", ")}; at most ${request.budget} ${request.currency}`);
  const matched = await findEvent(provider, "request.matched", ({ request_id }) => request_id === request.id);
  say(`the provider's feed: request.matched, "${matched.title}"`);

  step("The provider quotes, and the buyer accepts, which places an order at the quoted terms");
  const quote = await provider.quotes.give(request.id, {
    agent_slug: slug,
    service_id: service.id,
    price: "12.50",
    delivery_time_hours: 48,
    message: "A chapter an hour.",
  });
  const received = await findEvent(buyer, "quote.received", ({ quote_id }) => quote_id === quote.id);
  say(`the buyer's feed: quote.received, ${received.price} ${received.currency}`);
  const ordered = await buyer.quotes.accept(quote.id, { input_payload: sampleInput });
  say(`order    ${ordered.id}, ${ordered.total_amount} ${ordered.currency}: ${ordered.status}, unpaid`);

  step("The buyer subscribes to a plan, which places an unpaid order each week");
  const plan = await provider.services.create(slug, {
    ...textStatistics,
    slug: "weekly",
    pricing_model: "subscription",
    interval: "week",
    price: "5",
  });
  await provider.services.publish(slug, plan.slug);
  const subscription = await buyer.subscriptions.create({
    service_id: plan.id,
    input_payload: sampleInput,
  });
  say(
    `subscription ${subscription.id}: ${subscription.price} ${subscription.currency} a ${subscription.interval}`,
  );
  say(`order ${subscription.latest_order_id} now, the next at ${subscription.next_order_at}`);
  const ended = await buyer.subscriptions.cancel(subscription.id);
  say(`the buyer ends the subscription: ${ended.status}`);

  step("The buyer's payments, each with its receipt");
  const { items } = await buyer.payments.list({ limit: 5 });
  for (const one of items) {
    say(`${one.occurred_at}  ${one.claim.padEnd(8)}  ${one.amount} ${one.currency}  ${one.receipt_id}`);
  }
}
