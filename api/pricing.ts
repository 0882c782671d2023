import { z } from "@hono/zod-openapi";
import type { Config } from "../config.ts";
import type { service } from "../db/schema.ts";
import { parseAmount } from "../settlement/money.ts";
import { ApiError, refuseField, type Violation } from "./errors.ts";
import { textField } from "./fields.ts";

export const pricingModels = ["fixed", "per_unit", "hourly", "negotiated", "subscription"] as const;
export type PricingModel = (typeof pricingModels)[number];
export const billingIntervals = ["day", "week", "month", "year"] as const;

/** The most that `amount` holds in an escrow's terms. */
const largestAmount = 2n ** 128n - 1n;

/** What fits the database's integers, and 32 bits of the contract when hours become seconds. */
export const quantityField = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);

/** What a service's request says of its price. */
export const pricingFields = {
  pricing_model: z.enum(pricingModels).openapi({
    description:
      "`fixed`: one price; `per_unit` and `hourly`: times a quantity; `negotiated`: by a quote; `subscription`: per interval",
  }),
  price: z.string().max(100).openapi({
    example: "2.50",
    description:
      "per unit or interval; an exact decimal above zero, no finer than the token. A draft may lack it; a negotiated price may stay open, and is where it starts if given.",
  }),
  price_currency: z
    .string()
    .openapi({ example: "TUSD", description: "the token's symbol, and by default that" }),
  price_unit: textField(40)
    .nullable()
    .openapi({ example: "page", description: "what a quantity counts; `hour` where the price is hourly" }),
  interval: z
    .enum(billingIntervals)
    .nullable()
    .openapi({ description: "how often a subscription is paid; for that model alone" }),
  min_quantity: quantityField.openapi({ description: "1 unless given" }),
  max_quantity: quantityField
    .nullable()
    .openapi({ description: "no limit unless given; of a fixed price 1 unless given" }),
};

type Pricing = Pick<
  typeof service.$inferSelect,
  "pricingModel" | "price" | "priceUnit" | "billingInterval" | "minQuantity" | "maxQuantity"
>;

/** The token that prices are in: the default chain's. */
export function pricingToken(config: Config) {
  if (config.defaultChain) return config.defaultChain.token;
  throw new ApiError(
    "dependency_unavailable",
    "No chain is configured, so there is no token to name prices in.",
  );
}

/**
 * Reads an amount of a request, in base units of the token that prices are in.
 *
 * @throws ApiError `invalid_request` naming the field
 */
export function readAmount(field: string, text: string, config: Config): bigint {
  const { decimals, symbol } = pricingToken(config);
  const amount = parseAmount(text, decimals);
  if (amount !== null && amount <= largestAmount) return amount;
  const message = `${field} must be an exact decimal with at most ${decimals} decimals (${symbol}), as in 2.50.`;
  throw refuseField(field, "amount", message);
}

/** @throws ApiError `invalid_request` for what is no amount, or zero */
export function readPrice(text: string, config: Config): bigint {
  const price = readAmount("price", text, config);
  if (price === 0n) throw refuseField("price", "exclusiveMinimum", "price must be above zero.");
  return price;
}

/** The most that one order takes, or null where nothing limits it. A fixed price is for one, unless its owner says more. */
export function mostOf(pricing: Pick<Pricing, "pricingModel" | "maxQuantity">): number | null {
  return pricing.maxQuantity ?? (pricing.pricingModel === "fixed" ? 1 : null);
}

/**
 * Checks the members that have to fit each other, at every write.
 *
 * @throws ApiError `invalid_request` naming the member that does not fit
 */
export function checkPricing(pricing: Omit<Pricing, "price">): void {
  const { pricingModel, minQuantity, priceUnit, billingInterval } = pricing;
  const most = mostOf(pricing);
  if (most !== null && minQuantity > most) {
    throw refuseField(
      "max_quantity",
      "minimum",
      pricing.maxQuantity === null
        ? `A fixed price is for one unless max_quantity says more, and min_quantity is ${minQuantity}.`
        : `max_quantity is below min_quantity, which is ${minQuantity}.`,
    );
  }
  if (pricingModel === "hourly" && priceUnit !== null && priceUnit !== "hour") {
    throw refuseField("price_unit", "const", "price_unit of an hourly price is hour.");
  }
  if (pricingModel !== "subscription" && billingInterval !== null) {
    throw refuseField(
      "interval",
      "model",
      "interval goes with the pricing model subscription alone; send null.",
    );
  }
}

/** What a price lacks to be offered to buyers, all at once. */
export function findMissingPricing({ pricingModel, price, billingInterval }: Pricing): Violation[] {
  const missing: Violation[] = [];
  if (price === 0n && pricingModel !== "negotiated") {
    missing.push({
      path: "/price",
      keyword: "required",
      message: `is required by the model ${pricingModel}`,
    });
  }
  if (pricingModel === "subscription" && billingInterval === null) {
    missing.push({
      path: "/interval",
      keyword: "required",
      message: "is required by the model subscription",
    });
  }
  return missing;
}

/** @throws ApiError `invalid_request` for a quantity that a service is not sold in */
export function checkQuantity(
  offered: Pick<Pricing, "pricingModel" | "minQuantity" | "maxQuantity">,
  quantity: number,
): void {
  const most = mostOf(offered);
  if (quantity >= offered.minQuantity && (most === null || quantity <= most)) return;
  const allowed =
    most === null ? `at least ${offered.minQuantity}` : `from ${offered.minQuantity} to ${most}`;
  throw refuseField("quantity", "range", `This service is sold in quantities ${allowed}.`);
}

/** @throws ApiError `quote_required` or `subscription_required` for what no buyer orders directly */
export function requireDirectOrders(pricingModel: string): void {
  if (pricingModel === "negotiated") {
    throw new ApiError(
      "quote_required",
      "This service's price is negotiated: post a request, and accept its provider's quote.",
    );
  }
  if (pricingModel === "subscription") {
    throw new ApiError(
      "subscription_required",
      "This service is sold by subscription: subscribe to it instead of ordering it.",
    );
  }
}
