import { createRoute, z } from "@hono/zod-openapi";
import { inTransaction } from "../../db/transaction.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { deliverOrder, startOrder } from "../../trade/orders/delivery.ts";
import { readOwnOrder } from "../../trade/orders/order-access.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { isReadable, nullableJsonObjectField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonResponse } from "../http/openapi.ts";
import { quantityField } from "../services/pricing-fields.ts";
import type { App } from "../variables.ts";
import { orderParams, orderSchema, presentOrder } from "./order.ts";
import { presentRelay, relaySchema, signatureSchema } from "./relay-answer.ts";

const deliveryRequest = z
  .strictObject({
    output_payload: nullableJsonObjectField.optional().openapi({
      description:
        "an object that fits the order's frozen `output_schema`. An object in it with `file_id` is a `FileReference`, which gives the buyer the file",
    }),
    units: quantityField.optional().openapi({
      description:
        "the units that a metered order charges, at most its `quantity`; required for a metered order, and for no other",
    }),
    note: z
      .string()
      .max(longest.note)
      .check(isReadable)
      .optional()
      .openapi({ description: "a message to the buyer, stored in the trail" }),
    signature: signatureSchema.optional().openapi({
      description:
        "the provider's signature of this delivery's record, which is relayed at once; see `delivery-record`",
    }),
  })
  .openapi("DeliveryRequest");

const deliveredSchema = orderSchema
  .extend({
    relay: z
      .union([relaySchema, z.null()])
      .openapi({ description: "the relay of the record, if it was signed" }),
  })
  .openapi("DeliveredOrder");

/** Adds the routes by which a provider starts and delivers an order. Neither moves money. */
export function addOrderWork(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/start",
      operationId: "startOrder",
      tags: ["orders"],
      summary: "Start a funded order",
      ...accessRule(context, "orders:write"),
      request: { params: orderParams },
      responses: { 200: jsonResponse("The order", orderSchema), ...errorResponses("invalid_state") },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      await inTransaction(db, (tx) => startOrder(tx, caller, id));
      const { row, escrow, unreadMessages } = await readOwnOrder(db, caller, id);
      return c.json(presentOrder(row, escrow, caller, unreadMessages), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/deliver",
      operationId: "deliverOrder",
      tags: ["orders"],
      summary: "Deliver the output",
      description:
        "The order must be started. A disputed order can be delivered too, until its delivery deadline or a decision, and stays disputed. An output that does not fit the frozen schema is refused, and the order does not change. Auto-release also needs the delivery on the chain: sign `delivery-record`, or send the signature along.",
      ...accessRule(context, "orders:write"),
      request: {
        params: orderParams,
        body: { required: true, content: { "application/json": { schema: deliveryRequest } } },
      },
      responses: {
        200: jsonResponse("The order", deliveredSchema),
        ...errorResponses(
          "invalid_state",
          "conflict",
          "output_schema_violation",
          "file_not_found",
          "file_mismatch",
          "rate_limited",
          "checker_busy",
        ),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      const { output_payload, units, note, signature } = c.req.valid("json");
      const delivery = { output: output_payload ?? null, units, note, signature };
      const relay = await deliverOrder(context, caller, id, delivery);
      const { row, escrow, unreadMessages } = await readOwnOrder(db, caller, id);
      return c.json(
        { ...presentOrder(row, escrow, caller, unreadMessages), relay: relay && presentRelay(relay) },
        200,
      );
    },
  );
}
