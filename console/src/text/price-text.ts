import { showHidden } from "../../../protocol/json/text.ts";
import type { Texts } from "./i18n.ts";

/** A price as a service states it. */
type Price = {
  model: string;
  /** with its currency, in the reader's language; null without a price */
  amount: string | null;
  /** what the price is for, in the provider's words */
  unit: string | null;
  interval: string | null;
};

/** Describes the price of a service, on pages of the console and on pages that the service writes; null without a price. */
export function describePrice(i18n: Texts, { model, amount, unit, interval }: Price): string | null {
  if (amount === null) return model === "negotiated" ? i18n.t("Custom quote") : null;
  if (model === "negotiated") return i18n.t("Custom quote, from {amount}", { amount });
  if (model === "per_call") return i18n.t("{amount} per call", { amount });
  if (model === "hourly") return i18n.t("{amount} per hour", { amount });
  if (model === "per_unit" || model === "metered") {
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
