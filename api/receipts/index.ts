import type { Context } from "../context.ts";
import type { App } from "../variables.ts";
import { addReceiptSchemas } from "./document-schemas.ts";
import { addReceiptKeys } from "./issuer-keys.ts";
import { addReceiptPage } from "./receipt-page.ts";
import { addReceiptRoutes } from "./receipts.ts";
import { addRecordStatement } from "./record-statement.ts";
import { addReceiptCheck } from "./verification.ts";

/** Adds the routes of receipts and their verification. The root serves the pages for people and the issuer's keys. */
export function addReceipts(api: App, root: App, context: Context): void {
  addReceiptRoutes(api, context);
  addReceiptPage(root, context);
  addReceiptCheck(api, root, context);
  addRecordStatement(api, context);
  addReceiptSchemas(api, context);
  addReceiptKeys(root, context);
}
