import { createRoute, z } from "@hono/zod-openapi";
import { exportsPath } from "../../protocol/settlement/vocabulary.ts";
import { readInvoice } from "../../trade/invoices/invoice.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { accessRule, errorResponses } from "../http/openapi.ts";
import { answerCsv } from "../http/table-export.ts";
import { orderParams } from "../orders/order.ts";
import type { App } from "../variables.ts";
import { invoiceColumns, layOutInvoice } from "./invoice-layout.ts";
import { answerPdf, pdfAnswer } from "./pdf-answer.ts";

const tableSchema = z.string().openapi({ example: "document,number,issued_at,..." });

const description =
  "For the buyer and the seller of an order that paid the seller. The first request after the seller has billing details issues the invoice: its number and details never change again. Before that, the invoice is a payment record without a number. If a reorganisation removes the payment, the invoice is void, and a later payment gets another invoice.";

/** Adds the invoices of one order. docs/invoices.md describes them. */
export function addInvoiceExports(root: App, context: Context): void {
  const { db, config } = context;
  const columns = invoiceColumns(config.publicUrl);
  const route = {
    method: "get" as const,
    tags: ["orders"],
    description,
    ...accessRule(context, "orders:read"),
    request: { params: orderParams },
  };
  root.openapi(
    createRoute({
      ...route,
      path: `${exportsPath}/orders/{id}/invoice.pdf`,
      operationId: "exportInvoice",
      summary: "Read the invoice of an order as PDF",
      responses: { 200: pdfAnswer("The invoice"), ...errorResponses("not_settled", "invalid_state") },
    }),
    (c) =>
      answerPdf(c, context, async () => {
        const invoice = await readInvoice(db, callerOf(c), c.req.valid("param").id);
        const name = `${invoice.issued ? "invoice" : "payment"}-${invoice.order.reference}.pdf`;
        return { name, document: layOutInvoice(invoice, config.publicUrl) };
      }),
  );
  root.openapi(
    createRoute({
      ...route,
      path: `${exportsPath}/orders/{id}/invoice.csv`,
      operationId: "exportInvoiceCsv",
      summary: "Read the invoice of an order as CSV",
      responses: {
        200: { description: "A table of one row", content: { "text/csv": { schema: tableSchema } } },
        ...errorResponses("not_settled", "invalid_state"),
      },
    }),
    async (c) => {
      const invoice = await readInvoice(db, callerOf(c), c.req.valid("param").id);
      const name = `${invoice.issued ? "invoice" : "payment"}-${invoice.order.reference}.csv`;
      const read = async () => ({ rows: [invoice], next: null });
      return answerCsv(c, context, { name, columns, read });
    },
  );
}
