import { createRoute, z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import type { Config } from "../../config/config.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { acceptedNamesOf, comparedCurrency } from "../../trade/services/price-currency.ts";
import { pricingToken } from "../../trade/services/pricing.ts";
import { verifiedKinds } from "../agents/verified-proofs.ts";
import type { Context } from "../context.ts";
import { ifNoneMatchHeader, notModified } from "../http/etag.ts";
import { amountField, chainIdField, currencyField, shownAddress } from "../http/fields.ts";
import { totalFields } from "../http/listing.ts";
import { jsonResponse } from "../http/openapi.ts";
import { categories, withSubcategories } from "../services/category-tree.ts";
import type { App } from "../variables.ts";
import { type Counts, countFacets, mostScanned, priceCurrencyOf } from "./facets.ts";
import { type FigureStep, figureSteps } from "./figure-filters.ts";
import { deliverySteps } from "./offer-index.ts";
import { inOneCurrency, offersQuery } from "./offer-query-fields.ts";
import { requireFindable } from "./search-words.ts";

const count = z.int().openapi({ description: "the number of services with this filter added" });

const priceCurrencyField = z.string().nullable().openapi({
  description: "the currency of the ranges: the chosen one, or that of the default token",
  example: "USD",
});

function facetSchema<Shape extends z.ZodRawShape>(name: string, item: Shape) {
  return facetShape(name, item).openapi(`${name}Filter`);
}

function facetShape<Shape extends z.ZodRawShape>(name: string, item: Shape) {
  return z.object({
    complete: z.boolean().openapi({
      description: `false if too many services match: only the ${mostScanned} with the most completed orders are counted`,
    }),
    items: z.array(z.object({ ...item, count }).openapi(`${name}FilterItem`)),
  });
}

const filtersSchema = z
  .object({
    ...totalFields,
    category: facetSchema("Category", {
      value: z.string(),
      title: z.string(),
      parent: z.string().nullable(),
    }),
    pricing_model: facetSchema("PricingModel", { value: z.string() }),
    tags: facetSchema("Tag", { value: z.string() }),
    max_delivery_hours: facetSchema("DeliveryTime", { value: z.int() }),
    price: facetShape("Price", { min_price: amountField, max_price: amountField })
      .extend({ currency: priceCurrencyField })
      .openapi("PriceFilter"),
    currency: facetSchema("Currency", { value: z.string().openapi({ example: "USD" }) }),
    token: facetSchema("Token", {
      chain_id: chainIdField,
      network_name: z.string().openapi({ example: "Base" }),
      token: shownAddress,
      symbol: currencyField,
    }),
    min_score: facetSchema("Score", { value: z.int() }),
    min_rating: facetSchema("Rating", { value: z.string() }),
    min_orders: facetSchema("Orders", { value: z.int() }),
    on_time: facetSchema("OnTime", { value: z.int() }),
    verified: facetSchema("Verified", { value: z.enum(verifiedKinds).openapi("VerifiedKind") }),
  })
  .openapi("MarketplaceFilters");

/** Adds the public route of a search's filters. */
export function addMarketplaceFilters(app: App, context: Context): void {
  const { config, answers } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/marketplace/filters",
      operationId: "readFilters",
      tags: ["marketplace"],
      summary: "Read the filters that can narrow a search for services",
      description:
        "Takes the parameters of `GET /marketplace/services` without order and page. `q` is not corrected. Each of category, pricing model, delivery time, price, currency, score, rating, orders and punctuality is counted as if nothing were chosen in it. Tags, tokens and proofs are counted in addition to those chosen. Ranges of prices are in one currency. A currency includes the symbols of its tokens. A category includes its subcategories, and a delivery time includes all shorter ones. A score, rating, number of orders or percentage includes all higher values.",
      middleware: answers.serve,
      request: { query: offersQuery, headers: ifNoneMatchHeader },
      responses: { 200: jsonResponse("Filters", filtersSchema), ...notModified },
    }),
    (c) =>
      answers.give(c, async (from) => {
        const query = inOneCurrency(c.req.valid("query"), config);
        if (query.q) await requireFindable(from, query.q);
        const { total, facets } = await countFacets(from, query, config);
        const shown = {
          ...total,
          category: { ...facets.category, items: categoryItems(facets.category.items) },
          pricing_model: facets.pricing_model,
          tags: facets.tags,
          max_delivery_hours: { ...facets.delivery, items: deliveryItems(facets.delivery.items) },
          price: {
            ...facets.price,
            currency: priceCurrencyOf(query, config) ?? null,
            items: priceItems(facets.price.items, config),
          },
          currency: { ...facets.currency, items: currencyItems(facets.currency.items, config) },
          token: { ...facets.accepts, items: tokenItems(facets.accepts.items, config) },
          min_score: { ...facets.min_score, items: stepItems("min_score", facets.min_score.items) },
          min_rating: { ...facets.min_rating, items: stepItems("min_rating", facets.min_rating.items) },
          min_orders: { ...facets.min_orders, items: stepItems("min_orders", facets.min_orders.items) },
          on_time: { ...facets.on_time, items: stepItems("on_time", facets.on_time.items) },
          verified: { ...facets.verified, items: verifiedItems(facets.verified.items) },
        };
        return { shown };
      }),
  );
}

