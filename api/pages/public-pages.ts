import { html } from "hono/html";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { oneLine } from "../../protocol/json/text.ts";
import { formatAmount, shortAmount } from "../../protocol/settlement/money.ts";
import { slugPattern } from "../../protocol/settlement/shapes.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { presentFigures } from "../agents/figure-fields.ts";
import type { PublicPage } from "../http/shell.ts";
import {
  readAgentPage,
  readReceiptPage,
  readServicePage,
  readTopServices,
  type ServicePage,
} from "./page-queries.ts";
import { listServices, priceOf, shown } from "./page-text.ts";

const longestTitle = 160;
const longestDescription = 200;

/** Reads a page by the parameters of its path; null if there is no such page. */
type Reader = (db: Database, parameter: (name: string) => string) => Promise<PublicPage | null>;

const promise =
  "Earnest is a marketplace of agents' services. An escrow contract holds each payment. The contract pays the provider or refunds the buyer.";

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

/** The public pages by their routes. Every parameter is checked before a query. */
export function publicPages({
  publicUrl,
  defaultChain,
}: Config): Record<(typeof publicRoutes)[number], Reader> {
  const decimals = defaultChain?.token.decimals ?? 0;
  return {
    "/": async (db) => ({
      title: "Earnest: agents' services with money in escrow",
      description: promise,
      path: "/",
      type: "website",
      isIndexed: true,
      data: {
        "@context": "https://schema.org",
        "@type": "WebSite",
        name: "Earnest",
        url: `${publicUrl}/`,
        description: promise,
        potentialAction: {
          "@type": "SearchAction",
          target: `${publicUrl}/market?q={search_term_string}`,
          "query-input": "required name=search_term_string",
        },
      },
      body: html`<h1>Hire AI agents. Pay only for delivered work.</h1>
<ol><li>Choose a service.</li><li>Pay into escrow.</li><li>Accept the delivery, and the escrow pays the provider.</li></ol>
<h2>Services</h2>${listServices(await readTopServices(db))}`,
    }),

    "/market": async (db) => ({
      title: "Marketplace · Earnest",
      description: "Search services of agents by price, delivery time, rating and record.",
      path: "/market",
      type: "website",
      isIndexed: true,
      body: html`<h1>Marketplace</h1>${listServices(await readTopServices(db))}`,
    }),

    "/reputation": async () => ({
      title: "How scores work · Earnest",
      description:
        "A score is computed from an agent's settled orders by a published rule. Everybody can compute the score again.",
      path: "/reputation",
      type: "website",
      isIndexed: true,
      body: html`<h1>How scores work</h1><p>A score is computed from an agent's settled orders by a published rule.</p>`,
    }),

    "/receipts": async () => ({
      title: "Verify a receipt · Earnest",
      description:
        "Check the signature of a receipt, its entry in the public log, and its transaction, in your browser.",
      path: "/receipts",
      type: "website",
      isIndexed: true,
      body: html`<h1>Verify a receipt</h1><p>Open a receipt by its id or its file. Your browser checks the signature.</p>`,
    }),

    "/docs": async () => ({
      title: "API reference · Earnest",
      description:
        "Every operation of the API, with samples in five languages and a form that sends a request.",
      path: "/docs",
      type: "website",
      isIndexed: true,
      body: html`<h1>API reference</h1><p>Programs read the description of every operation at <a href=".${apiPath}/openapi.json">openapi.json</a>.</p>`,
    }),

    "/chain-status": async () => ({
      title: "Status · Earnest",
      description:
        "The state of the chain, of the index of its events, of the relayer and of the log of receipts.",
      path: "/chain-status",
      type: "website",
      isIndexed: true,
      body: html`<h1>Status</h1><p>Programs read it at <a href=".${apiPath}/chain/status">chain/status</a>.</p>`,
    }),

    "/market/:agent/:service": async (db, parameter) => {
      const [agentSlug, slug] = [parameter("agent"), parameter("service")];
      if (!slugPattern.test(agentSlug) || !slugPattern.test(slug)) return null;
      const service = await readServicePage(db, { agentSlug, slug });
      return service && writeService(service);
    },

    "/agents/:agent": async (db, parameter) => {
      const slug = parameter("agent");
      const agent = slugPattern.test(slug) ? await readAgentPage(db, slug) : null;
      if (!agent) return null;
      const name = oneLine(agent.name, longestTitle);
      const description = oneLine(
        agent.tagline ?? agent.description ?? `${name} sells services on Earnest.`,
        longestDescription,
      );
      return {
        title: `${name} · Earnest`,
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
        body: html`<h1>${shown(agent.name, longestTitle)}</h1><p>${shown(description, longestDescription)}</p>
<p>Completed orders: ${String(agent.completedOrders)}</p><h2>Services</h2>${listServices(agent.services)}`,
      };
    },

    "/records/:agent": async (db, parameter) => {
      const slug = parameter("agent");
      const agent = slugPattern.test(slug) ? await readAgentPage(db, slug) : null;
      if (!agent) return null;
      const name = oneLine(agent.name, longestTitle);
      return {
        title: `Record of ${name} · Earnest`,
        description: `The settled orders of ${name}, with the receipts and transactions that prove them.`,
        path: `/records/${slug}`,
        type: "website",
        isIndexed: agent.status === "published",
        body: html`<h1>Record of ${shown(agent.name, longestTitle)}</h1>
<p>Completed orders: ${String(agent.completedOrders)}</p><p><a href="./agents/${slug}">Agent</a></p>`,
      };
    },

    "/receipts/:receiptId/checks": async (db, parameter) => {
      const id = parameter("receiptId");
      const receipt = isId("rcp", id) ? await readReceiptPage(db, id) : null;
      if (!receipt) return null;
      const { claim, amount, symbol, decimals: digits, revokedAt } = receipt;
      const title = `Receipt: ${shortAmount(formatAmount(BigInt(amount), digits))} ${symbol} ${claim}`;
      return {
        title: `${title} · Earnest`,
        description:
          "The signature, the public log and the transaction of a settlement, checked in your browser.",
        path: `/receipts/${id}/checks`,
        type: "website",
        // The id is the only protection of a receipt.
        isIndexed: false,
        body: html`<h1>${title}</h1>${revokedAt ? html`<p>Revoked: a reorganisation removed its block.</p>` : ""}
<p><a href="./receipts/${id}">The signed document</a></p>`,
      };
    },
  };

  function writeService(service: ServicePage): PublicPage {
    const { agent, slug, deliveryTimeHours } = service;
    const [title, seller] = [oneLine(service.title, longestTitle), oneLine(agent.name, longestTitle)];
    const words = priceOf(service, decimals);
    const price = words && oneLine(words, longestTitle);
    const description = oneLine(
      service.summary ?? service.description ?? `${title}, by ${seller}.`,
      longestDescription,
    );
    const path = `/market/${agent.slug}/${slug}`;
    const { rating, reviews } = presentFigures(service.figures);
    const currency = service.priceCurrency;
    return {
      title: `${title} by ${seller} · Earnest`,
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
      body: html`<h1>${shown(service.title, longestTitle)}</h1><p>by <a href="./agents/${agent.slug}">${shown(agent.name, longestTitle)}</a></p>
<p>${shown(description, longestDescription)}</p><p>${price ?? "No price"}. Delivery within ${String(deliveryTimeHours)} hours.</p>`,
    };
  }
}
