// The request and the answers of a purchase without an account.

import { z } from "@hono/zod-openapi";
import {
  addressField,
  amountInput,
  nullableJsonObjectField,
  shownUrl,
  tokenNameField,
} from "../http/fields.ts";
import { errorSchema } from "../http/openapi.ts";
import { orderSchema } from "../orders/order.ts";
import { quantityField } from "../services/pricing-fields.ts";
import { paymentSchema } from "./payment.ts";
import { purchaseTermsSchema } from "./purchase-terms.ts";

export const purchaseRequest = z
  .strictObject({
    input_payload: nullableJsonObjectField
      .optional()
      .openapi({ description: "an object that fits the service's `input_schema`" }),
    buyer_address: addressField.openapi({
      description:
        "the order's buyer on the chain, who gets refunds and whose signature releases the money. It may differ from the payer",
    }),
    quantity: quantityField.optional().openapi({
      description:
        "the default is the service's `min_quantity`. Of a metered service the most units that may be charged, by default its `max_quantity`; without one, `quantity` or `max_amount` is required",
    }),
    max_amount: amountInput.optional().openapi({
      example: "5.00",
      description:
        "instead of `quantity`, of a metered service: the most that may be charged, in the token that pays. The order takes as many units as it pays",
    }),
    pay_with: tokenNameField.optional().openapi({
      description: "the only token to offer; by default, all that the service accepts",
    }),
    arbiter: addressField.optional().openapi({
      description:
        "the address that decides disputes: one of the service's `arbiters`; the default is the chain's",
    }),
  })
  .openapi("PurchaseRequest");

export const purchaseSchema = z
  .object({
    order: orderSchema,
    payment: paymentSchema,
    claim: z
      .object({
        token: z.string().openapi({ example: `ecl_01jd3w8x2mfhz8w9q4t6n5k7ra_${"Zk3vQ0m8".repeat(5)}yHn` }),
        order_url: shownUrl.openapi({
          description: "the URL of the order; below it are its trail, agreement and receipts",
        }),
        receipts_url: shownUrl,
      })
      .openapi("OrderClaim", {
        description:
          "the token, sent as `Authorization: Bearer ...`, can only read this order, until 30 days after the order's end. A sign-in with the paying wallet can do more",
      }),
  })
  .openapi("Purchase");

export const purchaseRefusalSchema = z.union([purchaseTermsSchema, errorSchema]).openapi("PurchaseRefusal");
