import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addApiCatalog } from "./catalog.ts";
import { addPurchaseIndex } from "./purchase-index.ts";

/** Adds the documents by which programs discover the service, at the paths that the standards define. */
export function addDiscovery(app: App, context: Context): void {
  addApiCatalog(app, context);
  addPurchaseIndex(app, context);
}
