import { createRoute, z } from "@hono/zod-openapi";
import { and } from "../../db/drizzle.ts";
import { exportsPath } from "../../protocol/settlement/vocabulary.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { afterCursor } from "../http/list-order.ts";
import { type PageQuery, takePage } from "../http/listing.ts";
import { accessRule } from "../http/openapi.ts";
import { answerCsv, exportBatch, type ReadBatch, type TableColumns } from "../http/table-export.ts";
import type { App } from "../variables.ts";
import {
  historyFilters,
  newestPaymentsFirst,
  type PaymentRecord,
  presentSettlement,
  readRows,
  settlementConditions,
} from "./payment-history.ts";

const tableSchema = z.string().openapi({ example: "recorded_at,occurred_at,claim,..." });

/** Adds the exports of an account's payments: all rows of the histories as tables. */
export function addPaymentExports(root: App, context: Context): void {
  for (const [name, operationId, summary, ofSubscriptions] of [
    ["payments.csv", "exportPayments", "Export the settlements of your orders, newest first", false],
    [
      "subscription-payments.csv",
      "exportSubscriptionPayments",
      "Export the settlements of your subscriptions' orders, newest first",
      true,
    ],
  ] as const) {
    root.openapi(
      createRoute({
        method: "get",
        path: `${exportsPath}/${name}`,
        operationId,
        tags: ["payments"],
        summary,
        description:
          "All rows that the filters leave, as CSV (RFC 4180, UTF-8, with a header). The table is sent while it is read. Its columns are the fields of `PaymentRecord`.",
        ...accessRule(context, "subscriptions:read"),
        request: { query: z.object(historyFilters) },
        responses: { 200: { description: "The table", content: { "text/csv": { schema: tableSchema } } } },
      }),
      (c) => {
        const caller = callerOf(c);
        const condition = settlementConditions(context, caller, c.req.valid("query"), ofSubscriptions);
        const read: ReadBatch<PaymentRecord> = async (cursor) => {
          const query: PageQuery = { limit: exportBatch, offset: 0, cursor };
          const after = and(condition, afterCursor(newestPaymentsFirst, query));
          const found = await readRows(context, after, exportBatch + 1, 0);
          const { rows, next } = takePage(found, query, newestPaymentsFirst);
          return { rows: rows.map(presentSettlement), next };
        };
        return answerCsv(c, context, { name, columns, read });
      },
    );
  }
}

/** The columns of the table, with the names of the JSON. */
const columns: TableColumns<PaymentRecord> = {
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
  service_title: (payment) => payment.service.title,
  agent_id: (payment) => payment.agent_id,
  agent_name: (payment) => payment.agent.name,
  settlement_rail: (payment) => payment.settlement_rail,
  chain_id: (payment) => payment.transaction.chain_id,
  transaction_hash: (payment) => payment.transaction.hash,
  block_number: (payment) => payment.transaction.block_number,
  log_index: (payment) => payment.transaction.log_index,
  receipt_id: (payment) => payment.receipt_id,
};
