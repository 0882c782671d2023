import { z } from "zod";
import {
  addressPattern,
  baseUnitsPattern,
  hashPattern,
  shownAmountPattern,
  slugPattern,
} from "../settlement/shapes.ts";
import {
  actors,
  apiPath,
  type EventType,
  eventTypes,
  orderStatuses,
  type Role,
  roles,
} from "../settlement/vocabulary.ts";
import { deliveryRecordOf } from "./delivery-record.ts";
import type { OrderState } from "./fact.ts";
import { idPattern } from "./ids.ts";
import { type SummarisedOrder, summariseOrder } from "./order-summary.ts";
import type { TrailEntry } from "./order-trail.ts";

const time = z.iso.datetime({ offset: true });
const text = (pattern: RegExp, example: string) =>
  z
    .string()
    .regex(pattern)
    .meta({ examples: [example] });
const amount = text(shownAmountPattern, "2.500000");
const baseUnits = text(baseUnitsPattern, "2500000");
const id = (prefix: string) => text(new RegExp(idPattern(prefix)), `${prefix}_01jd3w8x2mfhz8w9q4t6n5k7ra`);
const slug = text(slugPattern, "translator");
const role = z.enum(roles).meta({ id: "OrderRole" });
/** A field of test events alone. */
const test = z.literal(true).optional().describe("in a test event alone, which is of nothing that exists");

const entrySchema = z
  .object({
    id: z.string(),
    type: z.string(),
    actor: z.enum(actors).meta({ id: "TrailActor" }),
    occurred_at: time,
    confirmed: z.boolean(),
    transaction: z
      .object({
        chain_id: z.int().min(1),
        hash: text(hashPattern, `0x${"9fc76417374aa880".repeat(4)}`),
        block_number: z.int(),
        log_index: z.int(),
      })
      .meta({ id: "Transaction" })
      .nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "TrailEntry", description: "the step as the order's trail has it" });

const orderDataSchema = z.object({
  test,
  order: z
    .object({
      id: id("ord"),
      reference: z.string().meta({ examples: ["E-7K3M9Q"] }),
      service_id: id("svc"),
      agent_id: id("agt"),
      status: z.enum(orderStatuses).meta({ id: "OrderStatus" }),
      your_role: role,
      total_amount: amount,
      total_amount_base_units: baseUnits,
      currency: z.string(),
      arbiter: text(addressPattern, "0x90F79bf6EB2c4f870365E785982E1f101E93b906")
        .optional()
        .describe("who decides a dispute, the zero address if nobody; older events do not tell it"),
    })
    .meta({ id: "OrderSummary", description: "the order in short, after this step" }),
  entry: entrySchema,
  links: z
    .object({ order: z.string(), trail: z.string(), receipts: z.string() })
    .meta({ id: "OrderEventLinks", description: "paths under the service's address" }),
});

const deliveredDataSchema = orderDataSchema.extend({
  acceptance_ends_at: time.describe("until when the buyer has to judge the delivery"),
});

const recordDataSchema = orderDataSchema.extend({
  delivery_record: z.enum(["unmatched", "matched"]).meta({
    id: "RecordedDelivery",
    description:
      "`matched`: a record on the chain has the output hash of a delivery made here; `unmatched`: none has, and the service neither releases on it nor issues an x402 receipt",
  }),
});

