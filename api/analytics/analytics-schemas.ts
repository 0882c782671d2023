import { z } from "@hono/zod-openapi";
import { orderStatuses } from "../../protocol/settlement/vocabulary.ts";
import { spendItem } from "../accounts/key-spend.ts";
import { agentReference } from "../agents/agent.ts";
import { amountField, baseUnitsField, chainIdField, currencyField, shownAddress } from "../http/fields.ts";

const dayField = z.iso.date().openapi({ description: "in UTC", example: "2026-11-21" });
const percentField = z.int().min(0).max(100).nullable();

const tokenFields = { chain_id: chainIdField, token_address: shownAddress, currency: currencyField };

const revenueSchema = z
  .object({
    day: dayField,
    ...tokenFields,
    amount: amountField.openapi({ description: "released to you, by the time of the block" }),
    amount_base_units: baseUnitsField,
    releases: z.int(),
  })
  .openapi("RevenueOfDay");

const spendingSchema = z
  .object({
    day: dayField,
    ...tokenFields,
    paid: amountField.openapi({ description: "paid into escrows" }),
    paid_base_units: baseUnitsField,
    refunded: amountField.openapi({ description: "returned to you" }),
    refunded_base_units: baseUnitsField,
  })
  .openapi("SpendingOfDay");

const ordersSchema = z
  .object({
    placed: z.int().openapi({ description: "orders that were placed in these days" }),
    paid: z.int().openapi({ description: "those that were paid" }),
    completed: z.int().openapi({ description: "those that ended with a payment to the provider" }),
    by_status: z
      .object(Object.fromEntries(orderStatuses.map((status) => [status, z.int()])) as Counts)
      .openapi("OrdersByStatus", { description: "those that have each status now" }),
  })
  .openapi("OrderCounts");
type Counts = Record<(typeof orderStatuses)[number], z.ZodInt>;

const deliverySchema = z
  .object({
    on_time: z.int(),
    late: z.int(),
    not_delivered: z.int().openapi({ description: "without orders that you declined" }),
    on_time_percent: percentField.openapi({
      description:
        "the percentage of these orders that were delivered on time, rounded down; null without orders",
    }),
    median_seconds: z.int().nullable().openapi({
      description:
        "the median time from payment to delivery, rounded up by at most 9.1 %; null without deliveries",
    }),
    p90_seconds: z.int().nullable().openapi({ description: "90 % of the deliveries took at most this time" }),
  })
  .openapi("DeliveryFigures", { description: "orders that settled in these days" });

const scoreSchema = z
  .object({
    agent: agentReference,
    days: z
      .array(
        z
          .object({
            day: dayField,
            score: z.int().nullable().openapi({ description: "0 to 1000; null if no order counts" }),
            upper: z.int().nullable().openapi({ description: "the upper bound of the score" }),
            orders: z.int().openapi({ description: "the orders of the record" }),
          })
          .openapi("ScoreOfDay"),
      )
      .openapi({ description: "the last score of each day on which a score was computed" }),
  })
  .openapi("ScoreHistory");

export const analyticsSchema = z
  .object({
    since: dayField,
    until: dayField,
    seller: z
      .object({
        revenue: z.array(revenueSchema).openapi({ description: "days with a release, oldest first" }),
        orders: ordersSchema,
        delivery: deliverySchema,
        scores: z.array(scoreSchema),
      })
      .openapi("SellerFigures"),
    buyer: z
      .object({
        spending: z
          .array(spendingSchema)
          .openapi({ description: "days with a payment or refund, oldest first" }),
        orders: ordersSchema,
      })
      .openapi("BuyerFigures"),
    webhooks: z
      .object({
        succeeded: z.int(),
        failed: z.int().openapi({ description: "deliveries that failed at every try" }),
        success_percent: percentField.openapi({ description: "rounded down; null without deliveries" }),
      })
      .openapi("WebhookFigures"),
    keys: z
      .array(spendItem)
      .openapi({ description: "the spending of API keys now, as `GET /me/spend` has it" }),
  })
  .openapi("Analytics");
