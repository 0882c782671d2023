import { html } from "hono/html";
import type { Config } from "../../config/config.ts";
import type { Texts } from "../../console/src/text/i18n.ts";
import { amountText } from "../../console/src/text/service-texts.ts";
import type { Database } from "../../db/client.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { oneLine } from "../../protocol/json/text.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { slugPattern } from "../../protocol/settlement/shapes.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { presentFigures } from "../agents/figure-fields.ts";
import type { PublicPage } from "../http/console-shell.ts";
import {
  readAgentPage,
  readReceiptPage,
  readServicePage,
  readTopServices,
  type ServicePage,
} from "./page-queries.ts";
import { inlineUserText, listServices, listStages, priceOf } from "./page-text.ts";

const longestTitle = 160;
const longestDescription = 200;

/** Reads a page by the parameters of its path; null if there is no such page. */
type Reader = (db: Database, i18n: Texts, parameter: (name: string) => string) => Promise<PublicPage | null>;

const readPromise = (i18n: Texts) =>
  i18n.t(
    "Earnest is a marketplace of agents' services. An escrow contract holds each payment. The contract pays the provider or refunds the buyer.",
  );

/** The routes of the public pages. */
export const publicRoutes = [
  "/",
  "/market",
  "/reputation",
  "/market/:agent/:service",
  "/agents/:agent",
  "/records/:agent",
  "/receipts",
  "/receipts/:receiptId/checks",
  "/docs",
  "/chain-status",
] as const;

/** The title of a page of this service. */
const named = (title: string) => `${title} · Earnest`;

const completedText = (i18n: Texts, { completedOrders }: { completedOrders: number }) =>
  i18n.t("Completed orders: {count}", { count: completedOrders });

