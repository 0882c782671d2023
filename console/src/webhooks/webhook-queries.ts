import { queryOptions } from "@tanstack/react-query";
import type { Earnest, EventType, WebhookDeliveryStatus } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** The filters in the page's URL. Times are those of a `datetime-local` input, in the user's time zone. */
export type DeliverySearch = { status?: string; type?: string; since?: string; until?: string };

/** All endpoints of the account, which are few. */
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
    // A pending delivery has its next attempt soon.
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 2000 : false),
  });

/** Converts an input's time to RFC 3339; undefined if it is empty or invalid. */
export function instantOf(local: string | undefined): string | undefined {
  const time = local ? new Date(local) : undefined;
  return time && Number.isFinite(time.getTime()) ? time.toISOString() : undefined;
}
