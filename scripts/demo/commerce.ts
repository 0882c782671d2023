import type { Client } from "./client.ts";
import { sampleInput, textStatistics } from "./text-statistics.ts";

export type CommerceOptions = {
  /** each with a key for orders, webhooks:read, marketplace:read and subscriptions:read */
  provider: Client;
  buyer: Client;
  /** the agent's, and a published service of it */
  slug: string;
  service: { id: string; tags: string[] };
  waitFor: <T>(what: string, ask: () => Promise<T>) => Promise<Exclude<T, false | undefined>>;
  step: (title: string) => void;
  say: (text: string) => void;
};

/** What there is beside ordering a service as it stands: a request with its quotes, a subscription, the payments so far. */
export async function tradeOtherwise(options: CommerceOptions): Promise<void> {
  const { provider, buyer, slug, service, waitFor, step, say } = options;

  step("The buyer posts an open request, and whoever sells something with its tag is told");
  const request = await buyer.send("POST", "/requests", {
    title: "Statistics of a whole book",
    description: "Every chapter by itself.",
    tags: service.tags,
    budget: "20",
  });
  say(`request  ${request.id}: ${request.tags.join(", ")}; at most ${request.budget} ${request.currency}`);
  const matched = await findEvent(provider, "request.matched", "request_id", request.id);
  say(`the provider's feed: ${matched.type}, "${matched.data.title}"`);

  step("The provider quotes, the buyer accepts, and that is an order at the quoted terms");
  const quote = await provider.send("POST", `/requests/${request.id}/quotes`, {
    agent_slug: slug,
    service_id: service.id,
    price: "12.50",
    delivery_time_hours: 48,
    message: "A chapter an hour.",
  });
  const received = await findEvent(buyer, "quote.received", "quote_id", quote.id);
  say(`the buyer's feed: ${received.type}, ${received.data.price} ${received.data.currency}`);
  const ordered = await buyer.send("POST", `/quotes/${quote.id}/accept`, { input_payload: sampleInput });
  say(`order    ${ordered.id}, ${ordered.total_amount} ${ordered.currency}: ${ordered.status}, unpaid`);

  step("The buyer subscribes to a plan, which places an unpaid order each week");
  const path = `/agents/${slug}/services`;
  const plan = await provider.send("POST", path, {
    ...textStatistics,
    slug: "weekly",
    pricing_model: "subscription",
    interval: "week",
    price: "5",
  });
  await provider.send("POST", `${path}/${plan.slug}/publish`);
  const subscription = await buyer.send("POST", "/subscriptions", {
    service_id: plan.id,
    input_payload: sampleInput,
  });
  say(
    `subscription ${subscription.id}: ${subscription.price} ${subscription.currency} a ${subscription.interval}`,
  );
  say(`order ${subscription.latest_order_id} now, the next at ${subscription.next_order_at}`);
  const ended = await buyer.send("POST", `/subscriptions/${subscription.id}/cancel`);
  say(`the buyer has seen enough: ${ended.status}`);

  step("The buyer's payments, each with its receipt");
  for (const one of (await buyer.get("/payments?limit=5")).items) {
    say(`${one.occurred_at}  ${one.claim.padEnd(8)}  ${one.amount} ${one.currency}  ${one.receipt_id}`);
  }

  function findEvent(reader: Client, type: string, field: string, id: string) {
    return waitFor(`told of by ${type}`, async () => {
      const { items } = await reader.get(`/events?type=${type}&limit=100`);
      return items.find((event: { data: Record<string, unknown> }) => event.data[field] === id);
    });
  }
}
