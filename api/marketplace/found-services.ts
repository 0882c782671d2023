// The search for services, as the marketplace and x402's Bazaar call it.

import { z } from "@hono/zod-openapi";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { pageQuery } from "../http/listing.ts";
import { offersQuery } from "./offer-query-fields.ts";
import { correctSearch, requireFindable, type SearchedMarket, searchedMarkets } from "./search-words.ts";
import { readServicePage } from "./service-search.ts";

export const sortDescription = "the default is `relevance` with `q`, and `newest` without";

/** The query of a search for services. */
export const servicesQuery = pageQuery.extend(offersQuery.shape).extend({
  sort: z
    .enum(["relevance", "newest", "price_low", "price_high", "most_completed", "score"])
    .openapi("ServiceSort")
    .optional()
    .openapi({ description: sortDescription }),
});

/** Finds a page of services. */
export function findServices(
  db: Database,
  query: z.output<typeof servicesQuery>,
  config: Config,
  field?: string,
) {
  const read = (q: string | undefined) => readServicePage(db, { ...query, q }, config);
  return searchCorrected(db, searchedMarkets.services, query, read, field);
}

/**
 * Reads a page of a search, and the page of the corrected search if nothing matches.
 *
 * @param field the name of `q` in the request
 * @throws ApiError `invalid_request` for a search that only excludes words
 */
export async function searchCorrected<Page extends { total: number }>(
  db: Database,
  market: SearchedMarket,
  { q }: { q?: string | undefined },
  read: (q: string | undefined) => Promise<Page>,
  field = "q",
): Promise<Page & { corrected_query: string | null }> {
  if (q) await requireFindable(db, q, field);
  const found = await read(q);
  if (!q || found.total > 0) return { ...found, corrected_query: null };
  const corrected = await correctSearch(db, market, q);
  const mended = corrected === null ? null : await read(corrected);
  return mended && mended.total > 0
    ? { ...mended, corrected_query: corrected }
    : { ...found, corrected_query: null };
}
