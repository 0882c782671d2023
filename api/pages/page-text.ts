import { html } from "hono/html";
import type { Texts } from "../../console/src/text/i18n.ts";
import { describePrice } from "../../console/src/text/price-text.ts";
import { amountText } from "../../console/src/text/service-texts.ts";
import { oneLine } from "../../protocol/json/text.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import type { ServiceLine, ServicePage } from "./page-queries.ts";

/** A user's text within a line, isolated so that its direction does not affect the text around it. */
export const inlineUserText = (text: string, most: number) => html`<bdi>${oneLine(text, most)}</bdi>`;

/** The price of a service in words; null for a service without a price. */
export function priceOf(i18n: Texts, service: ServicePage, decimals: number): string | null {
  const { pricingModel, price, priceCurrency, priceUnit, billingInterval } = service;
  const amount = price === 0n ? null : `${amountText(i18n, formatAmount(price, decimals))} ${priceCurrency}`;
  return describePrice(i18n, { model: pricingModel, amount, unit: priceUnit, interval: billingInterval });
}

/** A service's stages with their prices; empty without stages. */
export function listStages(i18n: Texts, { stages, priceCurrency }: ServicePage, decimals: number) {
  if (!stages) return "";
  const price = (amount: string) =>
    `${amountText(i18n, formatAmount(BigInt(amount), decimals))} ${priceCurrency}`;
  const lines = stages.map(
    ({ title, amount }) => html`<li>${inlineUserText(title, 160)}: ${price(amount)}</li>`,
  );
  return html`<h2>${i18n.t("Stages")}</h2><ol>${lines}</ol>`;
}

/** A list of links to services. */
export function listServices(i18n: Texts, services: ServiceLine[]) {
  if (services.length === 0) return html`<p>${i18n.t("No services yet.")}</p>`;
  return html`<ul>${services.map(
    ({ agent, slug, title, summary }) =>
      html`<li><a href="./market/${agent}/${slug}">${inlineUserText(title, 160)}</a>${summary ? html`: ${inlineUserText(summary, 300)}` : ""}</li>`,
  )}</ul>`;
}
