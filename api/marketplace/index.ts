import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addCategories } from "./categories.ts";
import { addMarketplaceSearch } from "./marketplace.ts";
import { addMarketplaceFilters } from "./search-filters.ts";

/** Adds the public routes of search, filters and categories. */
export function addMarketplace(api: App, context: Context): void {
  addMarketplaceSearch(api, context);
  addMarketplaceFilters(api, context);
  addCategories(api, context);
}
