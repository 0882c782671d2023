import { z } from "@hono/zod-openapi";
import { and, getTableColumns, type SQL } from "drizzle-orm";
import { escrow } from "../../db/chain.ts";
import type { Database } from "../../db/client.ts";
import { escrowOfOrder } from "../../db/ledger.ts";
import { order } from "../../db/schema.ts";
import type { Caller } from "../http/access.ts";
import { type Ordering, pageQuery, readPage } from "../http/listing.ts";
import { presentOrder } from "./order.ts";

/** A page with payloads has so many orders at most: each may hold two as large as a request's body. */
const mostWithPayloads = 10;

/** The query of every list of orders. */
export const orderPageQuery = pageQuery.extend({
  include: z
    .literal("payloads")
    .optional()
    .openapi({
      description: `\`payloads\` gives each order's \`input_payload\` and \`output_payload\`, and pages of at most ${mostWithPayloads}.`,
    }),
});

/** One page of orders, as it is answered: without their payloads, which may be large, unless they are asked for. */
export function readOrderPage(
  db: Database,
  caller: Pick<Caller, "accountId">,
  wanted: SQL | undefined,
  ordering: Ordering,
  { include, ...query }: z.output<typeof orderPageQuery>,
) {
  const { agreement: _a, inputSchema: _i, outputSchema: _o, ...whole } = getTableColumns(order);
  const { inputPayload: _in, outputPayload: _out, ...columns } = whole;
  const page = include ? { ...query, limit: Math.min(query.limit, mostWithPayloads) } : query;
  return readPage(ordering, page, {
    select: ({ position, after, order: by, limit, offset }) =>
      db
        .select({ row: (include ? whole : columns) as typeof whole, escrow, position })
        .from(order)
        .leftJoin(escrow, escrowOfOrder)
        .where(and(wanted, after))
        .orderBy(...by)
        .limit(limit)
        .offset(offset),
    count: () => db.$count(order, wanted),
    // What was not selected is undefined, and JSON has no member for it.
    present: ({ row, escrow: escrowRow }) => presentOrder(row, escrowRow, caller),
  });
}
