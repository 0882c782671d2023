import { createRoute } from "@hono/zod-openapi";
import { and, eq, ne, sql } from "drizzle-orm";
import { insertOrder } from "../db/placement.ts";
import { openRequest, quote } from "../db/schema.ts";
import { type Caller, callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { requireTakesQuotes } from "./open-request.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import { orderSchema, presentOrder } from "./order.ts";
import { checkDeal, orderRequest, readOfferTo, requireOnSale, venueOf } from "./order-placement.ts";
import { isOver, lockQuote, quoteParams, readQuote, stands } from "./quote.ts";

const acceptance = orderRequest.omit({ service_id: true, quantity: true }).openapi("QuoteAcceptance");

/** The acceptance of a quote, which places the order at its terms. */
export function addQuoteAcceptance(app: App, context: Context): void {
  const { db, config } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/quotes/{id}/accept",
      operationId: "acceptQuote",
      tags: ["requests"],
      summary: "Accept a quote: place the order at its terms",
      description:
        "The order costs the quoted price for a quantity of one, with the quoted delivery time. The request ends, and its other quotes are declined. No money moves: read the order's payment instructions next.",
      ...guarded(context, "orders:write"),
      request: { params: quoteParams, body: jsonBody(acceptance) },
      responses: {
        201: answer("The order", orderSchema),
        ...refusals("conflict", "invalid_state", "input_schema_violation"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      const found = await readQuote(db, caller, id);
      requireReceiver(found, caller);
      const offer = await readOfferTo(context, caller, found.quote.serviceId, c.req.valid("json"));
      requireAcceptable(found.quote);
      requireOnSale(offer, caller);
      const terms = {
        quantity: 1,
        unitPrice: found.quote.price,
        deliveryTimeHours: found.quote.deliveryTimeHours,
      };
      const deal = await checkDeal(context, caller, offer, terms, c.req.valid("json"));
      const row = await db.transaction(async (tx) => {
        const locked = await lockQuote(tx, caller, id);
        requireAcceptable(locked.quote);
        requireTakesQuotes(locked.request);
        const placed = await insertOrder(tx, venueOf(context), config.windows, {
          ...deal,
          origin: { quote_id: id },
        });
        await tx
          .update(quote)
          .set({ status: "declined", updatedAt: sql`now()` })
          .where(and(eq(quote.requestId, locked.request.id), ne(quote.id, id), stands));
        await tx
          .update(quote)
          .set({ status: "accepted", orderId: placed.id, updatedAt: sql`now()` })
          .where(eq(quote.id, id));
        await tx
          .update(openRequest)
          .set({ status: "accepted", closedAt: sql`now()` })
          .where(eq(openRequest.id, locked.request.id));
        return placed;
      });
      return c.json(presentOrder(row, null), 201);
    },
  );
}

function requireReceiver({ request }: { request: { accountId: string } }, caller: Caller): void {
  if (request.accountId === caller.accountId) return;
  throw new ApiError("invalid_state", "Only whoever posted the request can accept a quote on it.");
}

function requireAcceptable(row: typeof quote.$inferSelect): void {
  if (row.status === "accepted") {
    throw new ApiError("invalid_state", `This quote was accepted already: its order is ${row.orderId}.`);
  }
  if (row.status === "withdrawn") throw new ApiError("invalid_state", "This quote was withdrawn.");
  if (row.status === "declined") throw new ApiError("invalid_state", "Another quote was accepted instead.");
  if (isOver(row)) throw new ApiError("invalid_state", `This quote ended at ${row.expiresAt.toISOString()}.`);
}
