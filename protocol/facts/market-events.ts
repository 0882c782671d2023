import { z } from "zod";
import { apiPath } from "../settlement/vocabulary.ts";
import { amount, baseUnits, id, linksOf, slug, test, time, type Unlinked } from "./event-fields.ts";

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
  links: linksOf("QuoteEventLinks", "quote", "request"),
});

export const reviewDataSchema = z.object({
  test,
  review_id: id("rev"),
  order_id: id("ord"),
  agent: agentReference,
  rating: z.int().min(1).max(5).describe("the rating at the time of the event; the review has the text"),
  links: linksOf("ReviewEventLinks", "review", "order"),
});

export const renewalDataSchema = z.object({
  test,
  subscription_id: id("sub"),
  key_id: id("key").describe("the key that subscribed, whose limits the period's order would exceed"),
  reason: z.string().describe("the limit and the amounts, as a sentence"),
  next_order_at: time,
  links: linksOf("SubscriptionEventLinks", "subscription"),
});

export const domainDataSchema = z.object({
  test,
  agent: agentReference,
  domain: z
    .string()
    .describe("the domain in ASCII (punycode)")
    .meta({ examples: ["translator.example"] }),
  links: linksOf("DomainEventLinks", "domain"),
});

export const requestDataSchema = z.object({
  test,
  request_id: id("rqt"),
  title: z.string(),
  tags: z.array(z.string()),
  expires_at: time,
  links: linksOf("RequestEventLinks", "request"),
});

/** Builds the data of a quote's event for the buyer who requested it. */
export function quoteEventData(given: Unlinked<typeof quoteDataSchema>): z.output<typeof quoteDataSchema> {
  const quote = `${apiPath}/quotes/${given.quote_id}`;
  return { ...given, links: { quote, request: `${apiPath}/requests/${given.request_id}` } };
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
export function domainEventData(given: Unlinked<typeof domainDataSchema>): z.output<typeof domainDataSchema> {
  return { ...given, links: { domain: `${apiPath}/agents/${given.agent.slug}/domain` } };
}

/**
 * Builds the data of a review's event for the side that did not write it. The data has no text: an event stays where it
 * was delivered, but a review may be withdrawn.
 */
export function reviewEventData(given: Unlinked<typeof reviewDataSchema>): z.output<typeof reviewDataSchema> {
  const review = `${apiPath}/reviews/${given.review_id}`;
  return { ...given, links: { review, order: `${apiPath}/orders/${given.order_id}` } };
}

/** Builds the data of a subscription's event for its buyer. */
export function renewalRefusedData(
  refused: Unlinked<typeof renewalDataSchema>,
): z.output<typeof renewalDataSchema> {
  return { ...refused, links: { subscription: `${apiPath}/subscriptions/${refused.subscription_id}` } };
}
