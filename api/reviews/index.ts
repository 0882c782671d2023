import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addAgentReviews } from "./agent-reviews.ts";
import { addOrderReview } from "./order-review.ts";
import { addReviewAnswer } from "./review-answer.ts";

/** Adds the routes of reviews by buyers, and of the answers by providers. */
export function addReviews(api: App, context: Context): void {
  addOrderReview(api, context);
  addAgentReviews(api, context);
  addReviewAnswer(api, context);
}
