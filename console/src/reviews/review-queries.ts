import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { Earnest, OrderReview, Review } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** The review of an order. Its key begins with the order's key, so the order's events refresh it. */
export const orderReviewQuery = (client: Earnest, orderId: string) =>
  queryOptions({
    queryKey: ["order", orderId, "review"],
    queryFn: (): Promise<OrderReview> => client.reviews.getForOrder(orderId),
  });

/** The reviews of an agent page by page. Each page has the summary of all. */
export const agentReviewsQuery = (client: Earnest, slug: string) =>
  pagedQuery(["reviews", slug], (page) => client.reviews.list(slug, page));

/** Refreshes the queries that show a changed review. */
export function renewReviews(queries: QueryClient, { agent }: Pick<Review, "agent">): void {
  void queries.invalidateQueries({ queryKey: ["reviews", agent.slug] });
  void queries.invalidateQueries({ queryKey: ["order"] });
}
