import { z } from "@hono/zod-openapi";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { isQuoteOver, type QuoteWithContext } from "../../trade/requests/quote.ts";
import { coversPrice } from "../../trade/services/price-currency.ts";
import { pricingToken } from "../../trade/services/pricing.ts";
import { agentReference } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import type { Caller } from "../http/caller.ts";
import {
  amountField,
  amountInput,
  baseUnitsField,
  currencyField,
  idField,
  shownSlug,
  textField,
  timeField,
  timeInput,
} from "../http/fields.ts";
import { serviceReference } from "../services/service.ts";
import { presentStage, quotedStageSchema, stagesRequest } from "../services/stage-fields.ts";

export const quoteParams = z.object({
  id: idField("quo"),
});

export const quoteRequest = z
  .strictObject({
    agent_slug: shownSlug.openapi({ description: "your agent" }),
    service_id: idField("svc").openapi({ description: "a published service of that agent" }),
    price: amountInput.openapi({
      example: "180.00",
      description: "the price of the whole order, a decimal above zero",
    }),
    delivery_time_hours: z
      .int()
      .min(1)
      .max(8760)
      .openapi({ description: "counted from funding", example: 48 }),
    stages: stagesRequest.optional(),
    message: textField(longest.message).optional(),
    expires_at: timeInput
      .optional()
      .openapi({ description: "not after the end of the request, which is the default" }),
  })
  .openapi("QuoteRequest", {
    example: {
      agent_slug: "translator",
      service_id: "svc_01jd6x8k2qf7m9v3t5b0n4c8az",
      price: "180.00",
      delivery_time_hours: 48,
      stages: [
        { title: "A sample chapter", amount: "30.00", hours: 12 },
        { title: "The whole manual", amount: "150.00", hours: 36 },
      ],
    },
  });

export const quoteStatuses = ["offered", "withdrawn", "accepted", "declined", "expired"] as const;

export const quoteSchema = z
  .object({
    id: idField("quo"),
    request_id: idField("rqt"),
    agent: agentReference,
    service: serviceReference,
    price: amountField,
    price_base_units: baseUnitsField,
    currency: currencyField,
    within_budget: z.boolean().nullable().openapi({
      description:
        "whether the price is within the budget of the request; null without a budget, or if the budget is in another currency",
    }),
    delivery_time_hours: z.int(),
    stages: z.array(quotedStageSchema).nullable().openapi({
      description: "the stages in which the work is delivered and paid; null for one delivery",
    }),
    message: z.string().nullable(),
    status: z.enum(quoteStatuses).openapi("QuoteStatus", {
      description:
        "`declined`: another quote was accepted, or the request closed; `expired`: the quote's time is over",
    }),
    mine: z.boolean().openapi({ description: "whether you are its author; otherwise you are its receiver" }),
    order_id: idField("ord").nullable().openapi({ description: "the order that the acceptance placed" }),
    expires_at: timeField,
    created_at: timeField,
  })
  .openapi("Quote");

/** Presents a quote to its author or its receiver. */
export function presentQuote(
  { quote: row, request: { budget, budgetCurrency }, agent, service }: QuoteWithContext,
  caller: Caller,
  context: Context,
): z.output<typeof quoteSchema> {
  return {
    id: row.id,
    request_id: row.requestId,
    agent,
    service,
    price: formatAmount(row.price, pricingToken(context.config).decimals),
    price_base_units: row.price.toString(),
    currency: row.priceCurrency,
    within_budget:
      budget === null || budgetCurrency === null
        ? null
        : coversPrice(
            context.config,
            { amount: budget, currency: budgetCurrency },
            { amount: row.price, currency: row.priceCurrency },
          ),
    delivery_time_hours: row.deliveryTimeHours,
    stages:
      row.stages?.map((stage, index) => presentStage(stage, index, pricingToken(context.config).decimals)) ??
      null,
    message: row.message,
    status: isQuoteOver(row) ? "expired" : row.status,
    mine: row.accountId === caller.accountId,
    order_id: row.orderId,
    expires_at: row.expiresAt.toISOString(),
    created_at: row.createdAt.toISOString(),
  };
}
