import { z } from "@hono/zod-openapi";
import { and, eq, or, sql } from "drizzle-orm";
import type { Database, Transaction } from "../db/client.ts";
import { agent, openRequest, quote, service } from "../db/schema.ts";
import { formatAmount } from "../settlement/money.ts";
import type { Caller } from "./access.ts";
import type { Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { isId, textField, timeField } from "./fields.ts";
import { lockOpenRequest, notFound } from "./open-request.ts";
import { pricingToken } from "./pricing.ts";

export const quoteParams = z.object({
  id: z.string().openapi({ example: "quo_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
});

export const quoteRequest = z
  .strictObject({
    agent_slug: z.string().openapi({ example: "translator", description: "your agent" }),
    service_id: z.string().openapi({ description: "a published service of that agent" }),
    price: z
      .string()
      .max(100)
      .openapi({ example: "180.00", description: "of the whole; an exact decimal above zero" }),
    delivery_time_hours: z.int().min(1).max(8760).openapi({ description: "from funding", example: 48 }),
    message: textField(5000).optional(),
    expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .openapi({ description: "not after the request ends; with the request unless given" }),
  })
  .openapi("QuoteRequest");

export const quoteStatuses = ["offered", "withdrawn", "accepted", "declined", "expired"] as const;

export const quoteSchema = z
  .object({
    id: z.string().openapi({ example: "quo_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
    request_id: z.string().openapi({ example: "rqt_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
    agent: z.object({ id: z.string(), slug: z.string(), name: z.string() }),
    service: z.object({ id: z.string(), slug: z.string(), title: z.string() }),
    price: z.string().openapi({ example: "180.000000" }),
    price_base_units: z.string().openapi({ example: "180000000" }),
    currency: z.string().openapi({ example: "TUSD" }),
    delivery_time_hours: z.int(),
    message: z.string().nullable(),
    status: z.enum(quoteStatuses).openapi({
      description:
        "`declined`: another quote was accepted, or the request closed; `expired`: its time ran out",
    }),
    mine: z.boolean().openapi({ description: "whether you gave it; else you asked for it" }),
    order_id: z.string().nullable().openapi({ description: "the order that its acceptance placed" }),
    expires_at: timeField,
    created_at: timeField,
  })
  .openapi("Quote");

type QuoteRow = Omit<Awaited<ReturnType<typeof selectQuotes>>[number], "position">;

/** Quotes with what `presentQuote` needs, and their place in a list. */
export function selectQuotes(db: Database | Transaction, position = sql<string[]>`null`) {
  return db
    .select({
      quote,
      position,
      request: { accountId: openRequest.accountId },
      agent: { id: agent.id, slug: agent.slug, name: agent.name },
      service: { id: service.id, slug: service.slug, title: service.title },
    })
    .from(quote)
    .innerJoin(openRequest, eq(openRequest.id, quote.requestId))
    .innerJoin(agent, eq(agent.id, quote.agentId))
    .innerJoin(service, eq(service.id, quote.serviceId));
}

/** A quote as its giver and its receiver see it. */
export function presentQuote(
  { quote: row, agent, service }: QuoteRow,
  caller: Caller,
  context: Context,
): z.output<typeof quoteSchema> {
  return {
    id: row.id,
    request_id: row.requestId,
    agent,
    service,
    price: formatAmount(row.price, pricingToken(context.config).decimals),
    price_base_units: row.price.toString(),
    currency: row.priceCurrency,
    delivery_time_hours: row.deliveryTimeHours,
    message: row.message,
    status: isOver(row) ? "expired" : row.status,
    mine: row.accountId === caller.accountId,
    order_id: row.orderId,
    expires_at: row.expiresAt.toISOString(),
    created_at: row.createdAt.toISOString(),
  };
}

/** Whether its time ran out while nothing else ended it. */
export function isOver(row: typeof quote.$inferSelect): boolean {
  return row.status === "offered" && row.expiresAt.getTime() <= Date.now();
}

/** The quotes that this caller gave, or that were given on its requests. */
export function concerns(caller: Caller) {
  return or(eq(quote.accountId, caller.accountId), eq(openRequest.accountId, caller.accountId));
}

/** A quote of the caller's, given or received. @throws ApiError `not_found` */
export async function readQuote(db: Database | Transaction, caller: Caller, id: string): Promise<QuoteRow> {
  const [row] = isId("quo", id) ? await selectQuotes(db).where(and(eq(quote.id, id), concerns(caller))) : [];
  if (!row) throw new ApiError("not_found", "You have neither given nor received a quote with this id.");
  return row;
}

/** Locks a quote of the caller's with its request: always the request first, so that two acts cannot wait in a ring. */
export async function lockQuote(tx: Transaction, caller: Caller, id: string) {
  const { quote: found } = await readQuote(tx, caller, id);
  const request = await lockOpenRequest(tx, found.requestId);
  const [row] = await tx.select().from(quote).where(eq(quote.id, id)).for("update");
  if (!row) throw notFound();
  return { request, quote: row };
}

/** Whether a quote still binds its giver: nobody accepted, withdrew or outlived it. */
export const stands = and(eq(quote.status, "offered"), sql`${quote.expiresAt} > now()`);
