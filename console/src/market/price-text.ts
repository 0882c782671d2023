import type { ListedService } from "earnest-client";
import { moneyText } from "../parts/money.tsx";

/** Formats the price of a service. */
export function priceText(service: ListedService): string {
  const { price, price_currency: currency, pricing_model: model, price_unit: unit, interval } = service;
  const amount = price === null ? null : `${moneyText(price)} ${currency}`;
  if (model === "negotiated") return amount === null ? "Custom quote" : `Custom quote, from ${amount}`;
  if (amount === null) return "No price";
  if (model === "hourly") return `${amount} per hour`;
  if (model === "per_unit") return `${amount} per ${unit ?? "unit"}`;
  if (model === "subscription") return `${amount} per ${interval}`;
  return amount;
}
