import { createRoute, z } from "@hono/zod-openapi";
import type { BillingDetails } from "../../db/schema.ts";
import { exportsPath } from "../../protocol/settlement/vocabulary.ts";
import { readBillingDetails } from "../../trade/invoices/billing-details.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import type { Caller } from "../http/caller.ts";
import { accessRule, errorResponses } from "../http/openapi.ts";
import { answerCsv, type TableColumns } from "../http/table-export.ts";
import type { App } from "../variables.ts";
import { amountsOf, boundsOf, readStatement, type StatementRow } from "./monthly-statement.ts";
import { answerPdf, pdfAnswer } from "./pdf-answer.ts";
import { type PdfDocument, timeText } from "./pdf-document.ts";

/** The most settlements of a statement as PDF. */
export const mostPrintedRows = 2000;

const tableSchema = z.string().openapi({ example: "row,side,settlements,recorded_at,..." });
const monthQuery = z.object({
  month: z
    .string()
    .regex(/^2[0-9]{3}-(?:0[1-9]|1[0-2])$/, "must be a month, as in 2026-11")
    .openapi({ example: "2026-11", description: "in UTC, by the time at which the service recorded it" }),
});

const description =
  "One row for the settlement of each order that you sold or bought, oldest first, and then the sums for each side, chain and token. The month counts by `recorded_at`, so that a past month gets no new rows. A row whose payment left the chain is omitted.";

/** Adds the monthly statements of an account. docs/invoices.md describes them. */
export function addStatementExports(root: App, context: Context): void {
  const route = {
    method: "get" as const,
    tags: ["payments"],
    ...accessRule(context, "subscriptions:read"),
    request: { query: monthQuery },
  };
  root.openapi(
    createRoute({
      ...route,
      path: `${exportsPath}/statement.pdf`,
      operationId: "exportStatement",
      summary: "Read the statement of a month as PDF",
      description: `${description} A month with more than ${mostPrintedRows} settlements is 409 \`invalid_state\`: use the CSV.`,
      responses: { 200: pdfAnswer("The statement"), ...errorResponses("invalid_state") },
    }),
    (c) =>
      answerPdf(c, context, async () => {
        const caller = callerOf(c);
        const { month } = c.req.valid("query");
        const rows = await readAll(context, caller, month);
        const own = await readBillingDetails(context.db, caller.accountId);
        const document = layOut(rows, { month, own: own?.details ?? null, accountId: caller.accountId });
        return { name: `statement-${month}.pdf`, document };
      }),
  );
  root.openapi(
    createRoute({
      ...route,
      path: `${exportsPath}/statement.csv`,
      operationId: "exportStatementCsv",
      summary: "Read the statement of a month as CSV",
      description: `${description} The table is sent while it is read.`,
      responses: { 200: { description: "The table", content: { "text/csv": { schema: tableSchema } } } },
    }),
    (c) => {
      const { month } = c.req.valid("query");
      const read = readStatement(context, callerOf(c), month);
      return answerCsv(c, context, { name: `statement-${month}.csv`, columns, read });
    },
  );
}

/** @throws ApiError `invalid_state` for more rows than a PDF has */
async function readAll(context: Context, caller: Caller, month: string): Promise<StatementRow[]> {
  const read = readStatement(context, caller, month);
  const rows: StatementRow[] = [];
  let cursor: string | undefined;
  do {
    const batch = await context.readTurns.take(caller.accountId, () => read(cursor));
    rows.push(...batch.rows);
    if (rows.filter(({ row }) => row === "settlement").length > mostPrintedRows) {
      throw new ApiError(
        "invalid_state",
        `The statement of ${month} has more than ${mostPrintedRows} settlements. Read it as CSV.`,
      );
    }
    cursor = batch.next ?? undefined;
  } while (cursor !== undefined);
  return rows;
}

const sideNames = { sold: "Sold", bought: "Bought", returned: "Returned to you" };

type Subject = { month: string; own: BillingDetails | null; accountId: string };

function layOut(rows: StatementRow[], { month, own, accountId }: Subject): PdfDocument {
  const settled = rows.filter(({ row }) => row === "settlement");
  const sums = rows.filter(({ row }) => row === "sum");
  return {
    title: `Statement of ${month}`,
    notice: null,
    dated: boundsOf(month).until.toISOString(),
    isWide: true,
    blocks: [
      {
        kind: "fields",
        heading: "Account",
        rows: [
          ["Account", accountId],
          ...(own
            ? ([
                ["Name", own.name],
                ["Address", [...own.address_lines, own.country].join(", ")],
                ...(own.tax_id === null ? [] : [["Tax id", own.tax_id]]),
              ] as [string, string][])
            : []),
          ["Settlements", String(settled.length)],
        ],
      },
      {
        kind: "table",
        heading: "Sums",
        columns: [
          { name: "Side", width: 0.14 },
          { name: "Settlements", width: 0.1, isNumber: true },
          { name: "Amount", width: 0.18, isNumber: true },
          { name: "Tax included", width: 0.18, isNumber: true },
          { name: "Chain and token", width: 0.4 },
        ],
        rows: sums.map((sum) => [
          sideNames[sum.side],
          String(sum.settlements),
          `${amountsOf(sum).amount} ${sum.tokenSymbol}`,
          amountsOf(sum).tax ?? "",
          `eip155:${sum.chainId} ${sum.token}`,
        ]),
        sums: [],
      },
      {
        kind: "table",
        heading: "Settlements",
        columns: [
          { name: "Recorded", width: 0.11 },
          { name: "Side", width: 0.08 },
          { name: "Order", width: 0.07 },
          { name: "Service", width: 0.15 },
          { name: "Invoice", width: 0.05, isNumber: true },
          { name: "Amount", width: 0.12, isNumber: true },
          { name: "Tax included", width: 0.07, isNumber: true },
          { name: "Transaction", width: 0.35 },
        ],
        rows: settled.map((row) => [
          row.recordedAt === null ? "" : timeText(row.recordedAt),
          sideNames[row.side],
          row.orderReference,
          row.serviceTitle,
          row.invoiceNumber === null ? "" : String(row.invoiceNumber),
          `${amountsOf(row).amount} ${row.tokenSymbol}`,
          amountsOf(row).tax ?? "",
          row.transaction,
        ]),
        sums: [],
      },
    ],
    foot: `Statement of ${month} for ${accountId}. All times are UTC.`,
  };
}

const columns: TableColumns<StatementRow> = {
  row: ({ row }) => row,
  side: ({ side }) => side,
  settlements: ({ settlements }) => settlements,
  recorded_at: ({ recordedAt }) => recordedAt?.toISOString() ?? null,
  settled_at: ({ settledAt }) => settledAt?.toISOString() ?? null,
  order_reference: ({ orderReference }) => orderReference,
  order_id: ({ orderId }) => orderId,
  service_title: ({ serviceTitle }) => serviceTitle,
  agent_name: ({ agentName }) => agentName,
  counterparty_address: ({ counterparty }) => counterparty,
  invoice_number: ({ invoiceNumber }) => invoiceNumber,
  amount: (row) => amountsOf(row).amount,
  tax_amount: (row) => amountsOf(row).tax,
  currency: ({ tokenSymbol }) => tokenSymbol,
  chain_id: ({ chainId }) => chainId,
  token_address: ({ token }) => token,
  transaction_hash: ({ transaction }) => transaction,
  receipt_id: ({ receiptId }) => receiptId,
};
