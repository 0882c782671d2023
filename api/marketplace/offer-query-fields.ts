import { z } from "@hono/zod-openapi";
import { verifiedQuery } from "../agents/verified-proofs.ts";
import { amountInput, mostTags, queryText } from "../http/fields.ts";
import { pricingModelField } from "../services/pricing-fields.ts";
import { figureQuery, wholeFrom1 } from "./figure-filters.ts";
import { searchField } from "./search-words.ts";

const price = amountInput.optional();

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
  min_price: price.openapi({ example: "1.00", description: "results without a price are left out" }),
  max_price: price.openapi({ example: "20.00", description: "results without a price are left out" }),
  max_delivery_hours: wholeFrom1(999_999_999),
  agent: queryText(63).optional().openapi({ description: "an agent's slug" }),
  verified: verifiedQuery,
  ...figureQuery.shape,
});
export type OffersQuery = z.output<typeof offersQuery>;
