import { z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import { type readFeedback, readGivenFeedback } from "../../db/feedback.ts";
import { readOpinion } from "../../protocol/settlement/feedback.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { marksFrom } from "../../trade/reviews/review-mark.ts";
import { type ReviewWithContext, readReview } from "../../trade/reviews/review-queries.ts";
import { agentReference } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import { feedbackTransaction } from "../feedback/feedback.ts";
import {
  chainIdField,
  idField,
  orNull,
  plainTextField,
  shownAddress,
  shownHash,
  timeField,
  transactionSchema,
} from "../http/fields.ts";
import { serviceReference } from "../services/service.ts";

export const reviewParams = z.object({ id: idField("rev") });

/** A text of a review or of its answer. */
export const reviewText = plainTextField(longest.review);
export const ratingField = z.int().min(1).max(5);

const shownRating = z
  .int()
  .min(1)
  .max(5)
  .nullable()
  .openapi({ description: "from 1 to 5; null for a withdrawn or hidden review" });

const givenFeedback = z
  .object({
    status: z.enum(["submitted", "confirmed"]).openapi("GivenFeedbackStatus"),
    client_address: shownAddress.openapi({ description: "the buyer's wallet, which gave the feedback" }),
    value: z.int().openapi({ example: 87 }),
    value_decimals: z.int().openapi({ example: 0 }),
    tag1: z.string().openapi({ example: "starred" }),
    tag2: z.string(),
    revoked: z.boolean().openapi({ description: "whether the buyer revoked it on the chain" }),
    transaction: transactionSchema,
  })
  .openapi("GivenFeedback");

export const reviewSchema = z
  .object({
    id: idField("rev"),
    agent: agentReference,
    service: serviceReference,
    rating: shownRating,
    text: z.string().nullable().openapi({
      description: "untrusted plain text; null if there is none",
      example: "Delivered within the hour.",
    }),
    settled: z.boolean().openapi({
      description:
        "whether the order is settled. A review does not count while a reorganisation has removed the settlement",
    }),
    apart: z.boolean().openapi({
      description:
        "true if the order's buyer and provider are not at arm's length, so the review does not count",
    }),
    escrow: z
      .object({ chain_id: chainIdField, contract_address: shownAddress, escrow_id: shownHash })
      .openapi("ReviewedEscrow", {
        description: "the order's escrow, by which anyone can find its settlement",
      }),
    answer: orNull(
      z
        .object({ text: z.string().openapi({ example: "Thank you." }), at: timeField })
        .openapi("ReviewAnswer"),
    ),
    reports: z.int().openapi({
      description:
        "the number of reports by accounts that had a paid order with the author, and are at arm's length from both sides",
    }),
    marked: z
      .boolean()
      .openapi({ description: `whether there are ${marksFrom} such reports; a marked review is not hidden` }),
    disputed_by_provider: z.boolean().openapi({ description: "whether the provider reported the review" }),
    erc8004: orNull(givenFeedback).openapi({
      description: "the buyer's on-chain feedback on the same order",
    }),
    hidden_at: timeField.nullable().openapi({
      description:
        "since when the operators hide it: its rating and texts are not shown, and it counts in no rating",
    }),
    created_at: timeField,
    edited_at: timeField.nullable(),
    withdrawn_at: timeField
      .nullable()
      .openapi({ description: "the time of the withdrawal, which removes rating and texts" }),
  })
  .openapi("Review");

/** Presents reviews to everybody. */
export async function presentReviews(
  { db }: Pick<Context, "db">,
  rows: readonly ReviewWithContext[],
): Promise<z.output<typeof reviewSchema>[]> {
  const given = await readGivenFeedback(
    db,
    rows.map(({ review }) => review.orderId),
  );
  return rows.map((row) => presentReview(row, given.get(row.review.orderId)));
}

/**
 * Reads a review and presents it, to everybody or to a party of its order.
 *
 * @throws Refusal `not_found`
 */
export async function showReview(context: Pick<Context, "db">, id: string, forParty = false) {
  const [shown] = await presentReviews(context, [await readReview(context.db, id, forParty)]);
  if (!shown) throw new Error(`The review ${id} was not presented.`);
  return shown;
}

function presentReview(
  { review: row, agent, service, escrow }: ReviewWithContext,
  feedback: Awaited<ReturnType<typeof readFeedback>>,
): z.output<typeof reviewSchema> {
  const isHidden = row.hiddenAt !== null;
  return {
    id: row.id,
    agent,
    service,
    rating: isHidden ? null : row.rating,
    text: isHidden ? null : row.text,
    settled: row.settled,
    apart: row.apart,
    escrow: {
      chain_id: escrow.chainId,
      contract_address: getAddress(escrow.contract),
      escrow_id: escrow.id,
    },
    answer:
      isHidden || row.answer === null || row.answeredAt === null
        ? null
        : { text: row.answer, at: row.answeredAt.toISOString() },
    reports: row.reports,
    marked: row.marked,
    disputed_by_provider: row.disputedByProvider,
    erc8004: feedback && !isHidden ? presentGiven(feedback) : null,
    hidden_at: row.hiddenAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    edited_at: row.editedAt?.toISOString() ?? null,
    withdrawn_at: row.withdrawnAt?.toISOString() ?? null,
  };
}

function presentGiven({
  row,
  file,
  isRevoked,
}: NonNullable<Awaited<ReturnType<typeof readFeedback>>>): z.output<typeof givenFeedback> | null {
  const transaction = feedbackTransaction(row, file);
  if (transaction === null || row.status === "prepared") return null;
  const { comment: _, ...opinion } = readOpinion(file.content);
  return {
    status: row.status,
    client_address: getAddress(file.clientAddress),
    ...opinion,
    revoked: isRevoked,
    transaction,
  };
}
