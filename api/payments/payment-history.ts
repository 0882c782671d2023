import { createRoute, z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import { and, count, eq, exists, gte, isNotNull, isNull, lt, type SQL, sql } from "../../db/drizzle.ts";
import { accountSettlement, fact, order, receipt, subscriptionOrder } from "../../db/schema.ts";
import { orderedAgent, orderedService } from "../../protocol/facts/order-summary.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import type { Caller } from "../http/caller.ts";
import {
  amountField,
  baseUnitsField,
  currencyField,
  idField,
  shownAddress,
  timeField,
  timeInput,
  transactionSchema,
} from "../http/fields.ts";
import { newestFirst, orderBy, positionOf } from "../http/list-order.ts";
import { countedRows, pageQuery, pageSchema, readPage, type Total, totalOf } from "../http/listing.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import {
  claimField,
  orderedAgentField,
  orderedServiceField,
  partyField,
  railField,
  referenceField,
} from "../orders/order-fields.ts";
import type { App } from "../variables.ts";

export const historyFilters = {
  role: partyField.optional().openapi({ description: "your side of the order" }),
  claim: claimField.optional(),
  since: timeInput.optional().openapi({ description: "recorded at this time or later" }),
  until: timeInput.optional().openapi({ description: "recorded before this time" }),
};
const historyQuery = pageQuery.extend(historyFilters);

const paymentRecordSchema = z
  .object({
    receipt_id: idField("rcp"),
    order_id: idField("ord"),
    order_reference: referenceField,
    subscription_id: idField("sub").nullable(),
    service_id: idField("svc"),
    service: orderedServiceField,
    agent_id: idField("agt"),
    agent: orderedAgentField,
    claim: claimField.openapi({
      description: "`funded`: into the escrow; `released`: to the provider; `refunded`: back to the buyer",
    }),
    your_role: partyField,
    direction: z.enum(["in", "out", "none"]).openapi("PaymentDirection", {
      description:
        "`in`: your side was paid; `out`: your side paid; `none`: the money of the other side moved",
    }),
    amount: amountField,
    amount_base_units: baseUnitsField,
    currency: currencyField,
    token_address: shownAddress,
    counterparty_address: shownAddress,
    settlement_rail: railField,
    transaction: transactionSchema,
    occurred_at: timeField.openapi({ description: "the time of the block" }),
    recorded_at: timeField,
  })
  .openapi("PaymentRecord");
export type PaymentRecord = z.output<typeof paymentRecordSchema>;

export const newestPaymentsFirst = newestFirst(accountSettlement.createdAt, accountSettlement.receiptId);
const pagePayments = pageSchema(paymentRecordSchema).openapi("PaymentRecordPage");

/** Adds the histories of an account's payments: every confirmed settlement, with its transaction and receipt. */
export function addPaymentHistory(app: App, context: Context): void {
  for (const [path, operationId, summary, ofSubscriptions] of [
    ["/payments", "listPayments", "List the settlements of your orders, newest first", false],
    [
      "/subscriptions/me/payments",
      "listSubscriptionPayments",
      "List the settlements of your subscriptions' orders, newest first",
      true,
    ],
  ] as const) {
    app.openapi(
      createRoute({
        method: "get",
        path,
        operationId,
        tags: ["payments"],
        summary,
        description:
          "Settlements that the chain has confirmed, without those that a reorganisation removed. Each has a receipt, which proves it: GET /receipts/{id}.",
        ...accessRule(context, "subscriptions:read"),
        request: { query: historyQuery },
        responses: { 200: jsonResponse("A page of payments", pagePayments) },
      }),
      async (c) => {
        const caller = callerOf(c);
        const query = c.req.valid("query");
        const condition = settlementConditions(context, caller, query, ofSubscriptions);
        const page = await readPage(newestPaymentsFirst, query, {
          select: ({ after, limit, offset }) => readRows(context, and(condition, after), limit, offset),
          count: () =>
            ofSubscriptions
              ? countPaid(context, condition)
              : countOwn(context, ownSettlements(caller, query)),
          present: presentSettlement,
        });
        return c.json(page, 200);
      },
    );
  }
}

export type Filters = Pick<z.output<typeof historyQuery>, "role" | "claim" | "since" | "until">;

/** The condition for an account's settlements that are not revoked; for subscriptions, only those of the buyer. */
export function settlementConditions(
  context: Context,
  caller: Caller,
  filters: Filters,
  ofSubscriptions: boolean,
): SQL | undefined {
  const paid = ofSubscriptions
    ? and(eq(accountSettlement.role, "buyer"), isOfSubscription(context))
    : undefined;
  return and(ownSettlements(caller, filters), isNull(receipt.revokedAt), paid);
}

