import type { App, Context } from "../context.ts";
import { addDisputeDecision } from "./decision.ts";
import { addDisputeRoutes } from "./disputes.ts";
import { addDisputeIntent } from "./intent.ts";
import { addDisputeOpening } from "./opening.ts";
import { addDisputeStatements } from "./statements.ts";

/** Disputes: opening, statements and decision. */
export function addDisputes(api: App, context: Context): void {
  addDisputeIntent(api, context);
  addDisputeOpening(api, context);
  addDisputeRoutes(api, context);
  addDisputeStatements(api, context);
  addDisputeDecision(api, context);
}
