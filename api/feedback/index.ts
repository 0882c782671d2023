import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addFeedbackFiles } from "./feedback-files.ts";
import { addPortableFeedback } from "./portable-feedback.ts";

/** Adds the routes of a buyer's on-chain feedback and its files. */
export function addFeedback(api: App, context: Context): void {
  addPortableFeedback(api, context);
  addFeedbackFiles(api, context);
}
