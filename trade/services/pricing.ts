import type { Config } from "../../config/config.ts";
import type { service } from "../../db/schema.ts";
import { parseAmount } from "../../protocol/settlement/money.ts";
import { largestAmount } from "../../protocol/settlement/terms.ts";
import type { Violation } from "../../untrusted/schemas/payloads.ts";
import { Refusal, refuseField } from "../refusal.ts";
import {
  acceptedTokens,
  amountIn,
  defaultToken,
  isRelayedFree,
  type TokenSettings,
} from "./payment-token.ts";

export const pricingModels = [
  "fixed",
  "per_unit",
  "hourly",
  "metered",
  "per_call",
  "negotiated",
  "subscription",
] as const;
export type PricingModel = (typeof pricingModels)[number];

/** The models whose services can be ordered without a quote or a subscription. */
export const directModels: readonly PricingModel[] = ["fixed", "per_unit", "hourly", "metered", "per_call"];

/** The largest quantity that the database's integers hold. */
export const largestQuantity = 2 ** 31 - 1;

type Pricing = Pick<
  typeof service.$inferSelect,
  "pricingModel" | "price" | "priceUnit" | "billingInterval" | "minQuantity" | "maxQuantity"
>;

/** The endpoints of a service: a session calls one, and orders are executed at the other. */
type Endpoints = Pick<typeof service.$inferSelect, "sessionUrl" | "executionUrl">;

/** The settings that determine the pricing token. */
type PricedIn = Pick<Config, "defaultChain">;

/** Returns the token whose decimals all prices have: the default chain's. */
export function pricingToken(config: PricedIn) {
  return defaultToken(config).token;
}

/**
 * Parses an amount of a request into base units of the pricing token.
 *
 * @throws Refusal `invalid_request` that names the field
 */
export function readAmount(field: string, text: string, config: PricedIn): bigint {
  const { decimals, symbol } = pricingToken(config);
  const amount = parseAmount(text, decimals);
  if (amount !== null && amount <= largestAmount) return amount;
  const message = `Field ${field}: use a decimal with at most ${decimals} decimals (${symbol}), as in 2.50.`;
  throw refuseField(field, "amount", message);
}

/** Parses a price. @throws Refusal `invalid_request` for zero, or as `readAmount` */
export function readPrice(text: string, config: PricedIn): bigint {
  const price = readAmount("price", text, config);
  if (price === 0n) throw refuseField("price", "exclusiveMinimum", "Field price: use an amount above zero.");
  return price;
}

/** Returns the maximum quantity of an order; null without a maximum. A fixed price has a maximum of 1 by default. */
export function mostQuantityOf(pricing: Pick<Pricing, "pricingModel" | "maxQuantity">): number | null {
  return pricing.maxQuantity ?? (pricing.pricingModel === "fixed" ? 1 : null);
}

/**
 * Checks the combination of a service's pricing fields.
 *
 * @throws Refusal `invalid_request` that names the invalid field
 */
export function checkPricing(pricing: Omit<Pricing, "price"> & Endpoints): void {
  const { pricingModel, minQuantity, priceUnit, billingInterval } = pricing;
  const most = mostQuantityOf(pricing);
  if (most !== null && minQuantity > most) {
    throw refuseField(
      "max_quantity",
      "minimum",
      pricing.maxQuantity === null
        ? `Field max_quantity: a fixed price has a maximum of 1 by default, and min_quantity is ${minQuantity}. Set max_quantity.`
        : `Field max_quantity: use at least min_quantity, which is ${minQuantity}.`,
    );
  }
  if (pricingModel === "hourly" && priceUnit !== null && priceUnit !== "hour") {
    throw refuseField("price_unit", "const", "Field price_unit: use hour for an hourly price.");
  }
  if (pricingModel !== "per_call" && pricing.sessionUrl !== null) {
    throw refuseField(
      "session",
      "model",
      "Field session: send null, because only per_call services have sessions.",
    );
  }
  if (pricingModel === "per_call" && pricing.executionUrl !== null) {
    throw refuseField(
      "execution",
      "model",
      "Field execution: send null, because a session calls its endpoint itself.",
    );
  }
  if (pricingModel !== "subscription" && billingInterval !== null) {
    throw refuseField(
      "interval",
      "model",
      "Field interval: send null, because only subscriptions have an interval.",
    );
  }
}

