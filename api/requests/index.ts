import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addOpenRequests } from "./open-requests.ts";
import { addQuoteAcceptance } from "./quote-acceptance.ts";
import { addQuotes } from "./quotes.ts";

/** Requests for quotes, the quotes and their acceptance. */
export function addRequests(api: App, context: Context): void {
  addOpenRequests(api, context);
  addQuotes(api, context);
  addQuoteAcceptance(api, context);
}