function categoryItems(items: Counts["items"]) {
  const countOf = new Map(items.map(({ value, count }) => [value, count]));
  return categories
    .map(({ slug, title, parent }) => ({
      value: slug,
      title,
      parent,
      count: withSubcategories(slug).reduce((total, name) => total + (countOf.get(name) ?? 0), 0),
    }))
    .filter(({ count }) => count > 0);
}

function deliveryItems(items: Counts["items"]) {
  return deliverySteps.map((hours) => ({
    value: hours,
    count: items.reduce((total, { value, count }) => total + (Number(value) <= hours ? count : 0), 0),
  }));
}

/** Adds up the prices in names of one currency, the most frequent currency first. */
function currencyItems(items: Counts["items"], config: Config) {
  const counts = new Map<string, number>();
  for (const { value, count } of items) {
    const currency = comparedCurrency(config, value);
    counts.set(currency, (counts.get(currency) ?? 0) + count);
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}

/** Presents the tokens that are configured now. Services that list no token accept the default one. */
function tokenItems(items: Counts["items"], config: Config) {
  const countOf = new Map(items.map(({ value, count }) => [value, count]));
  return config.chains
    .flatMap((chain) =>
      chain.tokens.map((token) => ({
        chain_id: chain.chain_id,
        network_name: chain.network_name,
        token: getAddress(token.address),
        symbol: token.symbol,
        count: acceptedNamesOf(config, { chain, token }).reduce(
          (sum, name) => sum + (countOf.get(name) ?? 0),
          0,
        ),
      })),
    )
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}

function verifiedItems(items: Counts["items"]) {
  return verifiedKinds.map((kind) => ({
    value: kind,
    count: items.find(({ value }) => value === kind)?.count ?? 0,
  }));
}

/** A row that has reached a step has reached all earlier steps. */
function stepItems<Name extends FigureStep>(name: Name, items: Counts["items"]) {
  const values: readonly (typeof figureSteps)[Name]["values"][number][] = figureSteps[name].values;
  return values.map((value, at) => ({
    value,
    count: items.reduce((total, { value, count }) => total + (Number(value) > at ? count : 0), 0),
  }));
}

/** The ranges of prices: from one power of ten base units to just below the next. Services without a price are in none. */
function priceItems(items: Counts["items"], config: Config) {
  const { decimals } = pricingToken(config);
  return items
    .map(({ value, count }) => ({ digits: Number(value), count }))
    .filter(({ digits }) => digits > 0)
    .sort((a, b) => a.digits - b.digits)
    .map(({ digits, count }) => ({
      min_price: formatAmount(10n ** BigInt(digits - 1), decimals),
      max_price: formatAmount(10n ** BigInt(digits) - 1n, decimals),
      count,
    }));
}
