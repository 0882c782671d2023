import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addDisputeDecision } from "./dispute-decision.ts";
import { addDisputeIntent } from "./dispute-intent.ts";
import { addDisputeOpening } from "./dispute-opening.ts";
import { addDisputeStatements } from "./dispute-statements.ts";
import { addDisputeRoutes } from "./disputes.ts";

/** Adds the routes of disputes: intent, opening, statements and decision. */
export function addDisputes(api: App, context: Context): void {
  addDisputeIntent(api, context);
  addDisputeOpening(api, context);
  addDisputeRoutes(api, context);
  addDisputeStatements(api, context);
  addDisputeDecision(api, context);
}
