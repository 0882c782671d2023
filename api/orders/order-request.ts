import { z } from "@hono/zod-openapi";
import {
  addressField,
  amountInput,
  idField,
  nullableJsonObjectField,
  tokenNameField,
} from "../http/fields.ts";
import { quantityField } from "../services/pricing-fields.ts";
import { railField } from "./order-fields.ts";

export const orderRequest = z
  .strictObject({
    service_id: idField("svc"),
    quantity: quantityField.optional().openapi({
      description:
        "the default is the service's `min_quantity`. Of a metered service the most units that may be charged, and of a session the most calls, by default its `max_quantity`",
    }),
    max_amount: amountInput.optional().openapi({
      example: "5.00",
      description:
        "instead of `quantity`, of a metered service or a session: the most that may be charged, in the token that pays. The order takes as many units or calls as it pays",
    }),
    input_payload: nullableJsonObjectField
      .optional()
      .openapi({ description: "an object that fits the service's `input_schema`" }),
    settlement_rail: railField.optional().openapi({ default: "escrow" }),
    pay_with: tokenNameField.optional().openapi({
      description: "the token to pay with, one of the service's `accepts`; the default is its first",
    }),
    buyer_address: addressField.optional().openapi({
      description: "one of your verified wallets, which gets refunds; the default is your primary wallet",
    }),
    arbiter: addressField.optional().openapi({
      description:
        "the address that decides disputes: one of the service's `arbiters`, and no party of the order. The default is the chain's arbiter. With the zero address nobody decides, and disputes end by time",
    }),
  })
  .openapi("OrderRequest");
