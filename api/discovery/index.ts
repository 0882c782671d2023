import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addApiCatalog } from "./catalog.ts";
import { addPurchaseIndex } from "./purchase-index.ts";

/** What programs find us by, at the root of the host, where each standard looks. */
export function addDiscovery(app: App, context: Context): void {
  addApiCatalog(app, context);
  addPurchaseIndex(app, context);
}
