import { type InfiniteData, queryOptions } from "@tanstack/react-query";
import type { Earnest, SubscriptionOrder, SubscriptionOrderPage, SubscriptionStatus } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** Subscriptions page by page, on both sides. A new order of one renews them, as it does all lists of orders. */
export const subscriptionListQuery = (client: Earnest, status: SubscriptionStatus | undefined) =>
  pagedQuery(["orders", "subscriptions", status ?? null], (page) =>
    client.subscriptions.list({ status, ...page }),
  );

export const subscriptionQuery = (client: Earnest, id: string) =>
  queryOptions({
    queryKey: ["orders", "subscription", id],
    queryFn: () => client.subscriptions.get(id),
  });

/** The orders of a subscription, the newest period first. A period is named by its order. */
export const renewalsQuery = (client: Earnest, id: string) => ({
  ...pagedQuery(["orders", "subscription", id, "renewals"], (page) =>
    client.subscriptions.listOrders(id, page),
  ),
  select: ({ pages, pageParams }: Renewals) => ({
    pages: pages.map((page) => ({
      ...page,
      items: page.items.map((renewal) => ({ ...renewal, id: renewal.order_id })),
    })),
    pageParams,
  }),
});

type Renewals = InfiniteData<
  { items: SubscriptionOrder[]; body: SubscriptionOrderPage; next: string | null },
  unknown
>;