const agentReference = z.object({ id: id("agt"), slug, name: z.string() }).meta({ id: "AgentReference" });
const quoteDataSchema = z.object({
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
const reviewDataSchema = z.object({
  test,
  review_id: id("rev"),
  order_id: id("ord"),
  agent: agentReference,
  rating: z.int().min(1).max(5).describe("as it was then; the review itself has the texts"),
  links: z
    .object({ review: z.string(), order: z.string() })
    .meta({ id: "ReviewEventLinks", description: "paths under the service's address" }),
});
const renewalDataSchema = z.object({
  test,
  subscription_id: id("sub"),
  key_id: id("key").describe("the key that began it, whose limits the period's order would pass"),
  reason: z.string().describe("which limit, and by what"),
  next_order_at: time,
  links: z
    .object({ subscription: z.string() })
    .meta({ id: "SubscriptionEventLinks", description: "paths under the service's address" }),
});
const domainDataSchema = z.object({
  test,
  agent: agentReference,
  domain: z
    .string()
    .describe("in ASCII (punycode)")
    .meta({ examples: ["translator.example"] }),
  links: z
    .object({ domain: z.string() })
    .meta({ id: "DomainEventLinks", description: "paths under the service's address" }),
});
const requestDataSchema = z.object({
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

const executionDataSchema = z.object({
  test,
  order: orderDataSchema.shape.order,
  execution: z
    .object({
      id: id("exe"),
      attempts: z.int().min(0),
      reason: z.string().meta({ examples: ["output_schema_violation"] }),
      is_revision: z.boolean().describe("whether it was about changes that the buyer asked for"),
    })
    .meta({
      id: "FailedExecution",
      description: "what the service tried; the attempts themselves are listed",
    }),
  links: z
    .object({ order: z.string(), executions: z.string() })
    .meta({ id: "ExecutionEventLinks", description: "paths under the service's address" }),
});

/** Builds the data of a failed execution's event for the order's provider. */
export function executionEventData(
  order: SummarisedOrder,
  status: OrderState["status"],
  execution: { id: string; attempts: number; reason: string; is_revision: boolean },
): z.output<typeof executionDataSchema> {
  const path = `${apiPath}/orders/${order.id}`;
  return {
    order: { ...summariseOrder(order, status), your_role: "provider" },
    execution,
    links: { order: path, executions: `${path}/executions` },
  };
}

const dataSchemas = {
  "order.delivered": deliveredDataSchema,
  "order.execution_failed": executionDataSchema,
  "delivery.recorded": recordDataSchema,
  "quote.received": quoteDataSchema,
  "request.matched": requestDataSchema,
  "review.received": reviewDataSchema,
  "review.answered": reviewDataSchema,
  "subscription.renewal_refused": renewalDataSchema,
  "agent.domain_verified": domainDataSchema,
  "agent.domain_lost": domainDataSchema,
};

/** The shape of `data` by the event's type. */
export const eventDataSchemas = Object.fromEntries(
  Object.keys(eventTypes).map((type) => [
    type,
    (dataSchemas as Partial<Record<string, z.ZodType>>)[type] ?? orderDataSchema,
  ]),
) as unknown as Record<EventType, z.ZodType<Record<string, unknown>>>;

/** Builds the data of an order's event for one of its parties, or for the arbiter of its dispute. */
export function orderEventData(
  order: SummarisedOrder,
  role: Role,
  state: Pick<OrderState, "status" | "autoReleaseAt" | "releaseDueAt">,
  entry: TrailEntry,
): z.output<typeof orderDataSchema> {
  const isRecord = entry.type === "delivery.recorded";
  const isDelivery = entry.type === "order.delivered";
  const path = `${apiPath}/orders/${order.id}`;
  return {
    order: { ...summariseOrder(order, state.status), your_role: role },
    entry,
    ...(isDelivery ? { acceptance_ends_at: entry.data.acceptance_ends_at } : {}),
    ...(isRecord ? { delivery_record: deliveryRecordOf(state) } : {}),
    links: { order: path, trail: `${path}/events`, receipts: `${path}/receipts` },
  };
}

/** An event as delivered and as in the feed. */
export type EventBody = {
  /** the delivery's id; in the feed, the event's */
  id: string;
  event_id: string;
  type: string;
  created_at: string;
  data: Record<string, unknown>;
};

/** Days for which the feed has events, and deliveries with their attempts are stored and can be sent again. */
export const keptDays = 30;

/** The largest body of a delivery, in bytes. */
const largestBody = 20_000;

/**
 * Builds an event's body. It is the same in each delivery and in the feed. A body that is too large omits its step's
 * details (`entry.data`), which the order's trail has.
 */
export function eventBody(
  event: { id: string; type: string; createdAt: Date; data: Record<string, unknown> },
  deliveryId: string = event.id,
): EventBody {
  return bodyAndText(event, deliveryId).body;
}

/** Writes an event's body as the JSON that is sent. */
export function eventText(event: Parameters<typeof eventBody>[0], deliveryId: string): string {
  return bodyAndText(event, deliveryId).text;
}

function bodyAndText(
  { id, type, createdAt, data }: Parameters<typeof eventBody>[0],
  deliveryId: string,
): { body: EventBody; text: string } {
  const body = { id: deliveryId, event_id: id, type, created_at: createdAt.toISOString(), data };
  const text = JSON.stringify(body);
  // A character takes three bytes at most.
  if (3 * text.length <= largestBody || new TextEncoder().encode(text).length <= largestBody)
    return { body, text };
  const entry = data.entry as TrailEntry | undefined;
  const shortened = {
    ...body,
    data: entry ? { ...data, entry: { ...entry, data: { left_out: true } } } : { left_out: true },
  };
  return { body: shortened, text: JSON.stringify(shortened) };
}