/** Lists the missing pricing fields, without which a service cannot be published. */
export function findMissingPricing({
  pricingModel,
  price,
  priceUnit,
  billingInterval,
  sessionUrl,
}: Pricing & Pick<Endpoints, "sessionUrl">): Violation[] {
  const missing: Violation[] = [];
  if (price === 0n && pricingModel !== "negotiated") {
    missing.push({
      path: "/price",
      keyword: "required",
      message: `is required by the model ${pricingModel}`,
    });
  }
  if (pricingModel === "metered" && priceUnit === null) {
    missing.push({
      path: "/price_unit",
      keyword: "required",
      message: "is required by the model metered",
    });
  }
  if (pricingModel === "per_call" && sessionUrl === null) {
    missing.push({
      path: "/session",
      keyword: "required",
      message: "is required by the model per_call",
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

/** @throws Refusal `invalid_request` for a quantity outside the service's range */
function checkQuantity(
  offered: Pick<Pricing, "pricingModel" | "minQuantity" | "maxQuantity">,
  quantity: number,
): void {
  const most = mostQuantityOf(offered);
  if (quantity >= offered.minQuantity && (most === null || quantity <= most)) return;
  const allowed =
    most === null ? `at least ${offered.minQuantity}` : `from ${offered.minQuantity} to ${most}`;
  throw refuseField("quantity", "range", `Field quantity: use ${allowed} for this service.`);
}

/**
 * Returns the quantity of an order, which is in the service's range: the requested one, or the least one. The quantity
 * of a metered service is the most units that may be charged, that of a session its calls. Their default is the
 * service's maximum.
 *
 * @throws Refusal `invalid_request` for a quantity outside the range, or a metered order or a session without any maximum
 */
export function chooseQuantity(
  offered: Pick<Pricing, "pricingModel" | "minQuantity" | "maxQuantity">,
  requested: number | undefined,
): number {
  const { pricingModel, minQuantity, maxQuantity } = offered;
  const quantity = requested ?? (isMeasured(pricingModel) ? maxQuantity : minQuantity);
  if (quantity === null) {
    throw refuseField(
      "quantity",
      "required",
      pricingModel === "per_call"
        ? "Field quantity: state the most calls that may be charged, because this service has no maximum."
        : "Field quantity: state the most units that may be charged, because this metered service has no maximum.",
    );
  }
  checkQuantity(offered, quantity);
  return quantity;
}

/** Whether the quantity of an order is the most that may be charged, and the rest comes back. */
export function isMeasured(pricingModel: string): boolean {
  return pricingModel === "metered" || pricingModel === "per_call";
}

/** @throws Refusal `quote_required` or `subscription_required` for a service that cannot be ordered directly */
export function requireDirectOrders(pricingModel: string): void {
  if (pricingModel === "negotiated") {
    throw new Refusal(
      "quote_required",
      "This service's price is negotiated. Post a request, then accept its provider's quote.",
    );
  }
  if (pricingModel === "subscription") {
    throw new Refusal(
      "subscription_required",
      "This service is sold by subscription. Subscribe to it instead.",
    );
  }
}

/** Whether a service is sold without an account: it has a price of at least the minimum for free relays. */
export function isSoldToAnybody(
  offered: Pick<typeof service.$inferSelect, "status" | "pricingModel" | "price" | "minQuantity" | "accepts">,
  config: TokenSettings,
): boolean {
  const { status, pricingModel, price, minQuantity } = offered;
  if (status !== "published" || pricingModel === "negotiated" || pricingModel === "subscription")
    return false;
  return acceptedTokens(config, offered).some((token) => {
    const amount = amountIn(config, price * BigInt(minQuantity), token);
    return amount !== null && amount > 0n && isRelayedFree(token, amount);
  });
}
