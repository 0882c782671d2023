import { createRoute, type z } from "@hono/zod-openapi";
import { and, eq, ne, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Transaction } from "../db/client.ts";
import { insertEvents } from "../db/events.ts";
import { insertOrder } from "../db/placement.ts";
import { openRequest, quote } from "../db/schema.ts";
import { quoteEventData } from "../settlement/events.ts";
import { type Caller, callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { ApiError, refuseField } from "./errors.ts";
import {
  lockOpenRequest,
  notFound,
  openRequestParams,
  readOpenRequest,
  requireTakesQuotes,
} from "./open-request.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import { orderSchema, presentOrder } from "./order.ts";
import { checkDeal, orderRequest, readOffer, requireOnSale, venueOf } from "./order-placement.ts";
import {
  afterCursor,
  newestFirst,
  orderBy,
  pageOf,
  pageQuery,
  pageSchema,
  positionOf,
  takePage,
} from "./page.ts";
import { pricingToken, readPrice } from "./pricing.ts";
import {
  isOver,
  presentQuote,
  quoteParams,
  quoteRequest,
  quoteSchema,
  readQuote,
  selectQuotes,
  stands,
} from "./quote.ts";

const acceptance = orderRequest.omit({ service_id: true, quantity: true }).openapi("QuoteAcceptance");

const quotePage = pageSchema(quoteSchema).openapi("QuotePage");

/** Quotes: what providers offer for an open request, and its acceptance, which places the order. */
export function addQuotes(app: App, context: Context): void {
  const { db, config } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/requests/{id}/quotes",
      operationId: "giveQuote",
      tags: ["requests"],
      summary: "Quote on an open request",
      description:
        "Whoever posted it is told (`quote.received`). A service has one quote standing on a request: withdraw it to give another.",
      ...guarded(context, "orders:write"),
      request: { params: openRequestParams, body: jsonBody(quoteRequest) },
      responses: {
        201: answer("The quote", quoteSchema),
        ...refusals("conflict", "invalid_state"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const request = c.req.valid("json");
      const price = readPrice(request.price, config);
      const created = await db.transaction(async (tx) => {
        const asked = await lockOpenRequest(tx, c.req.valid("param").id);
        if (asked.accountId === caller.accountId) {
          throw new ApiError("conflict", "This request is your own: it is for others to quote on.");
        }
        requireTakesQuotes(asked);
        const offer = await requireOwnOffer(tx, caller, request);
        const expiresAt = request.expires_at ? new Date(request.expires_at) : asked.expiresAt;
        if (expiresAt.getTime() <= Date.now() || expiresAt > asked.expiresAt) {
          throw refuseField(
            "expires_at",
            "range",
            `expires_at must lie before the request ends, at ${asked.expiresAt.toISOString()}.`,
          );
        }
        // One whose time ran out makes room for another.
        await tx
          .update(quote)
          .set({ status: "withdrawn", updatedAt: sql`now()` })
          .where(
            and(
              eq(quote.requestId, asked.id),
              eq(quote.serviceId, offer.service.id),
              eq(quote.status, "offered"),
              sql`${quote.expiresAt} <= now()`,
            ),
          );
        const [row] = await tx
          .insert(quote)
          .values({
            id: typeid("quo").toString(),
            requestId: asked.id,
            accountId: caller.accountId,
            agentId: offer.agent.id,
            serviceId: offer.service.id,
            price,
            priceCurrency: pricingToken(config).symbol,
            deliveryTimeHours: request.delivery_time_hours,
            message: request.message ?? null,
            expiresAt,
          })
          .onConflictDoNothing()
          .returning({ id: quote.id });
        if (!row) {
          throw new ApiError("conflict", "A quote of this service stands on the request: withdraw it first.");
        }
        const given = await readQuote(tx, caller, row.id);
        const shown = presentQuote(given, caller, context);
        await insertEvents(tx, [
          {
            accountId: asked.accountId,
            type: "quote.received",
            orderId: null,
            key: `quote:${row.id}`,
            data: quoteEventData(shown),
          },
        ]);
        return shown;
      });
      return c.json(created, 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/requests/{id}/quotes",
      operationId: "listRequestQuotes",
      tags: ["requests"],
      summary: "The quotes on an open request, newest first",
      description: "All of them for whoever posted it; for others only their own.",
      ...guarded(context, "orders:read"),
      request: { params: openRequestParams, query: pageQuery },
      responses: { 200: answer("A page of quotes", quotePage) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { request } = await readOpenRequest(db, caller, c.req.valid("param").id);
      const wanted = and(
        eq(quote.requestId, request.id),
        request.accountId === caller.accountId ? undefined : eq(quote.accountId, caller.accountId),
      );
      return c.json(await readQuotes(caller, wanted, c.req.valid("query")), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/quotes",
      operationId: "listQuotes",
      tags: ["requests"],
      summary: "The quotes you gave, newest first",
      ...guarded(context, "orders:read"),
      request: { query: pageQuery },
      responses: { 200: answer("A page of quotes", quotePage) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const wanted = eq(quote.accountId, caller.accountId);
      return c.json(await readQuotes(caller, wanted, c.req.valid("query")), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/quotes/{id}",
      operationId: "readQuote",
      tags: ["requests"],
      summary: "Read a quote that you gave or received",
      ...guarded(context, "orders:read"),
      request: { params: quoteParams },
      responses: { 200: answer("The quote", quoteSchema) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const row = await readQuote(db, caller, c.req.valid("param").id);
      return c.json(presentQuote(row, caller, context), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/quotes/{id}/withdraw",
      operationId: "withdrawQuote",
      tags: ["requests"],
      summary: "Take your quote back",
      description: "Before it is accepted. Again is no error.",
      ...guarded(context, "orders:write"),
      request: { params: quoteParams },
      responses: { 200: answer("The quote as it is now", quoteSchema), ...refusals("invalid_state") },
    }),
    async (c) => {
      const caller = callerOf(c);
      const shown = await db.transaction(async (tx) => {
        const { quote: row } = await lockQuote(tx, caller, c.req.valid("param").id);
        if (row.accountId !== caller.accountId) {
          throw new ApiError("invalid_state", "Only whoever gave a quote can withdraw it.");
        }
        if (row.status === "accepted") {
          throw new ApiError("invalid_state", "This quote was accepted; its order stands.");
        }
        if (row.status === "offered") {
          await tx
            .update(quote)
            .set({ status: "withdrawn", updatedAt: sql`now()` })
            .where(eq(quote.id, row.id));
        }
        return presentQuote(await readQuote(tx, caller, row.id), caller, context);
      });
      return c.json(shown, 200);
    },
  );

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
      const offer = await readOffer(db, found.quote.serviceId);
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

  /** Locks a quote of the caller's with its request: always the request first, so that two acts cannot wait in a ring. */
  async function lockQuote(tx: Transaction, caller: Caller, id: string) {
    const { quote: found } = await readQuote(tx, caller, id);
    const request = await lockOpenRequest(tx, found.requestId);
    const [row] = await tx.select().from(quote).where(eq(quote.id, id)).for("update");
    if (!row) throw notFound();
    return { request, quote: row };
  }

  async function readQuotes(
    caller: Caller,
    wanted: ReturnType<typeof and>,
    query: z.output<typeof pageQuery>,
  ) {
    const ordering = newestFirst(quote.createdAt, quote.id);
    const [found, total] = await Promise.all([
      selectQuotes(db, positionOf(ordering))
        .where(and(wanted, afterCursor(ordering, query)))
        .orderBy(...orderBy(ordering))
        .limit(query.limit + 1)
        .offset(query.offset),
      db.$count(quote, wanted),
    ]);
    const { rows, next } = takePage(found, query, ordering);
    return pageOf(
      rows.map((row) => presentQuote(row, caller, context)),
      total,
      query,
      next,
    );
  }

  /** The service that a quote names: on offer, and the caller's own under the agent it names. */
  async function requireOwnOffer(tx: Transaction, caller: Caller, request: z.output<typeof quoteRequest>) {
    const offer = await readOffer(tx, request.service_id);
    if (offer?.agent.accountId !== caller.accountId || offer.agent.slug !== request.agent_slug) {
      throw refuseField(
        "service_id",
        "service",
        `Your agent ${request.agent_slug} has no service with this id.`,
      );
    }
    if (offer.service.status !== "published" || offer.agent.status !== "published") {
      throw new ApiError(
        "invalid_state",
        "Only a published service of a published agent can be quoted with.",
      );
    }
    return offer;
  }
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
