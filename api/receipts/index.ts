import type { App, Context } from "../context.ts";
import { addReceiptCheck } from "./check.ts";
import { addReceiptKeys } from "./keys.ts";
import { addReceiptPage } from "./page.ts";
import { addReceiptRoutes } from "./receipts.ts";
import { addRecordStatement } from "./record-statement.ts";
import { addReceiptSchemas } from "./schemas.ts";

/** Receipts, and what checks them: the root serves the pages for persons and the issuer's keys. */
export function addReceipts(api: App, root: App, context: Context): void {
  addReceiptRoutes(api, context);
  addReceiptPage(root, context);
  addReceiptCheck(api, root, context);
  addRecordStatement(api, context);
  addReceiptSchemas(api, context);
  addReceiptKeys(root, context);
}
