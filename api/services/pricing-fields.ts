import { z } from "@hono/zod-openapi";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { pricingModels } from "../../trade/services/pricing.ts";
import { billingIntervals } from "../../trade/subscriptions/periods.ts";
import { askedAmount, orNull, textField } from "../http/fields.ts";

export const pricingModelField = z.enum(pricingModels).openapi("PricingModel");
export const intervalField = z.enum(billingIntervals).openapi("BillingInterval");

/** What fits the database's integers, and 32 bits of the contract when hours become seconds. */
export const quantityField = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);

/** What a service's request says of its price. */
export const pricingFields = {
  pricing_model: pricingModelField.openapi({
    description:
      "`fixed`: one price; `per_unit` and `hourly`: times a quantity; `negotiated`: by a quote; `subscription`: per interval",
  }),
  price: askedAmount.openapi({
    example: "2.50",
    description:
      "per unit or interval; an exact decimal above zero, no finer than the token. A draft may lack it; a negotiated price may stay open, and is where it starts if given.",
  }),
  price_currency: z
    .string()
    .min(1)
    .max(100)
    .openapi({ example: "TUSD", description: "the token's symbol, and by default that" }),
  price_unit: textField(longest.unit)
    .nullable()
    .openapi({ example: "page", description: "what a quantity counts; `hour` where the price is hourly" }),
  interval: orNull(intervalField).openapi({
    description: "how often a subscription is paid; for that model alone",
  }),
  min_quantity: quantityField.openapi({ description: "1 unless given" }),
  max_quantity: quantityField
    .nullable()
    .openapi({ description: "no limit unless given; of a fixed price 1 unless given" }),
};
