import type { Context } from "../context.ts";
import type { Downloads } from "../files/file-link.ts";
import type { App } from "../variables.ts";
import { addReportedFiles } from "./reported-file.ts";
import { addDeskState } from "./state.ts";
import { addDeskSubjects } from "./subjects.ts";

/** Adds the operators' desk. Nothing here leads to a settlement call: `npm run check` holds the imports. */
export function addOperator(api: App, context: Context, downloads: Downloads): void {
  addDeskSubjects(api, context);
  addDeskState(api, context);
  addReportedFiles(api, context, downloads);
}
