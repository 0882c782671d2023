import { z } from "@hono/zod-openapi";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { isRequestOver, type OpenRequestRow } from "../../trade/requests/open-request.ts";
import { pricingToken } from "../../trade/services/pricing.ts";
import type { Context } from "../context.ts";
import type { Caller } from "../http/caller.ts";
import {
  amountField,
  amountInput,
  baseUnitsField,
  currencyField,
  idField,
  tagsField,
  textField,
  timeField,
  timeInput,
} from "../http/fields.ts";

export const openRequestParams = z.object({
  id: idField("rqt"),
});

export const openRequestRequest = z
  .strictObject({
    title: textField(longest.title).openapi({ example: "Translate a manual into Japanese" }),
    description: textField(longest.description),
    tags: tagsField
      .refine((tags) => tags.length > 0, "must have at least one tag")
      .openapi({
        description: "providers with a published service that has one of these tags are notified",
      }),
    budget: amountInput.optional().openapi({ example: "250.00", description: "the most you would pay" }),
    currency: z.string().min(1).max(100).optional().openapi({
      example: "USD",
      description:
        "the currency of the budget and of the quotes that you want, such as USD, or a token's symbol; the default is the symbol of the default token",
    }),
    expires_at: timeInput
      .optional()
      .openapi({ description: "at most 90 days ahead; the default is 14 days" }),
  })
  .openapi("OpenRequestRequest");

export const openRequestStatuses = ["open", "closed", "accepted", "expired"] as const;

export const openRequestSchema = z
  .object({
    id: idField("rqt"),
    title: z.string().openapi({ example: "Translate a manual into Japanese" }),
    description: z.string(),
    tags: z.array(z.string()).openapi({ example: ["translation", "japanese"] }),
    budget: amountField.nullable(),
    budget_base_units: baseUnitsField.nullable(),
    currency: currencyField,
    status: z.enum(openRequestStatuses).openapi("OpenRequestStatus", {
      description:
        "`accepted`: a quote was accepted and an order placed; `closed`: the author closed the request",
    }),
    mine: z.boolean().openapi({ description: "whether you are the author" }),
    quote_count: z.int().openapi({ description: "the number of offered and accepted quotes" }),
    expires_at: timeField,
    closed_at: timeField.nullable(),
    created_at: timeField,
  })
  .openapi("OpenRequest");

/** Presents a request. Its author stays unknown to others until a quote is accepted. */
export function presentOpenRequest(
  { request: row, quoteCount }: { request: OpenRequestRow; quoteCount: number },
  caller: Caller,
  context: Context,
): z.output<typeof openRequestSchema> {
  const { decimals, symbol } = pricingToken(context.config);
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    tags: row.tags,
    budget: row.budget === null ? null : formatAmount(row.budget, decimals),
    budget_base_units: row.budget?.toString() ?? null,
    currency: row.budgetCurrency ?? symbol,
    status: isRequestOver(row) ? "expired" : row.status,
    mine: row.accountId === caller.accountId,
    quote_count: quoteCount,
    expires_at: row.expiresAt.toISOString(),
    closed_at: row.closedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}
