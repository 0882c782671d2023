import { createRoute, z } from "@hono/zod-openapi";
import { type Hex, TransactionReceiptNotFoundError } from "viem";
import { markSubmitted, readFeedback, readFiles } from "../../db/feedback.ts";
import { findFeedback, type Opinion } from "../../protocol/settlement/feedback.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { type OwnOrder, readOwnOrder, requireBuyer } from "../../trade/orders/order-access.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError, refuseField } from "../http/api-error.ts";
import { bytes32Field, isReadable, textField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { orderParams } from "../orders/order.ts";
import type { App } from "../variables.ts";
import { feedbackStateSchema, presentFeedback } from "./feedback.ts";
import { prepareFeedback } from "./feedback-preparation.ts";

const tag = z.string().trim().max(64).check(isReadable).default("");

const feedbackRequest = z
  .strictObject({
    value: z
      .int()
      .min(Number.MIN_SAFE_INTEGER)
      .max(Number.MAX_SAFE_INTEGER)
      .openapi({ description: "the rating, in units of its last decimal", example: 87 }),
    value_decimals: z.int().min(0).max(18).default(0),
    tag1: tag.openapi({ description: "what the value rates", example: "starred" }),
    tag2: tag,
    comment: textField(longest.comment).nullish(),
  })
  .openapi("FeedbackRequest", {
    example: { value: 87, tag1: "starred", comment: "Delivered within the hour." },
  });

const submission = z
  .strictObject({
    transaction_hash: bytes32Field,
  })
  .openapi("FeedbackSubmission", {
    example: { transaction_hash: "0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b" },
  });

/** Adds the routes of ERC-8004 feedback on a settled order: prepared here, given by the buyer's wallet, found on the chain. */
export function addPortableFeedback(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/portable-feedback",
      operationId: "readPortableFeedback",
      tags: ["feedback"],
      summary: "Read the portable feedback of an order",
      description: "For the buyer. `feedback` is null until one is prepared.",
      ...accessRule(context, "orders:read"),
      request: { params: orderParams },
      responses: {
        200: jsonResponse("The feedback", feedbackStateSchema),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const { row } = await readAsBuyer(c, c.req.valid("param").id);
      return c.json(await presentState(row.id), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/portable-feedback",
      operationId: "preparePortableFeedback",
      tags: ["feedback"],
      summary: "Prepare portable feedback on a settled order",
      description:
        "Writes the ERC-8004 feedback file, with the settlement's transaction as proof of payment, and serves it for ever under its keccak256. The answer has the `giveFeedback` call for the buyer's own wallet. Nothing is on the chain until that wallet sends the call. Until then the feedback can be prepared again, up to ten times. The same content gives the same file.",
      ...accessRule(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(feedbackRequest) },
      responses: {
        201: jsonResponse("The prepared feedback", feedbackStateSchema),
        ...errorResponses("not_settled", "invalid_state", "conflict"),
      },
    }),
    async (c) => {
      const { row } = await readAsBuyer(c, c.req.valid("param").id);
      const { comment = null, ...scores } = c.req.valid("json");
      const opinion: Opinion = { ...scores, comment };
      await prepareFeedback(context, callerOf(c), row.id, opinion);
      return c.json(await presentState(row.id), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/portable-feedback/submitted",
      operationId: "submitPortableFeedback",
      tags: ["feedback"],
      summary: "Report the transaction that gave the feedback",
      description:
        "The transaction's receipt must have the registry's event for this agent, the order's buyer and a file of this order. The feedback is `submitted` until its block is confirmed. Without this call, the service finds the event itself a little later. A repeated request gets the same answer.",
      ...accessRule(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(submission) },
      responses: {
        202: jsonResponse("The current state of the feedback", feedbackStateSchema),
        ...errorResponses("invalid_state", "conflict"),
      },
    }),
    async (c) => {
      const { row } = await readAsBuyer(c, c.req.valid("param").id);
      await submit(row.id, c.req.valid("json").transaction_hash);
      return c.json(await presentState(row.id), 202);
    },
  );

  async function readAsBuyer(c: Parameters<typeof callerOf>[0], orderId: string): Promise<OwnOrder> {
    const own = await readOwnOrder(db, callerOf(c), orderId);
    requireBuyer(own.role, "give feedback on an order");
    return own;
  }

  async function presentState(orderId: string): Promise<z.output<typeof feedbackStateSchema>> {
    const prepared = await readFeedback(db, orderId);
    return { order_id: orderId, feedback: prepared ? presentFeedback(context, prepared) : null };
  }

  async function submit(orderId: string, transaction: Hex): Promise<void> {
    const current = await readFeedback(db, orderId);
    if (!current) {
      throw new ApiError(
        "invalid_state",
        `No feedback is prepared. Prepare it first: POST /orders/${orderId}/portable-feedback.`,
      );
    }
    if (current.row.status !== "prepared") return requireSame(current.row.transactionHash, transaction);
    const files = await readFiles(db, orderId);
    // The agent may have linked an identity on another chain between two preparations.
    const chainIds = new Set(files.map((file) => file.chainId));
    for (const chainId of [current.file.chainId, ...chainIds]) {
      const receipt = await context
        .chain(chainId)
        ?.client.getTransactionReceipt({ hash: transaction })
        .catch((error) => {
          if (error instanceof TransactionReceiptNotFoundError) return undefined;
          throw error;
        });
      if (!receipt) continue;
      if (receipt.status !== "success") {
        throw refuseField("transaction_hash", "reverted", "The transaction reverted and gave no feedback.");
      }
      const found = findFeedback(
        receipt.logs,
        files.filter((file) => file.chainId === chainId),
      );
      if ("keyword" in found) throw refuseField("transaction_hash", found.keyword, found.message);
      const { blockNumber, blockHash } = receipt;
      const { hash: feedbackHash, ...event } = found;
      const seen = { ...event, feedbackHash, blockNumber, blockHash, transactionHash: transaction };
      if (await markSubmitted(db, orderId, seen)) return;
      // The worker found the event meanwhile.
      return requireSame((await readFeedback(db, orderId))?.row.transactionHash, transaction);
    }
    throw refuseField(
      "transaction_hash",
      "unknown",
      "The chain has no mined transaction with this hash. Send the request again once the transaction is mined.",
    );
  }
}

function requireSame(noted: Hex | null | undefined, transaction: Hex): void {
  if (noted === transaction) return;
  throw new ApiError("conflict", `The transaction ${noted} gave the order's feedback already.`);
}
