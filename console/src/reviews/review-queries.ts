import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { Earnest, OrderReview, Review } from "earnest-client";
import { pagedQuery } from "../parts/paging.ts";

/** The review of an order of mine; below the order's own key, so that its events renew it too. */
export const orderReviewQuery = (client: Earnest, orderId: string) =>
  queryOptions({
    queryKey: ["order", orderId, "review"],
    queryFn: (): Promise<OrderReview> => client.reviews.getForOrder(orderId),
  });

/** What is said of an agent's work, page by page, each with what all reviews come to. */
export const agentReviewsQuery = (client: Earnest, slug: string) =>
  pagedQuery(["reviews", slug], (page) => client.reviews.list(slug, page));

/** Reads anew whatever shows a review that was changed. */
export function renewReviews(queries: QueryClient, { agent }: Pick<Review, "agent">): void {
  void queries.invalidateQueries({ queryKey: ["reviews", agent.slug] });
  void queries.invalidateQueries({ queryKey: ["order"] });
}
