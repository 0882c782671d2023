import { createRoute, z } from "@hono/zod-openapi";
import { and, arrayContains } from "../../db/drizzle.ts";
import { openRequest } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import {
  closeRequest,
  isOwn,
  openRequestSelection,
  postRequest,
  readOpenRequest,
  takesQuotes,
} from "../../trade/requests/open-request.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { newestFirst } from "../http/list-order.ts";
import { countRows, pageQuery, pageSchema, readPage } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import {
  openRequestParams,
  openRequestRequest,
  openRequestSchema,
  presentOpenRequest,
} from "./open-request.ts";

const listQuery = pageQuery.extend({
  tag: z.string().trim().toLowerCase().min(1).max(60).optional(),
  mine: z
    .enum(["true", "false"])
    .optional()
    .openapi({ type: "boolean", description: "`true`: your own requests, with any status" }),
});

/** Adds the routes of open requests, which buyers post for providers to quote on. */
export function addOpenRequests(app: App, context: Context): void {
  const { db, config } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/requests",
      operationId: "postRequest",
      tags: ["requests"],
      summary: "Post an open request",
      description:
        "Providers with a published service that has one of the tags are notified (`request.matched`) and may quote. The request is not binding.",
      ...accessRule(context, "orders:write"),
      request: { body: jsonBody(openRequestRequest) },
      responses: {
        201: jsonResponse("The request", openRequestSchema),
        ...errorResponses("account_banned", "conflict", "rate_limited"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const row = await inTransaction(db, (tx) => postRequest(tx, config, caller, c.req.valid("json")));
      return c.json(presentOpenRequest({ request: row, quoteCount: 0 }, caller, context), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/requests",
      operationId: "listRequests",
      tags: ["requests"],
      summary: "List open requests, newest first",
      ...accessRule(context, "marketplace:read"),
      request: { query: listQuery },
      responses: {
        200: jsonResponse("A page of requests", pageSchema(openRequestSchema).openapi("OpenRequestPage")),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const query = c.req.valid("query");
      const condition = and(
        query.mine === "true" ? isOwn(caller) : takesQuotes,
        query.tag ? arrayContains(openRequest.tags, [query.tag]) : undefined,
      );
      const page = await readPage(newestFirst(openRequest.createdAt, openRequest.id), query, {
        select: ({ position, after, order, limit, offset }) =>
          db
            .select({ ...openRequestSelection, position })
            .from(openRequest)
            .where(and(condition, after))
            .orderBy(...order)
            .limit(limit)
            .offset(offset),
        count: () => countRows(db, openRequest, condition),
        present: (row) => presentOpenRequest(row, caller, context),
      });
      return c.json(page, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/requests/{id}",
      operationId: "readRequest",
      tags: ["requests"],
      summary: "Read an open request",
      description: "For requests that take quotes, your own, and those you quoted on.",
      ...accessRule(context, "marketplace:read"),
      request: { params: openRequestParams },
      responses: { 200: jsonResponse("The request", openRequestSchema) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const found = await readOpenRequest(db, caller, c.req.valid("param").id);
      return c.json(presentOpenRequest(found, caller, context), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/requests/{id}/close",
      operationId: "closeRequest",
      tags: ["requests"],
      summary: "Close your open request",
      description: "Its quotes cannot be accepted after that. Closing it twice is no error.",
      ...accessRule(context, "orders:write"),
      request: { params: openRequestParams },
      responses: {
        200: jsonResponse("The closed request", openRequestSchema),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      await inTransaction(db, (tx) => closeRequest(tx, caller, id));
      return c.json(presentOpenRequest(await readOpenRequest(db, caller, id), caller, context), 200);
    },
  );
}
