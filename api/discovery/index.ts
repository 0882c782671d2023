import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addApiCatalog } from "./catalog.ts";
import { addPurchaseIndex } from "./purchase-index.ts";
import { addRegistryEntry } from "./registry-entry.ts";
import { addResources } from "./resources.ts";
import { addRobots } from "./robots.ts";
import { addSiteTexts } from "./site-texts.ts";
import { addSitemap } from "./sitemap.ts";

/** Adds the documents by which programs and crawlers discover the service, at the paths that the standards define. */
export function addDiscovery(app: App, context: Context): void {
  addApiCatalog(app, context);
  addPurchaseIndex(app, context);
  addRegistryEntry(app, context);
  addResources(app, context);
  addRobots(app, context);
  addSitemap(app, context);
  addSiteTexts(app, context);
}
