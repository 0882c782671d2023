import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addModerations } from "./moderations.ts";
import { addOwnReports } from "./reports.ts";
import { addTransparency } from "./transparency.ts";

/** Adds the routes of reports, of the operators' acts for those whom they concern, and of the public counts. */
export function addReports(api: App, context: Context): void {
  addOwnReports(api, context);
  addModerations(api, context);
  addTransparency(api, context);
}
