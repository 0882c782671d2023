import { createRoute } from "@hono/zod-openapi";
import { and, eq } from "../../db/drizzle.ts";
import { quote } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { readOpenRequest } from "../../trade/requests/open-request.ts";
import { giveQuote, readQuote, selectQuotes, withdrawQuote } from "../../trade/requests/quote.ts";
import { checkStageSchemas } from "../../trade/services/stages.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import type { Caller } from "../http/caller.ts";
import { newestFirst } from "../http/list-order.ts";
import { countRows, type PageQuery, pageQuery, pageSchema, readPage } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { openRequestParams } from "./open-request.ts";
import { presentQuote, quoteParams, quoteRequest, quoteSchema } from "./quote.ts";

const quotePage = pageSchema(quoteSchema).openapi("QuotePage");

/** Adds the routes of quotes, which providers give on open requests. */
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
        "The author of the request is notified (`quote.received`). A service may have one offered quote on a request: withdraw it to give another.",
      ...accessRule(context, "orders:write"),
      request: { params: openRequestParams, body: jsonBody(quoteRequest) },
      responses: {
        201: jsonResponse("The quote", quoteSchema),
        ...errorResponses("conflict", "invalid_state", "invalid_schema", "checker_busy"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      const request = c.req.valid("json");
      await checkStageSchemas(context, caller, request.stages);
      const given = await inTransaction(db, (tx) => giveQuote(tx, config, caller, id, request));
      return c.json(presentQuote(given, caller, context), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/requests/{id}/quotes",
      operationId: "listRequestQuotes",
      tags: ["requests"],
      summary: "List the quotes on an open request, newest first",
      description: "The author of the request sees all quotes; others see their own.",
      ...accessRule(context, "orders:read"),
      request: { params: openRequestParams, query: pageQuery },
      responses: { 200: jsonResponse("A page of quotes", quotePage) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { request } = await readOpenRequest(db, caller, c.req.valid("param").id);
      const condition = and(
        eq(quote.requestId, request.id),
        request.accountId === caller.accountId ? undefined : eq(quote.accountId, caller.accountId),
      );
      return c.json(await readQuotes(caller, condition, c.req.valid("query")), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/quotes",
      operationId: "listQuotes",
      tags: ["requests"],
      summary: "List the quotes you gave, newest first",
      ...accessRule(context, "orders:read"),
      request: { query: pageQuery },
      responses: { 200: jsonResponse("A page of quotes", quotePage) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const condition = eq(quote.accountId, caller.accountId);
      return c.json(await readQuotes(caller, condition, c.req.valid("query")), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/quotes/{id}",
      operationId: "readQuote",
      tags: ["requests"],
      summary: "Read a quote that you gave or received",
      ...accessRule(context, "orders:read"),
      request: { params: quoteParams },
      responses: { 200: jsonResponse("The quote", quoteSchema) },
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
      summary: "Withdraw your quote",
      description: "Possible until the quote is accepted. Withdrawing it twice is no error.",
      ...accessRule(context, "orders:write"),
      request: { params: quoteParams },
      responses: {
        200: jsonResponse("The withdrawn quote", quoteSchema),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      const row = await inTransaction(db, (tx) => withdrawQuote(tx, caller, id));
      return c.json(presentQuote(row, caller, context), 200);
    },
  );

  function readQuotes(caller: Caller, condition: ReturnType<typeof and>, query: PageQuery) {
    return readPage(newestFirst(quote.createdAt, quote.id), query, {
      select: ({ position, after, order, limit, offset }) =>
        selectQuotes(db, position)
          .where(and(condition, after))
          .orderBy(...order)
          .limit(limit)
          .offset(offset),
      count: () => countRows(db, quote, condition),
      present: (row) => presentQuote(row, caller, context),
    });
  }
}
