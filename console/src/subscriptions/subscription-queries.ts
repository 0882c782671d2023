import { type InfiniteData, queryOptions } from "@tanstack/react-query";
import type { Earnest, SubscriptionOrder, SubscriptionOrderPage, SubscriptionStatus } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** Subscriptions page by page, bought and sold. The event feed refreshes them with the lists of orders. */
export const subscriptionListQuery = (client: Earnest, status: SubscriptionStatus | undefined) =>
  pagedQuery(["orders", "subscriptions", status ?? null], (page) =>
    client.subscriptions.list({ status, ...page }),
  );

export const subscriptionQuery = (client: Earnest, id: string) =>
  queryOptions({
    queryKey: ["orders", "subscription", id],
    queryFn: () => client.subscriptions.get(id),
  });

/** The orders of a subscription, newest period first. The list's id of a period is its order's id. */
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

/** The order of one period, as a list item. */
export type Renewal = SubscriptionOrder & { id: string };

type Renewals = InfiniteData<
  { items: SubscriptionOrder[]; body: SubscriptionOrderPage; next: string | null },
  unknown
>;
