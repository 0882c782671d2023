import { createRoute, z } from "@hono/zod-openapi";
import { exportsPath, type Party } from "../../protocol/settlement/vocabulary.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import type { Caller } from "../http/caller.ts";
import { afterCursor, orderBy, positionOf } from "../http/list-order.ts";
import { type PageQuery, takePage } from "../http/listing.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import {
  answerCsv,
  answerJson,
  exportBatch,
  type ReadBatch,
  type TableColumns,
} from "../http/table-export.ts";
import type { App } from "../variables.ts";
import { listedOrderSchema, presentOrder } from "./order.ts";
import { readOrderRows } from "./order-list.ts";
import { type OwnQuery, selectOwnOrders, sideFilters } from "./own-orders.ts";

type ExportedOrder = ReturnType<typeof presentRow>;

const tableSchema = z.string().openapi({ example: "id,reference,status,service_title,..." });
const ordersSchema = z.object({ items: z.array(listedOrderSchema) }).openapi("OrderExport");

const exports = [
  { side: "buyer", name: "orders", operation: "Orders", what: "you placed" },
  { side: "provider", name: "received-orders", operation: "ReceivedOrders", what: "your agents received" },
] as const;

/** Adds the exports of an account's orders: all rows of the lists as tables. */
export function addOrderExports(root: App, context: Context): void {
  for (const { side, name, operation, what } of exports) {
    const route = {
      method: "get" as const,
      tags: ["orders"],
      ...accessRule(context, "orders:read"),
      request: { query: sideFilters[side] },
    };
    root.openapi(
      createRoute({
        ...route,
        path: `${exportsPath}/${name}.csv`,
        operationId: `export${operation}`,
        summary: `Export the orders that ${what} as CSV`,
        description:
          "All rows that the filters leave, as CSV (RFC 4180, UTF-8, with a header). The table is sent while it is read. A name that a spreadsheet would run as a formula begins with an apostrophe.",
        responses: { 200: { description: "The table", content: { "text/csv": { schema: tableSchema } } } },
      }),
      async (c) => {
        const read = await prepareRead(context, callerOf(c), side, c.req.valid("query"));
        return answerCsv(c, context, { name: `${name}.csv`, columns, read });
      },
    );
    root.openapi(
      createRoute({
        ...route,
        path: `${exportsPath}/${name}.json`,
        operationId: `export${operation}Json`,
        summary: `Export the orders that ${what} as JSON`,
        description: "All rows that the filters leave. The document is sent while it is read.",
        responses: { 200: jsonResponse("The orders", ordersSchema) },
      }),
      async (c) => {
        const read = await prepareRead(context, callerOf(c), side, c.req.valid("query"));
        return answerJson(c, context, { name: `${name}.json`, read });
      },
    );
  }
}

async function prepareRead(
  { db }: Context,
  caller: Caller,
  side: Party,
  filters: OwnQuery,
): Promise<ReadBatch<ExportedOrder>> {
  const own = { accountId: caller.accountId, side };
  const { selection, ordering } = await selectOwnOrders(db, own, filters);
  return async (cursor) => {
    const query: PageQuery = { limit: exportBatch, offset: 0, cursor };
    const found = await readOrderRows(db, caller, selection, {
      position: positionOf(ordering),
      after: afterCursor(ordering, query),
      order: orderBy(ordering),
      limit: exportBatch + 1,
      offset: 0,
    });
    const { rows, next } = takePage(found, query, ordering);
    return { rows: rows.map((row) => presentRow(row, caller)), next };
  };
}

type Row = Awaited<ReturnType<typeof readOrderRows>>[number];

function presentRow({ row, escrow, unread }: Row, caller: Caller) {
  const {
    input_payload: _input,
    output_payload: _output,
    ...shown
  } = presentOrder(row, escrow, caller, unread ?? 0);
  return shown;
}

/** The columns of the table, with the names of the JSON. */
const columns: TableColumns<ExportedOrder> = {
  id: (order) => order.id,
  reference: (order) => order.reference,
  status: (order) => order.status,
  service_title: (order) => order.service.title,
  service_id: (order) => order.service_id,
  agent_name: (order) => order.agent.name,
  agent_slug: (order) => order.agent.slug,
  agent_id: (order) => order.agent_id,
  quantity: (order) => order.quantity,
  unit_price: (order) => order.unit_price,
  total_amount: (order) => order.total_amount,
  currency: (order) => order.currency,
  total_amount_base_units: (order) => order.total_amount_base_units,
  settlement_rail: (order) => order.settlement_rail,
  buyer_address: (order) => order.buyer_address,
  provider_address: (order) => order.provider_address,
  arbiter: (order) => order.arbiter,
  created_at: (order) => order.created_at,
  funding_deadline: (order) => order.funding_deadline,
  funded_at: (order) => order.funded_at,
  started_at: (order) => order.started_at,
  delivery_deadline: (order) => order.delivery_deadline,
  delivered_at: (order) => order.delivered_at,
  acceptance_ends_at: (order) => order.acceptance_ends_at,
  auto_release_at: (order) => order.auto_release_at,
  disputed_at: (order) => order.disputed_at,
  completed_at: (order) => order.completed_at,
  chain_id: (order) => order.escrow.chain_id,
  escrow_id: (order) => order.escrow.escrow_id,
  deposit_address: (order) => order.escrow.deposit_address,
  pricing_model: (order) => order.pricing_model,
  units: (order) => order.units,
  charge: (order) => order.charge,
};
