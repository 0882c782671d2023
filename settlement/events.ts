import { z } from "zod";
import type { OrderState } from "./lifecycle.ts";
import { formatAmount } from "./money.ts";
import type { TrailEntry } from "./trail.ts";

/** Every type of event with what it means (spec, Events). */
export const eventTypes = {
  "order.created": "an order was placed; its escrow is not funded yet",
  "order.funded": "the order's escrow was funded, and the chain has confirmed it",
  "order.started": "the provider began work",
  "order.delivered":
    "the provider delivered; the acceptance window starts with the delivery's record on the chain",
  "order.revision_requested":
    "the buyer asked once for changes after a delivery; the order is in progress again, and its auto-release time does not move",
  "order.released": "the order completed, and the escrow was released to the provider",
  "order.refunded": "the escrow was returned to the buyer",
  "order.expired": "the order was not funded within its window",
  "order.disputed": "a dispute was opened on the chain",
  "order.dispute_intent": "a party signalled that it means to dispute, before any dispute on the chain",
  "order.dispute_decided": "the arbiter decided a dispute, before it settles",
  "fact.reverted":
    "a step of the chain that was told before has left the chain again; the order is as if it had not been, and its receipts are revoked",
  "quote.received": "a provider quoted on your open request; nothing is committed until you accept",
  "request.matched": "an open request was posted with a tag that one of your published services carries",
} as const;
export type EventType = keyof typeof eventTypes;

const time = z.iso.datetime({ offset: true });
const amount = z.string().regex(/^\d+(\.\d+)?$/);

const entrySchema = z
  .object({
    id: z.string(),
    type: z.string(),
    actor: z.enum(["buyer", "provider", "arbiter", "service", "chain"]),
    occurred_at: time,
    confirmed: z.boolean(),
    transaction: z
      .object({ chain_id: z.int(), hash: z.string(), block_number: z.int(), log_index: z.int() })
      .nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .describe("the step as the order's trail has it");

const orderDataSchema = z.object({
  order: z
    .object({
      id: z.string(),
      reference: z.string(),
      service_id: z.string(),
      agent_id: z.string(),
      status: z.string().describe("after this step"),
      your_role: z.enum(["buyer", "provider", "arbiter"]),
      total_amount: amount,
      total_amount_base_units: z.string(),
      currency: z.string(),
    })
    .describe("the order in short"),
  entry: entrySchema,
  links: z
    .object({ order: z.string(), trail: z.string(), receipts: z.string() })
    .describe("paths under the service's address"),
});

const quoteDataSchema = z.object({
  quote_id: z.string(),
  request_id: z.string(),
  agent: z.object({ id: z.string(), slug: z.string(), name: z.string() }),
  price: amount,
  price_base_units: z.string(),
  currency: z.string(),
  delivery_time_hours: z.int(),
  expires_at: time,
  links: z.object({ quote: z.string(), request: z.string() }).describe("paths under the service's address"),
});
const requestDataSchema = z.object({
  request_id: z.string(),
  title: z.string(),
  tags: z.array(z.string()),
  expires_at: time,
  links: z.object({ request: z.string() }).describe("paths under the service's address"),
});

/** What a quote's event says to whoever asked for it. */
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
    links: { quote: `/api/v1/quotes/${id}`, request: `/api/v1/requests/${request_id}` },
  };
}

/** What an open request's event says to the owner of a service that carries one of its tags. */
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
    links: { request: `/api/v1/requests/${request.id}` },
  };
}

/** The shape of `data` by the event's type. */
export const eventDataSchemas = Object.fromEntries(
  Object.keys(eventTypes).map((type) => [
    type,
    type === "quote.received"
      ? quoteDataSchema
      : type === "request.matched"
        ? requestDataSchema
        : orderDataSchema,
  ]),
) as unknown as Record<EventType, z.ZodType<Record<string, unknown>>>;

/** What an event of an order says to one of its parties, or to the arbiter of its dispute. */
export function orderEventData(
  order: {
    id: string;
    reference: string;
    serviceId: string;
    agentId: string;
    amount: bigint;
    tokenDecimals: number;
    tokenSymbol: string;
  },
  role: "buyer" | "provider" | "arbiter",
  state: Pick<OrderState, "status">,
  entry: TrailEntry,
): z.output<typeof orderDataSchema> {
  const path = `/api/v1/orders/${order.id}`;
  return {
    order: {
      id: order.id,
      reference: order.reference,
      service_id: order.serviceId,
      agent_id: order.agentId,
      status: state.status,
      your_role: role,
      total_amount: formatAmount(order.amount, order.tokenDecimals),
      total_amount_base_units: order.amount.toString(),
      currency: order.tokenSymbol,
    },
    entry,
    links: { order: path, trail: `${path}/events`, receipts: `${path}/receipts` },
  };
}

/** An event as it is delivered and as the feed has it. */
export type EventBody = { id: string; type: string; created_at: string; data: Record<string, unknown> };

/** The largest body of a delivery, in bytes. */
const largestBody = 20_000;

/**
 * An event's body, the same each time. One that would be too large leaves out what its step says in detail
 * (`entry.data`), which the order's trail still has.
 */
export function eventBody(event: {
  id: string;
  type: string;
  createdAt: Date;
  data: Record<string, unknown>;
}): EventBody {
  const { id, type, createdAt, data } = event;
  const body = { id, type, created_at: createdAt.toISOString(), data };
  if (new TextEncoder().encode(JSON.stringify(body)).length <= largestBody) return body;
  const entry = data.entry as TrailEntry | undefined;
  const shortened = entry ? { ...data, entry: { ...entry, data: { left_out: true } } } : { left_out: true };
  return { ...body, data: shortened };
}
