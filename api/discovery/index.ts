import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addBazaarResources } from "./bazaar-resources.ts";
import { addApiCatalog } from "./catalog.ts";
import { addSiteTexts } from "./llms-and-security-txt.ts";
import { addMcpRegistryEntry } from "./mcp-registry-entry.ts";
import { addPurchaseIndex } from "./purchase-index.ts";
import { addRobots } from "./robots.ts";
import { addSitemap } from "./sitemap.ts";

/** Adds the documents by which programs and crawlers discover the service, at the paths that the standards define. */
export function addDiscovery(app: App, context: Context): void {
  addApiCatalog(app, context);
  addPurchaseIndex(app, context);
  addMcpRegistryEntry(app, context);
  addBazaarResources(app, context);
  addRobots(app, context);
  addSitemap(app, context);
  addSiteTexts(app, context);
}
