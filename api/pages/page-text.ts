import { html } from "hono/html";
import { oneLine } from "../../protocol/json/text.ts";
import { formatAmount, shortAmount } from "../../protocol/settlement/money.ts";
import type { ServiceLine, ServicePage } from "./page-queries.ts";

/** A user's text within a line, isolated so that its direction does not affect the text around it. */
export const shown = (text: string, most: number) => html`<bdi>${oneLine(text, most)}</bdi>`;

/** The price of a service in words; null for a service without a price. */
export function priceOf(service: ServicePage, decimals: number): string | null {
  const { pricingModel, price, priceCurrency, priceUnit, billingInterval } = service;
  if (price === 0n) return pricingModel === "negotiated" ? "Custom quote" : null;
  const amount = `${shortAmount(formatAmount(price, decimals))} ${priceCurrency}`;
  if (pricingModel === "negotiated") return `Custom quote, from ${amount}`;
  if (pricingModel === "hourly") return `${amount} per hour`;
  if (pricingModel === "per_unit") return `${amount} per ${priceUnit ?? "unit"}`;
  if (pricingModel === "subscription") return `${amount} per ${billingInterval}`;
  return amount;
}

/** A list of links to services. */
export function listServices(services: ServiceLine[]) {
  if (services.length === 0) return html`<p>No services yet.</p>`;
  return html`<ul>${services.map(
    ({ agent, slug, title, summary }) =>
      html`<li><a href="./market/${agent}/${slug}">${shown(title, 160)}</a>${summary ? html`: ${shown(summary, 300)}` : ""}</li>`,
  )}</ul>`;
}
