import type { TrailEntry } from "./order-trail.ts";

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
export const retentionDays = 30;

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
