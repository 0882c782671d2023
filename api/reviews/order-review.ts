import { createRoute, z } from "@hono/zod-openapi";
import { inTransaction } from "../../db/transaction.ts";
import { readOwnOrder } from "../../trade/orders/order-access.ts";
import {
  editableDays,
  editableUntil,
  editReview,
  findReview,
  withdrawReview,
  writeReview,
} from "../../trade/reviews/review.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { idField, orNull, timeField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { orderParams } from "../orders/order.ts";
import { partyField } from "../orders/order-fields.ts";
import type { App } from "../variables.ts";
import { ratingField, reviewSchema, reviewText, showReview } from "./review.ts";

const example = { rating: 5, text: "Delivered within the hour." };
const textOrNone = reviewText.nullish().openapi({ type: ["string", "null"] });
const reviewRequest = z
  .strictObject({ rating: ratingField, text: textOrNone })
  .openapi("ReviewRequest", { example });
const reviewChange = z
  .strictObject({ rating: ratingField.optional(), text: textOrNone })
  .openapi("ReviewChange", { example: { rating: 4 } });

const orderReviewSchema = z
  .object({
    order_id: idField("ord"),
    your_role: partyField,
    review: orNull(reviewSchema).openapi({ description: "null before a review is written" }),
    editable_until: timeField.nullable().openapi({
      description: "the time until which its author may change it; null if nothing can be changed",
    }),
  })
  .openapi("OrderReview");

/** Adds the routes by which the buyer of an order writes, changes and withdraws its review. */
export function addOrderReview(app: App, context: Context): void {
  const { db } = context;
  const path = "/orders/{id}/review";

  app.openapi(
    createRoute({
      method: "get",
      path,
      operationId: "readOrderReview",
      tags: ["reviews"],
      summary: "Read the review of your order",
      description: "For buyer and provider. `review` is null before one is written.",
      ...accessRule(context, "orders:read"),
      request: { params: orderParams },
      responses: { 200: jsonResponse("The review", orderReviewSchema) },
    }),
    async (c) => {
      const { row, role } = await readOwnOrder(db, callerOf(c), c.req.valid("param").id);
      const written = await findReview(db, row.id);
      const until = written && !written.withdrawnAt ? editableUntil(written) : null;
      return c.json(
        {
          order_id: row.id,
          your_role: role,
          review: written ? await showReview(context, written.id, true) : null,
          editable_until: until?.toISOString() ?? null,
        },
        200,
      );
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path,
      operationId: "writeReview",
      tags: ["reviews"],
      summary: "Review a settled order as its buyer",
      description:
        "An order has one review. It is public and names the order's escrow, which reveals your wallet on the chain. The provider is notified (`review.received`). A repeated request gets the same review. The buyer and the provider may not share an account or a member.",
      ...accessRule(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(reviewRequest) },
      responses: {
        201: jsonResponse("The review", reviewSchema),
        ...errorResponses("account_banned", "not_settled", "invalid_state", "conflict"),
      },
    }),
    async (c) => {
      const { rating, text = null } = c.req.valid("json");
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      const written = await inTransaction(db, (tx) => writeReview(tx, caller, id, { rating, text }));
      return c.json(await showReview(context, written.id, true), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "patch",
      path,
      operationId: "editReview",
      tags: ["reviews"],
      summary: "Change your review",
      description: `Possible for ${editableDays} days after the review was written. Fields that you omit keep their value; null removes the text. The time of the change is public.`,
      ...accessRule(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(reviewChange) },
      responses: {
        200: jsonResponse("The changed review", reviewSchema),
        ...errorResponses("account_banned", "invalid_state"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      const edited = await inTransaction(db, (tx) => editReview(tx, caller, id, c.req.valid("json")));
      return c.json(await showReview(context, edited.id, true), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path,
      operationId: "withdrawReview",
      tags: ["reviews"],
      summary: "Withdraw your review for ever",
      description:
        "Its rating, text and answer are removed. A public entry remains, which says that a review was withdrawn. The order cannot be reviewed again. Withdrawing it twice is no error.",
      ...accessRule(context, "orders:write"),
      request: { params: orderParams },
      responses: {
        200: jsonResponse("The withdrawn review", reviewSchema),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      const left = await inTransaction(db, (tx) => withdrawReview(tx, caller, id));
      return c.json(await showReview(context, left.id, true), 200);
    },
  );
}
