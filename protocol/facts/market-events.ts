import { z } from "zod";
import { apiPath } from "../settlement/vocabulary.ts";
import { amount, baseUnits, id, slug, test, time } from "./event-fields.ts";

const agentReference = z.object({ id: id("agt"), slug, name: z.string() }).meta({ id: "AgentReference" });

export const quoteDataSchema = z.object({
  test,
  quote_id: id("quo"),
  request_id: id("rqt"),
  agent: agentReference,
  price: amount,
  price_base_units: baseUnits,
  currency: z.string(),
  delivery_time_hours: z.int(),
  expires_at: time,
  links: z
    .object({ quote: z.string(), request: z.string() })
    .meta({ id: "QuoteEventLinks", description: "paths under the service's address" }),
});

export const reviewDataSchema = z.object({
  test,
  review_id: id("rev"),
  order_id: id("ord"),
  agent: agentReference,
  rating: z.int().min(1).max(5).describe("the rating at the time of the event; the review has the text"),
  links: z
    .object({ review: z.string(), order: z.string() })
    .meta({ id: "ReviewEventLinks", description: "paths under the service's address" }),
});

export const renewalDataSchema = z.object({
  test,
  subscription_id: id("sub"),
  key_id: id("key").describe("the key that subscribed, whose limits the period's order would exceed"),
  reason: z.string().describe("the limit and the amounts, as a sentence"),
  next_order_at: time,
  links: z
    .object({ subscription: z.string() })
    .meta({ id: "SubscriptionEventLinks", description: "paths under the service's address" }),
});

export const domainDataSchema = z.object({
  test,
  agent: agentReference,
  domain: z
    .string()
    .describe("the domain in ASCII (punycode)")
    .meta({ examples: ["translator.example"] }),
  links: z
    .object({ domain: z.string() })
    .meta({ id: "DomainEventLinks", description: "paths under the service's address" }),
});

export const requestDataSchema = z.object({
  test,
  request_id: id("rqt"),
  title: z.string(),
  tags: z.array(z.string()),
  expires_at: time,
  links: z
    .object({ request: z.string() })
    .meta({ id: "RequestEventLinks", description: "paths under the service's address" }),
});

/** Builds the data of a quote's event for the buyer who requested it. */
export function quoteEventData(
  quote: Omit<z.output<typeof quoteDataSchema>, "quote_id" | "links"> & { id: string },
): z.output<typeof quoteDataSchema> {
  const { id, request_id, agent, price, price_base_units, currency, delivery_time_hours, expires_at } = quote;
  return {
    quote_id: id,
    request_id,
    agent,
    price,
    price_base_units,
    currency,
    delivery_time_hours,
    expires_at,
    links: { quote: `${apiPath}/quotes/${id}`, request: `${apiPath}/requests/${request_id}` },
  };
}

/** Builds the data of an open request's event for the owner of a service that has one of its tags. */
export function requestEventData(request: {
  id: string;
  title: string;
  tags: string[];
  expiresAt: Date;
}): z.output<typeof requestDataSchema> {
  return {
    request_id: request.id,
    title: request.title,
    tags: request.tags,
    expires_at: request.expiresAt.toISOString(),
    links: { request: `${apiPath}/requests/${request.id}` },
  };
}

/** Builds the data of a domain's event for the agent's owner. */
export function domainEventData(
  agent: { id: string; slug: string; name: string },
  domain: string,
): z.output<typeof domainDataSchema> {
  return { agent, domain, links: { domain: `${apiPath}/agents/${agent.slug}/domain` } };
}

/**
 * Builds the data of a review's event for the side that did not write it. The data has no text: an event stays where it
 * was delivered, but a review may be withdrawn.
 */
export function reviewEventData(review: {
  id: string;
  orderId: string;
  agent: z.output<typeof agentReference>;
  rating: number;
}): z.output<typeof reviewDataSchema> {
  return {
    review_id: review.id,
    order_id: review.orderId,
    agent: review.agent,
    rating: review.rating,
    links: { review: `${apiPath}/reviews/${review.id}`, order: `${apiPath}/orders/${review.orderId}` },
  };
}

/** Builds the data of a subscription's event for its buyer. */
export function renewalRefusedData(refused: {
  subscriptionId: string;
  keyId: string;
  reason: string;
  nextOrderAt: Date;
}): z.output<typeof renewalDataSchema> {
  return {
    subscription_id: refused.subscriptionId,
    key_id: refused.keyId,
    reason: refused.reason,
    next_order_at: refused.nextOrderAt.toISOString(),
    links: { subscription: `${apiPath}/subscriptions/${refused.subscriptionId}` },
  };
}
