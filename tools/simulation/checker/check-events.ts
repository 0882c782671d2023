import { createHmac } from "node:crypto";
import { eventSchema, type FeedEvent, type Reading, type Scene } from "./reading.ts";

// Written from docs/webhooks.md alone.

/** The delivery records of one order that cause events. Later records cause none. */
const mostReportedRecords = 10;

const entryOf = ({ data }: FeedEvent) => (data.entry as { id?: string } | undefined)?.id;

/** Checks that each fact with events has exactly one event in the feed of each party, and that there are no other events. */
export function checkFeeds({ parties }: Scene, { orders, feeds }: Reading): string[] {
  const wrong: string[] = [];
  for (const { name } of parties) {
    const counts = new Map<string, number>();
    for (const event of feeds.get(name) ?? []) {
      const id = entryOf(event);
      if (id) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    for (const { order, buyer, provider, trail } of orders) {
      for (const { id, type, confirmed, data } of trail) {
        if (!confirmed || type === "dispute.statement" || type === "deposit.returned") continue;
        if (
          type === "delivery.recorded" &&
          (data.times !== undefined || Number(data.number) > mostReportedRecords)
        )
          continue;
        const times = counts.get(id) ?? 0;
        counts.delete(id);
        const isParty = name === buyer || name === provider;
        if (isParty ? times !== 1 : times > 1)
          wrong.push(`${order.id}: ${type} (${id}) is ${times} times in the feed of ${name}`);
      }
    }
    for (const [id, times] of counts)
      wrong.push(`the feed of ${name} has ${id} ${times} times, but no trail has it`);
  }
  return wrong;
}

/** Checks that each event of a feed came by webhook at least once, with the same data, one id and a valid signature. */
export function checkWebhooks({ parties, received }: Scene, { feeds }: Reading): string[] {
  const wrong: string[] = [];
  for (const { name, secret } of parties) {
    const deliveries = new Map<string, Set<string>>();
    const events = new Map((feeds.get(name) ?? []).map((event) => [event.event_id, event]));
    for (const { headers, raw } of received.filter((one) => one.name === name)) {
      if (!isSigned(raw, String(headers["x-service-signature"]), secret)) {
        wrong.push(`${name} got a delivery with a wrong signature`);
        continue;
      }
      const body = eventSchema.parse(JSON.parse(raw));
      const event = events.get(body.event_id);
      if (!event) wrong.push(`${name} got ${body.type} (${body.event_id}), but its feed lacks it`);
      else if (JSON.stringify(event.data) !== JSON.stringify(body.data))
        wrong.push(`${name} got ${body.event_id} with other data than its feed`);
      if (headers["x-service-delivery"] !== body.id) wrong.push(`${name} got ${body.id} under another id`);
      deliveries.set(body.event_id, (deliveries.get(body.event_id) ?? new Set()).add(body.id));
    }
    for (const { event_id, type } of events.values()) {
      const ids = deliveries.get(event_id)?.size ?? 0;
      if (ids !== 1) wrong.push(`${name} got ${type} (${event_id}) under ${ids} ids`);
    }
  }
  return wrong;
}

function isSigned(raw: string, header: string, secret: string): boolean {
  const pieces = new Map(header.split(",").map((piece) => piece.trim().split("=") as [string, string]));
  const expected = createHmac("sha256", secret)
    .update(`${pieces.get("t")}.${raw}`)
    .digest("hex");
  return pieces.get("v1") === expected;
}
