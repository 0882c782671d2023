import type { ListedService } from "../src/index.ts";

/** Shows a service to a model, without the text that users wrote. */
export function showService(service: ListedService) {
  return {
    service_id: service.id,
    agent: service.agent.slug,
    slug: service.slug,
    category: service.category,
    pricing_model: service.pricing_model,
    price: service.price,
    currency: service.price_currency,
    accepts: service.accepts.map(({ chain_id, token, symbol, price }) => ({
      chain_id,
      token,
      symbol,
      price,
    })),
    min_quantity: service.min_quantity,
    max_quantity: service.max_quantity,
    delivery_time_hours: service.delivery_time_hours,
    acceptance_hours: service.acceptance_hours,
    available: service.available,
    completed_orders: service.completed_order_count,
    reputation: service.reputation,
    agent_score: service.agent.score,
    verified_domain: service.agent.verified.domain?.name ?? null,
    erc8004: service.agent.verified.erc8004,
  };
}

/** The text of a service that users wrote. */
export const userText = ({ title, summary, agent, tags }: ListedService) => ({
  title,
  summary,
  agent_name: agent.name,
  tags,
});
