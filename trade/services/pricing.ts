import type { Config } from "../../config/config.ts";
import type { service } from "../../db/schema.ts";
import { parseAmount } from "../../protocol/settlement/money.ts";
import { largestAmount } from "../../protocol/settlement/terms.ts";
import type { Violation } from "../../untrusted/schemas/payloads.ts";
import { Refusal, refuseField } from "../refusal.ts";

export const pricingModels = ["fixed", "per_unit", "hourly", "negotiated", "subscription"] as const;
export type PricingModel = (typeof pricingModels)[number];

/** Those whose price says all, so that an order needs nobody's word first. */
export const directModels: readonly PricingModel[] = ["fixed", "per_unit", "hourly"];

type Pricing = Pick<
  typeof service.$inferSelect,
  "pricingModel" | "price" | "priceUnit" | "billingInterval" | "minQuantity" | "maxQuantity"
>;

/** The settings that say in which token prices are. */
type PricedIn = Pick<Config, "defaultChain">;

/** The token that prices are in: the default chain's. */
export function pricingToken({ defaultChain }: PricedIn) {
  if (defaultChain) return defaultChain.token;
  throw new Refusal(
    "dependency_unavailable",
    "No chain is configured, so there is no token to name prices in.",
  );
}

/**
 * Reads an amount of a request, in base units of the token that prices are in.
 *
 * @throws Refusal `invalid_request` naming the field
 */
export function readAmount(field: string, text: string, config: PricedIn): bigint {
  const { decimals, symbol } = pricingToken(config);
  const amount = parseAmount(text, decimals);
  if (amount !== null && amount <= largestAmount) return amount;
  const message = `${field} must be an exact decimal with at most ${decimals} decimals (${symbol}), as in 2.50.`;
  throw refuseField(field, "amount", message);
}

/** @throws Refusal `invalid_request` for what is no amount, or zero */
export function readPrice(text: string, config: PricedIn): bigint {
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
 * @throws Refusal `invalid_request` naming the member that does not fit
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

/** Lists all fields that a price lacks to be published. */
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

/** @throws Refusal `invalid_request` for a quantity that a service is not sold in */
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

/** @throws Refusal `quote_required` or `subscription_required` for what no buyer orders directly */
export function requireDirectOrders(pricingModel: string): void {
  if (pricingModel === "negotiated") {
    throw new Refusal(
      "quote_required",
      "This service's price is negotiated: post a request, and accept its provider's quote.",
    );
  }
  if (pricingModel === "subscription") {
    throw new Refusal(
      "subscription_required",
      "This service is sold by subscription: subscribe to it instead of ordering it.",
    );
  }
}

/** Whether a service is sold without an account: it has a fixed price, from the amount whose gas the service pays. */
export function isSoldToAnybody(
  offered: Pick<typeof service.$inferSelect, "status" | "pricingModel" | "price" | "minQuantity">,
  { defaultChain }: PricedIn,
): boolean {
  const { status, pricingModel, price, minQuantity } = offered;
  if (status !== "published" || pricingModel === "negotiated" || pricingModel === "subscription")
    return false;
  return (
    defaultChain !== undefined && price > 0n && price * BigInt(minQuantity) >= defaultChain.min_relay_amount
  );
}
