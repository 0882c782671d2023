import { createRoute, z } from "@hono/zod-openapi";
import { type Address, getAddress } from "viem";
import type { Database } from "../../db/client.ts";
import { and, eq, gte, isNull, lt, type SQL, sql } from "../../db/drizzle.ts";
import { accountSettlement, fact, order, receipt, settlementDay } from "../../db/schema.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import type { Caller } from "../http/caller.ts";
import { amountField, baseUnitsField, chainIdField, currencyField, shownAddress } from "../http/fields.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { type Filters, historyFilters, ownSettlements } from "./payment-history.ts";

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

/** Adds the route of the sums that an account received and paid, by month and token, from the daily counts. */
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
      ...accessRule(context, "subscriptions:read"),
      request: { query: z.object(historyFilters) },
      responses: {
        200: jsonResponse("The sums", z.object({ items: z.array(sumSchema) }).openapi("PaymentSums")),
      },
    }),
    async (c) => {
      const rows = await readSums(db, callerOf(c), c.req.valid("query"));
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

type SumRow = {
  month: string;
  chainId: number;
  token: Address;
  symbol: string;
  decimals: number;
  received: string;
  paid: string;
  payments: number;
};

/** Adds up the daily counts of the whole days (UTC) of the range, and the settlements of the parts of days at its ends. */
async function readSums(db: Database, caller: Caller, filters: Filters): Promise<SumRow[]> {
  const { since, until } = filters;
  const first = since && startOfDay(new Date(since.getTime() + dayMs - 1));
  const end = until && startOfDay(until);
  // Nothing is newer than the last day that can be written, so its rows are few.
  const hasNoDay = first !== undefined && (first.getTime() > lastDay || (end !== undefined && first > end));
  const parts = hasNoDay
    ? [selectSettlements(db, caller, filters)]
    : [
        selectDays(db, caller, filters, { first, end }),
        ...(since && first && since < first
          ? [selectSettlements(db, caller, { ...filters, until: first })]
          : []),
        ...(until && end && end < until ? [selectSettlements(db, caller, { ...filters, since: end })] : []),
      ];
  const amountOf = (isMeant: SQL) => sql`coalesce(sum(amount) filter (where ${isMeant}), 0)::text`;
  const { rows } = await db.execute<SumRow>(sql`
    select to_char(day, 'YYYY-MM') as month, chain_id as "chainId", token, token_symbol as symbol, token_decimals as decimals,
      ${amountOf(sql`claim <> 'funded'`)} as received, ${amountOf(sql`claim = 'funded'`)} as paid, sum(settlements)::int as payments
    from (${sql.join(parts, sql` union all `)}) as settled
    group by month, chain_id, token, token_symbol, token_decimals
    having sum(settlements) > 0
    order by month desc, chain_id, token, token_symbol, token_decimals`);
  return rows;
}

const dayMs = 86_400_000;
const lastDay = Date.UTC(9999, 11, 31);

/** The start of a time's day (UTC). */
function startOfDay(time: Date): Date {
  return new Date(Math.floor(time.getTime() / dayMs) * dayMs);
}

/** The date of a time (UTC). */
const dayText = (time: Date) => time.toISOString().slice(0, 10);

/** Selects the daily counts from `first` on, before `end`. */
function selectDays(
  db: Database,
  { accountId }: Caller,
  { role, claim }: Filters,
  { first, end }: { first: Date | undefined; end: Date | undefined },
): SQL {
  const { day, chainId, token, tokenSymbol, tokenDecimals, amount, settlements } = settlementDay;
  return db
    .select({
      day,
      claim: settlementDay.claim,
      chainId,
      token,
      tokenSymbol,
      tokenDecimals,
      amount,
      settlements,
    })
    .from(settlementDay)
    .where(
      and(
        eq(settlementDay.accountId, accountId),
        role && eq(settlementDay.role, role),
        claim && eq(settlementDay.claim, claim),
        first && gte(settlementDay.recordedOn, dayText(first)),
        end && lt(settlementDay.recordedOn, dayText(end)),
      ),
    )
    .getSQL();
}

/** Selects single settlements, as `earnest.add_settlements` counts them. */
function selectSettlements(db: Database, caller: Caller, filters: Filters): SQL {
  const { role, claim } = accountSettlement;
  const { chainId, token, tokenSymbol, tokenDecimals } = order;
  return db
    .select({
      day: sql`earnest.utc_day(${fact.occurredAt})`.as("day"),
      claim,
      chainId,
      token,
      tokenSymbol,
      tokenDecimals,
      amount: sql`(${fact.data} ->> 'amount_base_units')::numeric`.as("amount"),
      settlements: sql`1`.as("settlements"),
    })
    .from(accountSettlement)
    .innerJoin(receipt, eq(receipt.id, accountSettlement.receiptId))
    .innerJoin(fact, eq(fact.id, receipt.factId))
    .innerJoin(order, eq(order.id, receipt.orderId))
    .where(
      and(
        ownSettlements(caller, filters),
        isNull(receipt.revokedAt),
        sql`(${role}, ${claim}) in (('buyer', 'funded'), ('buyer', 'refunded'), ('provider', 'released'))`,
      ),
    )
    .getSQL();
}
