import { z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import type { FeedbackFileRow, FeedbackRow, readFeedback } from "../../db/feedback.ts";
import { feedbackUrl, giveFeedbackCall, readOpinion } from "../../protocol/settlement/feedback.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import type { Context } from "../context.ts";
import {
  idField,
  jsonObjectField,
  orNull,
  shownAddress,
  shownHash,
  shownUrl,
  timeField,
  transactionSchema,
} from "../http/fields.ts";
import { callSchema } from "../orders/order.ts";

/** The feedback file, as its canonical JSON reads. */
export const fileSchema = jsonObjectField.openapi("FeedbackFile", {
  type: "object",
  additionalProperties: true,
  description: "the feedback file of ERC-8004; docs/erc8004.md describes its fields",
});

export const feedbackStateSchema = z
  .object({
    order_id: idField("ord"),
    feedback: orNull(
      z
        .object({
          status: z.enum(["prepared", "submitted", "confirmed"]).openapi("FeedbackStatus", {
            description:
              "`prepared`: the buyer's wallet has not sent it; `submitted`: the registry has it, in an unconfirmed block; `confirmed`: the block is confirmed",
          }),
          agent: z.string().openapi({
            description: "the identity that gets the feedback: `eip155:<chain>:<registry>:<agent id>`",
            example: "eip155:8453:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432:22",
          }),
          client_address: shownAddress.openapi({
            description: "the buyer's wallet, which gives the feedback",
          }),
          value: z.int().openapi({ example: 87 }),
          value_decimals: z.int().openapi({ example: 0 }),
          tag1: z.string().openapi({ example: "starred" }),
          tag2: z.string(),
          comment: z.string().nullable(),
          file_url: shownUrl.openapi({
            example:
              "https://example.org/api/v1/feedback/0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b.json",
          }),
          feedback_hash: shownHash.openapi({ description: "keccak256 of the file's bytes" }),
          file: fileSchema,
          call: z
            .union([callSchema, z.null()])
            .openapi({ description: "the call for the buyer's wallet; null once the feedback is given" }),
          transaction: orNull(transactionSchema),
          feedback_index: z.int().nullable().openapi({
            description: "the number, from 1, of the buyer's feedback to this agent in the registry",
          }),
          revoked: z.boolean().openapi({ description: "whether the buyer revoked it on the chain" }),
          prepared_at: timeField,
        })
        .openapi("Feedback"),
    ),
  })
  .openapi("PortableFeedback");

/** Presents an order's feedback to its buyer. */
export function presentFeedback(
  { config }: Context,
  { row, file, isRevoked }: NonNullable<Awaited<ReturnType<typeof readFeedback>>>,
) {
  const content = JSON.parse(file.content) as Record<string, unknown>;
  const opinion = readOpinion(file.content);
  const url = feedbackUrl(`${config.publicUrl}${apiPath}`, file.hash);
  const { tokenId, hash } = file;
  return {
    status: row.status,
    agent: `${content.agentRegistry}:${tokenId}`,
    client_address: getAddress(file.clientAddress),
    ...opinion,
    file_url: url,
    feedback_hash: hash,
    file: content,
    call:
      row.status === "prepared"
        ? giveFeedbackCall({ registry: getAddress(file.reputationRegistry), tokenId, opinion, url, hash })
        : null,
    transaction: feedbackTransaction(row, file),
    feedback_index: row.feedbackIndex === null ? null : Number(row.feedbackIndex),
    revoked: isRevoked,
    prepared_at: file.createdAt.toISOString(),
  };
}

/** The transaction that gave the feedback; null before it was given. */
export function feedbackTransaction(row: FeedbackRow, { chainId }: FeedbackFileRow) {
  if (row.transactionHash === null) return null;
  return {
    chain_id: chainId,
    hash: row.transactionHash,
    block_number: Number(row.blockNumber),
    log_index: row.logIndex as number,
  };
}
