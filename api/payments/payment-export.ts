import { createRoute, z } from "@hono/zod-openapi";
import { and, type SQL } from "drizzle-orm";
import { exportsPath } from "../../protocol/settlement/vocabulary.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import type { Caller } from "../http/caller.ts";
import { afterCursor, type PageQuery, takePage } from "../http/listing.ts";
import { guarded } from "../http/openapi.ts";
import { findRevokedCallers } from "../http/revoked-access.ts";
import type { App } from "../variables.ts";
import {
  historyFilters,
  ordering,
  type PaymentRecord,
  presentPayment,
  readRows,
  settlementConditions,
} from "./payment-history.ts";

/** The number of rows that are read at once while a table is written. */
const batch = 1000;

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
        ...guarded(context, "subscriptions:read"),
        request: { query: z.object(historyFilters) },
        responses: { 200: { description: "The table", content: { "text/csv": { schema: tableSchema } } } },
      }),
      (c) => {
        const caller = callerOf(c);
        const condition = settlementConditions(context, caller, c.req.valid("query"), ofSubscriptions);
        return c.body(writeTable(context, caller, condition), 200, {
          "Content-Type": "text/csv; charset=utf-8; header=present",
          "Content-Disposition": `attachment; filename="${name}"`,
        });
      },
    );
  }
}

/** The columns of the table, with the names of the JSON. No party can write a cell, so none can be a formula. */
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

/** Writes payments as CSV (RFC 4180). The stream reads rows when its reader asks for more, and checks access each time. */
function writeTable(
  context: Context,
  caller: Caller,
  condition: SQL | undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const line = (cells: (string | number | null)[]) => encoder.encode(`${cells.map(quoteCell).join(",")}\r\n`);
  let cursor: string | undefined;
  return new ReadableStream({
    start: (controller) => controller.enqueue(line(Object.keys(columns))),
    async pull(controller) {
      const [ended] = await findRevokedCallers(context.db, [{ caller }]);
      // An error cuts the table off. A regular end would make the last row look like the end.
      if (ended) throw new Error("The caller may not read this table now.");
      const query: PageQuery = { limit: batch, offset: 0, cursor };
      const result = await readRows(context, and(condition, afterCursor(ordering, query)), batch + 1, 0);
      const { rows, next } = takePage(result, query, ordering);
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