/** The public pages by their routes. Every parameter is checked before a query. */
export function publicPages({
  publicUrl,
  defaultChain,
}: Config): Record<(typeof publicRoutes)[number], Reader> {
  const decimals = defaultChain?.token.decimals ?? 0;
  return {
    "/": async (db, i18n) => ({
      title: i18n.t("Earnest: agents' services with money in escrow"),
      description: readPromise(i18n),
      path: "/",
      type: "website",
      isIndexed: true,
      data: {
        "@context": "https://schema.org",
        "@type": "WebSite",
        name: "Earnest",
        url: `${publicUrl}/`,
        description: readPromise(i18n),
        potentialAction: {
          "@type": "SearchAction",
          target: `${publicUrl}/market?q={search_term_string}`,
          "query-input": "required name=search_term_string",
        },
      },
      body: html`<h1>${i18n.t("Hire AI agents. Pay only for delivered work.")}</h1>
<ol><li>${i18n.t("Choose a service.")}</li><li>${i18n.t("Pay into escrow.")}</li><li>${i18n.t("Accept the delivery, and the escrow pays the provider.")}</li></ol>
<h2>${i18n.t("Services")}</h2>${listServices(i18n, await readTopServices(db))}`,
    }),

    "/market": async (db, i18n) => ({
      title: named(i18n.t("Marketplace")),
      description: i18n.t("Search services of agents by price, delivery time, rating and record."),
      path: "/market",
      type: "website",
      isIndexed: true,
      body: html`<h1>${i18n.t("Marketplace")}</h1>${listServices(i18n, await readTopServices(db))}`,
    }),

    "/reputation": async (_, i18n) => ({
      title: named(i18n.t("How scores work")),
      description: i18n.t(
        "A score is computed from an agent's settled orders by a published rule. Everybody can compute the score again.",
      ),
      path: "/reputation",
      type: "website",
      isIndexed: true,
      body: html`<h1>${i18n.t("How scores work")}</h1><p>${i18n.t("A score is computed from an agent's settled orders by a published rule.")}</p>`,
    }),

    "/receipts": async (_, i18n) => ({
      title: named(i18n.t("Verify a receipt")),
      description: i18n.t(
        "Check the signature of a receipt, its entry in the public log, and its transaction, in your browser.",
      ),
      path: "/receipts",
      type: "website",
      isIndexed: true,
      body: html`<h1>${i18n.t("Verify a receipt")}</h1><p>${i18n.t("Open a receipt by its id or its file. Your browser checks the signature.")}</p>`,
    }),

    "/docs": async (_, i18n) => ({
      title: named(i18n.t("API reference")),
      description: i18n.t(
        "Every operation of the API, with samples in five languages and a form that sends a request.",
      ),
      path: "/docs",
      type: "website",
      isIndexed: true,
      body: html`<h1>${i18n.t("API reference")}</h1><p>${i18n.t("Programs read the description of every operation here:")} <a href=".${apiPath}/openapi.json">openapi.json</a></p>`,
    }),

    "/chain-status": async (_, i18n) => ({
      title: named(i18n.t("Status")),
      description: i18n.t(
        "The state of the chain, of the index of its events, of the relayer and of the log of receipts.",
      ),
      path: "/chain-status",
      type: "website",
      isIndexed: true,
      body: html`<h1>${i18n.t("Status")}</h1><p>${i18n.t("Programs read the status here:")} <a href=".${apiPath}/chain/status">chain/status</a></p>`,
    }),

    "/market/:agent/:service": async (db, i18n, parameter) => {
      const [agentSlug, slug] = [parameter("agent"), parameter("service")];
      if (!slugPattern.test(agentSlug) || !slugPattern.test(slug)) return null;
      const service = await readServicePage(db, { agentSlug, slug });
      return service && writeService(i18n, service);
    },

    "/agents/:agent": async (db, i18n, parameter) => {
      const slug = parameter("agent");
      const agent = slugPattern.test(slug) ? await readAgentPage(db, slug) : null;
      if (!agent) return null;
      const name = oneLine(agent.name, longestTitle);
      const description = oneLine(
        agent.tagline ?? agent.description ?? i18n.t("{name} sells services on Earnest.", { name }),
        longestDescription,
      );
      return {
        title: named(name),
        description,
        path: `/agents/${slug}`,
        type: "profile",
        isIndexed: agent.status === "published",
        data: {
          "@context": "https://schema.org",
          "@type": "ProfilePage",
          url: `${publicUrl}/agents/${slug}`,
          mainEntity: { "@type": "Organization", name, description, identifier: slug },
        },
        body: html`<h1>${inlineUserText(agent.name, longestTitle)}</h1><p>${inlineUserText(description, longestDescription)}</p>
<p>${completedText(i18n, agent)}</p><h2>${i18n.t("Services")}</h2>${listServices(i18n, agent.services)}`,
      };
    },

    "/records/:agent": async (db, i18n, parameter) => {
      const slug = parameter("agent");
      const agent = slugPattern.test(slug) ? await readAgentPage(db, slug) : null;
      if (!agent) return null;
      const name = oneLine(agent.name, longestTitle);
      return {
        title: named(i18n.t("Record of {name}", { name })),
        description: i18n.t(
          "The settled orders of {name}, with the receipts and transactions that prove them.",
          { name },
        ),
        path: `/records/${slug}`,
        type: "website",
        isIndexed: agent.status === "published",
        body: html`<h1>${i18n.t("Record")}: ${inlineUserText(agent.name, longestTitle)}</h1>
<p>${completedText(i18n, agent)}</p><p><a href="./agents/${slug}">${i18n.t("Agent")}</a></p>`,
      };
    },

    "/receipts/:receiptId/checks": async (db, i18n, parameter) => {
      const id = parameter("receiptId");
      const receipt = isId("rcp", id) ? await readReceiptPage(db, id) : null;
      if (!receipt) return null;
      const { claim, amount, symbol, decimals: digits, revokedAt } = receipt;
      const title = i18n.t(
        "Receipt: {amount} {claim, select, funded {funded} released {released} refunded {refunded} other {{claim}}}",
        { amount: `${amountText(i18n, formatAmount(BigInt(amount), digits))} ${symbol}`, claim },
      );
      return {
        title: named(title),
        description: i18n.t(
          "The signature, the public log and the transaction of a settlement, checked in your browser.",
        ),
        path: `/receipts/${id}/checks`,
        type: "website",
        // The id is the only protection of a receipt.
        isIndexed: false,
        body: html`<h1>${title}</h1>${revokedAt ? html`<p>${i18n.t("Revoked: a reorganisation removed its block.")}</p>` : ""}
<p><a href="./receipts/${id}">${i18n.t("The signed document")}</a></p>`,
      };
    },
  };

  function writeService(i18n: Texts, service: ServicePage): PublicPage {
    const { agent, slug, deliveryTimeHours } = service;
    const [title, seller] = [oneLine(service.title, longestTitle), oneLine(agent.name, longestTitle)];
    const words = priceOf(i18n, service, decimals);
    const price = words && oneLine(words, longestTitle);
    const description = oneLine(
      service.summary ?? service.description ?? i18n.t("{title}, by {seller}.", { title, seller }),
      longestDescription,
    );
    const path = `/market/${agent.slug}/${slug}`;
    const { rating, reviews } = presentFigures(service.figures);
    const currency = service.priceCurrency;
    return {
      title: named(i18n.t("{title} by {seller}", { title, seller })),
      description: price ? `${price}. ${description}` : description,
      path,
      type: "product",
      isIndexed: service.isListed,
      data: {
        "@context": "https://schema.org",
        "@type": "Product",
        name: title,
        description,
        url: `${publicUrl}${path}`,
        brand: { "@type": "Organization", name: seller, url: `${publicUrl}/agents/${agent.slug}` },
        ...(service.price > 0n
          ? {
              offers: {
                "@type": "Offer",
                price: formatAmount(service.price, decimals),
                priceCurrency: currency,
                availability: `https://schema.org/${service.isListed && service.isAvailable ? "InStock" : "OutOfStock"}`,
                url: `${publicUrl}${path}`,
              },
            }
          : {}),
        ...(rating === null
          ? {}
          : { aggregateRating: { "@type": "AggregateRating", ratingValue: rating, reviewCount: reviews } }),
      },
      body: html`<h1>${inlineUserText(service.title, longestTitle)}</h1><p>${i18n.t("Agent")}: <a href="./agents/${agent.slug}">${inlineUserText(agent.name, longestTitle)}</a></p>
<p>${inlineUserText(description, longestDescription)}</p><p>${i18n.t("Price")}: ${price ?? i18n.t("No price")}</p>
<p>${i18n.t("Delivery within {hours, plural, one {# hour} other {# hours}}", { hours: deliveryTimeHours })}</p>
${listStages(i18n, service, decimals)}`,
    };
  }
}
