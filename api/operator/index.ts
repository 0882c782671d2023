import type { Context } from "../context.ts";
import type { Downloads } from "../files/file-link.ts";
import type { App } from "../variables.ts";
import { addReportedFiles } from "./reported-file.ts";
import { addServiceState } from "./service-state.ts";
import { addModerationSubjects } from "./subjects.ts";

/** Adds the operator API. Nothing here leads to a settlement call: `npm run check` holds the imports. */
export function addOperator(api: App, context: Context, downloads: Downloads): void {
  addModerationSubjects(api, context);
  addServiceState(api, context);
  addReportedFiles(api, context, downloads);
}
