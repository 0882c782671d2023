import type { ListedService } from "earnest-client";
import { moneyText } from "../parts/money.tsx";
import { i18n } from "../text/i18n.ts";
import { describePrice } from "../text/price-text.ts";

/** Formats the price of a service. */
export function priceText(service: ListedService): string {
  const { price, price_currency: currency, pricing_model: model, price_unit: unit, interval } = service;
  const amount = price === null ? null : `${moneyText(price)} ${currency}`;
  return describePrice(i18n, { model, amount, unit, interval }) ?? i18n.t("No price");
}
