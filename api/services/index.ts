import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addServiceStatus } from "./service-publication.ts";
import { addServiceRoutes } from "./services.ts";

/** Adds the routes of agents' services and their status. */
export function addServices(api: App, context: Context): void {
  addServiceRoutes(api, context);
  addServiceStatus(api, context);
}