/** The condition for an account's settlements, revoked ones too. The index `account_settlement_list` covers all of it. */
export function ownSettlements(caller: Caller, query: Filters): SQL | undefined {
  return and(
    eq(accountSettlement.accountId, caller.accountId),
    query.role ? eq(accountSettlement.role, query.role) : undefined,
    query.claim ? eq(accountSettlement.claim, query.claim) : undefined,
    query.since ? gte(accountSettlement.createdAt, query.since) : undefined,
    query.until ? lt(accountSettlement.createdAt, query.until) : undefined,
  );
}

function isOfSubscription({ db }: Context): SQL {
  return exists(
    db.select({ one: sql`1` }).from(subscriptionOrder).where(eq(subscriptionOrder.orderId, receipt.orderId)),
  );
}

export function readRows({ db }: Context, condition: SQL | undefined, limit: number, offset: number) {
  return db
    .select({
      settlement: accountSettlement,
      fact,
      order: {
        id: order.id,
        reference: order.reference,
        serviceId: order.serviceId,
        agentId: order.agentId,
        agentSlug: order.agentSlug,
        agentName: order.agentName,
        serviceSlug: order.serviceSlug,
        serviceTitle: order.serviceTitle,
        buyerAddress: order.buyerAddress,
        providerAddress: order.providerAddress,
        token: order.token,
        tokenSymbol: order.tokenSymbol,
        settlementRail: order.settlementRail,
      },
      subscriptionId: sql<string | null>`(
        select s.subscription_id from ${subscriptionOrder} as s where s.order_id = "order".id)`,
      position: positionOf(newestPaymentsFirst),
    })
    .from(accountSettlement)
    .innerJoin(receipt, eq(receipt.id, accountSettlement.receiptId))
    .innerJoin(fact, eq(fact.id, receipt.factId))
    .innerJoin(order, eq(order.id, receipt.orderId))
    .where(condition)
    .orderBy(...orderBy(newestPaymentsFirst))
    .limit(limit)
    .offset(offset);
}
type PaymentRow = Awaited<ReturnType<typeof readRows>>[number];

async function countPaid({ db }: Context, condition: SQL | undefined): Promise<Total> {
  const some = db
    .select({ id: accountSettlement.receiptId })
    .from(accountSettlement)
    .innerJoin(receipt, eq(receipt.id, accountSettlement.receiptId))
    .where(condition)
    .limit(countedRows + 1)
    .as("some");
  return totalOf(await db.$count(some));
}

/** Counts rows of the index, and subtracts those of revoked receipts. A look-up of each receipt would take too long. */
async function countOwn({ db }: Context, own: SQL | undefined): Promise<Total> {
  const revoked = db
    .select({ n: count().as("n") })
    .from(accountSettlement)
    .innerJoin(receipt, eq(receipt.id, accountSettlement.receiptId))
    .where(and(own, isNotNull(receipt.revokedAt)));
  // One statement, so that both counts have the same snapshot.
  const { rows } = await db.execute<{ counted: number }>(sql`
    with revoked as (${revoked}),
    limited as (
      select from ${accountSettlement} where ${own} limit ${countedRows + 1} + (select n from revoked))
    select ((select count(*) from limited) - (select n from revoked))::int as counted`);
  return totalOf(rows[0]?.counted ?? 0);
}

const directions = {
  buyer: { funded: "out", released: "none", refunded: "in" },
  provider: { funded: "none", released: "in", refunded: "none" },
} as const;

export function presentSettlement({
  settlement,
  fact: step,
  order: of,
  subscriptionId,
}: PaymentRow): PaymentRecord {
  const { role, claim } = settlement;
  return {
    receipt_id: settlement.receiptId,
    order_id: of.id,
    order_reference: of.reference,
    subscription_id: subscriptionId,
    service_id: of.serviceId,
    service: orderedService(of),
    agent_id: of.agentId,
    agent: orderedAgent(of),
    claim,
    your_role: role,
    direction: directions[role][claim],
    amount: String(step.data.amount),
    amount_base_units: String(step.data.amount_base_units),
    currency: of.tokenSymbol,
    token_address: getAddress(of.token),
    counterparty_address: getAddress(role === "buyer" ? of.providerAddress : of.buyerAddress),
    settlement_rail: of.settlementRail,
    transaction: {
      chain_id: step.chainId ?? 0,
      hash: step.transactionHash ?? "",
      block_number: Number(step.blockNumber),
      log_index: step.logIndex ?? 0,
    },
    occurred_at: step.occurredAt.toISOString(),
    recorded_at: settlement.createdAt.toISOString(),
  };
}
