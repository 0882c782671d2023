import { queryOptions } from "@tanstack/react-query";
import type { Earnest, EventType, WebhookDeliveryStatus } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** What deliveries are looked for, as the page's address has it. Times are those of an input, in the reader's own zone. */
export type DeliverySearch = { status?: string; type?: string; since?: string; until?: string };

/** An account has few endpoints: all of them. */
export const webhooksQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["webhooks"],
    queryFn: async () => (await client.webhooks.list({ limit: 100 })).items,
  });

export const webhookQuery = (client: Earnest, id: string) =>
  queryOptions({ queryKey: ["webhook", id], queryFn: () => client.webhooks.get(id) });

export const deliveriesQuery = (client: Earnest, id: string, search: DeliverySearch) =>
  pagedQuery(["webhook", id, "deliveries", search], (page) =>
    client.webhooks.deliveries.list(id, {
      ...page,
      status: (search.status || undefined) as WebhookDeliveryStatus | undefined,
      type: (search.type || undefined) as EventType | undefined,
      since: instantOf(search.since),
      until: instantOf(search.until),
    }),
  );

export const deliveryQuery = (client: Earnest, id: string, deliveryId: string) =>
  queryOptions({
    queryKey: ["webhook", id, "delivery", deliveryId],
    queryFn: () => client.webhooks.deliveries.get(id, deliveryId),
    // What waits or is under way has its attempt soon.
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 2000 : false),
  });

/** An input's time as the service takes it; undefined for none, or for what is no time. */
export function instantOf(local: string | undefined): string | undefined {
  const time = local ? new Date(local) : undefined;
  return time && Number.isFinite(time.getTime()) ? time.toISOString() : undefined;
}
