import { z } from "@hono/zod-openapi";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { largestQuantity, pricingModels } from "../../trade/services/pricing.ts";
import { billingIntervals } from "../../trade/subscriptions/periods.ts";
import { amountInput, orNull, textField } from "../http/fields.ts";

export const pricingModelField = z.enum(pricingModels).openapi("PricingModel");
export const intervalField = z.enum(billingIntervals).openapi("BillingInterval");

/** A number that fits the database's integers. Hours also fit 32 bits of the contract as seconds. */
export const quantityField = z.int().min(1).max(largestQuantity);

/** The fields of a request that concern the price of a service. */
export const pricingFields = {
  pricing_model: pricingModelField.openapi({
    description:
      "`fixed`: one price; `per_unit` and `hourly`: the price times a quantity; `metered`: the price times the units that the delivery counts, and the rest goes back to the buyer; `per_call`: the price of each call of a session, and the rest goes back to the buyer; `negotiated`: by a quote; `subscription`: the price of an interval",
  }),
  price: amountInput.openapi({
    example: "2.50",
    description:
      "the price per unit or interval: a decimal above zero, with at most the token's decimals. A draft may omit it. A negotiated service may omit it, or state a starting price.",
  }),
  price_currency: z.string().min(1).max(100).openapi({
    example: "TUSD",
    description:
      "a currency such as USD, or a token's symbol; the default is the symbol of the first accepted token",
  }),
  price_unit: textField(longest.unit)
    .nullable()
    .openapi({ example: "page", description: "the unit of a quantity; `hour` if the price is hourly" }),
  interval: orNull(intervalField).openapi({
    description: "the interval of a subscription; only for that pricing model",
  }),
  min_quantity: quantityField.openapi({ description: "the default is 1" }),
  max_quantity: quantityField
    .nullable()
    .openapi({ description: "the default is no limit, or 1 for a fixed price" }),
};
