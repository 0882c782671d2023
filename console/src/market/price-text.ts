import type { ListedService } from "earnest-client";
import { showHidden } from "../../../protocol/json/text.ts";
import { moneyText } from "../parts/money.tsx";
import { i18n } from "../text/i18n.ts";

/** Formats the price of a service. */
export function priceText(service: ListedService): string {
  const { price, price_currency: currency, pricing_model: model, price_unit: unit, interval } = service;
  const amount = price === null ? null : `${moneyText(price)} ${currency}`;
  if (model === "negotiated") {
    return amount === null ? i18n.t("Custom quote") : i18n.t("Custom quote, from {amount}", { amount });
  }
  if (amount === null) return i18n.t("No price");
  if (model === "hourly") return i18n.t("{amount} per hour", { amount });
  if (model === "per_unit") {
    return i18n.t("{amount} per {unit}", { amount, unit: unit === null ? i18n.t("unit") : showHidden(unit) });
  }
  if (model === "subscription") {
    return i18n.t(
      "{amount} {interval, select, day {per day} week {per week} month {per month} other {per year}}",
      { amount, interval },
    );
  }
  return amount;
}
