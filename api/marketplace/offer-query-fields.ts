import { z } from "@hono/zod-openapi";
import type { Config } from "../../config/config.ts";
import { defaultCurrency } from "../../trade/services/price-currency.ts";
import { verifiedQuery } from "../agents/verified-proofs.ts";
import { amountInput, mostTags, queryText, wholeQuery } from "../http/fields.ts";
import { pricingModelField } from "../services/pricing-fields.ts";
import { figureQuery } from "./figure-filters.ts";
import { searchField } from "./search-words.ts";

const price = amountInput.optional();
const priceRule = "in `currency`, by default that of the default token; results without a price are left out";

/** The filters of a search for services, and of its facets. */
export const offersQuery = z.object({
  q: searchField,
  category: queryText(60).toLowerCase().optional().openapi({
    description: "a category's slug; a category of the upper level includes its subcategories",
    example: "translation",
  }),
  tags: queryText(1000)
    .transform((list) => [...new Set(list.split(",").flatMap((tag) => tag.trim().toLowerCase() || []))])
    // Each tag is a term in the statement, which PostgreSQL plans.
    .refine(
      (tags) => tags.length <= mostTags,
      `must have at most ${mostTags} tags, as many as a service may have`,
    )
    .optional()
    .openapi({
      type: "string",
      minLength: 1,
      maxLength: 1000,
      description: `tags separated by commas, at most ${mostTags}; results have all of them`,
    }),
  pricing_model: pricingModelField.optional(),
  min_price: price.openapi({ example: "1.00", description: priceRule }),
  max_price: price.openapi({ example: "20.00", description: priceRule }),
  currency: queryText(100).min(1).optional().openapi({
    example: "USD",
    description:
      "a currency, or a token's symbol: results have a price in it, or in a token that is redeemed for the same currency",
  }),
  chain_id: wholeQuery(Number.MAX_SAFE_INTEGER).openapi({
    example: 8453,
    description: "results accept a token of this chain",
  }),
  token: queryText(42).min(1).optional().openapi({
    example: "USDC",
    description:
      "results accept this token: its address, or its symbol; together with `chain_id`, on that chain",
  }),
  max_delivery_hours: wholeQuery(999_999_999),
  agent: queryText(63).optional().openapi({ description: "an agent's slug" }),
  verified: verifiedQuery,
  ...figureQuery.shape,
});
export type OffersQuery = z.output<typeof offersQuery>;

/** Names the currency of a query that compares prices: unlike currencies are never compared. */
export function inOneCurrency<Query extends OffersQuery>(query: Query, config: Config): Query {
  if (query.currency || !(query.min_price || query.max_price)) return query;
  return { ...query, currency: defaultCurrency(config) ?? undefined };
}
