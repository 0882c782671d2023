import { createRoute, type z } from "@hono/zod-openapi";
import { and, eq, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Transaction } from "../db/client.ts";
import { insertEvents } from "../db/events.ts";
import { quote } from "../db/schema.ts";
import { quoteEventData } from "../settlement/events.ts";
import { type Caller, callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { ApiError, refuseField } from "./errors.ts";
import { lockOpenRequest, openRequestParams, readOpenRequest, requireTakesQuotes } from "./open-request.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import { readOffer } from "./order-placement.ts";
import { newestFirst, type PageQuery, pageQuery, pageSchema, readPage } from "./page.ts";
import { pricingToken, readPrice } from "./pricing.ts";
import {
  lockQuote,
  presentQuote,
  quoteParams,
  quoteRequest,
  quoteSchema,
  readQuote,
  selectQuotes,
} from "./quote.ts";

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

  function readQuotes(caller: Caller, wanted: ReturnType<typeof and>, query: PageQuery) {
    return readPage(newestFirst(quote.createdAt, quote.id), query, {
      select: ({ position, after, order, limit, offset }) =>
        selectQuotes(db, position)
          .where(and(wanted, after))
          .orderBy(...order)
          .limit(limit)
          .offset(offset),
      count: () => db.$count(quote, wanted),
      present: (row) => presentQuote(row, caller, context),
    });
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
