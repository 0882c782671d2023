import { queryOptions } from "@tanstack/react-query";
import type { Earnest, EventType, WebhookDeliveryStatus } from "earnest-client";
import { startOfDay } from "../parts/day.ts";
import { pagedQuery } from "../parts/paging.ts";

/** The filters in the page's URL. Days are of the user's time zone, such as `2026-11-28`; both belong to the period. */
export type DeliverySearch = { status?: string; type?: string; since?: string; until?: string };

/** The account's endpoints page by page. */
export const webhooksQuery = (client: Earnest) =>
  pagedQuery(["webhooks"], (page) => client.webhooks.list(page));

export const webhookQuery = (client: Earnest, id: string) =>
  queryOptions({ queryKey: ["webhook", id], queryFn: () => client.webhooks.get(id) });

export const deliveriesQuery = (client: Earnest, id: string, search: DeliverySearch) =>
  pagedQuery(["webhook", id, "deliveries", search], (page) =>
    client.webhooks.deliveries.list(id, {
      ...page,
      status: (search.status || undefined) as WebhookDeliveryStatus | undefined,
      type: (search.type || undefined) as EventType | undefined,
      since: startOfDay(search.since),
      until: startOfDay(search.until, 1),
    }),
  );

export const deliveryQuery = (client: Earnest, id: string, deliveryId: string) =>
  queryOptions({
    queryKey: ["webhook", id, "delivery", deliveryId],
    queryFn: () => client.webhooks.deliveries.get(id, deliveryId),
    // A pending delivery has its next attempt soon.
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 2000 : false),
  });
