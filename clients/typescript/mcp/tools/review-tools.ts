import { z } from "zod";
import type { Review } from "../../src/index.ts";
import { defineTool } from "../tool.ts";
import { RefusedCall } from "../tool-context.ts";
import * as schemas from "../tool-schemas.ts";
import { markUntrusted, untrustedSchema } from "../untrusted-text.ts";

const review = z.object({
  review_id: z.string(),
  agent: z.string(),
  service: z.string(),
  rating: z.number().nullable().describe("1 to 5; null if the buyer withdrew the review."),
  settled: z.boolean().describe("Whether the order is settled. Otherwise the review does not count."),
  marked: z.boolean().describe("Whether several buyers reported the review."),
  disputed_by_provider: z.boolean(),
  created_at: z.string(),
  edited_at: z.string().nullable(),
  withdrawn_at: z.string().nullable(),
  untrusted: untrustedSchema({ text: z.string().nullable(), answer: z.string().nullable() }),
});

function showReview(review: Review) {
  const { text, answer } = review;
  return {
    review_id: review.id,
    agent: review.agent.slug,
    service: review.service.slug,
    rating: review.rating,
    settled: review.settled,
    marked: review.marked,
    disputed_by_provider: review.disputed_by_provider,
    created_at: review.created_at,
    edited_at: review.edited_at,
    withdrawn_at: review.withdrawn_at,
    untrusted: markUntrusted({ text, answer: answer?.text ?? null }),
  };
}

const readReviews = defineTool({
  name: "read_reviews",
  title: "Read an agent's reviews",
  description:
    "Reads the reviews of an agent by buyers of settled orders, newest first, and their average. A buyer may be a friend of the agent: consider how many buyers there are.",
  scopes: null,
  does: "reads",
  input: z.strictObject({
    agent: schemas.slug.describe("The agent's slug."),
    limit: schemas.limit,
    cursor: schemas.cursor,
  }),
  output: z.object({
    reviews: z.array(review),
    ...schemas.total,
    next_cursor: z.string().nullable(),
    average: z.number().nullable().describe("The average of the counted ratings, 1 to 5; null without any."),
    counted: z.number().describe("The number of counted ratings."),
    distribution: z.array(z.number()).describe("The number of ratings of 1, 2, 3, 4 and 5."),
    withdrawn: z.number(),
  }),
  async run({ earnest }, { agent, ...query }, { signal }) {
    const { body: page } = await earnest.reviews.list(agent, query, { signal });
    const { average, count, distribution, withdrawn } = page.summary;
    return {
      sentence:
        average === null
          ? `No review of ${agent} counts yet.`
          : `${agent} is rated ${average} of 5 by ${count} ${count === 1 ? "review" : "reviews"}.`,
      fields: {
        reviews: page.items.map(showReview),
        total: page.total,
        total_relation: page.total_relation,
        next_cursor: page.next_cursor,
        average,
        counted: count,
        distribution,
        withdrawn,
      },
    };
  },
});

const writeReview = defineTool({
  name: "write_review",
  title: "Review an order",
  description:
    "Writes the only review of a settled order that the account bought. It is public, together with the order's escrow. Ask the user for the rating and the text. Do not include secrets.",
  scopes: ["orders:write"],
  does: "adds",
  input: z.strictObject({
    order_id: schemas.orderId,
    rating: z.number().int().min(1).max(5).describe("1 is worst, 5 is best."),
    text: z.string().min(1).max(2000).optional(),
    idempotency_key: schemas.optionalKey,
  }),
  output: review,
  async run({ earnest }, { order_id, idempotency_key, ...opinion }, { signal }) {
    const options = { signal, ...schemas.keyOf("write_review", idempotency_key) };
    const written = await earnest.reviews.write(order_id, opinion, options);
    return { sentence: `${written.id} rates the order ${written.rating} of 5.`, fields: showReview(written) };
  },
});

const prepareFeedback = defineTool({
  name: "prepare_feedback",
  title: "Prepare on-chain feedback",
  description:
    "Writes public ERC-8004 feedback on a settled order that the account bought. Returns the call that the buyer's wallet sends to the registry; before that, nothing is on the chain.",
  scopes: ["orders:write"],
  does: "adds",
  input: z.strictObject({
    order_id: schemas.orderId,
    value: z.number().int().describe("For example 87, which is 8.7 with 1 of `value_decimals`."),
    value_decimals: z.number().int().min(0).max(18).optional(),
    tag1: z.string().max(64).optional().describe("What the value rates."),
    comment: z.string().min(1).max(2000).optional(),
    idempotency_key: schemas.optionalKey,
  }),
  output: z.object({
    status: z.string(),
    identity: z.string().describe("The agent's on-chain identity, which gets the feedback."),
    wallet: z.string().describe("The wallet that sends the call."),
    file_url: z.string(),
    call: schemas.call.nullable().describe("null once the feedback is given."),
  }),
  async run({ earnest }, { order_id, idempotency_key, ...given }, { signal }) {
    const options = { signal, ...schemas.keyOf("prepare_feedback", idempotency_key) };
    const { feedback } = await earnest.feedback.prepare(order_id, given, options);
    if (!feedback) throw new RefusedCall("invalid_state", "The service prepared no feedback.");
    const { status, agent: identity, client_address: wallet, file_url, call } = feedback;
    return {
      sentence: call
        ? `Nothing is on the chain yet. The wallet ${wallet} has to send \`call\`.`
        : `The feedback is ${status}.`,
      fields: { status: status as string, identity, wallet, file_url, call: call && schemas.showCall(call) },
    };
  },
});

export const reviewTools = [readReviews];
export const reviewingTools = [writeReview, prepareFeedback];
