import { createRoute, z } from "@hono/zod-openapi";
import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { getAddress } from "viem";
import { accountSettlement, fact, order, receipt } from "../../db/schema.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { amountField, baseUnitsField, chainIdField, currencyField, shownAddress } from "../http/fields.ts";
import { answer, guarded } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { historyFilters, ownSettlements } from "./payment-history.ts";

const sumSchema = z
  .object({
    month: z.string().openapi({ pattern: "^\\d{4}-\\d{2}$", example: "2026-11", description: "in UTC" }),
    chain_id: chainIdField,
    token_address: shownAddress,
    currency: currencyField,
    received: amountField.openapi({ description: "by your side: releases and refunds to it" }),
    received_base_units: baseUnitsField,
    paid: amountField.openapi({ description: "by your side, into escrows" }),
    paid_base_units: baseUnitsField,
    payments: z.int().openapi({ description: "the number of settlements in the sums" }),
  })
  .openapi("PaymentSum");

/** Adds the route of the sums that an account received and paid, by month and token, which PostgreSQL adds up. */
export function addPaymentSums(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/payments/sums",
      operationId: "sumPayments",
      tags: ["payments"],
      summary: "Read what you received and paid in each month, newest first",
      description:
        "The exact sums of `GET /payments` with the same filters, for each month (UTC, by the time of the block) and token. Settlements of the other side alone are left out.",
      ...guarded(context, "subscriptions:read"),
      request: { query: z.object(historyFilters) },
      responses: { 200: answer("The sums", z.object({ items: z.array(sumSchema) }).openapi("PaymentSums")) },
    }),
    async (c) => {
      const isReceived = sql`(${accountSettlement.role}, ${accountSettlement.claim}) in (('buyer', 'refunded'), ('provider', 'released'))`;
      const isPaid = sql`(${accountSettlement.role}, ${accountSettlement.claim}) = ('buyer', 'funded')`;
      const month = sql<string>`to_char(${fact.occurredAt} at time zone 'UTC', 'YYYY-MM')`;
      const amount = sql`(${fact.data} ->> 'amount_base_units')::numeric`;
      const token = [order.chainId, order.token, order.tokenSymbol, order.tokenDecimals];
      const rows = await db
        .select({
          month,
          chainId: order.chainId,
          token: order.token,
          symbol: order.tokenSymbol,
          decimals: order.tokenDecimals,
          received: sql<string>`coalesce(sum(${amount}) filter (where ${isReceived}), 0)::text`,
          paid: sql<string>`coalesce(sum(${amount}) filter (where ${isPaid}), 0)::text`,
          payments: sql<number>`count(*)::int`,
        })
        .from(accountSettlement)
        .innerJoin(receipt, eq(receipt.id, accountSettlement.receiptId))
        .innerJoin(fact, eq(fact.id, receipt.factId))
        .innerJoin(order, eq(order.id, receipt.orderId))
        .where(
          and(
            ownSettlements(callerOf(c), c.req.valid("query")),
            isNull(receipt.revokedAt),
            sql`(${isReceived} or ${isPaid})`,
          ),
        )
        .groupBy(month, ...token)
        .orderBy(desc(month), ...token);
      const items = rows.map(({ month, chainId, token, symbol, decimals, received, paid, payments }) => ({
        month,
        chain_id: chainId,
        token_address: getAddress(token),
        currency: symbol,
        received: formatAmount(BigInt(received), decimals),
        received_base_units: received,
        paid: formatAmount(BigInt(paid), decimals),
        paid_base_units: paid,
        payments,
      }));
      return c.json({ items }, 200);
    },
  );
}
