import { createRoute, z } from "@hono/zod-openapi";
import { inTransaction } from "../../db/transaction.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { answerReview } from "../../trade/reviews/review-answer.ts";
import { marksFrom, reportReview } from "../../trade/reviews/review-report.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { plainTextField } from "../http/fields.ts";
import { answer, guarded, jsonBody, refusals } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { reviewParams, reviewSchema, reviewText, showReview } from "./review.ts";

const answerRequest = z
  .strictObject({ text: reviewText })
  .openapi("ReviewAnswerRequest", { example: { text: "Thank you." } });
const reportRequest = z
  .strictObject({
    reason: plainTextField(longest.report).openapi({
      description: "the reason, which only the operator reads",
    }),
  })
  .openapi("ReviewReportRequest", { example: { reason: "It is about somebody else's work." } });

/** Adds the routes by which the provider answers a review, and anyone reports it. */
export function addReviewReactions(app: App, context: Context): void {
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
      ...guarded(context, "agents:write"),
      request: { params: reviewParams, body: jsonBody(answerRequest) },
      responses: {
        201: answer("The review with its answer", reviewSchema),
        ...refusals("invalid_state", "conflict"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      await inTransaction(db, (tx) => answerReview(tx, caller, id, c.req.valid("json").text));
      return c.json(await showReview(context, id), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/reviews/{id}/report",
      operationId: "reportReview",
      tags: ["reviews"],
      summary: "Report a review",
      description: `An account can report a review once; repeating it is no error. Reports hide nothing. A report counts if the account paid for an order of its own and is at arm's length from the provider. ${marksFrom} counted reports mark the review. A report by the provider shows as \`disputed_by_provider\`.`,
      ...guarded(context, "orders:write"),
      request: { params: reviewParams, body: jsonBody(reportRequest) },
      responses: { 200: answer("The review", reviewSchema), ...refusals("invalid_state", "conflict") },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      await inTransaction(db, (tx) => reportReview(tx, caller, id, c.req.valid("json").reason));
      return c.json(await showReview(context, id), 200);
    },
  );
}
