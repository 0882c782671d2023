import type { App, Context } from "../context.ts";
import { addServiceRoutes } from "./services.ts";
import { addServiceStatus } from "./status.ts";

/** Services of an agent, and their status. */
export function addServices(api: App, context: Context): void {
  addServiceRoutes(api, context);
  addServiceStatus(api, context);
}
