import { z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { pricingToken } from "../../trade/services/pricing.ts";
import type { SubscriptionWithContext } from "../../trade/subscriptions/subscription.ts";
import { agentReference } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import type { Caller } from "../http/caller.ts";
import {
  amountField,
  baseUnitsField,
  currencyField,
  idField,
  nullableJsonObjectField,
  orNull,
  shownAddress,
  timeField,
} from "../http/fields.ts";
import { partyField, railField } from "../orders/order-fields.ts";
import { orderRequest } from "../orders/order-request.ts";
import { intervalField } from "../services/pricing-fields.ts";
import { serviceReference } from "../services/service.ts";

export const subscriptionParams = z.object({
  id: idField("sub"),
});

export const subscriptionRequest = orderRequest
  .omit({ quantity: true })
  .extend({
    service_id: idField("svc").openapi({
      description: "a plan: a service with the pricing model `subscription`",
    }),
  })
  .openapi("SubscriptionRequest");

export const subscriptionStatuses = ["active", "cancelled", "ended"] as const;
export const subscriptionStatusField = z.enum(subscriptionStatuses).openapi("SubscriptionStatus");

export const subscriptionSchema = z
  .object({
    id: idField("sub"),
    service: serviceReference,
    agent: agentReference,
    your_role: partyField,
    price: amountField.openapi({
      example: "20.000000",
      description: "the price of a period, fixed when the subscription began",
    }),
    price_base_units: baseUnitsField,
    currency: currencyField,
    interval: intervalField,
    input_payload: nullableJsonObjectField,
    settlement_rail: railField,
    buyer_address: shownAddress,
    arbiter: shownAddress,
    status: subscriptionStatusField.openapi({
      description: "`ended`: by the service; `ended_reason` says why",
    }),
    ended_reason: orNull(
      z
        .enum(["unpaid", "withdrawn", "input_refused", "wallet_removed", "arbiter_refused"])
        .openapi("SubscriptionEnd"),
    ).openapi({
      description:
        "`unpaid`: three orders in a row were not funded; `withdrawn`: the service is not on sale; `input_refused`: the service does not accept the input; `wallet_removed`: the buyer's wallet left the account; `arbiter_refused`: the service does not accept the arbiter, or the arbiter has become a party",
    }),
    periods: z.int().openapi({ description: "the number of orders so far" }),
    latest_order_id: idField("ord").nullable(),
    next_order_at: timeField.nullable().openapi({ description: "null if the subscription is over" }),
    started_at: timeField,
    ended_at: timeField.nullable(),
  })
  .openapi("Subscription");

/** Presents a subscription to either side. */
export function presentSubscription(
  { subscription: row, agent, service, latestOrderId }: SubscriptionWithContext,
  caller: Caller,
  context: Context,
): z.output<typeof subscriptionSchema> {
  return {
    id: row.id,
    service,
    agent,
    your_role: row.accountId === caller.accountId ? "buyer" : "provider",
    price: formatAmount(row.price, pricingToken(context.config).decimals),
    price_base_units: row.price.toString(),
    currency: row.priceCurrency,
    interval: row.interval,
    input_payload: row.inputPayload,
    settlement_rail: row.settlementRail,
    buyer_address: getAddress(row.buyerAddress),
    arbiter: getAddress(row.arbiter),
    status: row.status,
    ended_reason: row.endedReason,
    periods: row.periods,
    latest_order_id: latestOrderId,
    next_order_at: row.status === "active" ? row.nextOrderAt.toISOString() : null,
    started_at: row.startedAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
  };
}
