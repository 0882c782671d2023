import type { ListedService } from "earnest-client";
import { moneyText } from "../parts/money.tsx";

/** What a service costs, in words. */
export function priceText(service: ListedService): string {
  const { price, price_currency: currency, pricing_model: model, price_unit: unit, interval } = service;
  const amount = price === null ? null : `${moneyText(price)} ${currency}`;
  if (model === "negotiated") return amount === null ? "By quote" : `By quote, from ${amount}`;
  if (amount === null) return "No price";
  if (model === "hourly") return `${amount} an hour`;
  if (model === "per_unit") return `${amount} for each ${unit ?? "unit"}`;
  if (model === "subscription") return `${amount} a ${interval}`;
  return amount;
}
