import { createRoute, z } from "@hono/zod-openapi";
import { and, eq } from "../../db/drizzle.ts";
import { review } from "../../db/schema.ts";
import { averageOf, readSubject, readTally, selectReviews } from "../../trade/reviews/review-queries.ts";
import { agentParams } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import { shownSlug } from "../http/fields.ts";
import { newestFirst } from "../http/list-order.ts";
import { countRows, pageQuery, pageSchema, readPage } from "../http/listing.ts";
import { jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { presentReviews, reviewParams, reviewSchema, showReview } from "./review.ts";

const summarySchema = z
  .object({
    count: z.int().openapi({
      description:
        "the number of counted reviews: not withdrawn or hidden, of a settled order whose parties are at arm's length",
    }),
    average: z.number().nullable().openapi({
      description: "the average of their ratings, to two decimals; null without counted reviews",
      example: 4.67,
    }),
    distribution: z
      .array(z.int())
      .length(5)
      .openapi({
        description: "the number of counted reviews for each rating from 1 to 5",
        example: [0, 0, 0, 1, 2],
      }),
    marked: z.int().openapi({ description: "the number of counted reviews that are marked" }),
    withdrawn: z.int(),
    hidden: z.int().openapi({ description: "the number of reviews that the operators hide" }),
    apart: z.int().openapi({
      description:
        "the number of reviews that do not count because the parties are not at arm's length; without withdrawn ones",
    }),
  })
  .openapi("ReviewSummary");

const reviewPage = pageSchema(reviewSchema)
  .extend({
    summary: summarySchema.openapi({
      description: "of all reviews of the agent or the service, not of this page alone",
    }),
  })
  .openapi("ReviewPage");

const reviewsQuery = pageQuery.extend({
  service: shownSlug.optional().openapi({
    description: "the slug of one of the agent's services, to list its reviews only",
    example: "documents",
  }),
});

/** Adds the public routes of reviews. */
export function addAgentReviews(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}/reviews",
      operationId: "listAgentReviews",
      tags: ["reviews"],
      summary: "List the reviews of an agent's work, newest first, with a summary",
      description:
        "Open to everybody. A review that was withdrawn, or that the operators hide, has no rating and no texts. A review with many reports is marked.",
      request: { params: agentParams, query: reviewsQuery },
      responses: { 200: jsonResponse("A page of reviews", reviewPage) },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const subject = await readSubject(db, c.req.valid("param").slug, query.service);
      const condition =
        "serviceId" in subject
          ? eq(review.serviceId, subject.serviceId)
          : eq(review.agentId, subject.agentId);
      const [page, tally] = await Promise.all([
        readPage(newestFirst(review.createdAt, review.id), query, {
          select: ({ position, after, order, limit, offset }) =>
            selectReviews(db, position)
              .where(and(condition, after))
              .orderBy(...order)
              .limit(limit)
              .offset(offset),
          count: () => countRows(db, review, condition),
          present: (row) => row,
        }),
        readTally(db, subject),
      ]);
      return c.json(
        { ...page, items: await presentReviews(context, page.items), summary: summarise(tally) },
        200,
      );
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/reviews/{id}",
      operationId: "readReview",
      tags: ["reviews"],
      summary: "Read a review",
      description: "Open to everybody.",
      request: { params: reviewParams },
      responses: { 200: jsonResponse("The review", reviewSchema) },
    }),
    async (c) => c.json(await showReview(context, c.req.valid("param").id), 200),
  );
}

function summarise({ distribution, ...rest }: Awaited<ReturnType<typeof readTally>>) {
  const count = distribution.reduce((sum, of) => sum + of, 0);
  const points = distribution.reduce((sum, of, at) => sum + of * (at + 1), 0);
  return { count, average: averageOf(points, count), distribution, ...rest };
}
