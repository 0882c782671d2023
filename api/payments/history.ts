import { createRoute, z } from "@hono/zod-openapi";
import { and, count, eq, exists, gte, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import { getAddress } from "viem";
import { accountSettlement, fact, order, receipt, subscriptionOrder } from "../../db/schema.ts";
import type { App, Context } from "../context.ts";
import { type Caller, callerOf } from "../http/access.ts";
import {
  amountField,
  askedTime,
  baseUnitsField,
  currencyField,
  idField,
  shownAddress,
  timeField,
  transactionSchema,
} from "../http/fields.ts";
import {
  afterCursor,
  countedRows,
  newestFirst,
  orderBy,
  type PageQuery,
  pageQuery,
  pageSchema,
  positionOf,
  readPage,
  type Total,
  takePage,
  totalOf,
} from "../http/listing.ts";
import { guarded } from "../http/openapi.ts";
import { claimField, partyField, railField, referenceField } from "../orders/fields.ts";

/** Rows read at once for a table that is written out as it is read. */
const batch = 1000;

export const historyFilters = {
  role: partyField.optional().openapi({ description: "yours in the order" }),
  claim: claimField.optional(),
  since: askedTime.optional().openapi({ description: "recorded at or after" }),
  until: askedTime.optional().openapi({ description: "recorded before" }),
};
const historyQuery = pageQuery.extend({
  ...historyFilters,
  format: z
    .enum(["json", "csv"])
    .openapi("PaymentHistoryFormat")
    .optional()
    .openapi({ description: "`csv`: all of the query as RFC 4180 text, newest first, without pages" }),
});

const paymentRecordSchema = z
  .object({
    receipt_id: idField("rcp"),
    order_id: idField("ord"),
    order_reference: referenceField,
    subscription_id: idField("sub").nullable(),
    service_id: idField("svc"),
    agent_id: idField("agt"),
    claim: claimField.openapi({
      description: "`funded`: into the escrow; `released`: to the provider; `refunded`: back to the buyer",
    }),
    your_role: partyField,
    direction: z.enum(["in", "out", "none"]).openapi("PaymentDirection", {
      description: "whether your side paid, was paid, or neither: the other side's money moved",
    }),
    amount: amountField,
    amount_base_units: baseUnitsField,
    currency: currencyField,
    token_address: shownAddress,
    counterparty_address: shownAddress,
    settlement_rail: railField,
    transaction: transactionSchema,
    occurred_at: timeField.openapi({ description: "the block's time" }),
    recorded_at: timeField,
  })
  .openapi("PaymentRecord");
type PaymentRecord = z.output<typeof paymentRecordSchema>;

const ordering = newestFirst(accountSettlement.createdAt, accountSettlement.receiptId);
const pagePayments = pageSchema(paymentRecordSchema).openapi("PaymentRecordPage");

/** The payments of an account: every confirmed movement of its orders' money, with its transaction and receipt. */
export function addPaymentHistory(app: App, context: Context): void {
  for (const [path, operationId, summary, ofSubscriptions] of [
    ["/payments", "listPayments", "Every settlement of your orders, newest first", false],
    [
      "/subscriptions/me/payments",
      "listSubscriptionPayments",
      "The same of your subscriptions' orders",
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
          "What the chain has confirmed and not taken back. Each row has a receipt, which proves it: GET /receipts/{id}.",
        ...guarded(context, "subscriptions:read"),
        request: { query: historyQuery },
        responses: {
          200: {
            description: "A page of payments, or all of them as text",
            content: {
              "application/json": { schema: pagePayments },
              "text/csv": { schema: z.string().openapi({ example: "recorded_at,occurred_at,claim,..." }) },
            },
          },
        },
      }),
      async (c) => {
        const caller = callerOf(c);
        const query = c.req.valid("query");
        const own = ownOf(caller, query);
        const paid = ofSubscriptions && and(eq(accountSettlement.role, "buyer"), isOfSubscription(context));
        const wanted = and(own, isNull(receipt.revokedAt), paid || undefined);
        if (query.format === "csv") {
          c.header("Content-Type", "text/csv; charset=utf-8; header=present");
          c.header("Content-Disposition", 'attachment; filename="payments.csv"');
          return c.body(writeTable(context, wanted)) as never;
        }
        const page = await readPage(ordering, query, {
          select: ({ after, limit, offset }) => readRows(context, and(wanted, after), limit, offset),
          count: () => (paid ? countPaid(context, wanted) : countOwn(context, own)),
          present: presentPayment,
        });
        return c.json(page, 200);
      },
    );
  }
}

type Filters = Pick<z.output<typeof historyQuery>, "role" | "claim" | "since" | "until">;

