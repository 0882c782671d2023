import { z } from "@hono/zod-openapi";
import { and, eq, exists, gt, or, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/client.ts";
import { openRequest, quote } from "../db/schema.ts";
import { formatAmount } from "../settlement/money.ts";
import type { Caller } from "./access.ts";
import type { Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { isId, textField, timeField } from "./fields.ts";
import { pricingToken } from "./pricing.ts";
import { tagsField } from "./service-request.ts";

export type OpenRequestRow = typeof openRequest.$inferSelect;

export const openRequestParams = z.object({
  id: z.string().openapi({ example: "rqt_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
});

export const openRequestRequest = z
  .strictObject({
    title: textField(160).openapi({ example: "Translate a manual into Japanese" }),
    description: textField(10_000),
    tags: tagsField
      .refine((tags) => tags.length > 0, "must hold at least one tag")
      .openapi({
        description: "whoever publishes a service with one of them is told of the request",
      }),
    budget: z.string().max(100).optional().openapi({ example: "250.00", description: "what you would pay" }),
    expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .openapi({ description: "at most 90 days ahead; 14 days unless given" }),
  })
  .openapi("OpenRequestRequest");

export const openRequestStatuses = ["open", "closed", "accepted", "expired"] as const;

export const openRequestSchema = z
  .object({
    id: z.string().openapi({ example: "rqt_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
    title: z.string().openapi({ example: "Translate a manual into Japanese" }),
    description: z.string(),
    tags: z.array(z.string()).openapi({ example: ["translation", "japanese"] }),
    budget: z.string().nullable().openapi({ example: "250.000000" }),
    budget_base_units: z.string().nullable().openapi({ example: "250000000" }),
    currency: z.string().openapi({ example: "TUSD" }),
    status: z.enum(openRequestStatuses).openapi({
      description: "`accepted`: a quote was accepted, which placed an order; `closed`: by whoever posted it",
    }),
    mine: z.boolean().openapi({ description: "whether you posted it" }),
    quote_count: z.int().openapi({ description: "quotes that stand or were accepted" }),
    expires_at: timeField,
    closed_at: timeField.nullable(),
    created_at: timeField,
  })
  .openapi("OpenRequest");

/** Requests that take quotes now. */
export const takesQuotes = and(eq(openRequest.status, "open"), gt(openRequest.expiresAt, sql`now()`));

const quoteCount = sql<number>`(
  select count(*)::int from ${quote} as q where q.request_id = open_request.id
  and (q.status = 'accepted' or (q.status = 'offered' and q.expires_at > now())))`;

export const openRequestSelection = { request: openRequest, quoteCount };

/** A request as this caller sees it; who posted it is nobody's business before a quote is accepted. */
export function presentOpenRequest(
  { request: row, quoteCount }: { request: OpenRequestRow; quoteCount: number },
  caller: Caller,
  context: Context,
): z.output<typeof openRequestSchema> {
  const { decimals, symbol } = pricingToken(context.config);
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    tags: row.tags,
    budget: row.budget === null ? null : formatAmount(row.budget, decimals),
    budget_base_units: row.budget?.toString() ?? null,
    currency: row.budgetCurrency ?? symbol,
    status: isOver(row) ? "expired" : row.status,
    mine: row.accountId === caller.accountId,
    quote_count: quoteCount,
    expires_at: row.expiresAt.toISOString(),
    closed_at: row.closedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}

/** Whether its time ran out while nothing else ended it. */
function isOver(row: OpenRequestRow): boolean {
  return row.status === "open" && row.expiresAt.getTime() <= Date.now();
}

/**
 * Lets through a request that takes quotes, and whose quotes can be accepted.
 *
 * @throws ApiError `invalid_state`
 */
export function requireTakesQuotes(row: OpenRequestRow): void {
  if (row.status === "accepted")
    throw new ApiError("invalid_state", "A quote on this request was accepted already.");
  if (row.status === "closed") throw new ApiError("invalid_state", "This request was closed.");
  if (isOver(row)) {
    throw new ApiError("invalid_state", `This request ended at ${row.expiresAt.toISOString()}.`);
  }
}

/**
 * A request that this caller may see: one that takes quotes, one's own, and one that one quoted on.
 *
 * @throws ApiError `not_found`
 */
export async function readOpenRequest(db: Database, caller: Caller, id: string) {
  const [found] = isId("rqt", id)
    ? await db
        .select(openRequestSelection)
        .from(openRequest)
        .where(and(eq(openRequest.id, id), or(takesQuotes, isOwn(caller), hasQuoteOf(db, caller))))
    : [];
  if (!found) throw notFound();
  return found;
}

/** Locks a request, whoever posted it, until the transaction ends. @throws ApiError `not_found` */
export async function lockOpenRequest(tx: Transaction, id: string): Promise<OpenRequestRow> {
  const [row] = isId("rqt", id)
    ? await tx.select().from(openRequest).where(eq(openRequest.id, id)).for("update")
    : [];
  if (!row) throw notFound();
  return row;
}

export function isOwn(caller: Caller): SQL {
  return eq(openRequest.accountId, caller.accountId);
}

function hasQuoteOf(db: Database, caller: Caller): SQL {
  return exists(
    db
      .select({ one: sql`1` })
      .from(quote)
      .where(and(eq(quote.requestId, openRequest.id), eq(quote.accountId, caller.accountId))),
  );
}

export function notFound(): ApiError {
  return new ApiError("not_found", "There is no open request with this id.");
}
