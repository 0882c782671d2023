import { createRoute, z } from "@hono/zod-openapi";
import { inTransaction } from "../../db/transaction.ts";
import { longestBilling, mostAddressLines, taxRatePattern } from "../../protocol/settlement/billing.ts";
import {
  readBillingDetails,
  removeBillingDetails,
  setBillingDetails,
} from "../../trade/invoices/billing-details.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { textField, timeField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { lockActing } from "../organisations/membership.ts";
import type { App } from "../variables.ts";

/** A text of one line, so that a name cannot look like other lines of an invoice. */
const lineField = (most: number) => textField(most).regex(/^[^\n\r\t]*$/, "must be one line without tabs");

const detailFields = {
  name: lineField(longestBilling.name).openapi({ example: "Lingua GmbH" }),
  address_lines: z
    .array(lineField(longestBilling.addressLine))
    .min(1)
    .max(mostAddressLines)
    .openapi({ example: ["Hauptstrasse 1", "10115 Berlin"] }),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, "must be two letters by ISO 3166-1, as in `DE`")
    .openapi({ example: "DE", description: "by ISO 3166-1 alpha-2" }),
  tax_id: lineField(longestBilling.taxId).nullable().default(null).openapi({ example: "DE123456789" }),
  tax_rate: z
    .string()
    .regex(taxRatePattern, "must be a percentage from 0 to 100 with at most 2 decimals, as in `19`")
    .nullable()
    .default(null)
    .openapi({
      example: "19",
      description:
        "the tax in percent that your prices include; null: your invoices state no tax. The buyer pays the same",
    }),
};

const requestSchema = z.strictObject(detailFields).openapi("BillingDetailsRequest");

const detailsSchema = z
  .object({ ...detailFields, tax_id: z.string().nullable(), tax_rate: z.string().nullable() })
  .extend({ updated_at: timeField })
  .openapi("BillingDetails");

const removedSchema = z.object({ removed: z.literal(true) }).openapi("BillingDetailsRemoved");

/** Adds the routes of the details that an account's invoices state. docs/invoices.md describes them. */
export function addBillingDetails(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/me/billing-details",
      operationId: "readBillingDetails",
      tags: ["identity"],
      summary: "Read the billing details of this account",
      ...accessRule(context, "session"),
      responses: { 200: jsonResponse("The details", detailsSchema), ...errorResponses("not_found") },
    }),
    async (c) => {
      const row = await readBillingDetails(db, callerOf(c).accountId);
      if (!row)
        throw new ApiError(
          "not_found",
          "This account has no billing details. Set them with PUT /me/billing-details.",
        );
      return c.json({ ...row.details, updated_at: row.updatedAt.toISOString() }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "put",
      path: "/me/billing-details",
      operationId: "setBillingDetails",
      tags: ["identity"],
      summary: "Set the billing details of this account",
      description:
        "Invoices of your sales state them as seller, invoices of your purchases as buyer. The other party of an order reads them only there. An invoice keeps the details with which it was issued.",
      ...accessRule(context, "session"),
      request: { body: jsonBody(requestSchema) },
      responses: { 200: jsonResponse("The details", detailsSchema) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const row = await inTransaction(db, async (tx) => {
        await lockActing(tx, caller, "session");
        await recordAudit(tx, c, { action: "billing.set", target: caller.accountId });
        return setBillingDetails(tx, caller.accountId, c.req.valid("json"));
      });
      return c.json({ ...row.details, updated_at: row.updatedAt.toISOString() }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/me/billing-details",
      operationId: "removeBillingDetails",
      tags: ["identity"],
      summary: "Remove the billing details of this account",
      description: "Issued invoices keep the details. Later invoices of your sales are payment records.",
      ...accessRule(context, "session"),
      responses: { 200: jsonResponse("They are removed", removedSchema) },
    }),
    async (c) => {
      const caller = callerOf(c);
      await inTransaction(db, async (tx) => {
        await lockActing(tx, caller, "session");
        if (await removeBillingDetails(tx, caller.accountId)) {
          await recordAudit(tx, c, { action: "billing.removed", target: caller.accountId });
        }
      });
      return c.json({ removed: true as const }, 200);
    },
  );
}
