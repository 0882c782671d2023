import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addCategories } from "./categories.ts";
import { addMarketplaceFilters } from "./filters.ts";
import { addMarketplaceSearch } from "./marketplace.ts";

/** Adds the public routes of search, filters and categories. */
export function addMarketplace(api: App, context: Context): void {
  addMarketplaceSearch(api, context);
  addMarketplaceFilters(api, context);
  addCategories(api, context);
}
