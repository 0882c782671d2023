import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addOpenRequests } from "./open-requests.ts";
import { addQuoteAcceptance } from "./quote-acceptance.ts";
import { addQuotes } from "./quotes.ts";

/** Adds the routes of requests, quotes and their acceptance. */
export function addRequests(api: App, context: Context): void {
  addOpenRequests(api, context);
  addQuotes(api, context);
  addQuoteAcceptance(api, context);
}
