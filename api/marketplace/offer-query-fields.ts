import { z } from "@hono/zod-openapi";
import { verifiedQuery } from "../agents/verified-proofs.ts";
import { askedAmount, mostTags } from "../http/fields.ts";
import { pricingModelField } from "../services/pricing-fields.ts";
import { reputeQuery, wholeFrom1 } from "./figure-filters.ts";
import { queryText, searchField } from "./search.ts";

const price = askedAmount.optional();

/** What services are looked for by, in a search and in its filters. */
export const offersQuery = z.object({
  q: searchField,
  category: queryText(60).toLowerCase().optional().openapi({
    description: "a category's slug; one of the upper level stands for all below it",
    example: "translation",
  }),
  tags: queryText(1000)
    .transform((list) => [...new Set(list.split(",").flatMap((tag) => tag.trim().toLowerCase() || []))])
    // Each is a term of its own in the statement, which PostgreSQL plans.
    .refine(
      (tags) => tags.length <= mostTags,
      `must be ${mostTags} at most, which is what a service may have`,
    )
    .optional()
    .openapi({
      type: "string",
      minLength: 1,
      maxLength: 1000,
      description: `separated by commas, ${mostTags} at most; a service has to carry all of them`,
    }),
  pricing_model: pricingModelField.optional(),
  min_price: price.openapi({ example: "1.00", description: "leaves out what has no price of its own" }),
  max_price: price.openapi({ example: "20.00", description: "the same" }),
  max_delivery_hours: wholeFrom1(999_999_999),
  agent: queryText(63).optional().openapi({ description: "an agent's slug" }),
  verified: verifiedQuery,
  ...reputeQuery.shape,
});
export type OffersQuery = z.output<typeof offersQuery>;
