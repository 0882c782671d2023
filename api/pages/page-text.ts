import { html } from "hono/html";
import type { Texts } from "../../console/src/text/i18n.ts";
import { amountText } from "../../console/src/text/written.ts";
import { oneLine } from "../../protocol/json/text.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import type { ServiceLine, ServicePage } from "./page-queries.ts";

/** A user's text within a line, isolated so that its direction does not affect the text around it. */
export const shown = (text: string, most: number) => html`<bdi>${oneLine(text, most)}</bdi>`;

/** The price of a service in words; null for a service without a price. */
export function priceOf(i18n: Texts, service: ServicePage, decimals: number): string | null {
  const { pricingModel, price, priceCurrency, priceUnit, billingInterval } = service;
  if (price === 0n) return pricingModel === "negotiated" ? i18n.t("Custom quote") : null;
  const amount = `${amountText(i18n, formatAmount(price, decimals))} ${priceCurrency}`;
  if (pricingModel === "negotiated") return i18n.t("Custom quote, from {amount}", { amount });
  if (pricingModel === "hourly") return i18n.t("{amount} per hour", { amount });
  if (pricingModel === "per_unit")
    return i18n.t("{amount} per {unit}", { amount, unit: priceUnit ?? i18n.t("unit") });
  if (pricingModel === "subscription") {
    const values = { amount, interval: billingInterval };
    return i18n.t(
      "{amount} {interval, select, day {per day} week {per week} month {per month} other {per year}}",
      values,
    );
  }
  return amount;
}

/** A list of links to services. */
export function listServices(i18n: Texts, services: ServiceLine[]) {
  if (services.length === 0) return html`<p>${i18n.t("No services yet.")}</p>`;
  return html`<ul>${services.map(
    ({ agent, slug, title, summary }) =>
      html`<li><a href="./market/${agent}/${slug}">${shown(title, 160)}</a>${summary ? html`: ${shown(summary, 300)}` : ""}</li>`,
  )}</ul>`;
}
