import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addBillingDetails } from "./billing-details.ts";
import { addInvoiceExports } from "./invoice-export.ts";
import { addStatementExports } from "./statement-export.ts";

/** Adds invoices and statements, and the billing details that they state. The files are at the root. */
export function addInvoices(api: App, root: App, context: Context): void {
  addBillingDetails(api, context);
  addInvoiceExports(root, context);
  addStatementExports(root, context);
}
