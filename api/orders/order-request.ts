import { z } from "@hono/zod-openapi";
import { addressField, idField, nullableJsonObjectField } from "../http/fields.ts";
import { quantityField } from "../services/pricing-fields.ts";
import { railField } from "./order-fields.ts";

export const orderRequest = z
  .strictObject({
    service_id: idField("svc"),
    quantity: quantityField.optional().openapi({ description: "the service's smallest unless given" }),
    input_payload: nullableJsonObjectField
      .optional()
      .openapi({ description: "as the service's `input_schema` says" }),
    settlement_rail: railField.optional().openapi({ default: "escrow" }),
    buyer_address: addressField.optional().openapi({
      description: "a verified wallet of yours, where refunds go; your primary one unless given",
    }),
    arbiter: addressField.optional().openapi({
      description:
        "who decides a dispute: one of the service's `arbiters`, and no party of the order. This chain's unless given; the zero address: nobody, only time",
    }),
  })
  .openapi("OrderRequest");