/** All of it in the index `account_settlement_list`. */
export function ownOf(caller: Caller, query: Filters): SQL | undefined {
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

function readRows({ db }: Context, wanted: SQL | undefined, limit: number, offset: number) {
  return db
    .select({
      settlement: accountSettlement,
      fact,
      order: {
        id: order.id,
        reference: order.reference,
        serviceId: order.serviceId,
        agentId: order.agentId,
        buyerAddress: order.buyerAddress,
        providerAddress: order.providerAddress,
        token: order.token,
        tokenSymbol: order.tokenSymbol,
        settlementRail: order.settlementRail,
      },
      subscriptionId: sql<string | null>`(
        select s.subscription_id from ${subscriptionOrder} as s where s.order_id = "order".id)`,
      position: positionOf(ordering),
    })
    .from(accountSettlement)
    .innerJoin(receipt, eq(receipt.id, accountSettlement.receiptId))
    .innerJoin(fact, eq(fact.id, receipt.factId))
    .innerJoin(order, eq(order.id, receipt.orderId))
    .where(wanted)
    .orderBy(...orderBy(ordering))
    .limit(limit)
    .offset(offset);
}
type PaymentRow = Awaited<ReturnType<typeof readRows>>[number];

async function countPaid({ db }: Context, wanted: SQL | undefined): Promise<Total> {
  const some = db
    .select({ id: accountSettlement.receiptId })
    .from(accountSettlement)
    .innerJoin(receipt, eq(receipt.id, accountSettlement.receiptId))
    .where(wanted)
    .limit(countedRows + 1)
    .as("some");
  return totalOf(await db.$count(some));
}

/** Counts in the index, less the few of revoked receipts: looking each receipt up takes long. */
async function countOwn({ db }: Context, own: SQL | undefined): Promise<Total> {
  const revoked = db
    .select({ n: count().as("n") })
    .from(accountSettlement)
    .innerJoin(receipt, eq(receipt.id, accountSettlement.receiptId))
    .where(and(own, isNotNull(receipt.revokedAt)));
  // In one statement, so that both see the same.
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

function presentPayment({ settlement, fact: step, order: of, subscriptionId }: PaymentRow): PaymentRecord {
  const { role, claim } = settlement;
  return {
    receipt_id: settlement.receiptId,
    order_id: of.id,
    order_reference: of.reference,
    subscription_id: subscriptionId,
    service_id: of.serviceId,
    agent_id: of.agentId,
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

/** The columns of the table, by the names of the JSON; none holds what a party wrote, so none can be a formula. */
const columns: Record<string, (payment: PaymentRecord) => string | number | null> = {
  recorded_at: (payment) => payment.recorded_at,
  occurred_at: (payment) => payment.occurred_at,
  claim: (payment) => payment.claim,
  your_role: (payment) => payment.your_role,
  direction: (payment) => payment.direction,
  amount: (payment) => payment.amount,
  currency: (payment) => payment.currency,
  amount_base_units: (payment) => payment.amount_base_units,
  token_address: (payment) => payment.token_address,
  counterparty_address: (payment) => payment.counterparty_address,
  order_id: (payment) => payment.order_id,
  order_reference: (payment) => payment.order_reference,
  subscription_id: (payment) => payment.subscription_id,
  service_id: (payment) => payment.service_id,
  agent_id: (payment) => payment.agent_id,
  settlement_rail: (payment) => payment.settlement_rail,
  chain_id: (payment) => payment.transaction.chain_id,
  transaction_hash: (payment) => payment.transaction.hash,
  block_number: (payment) => payment.transaction.block_number,
  log_index: (payment) => payment.transaction.log_index,
  receipt_id: (payment) => payment.receipt_id,
};

/** Writes a query's payments as CSV (RFC 4180), reading on as its reader does. */
function writeTable(context: Context, wanted: SQL | undefined): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const line = (cells: (string | number | null)[]) => encoder.encode(`${cells.map(quoteCell).join(",")}\r\n`);
  let cursor: string | undefined;
  return new ReadableStream({
    start: (controller) => controller.enqueue(line(Object.keys(columns))),
    async pull(controller) {
      const query: PageQuery = { limit: batch, offset: 0, cursor };
      const found = await readRows(context, and(wanted, afterCursor(ordering, query)), batch + 1, 0);
      const { rows, next } = takePage(found, query, ordering);
      for (const row of rows) {
        const payment = presentPayment(row);
        controller.enqueue(line(Object.values(columns).map((cell) => cell(payment))));
      }
      if (next === null) controller.close();
      else cursor = next;
    },
  });
}

function quoteCell(cell: string | number | null): string {
  const text = String(cell ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
