import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addServiceStatus } from "./service-publication.ts";
import { addServiceRoutes } from "./services.ts";

/** Services of an agent, and their status. */
export function addServices(api: App, context: Context): void {
  addServiceRoutes(api, context);
  addServiceStatus(api, context);
}
