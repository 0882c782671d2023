import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addOwnReports } from "./reports.ts";

/** Adds the routes of reports. */
export function addReports(api: App, context: Context): void {
  addOwnReports(api, context);
}
