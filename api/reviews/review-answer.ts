import { createRoute, z } from "@hono/zod-openapi";
import { inTransaction } from "../../db/transaction.ts";
import { answerReview } from "../../trade/reviews/review-answer.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { reviewParams, reviewSchema, reviewText, showReview } from "./review.ts";

const answerRequest = z
  .strictObject({ text: reviewText })
  .openapi("ReviewAnswerRequest", { example: { text: "Thank you." } });
/** Adds the route by which the provider answers a review. */
export function addReviewAnswer(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/reviews/{id}/answer",
      operationId: "answerReview",
      tags: ["reviews"],
      summary: "Answer a review of your work",
      description:
        "Possible once. The answer is public, below the review. The buyer is notified (`review.answered`). The answer cannot be changed. A repeated request gets the same answer.",
      ...accessRule(context, "agents:write"),
      request: { params: reviewParams, body: jsonBody(answerRequest) },
      responses: {
        201: jsonResponse("The review with its answer", reviewSchema),
        ...errorResponses("account_banned", "invalid_state", "conflict"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      await inTransaction(db, (tx) => answerReview(tx, caller, id, c.req.valid("json").text));
      return c.json(await showReview(context, id, true), 201);
    },
  );
}
