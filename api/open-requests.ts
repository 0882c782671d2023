import { createRoute, z } from "@hono/zod-openapi";
import { and, arrayContains, eq, gt, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { openRequest, quote } from "../db/schema.ts";
import { callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { ApiError, refuseField } from "./errors.ts";
import {
  isOwn,
  lockOpenRequest,
  notFound,
  openRequestParams,
  openRequestRequest,
  openRequestSchema,
  openRequestSelection,
  presentOpenRequest,
  readOpenRequest,
  takesQuotes,
} from "./open-request.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import { newestFirst, pageQuery, pageSchema, readPage } from "./page.ts";
import { pricingToken, readAmount } from "./pricing.ts";
import { stands } from "./quote.ts";

const day = 86_400_000;
const usualDays = 14;
const mostDays = 90;
/** The most requests of an account that are open at once, and that it posts in a day: each is told to many. */
const mostOpen = 50;
const mostADay = 100;

const listQuery = pageQuery.extend({
  tag: z.string().trim().toLowerCase().min(1).max(60).optional(),
  mine: z
    .enum(["true", "false"])
    .optional()
    .openapi({ description: "`true`: those you posted, whatever became of them" }),
});

/** Open requests: what buyers look for, posted for providers to quote on. */
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
        "Whoever publishes a service with one of its tags is told (`request.matched`) and may quote. It commits you to nothing.",
      ...guarded(context, "orders:write"),
      request: { body: jsonBody(openRequestRequest) },
      responses: { 201: answer("The request", openRequestSchema), ...refusals("conflict", "rate_limited") },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { budget, expires_at, ...request } = c.req.valid("json");
      const expiresAt = expires_at ? new Date(expires_at) : new Date(Date.now() + usualDays * day);
      if (expiresAt.getTime() <= Date.now() || expiresAt.getTime() > Date.now() + mostDays * day) {
        throw refuseField("expires_at", "range", `expires_at must lie in the next ${mostDays} days.`);
      }
      const amount = budget === undefined ? null : readAmount("budget", budget, config);
      const row = await db.transaction(async (tx) => {
        // Two at once must not both be the last that fits.
        await tx.execute(
          sql`select pg_advisory_xact_lock(hashtextextended(${`requests ${caller.accountId}`}, 0))`,
        );
        const open = await tx.$count(openRequest, and(isOwn(caller), takesQuotes));
        if (open >= mostOpen) {
          throw new ApiError(
            "conflict",
            `An account has at most ${mostOpen} open requests: close one first.`,
          );
        }
        const today = await tx.$count(
          openRequest,
          and(isOwn(caller), gt(openRequest.createdAt, sql`now() - interval '1 day'`)),
        );
        if (today >= mostADay) {
          const message = `An account posts at most ${mostADay} requests a day.`;
          throw new ApiError("rate_limited", message, undefined, 3600);
        }
        const [created] = await tx
          .insert(openRequest)
          .values({
            ...request,
            id: typeid("rqt").toString(),
            accountId: caller.accountId,
            budget: amount,
            budgetCurrency: amount === null ? null : pricingToken(config).symbol,
            expiresAt,
          })
          .returning();
        if (!created) throw new Error("The database returned no request.");
        return created;
      });
      return c.json(presentOpenRequest({ request: row, quoteCount: 0 }, caller, context), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/requests",
      operationId: "listRequests",
      tags: ["requests"],
      summary: "Open requests, newest first",
      ...guarded(context, "marketplace:read"),
      request: { query: listQuery },
      responses: {
        200: answer("A page of requests", pageSchema(openRequestSchema).openapi("OpenRequestPage")),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const query = c.req.valid("query");
      const wanted = and(
        query.mine === "true" ? isOwn(caller) : takesQuotes,
        query.tag ? arrayContains(openRequest.tags, [query.tag]) : undefined,
      );
      const page = await readPage(newestFirst(openRequest.createdAt, openRequest.id), query, {
        select: ({ position, after, order, limit, offset }) =>
          db
            .select({ ...openRequestSelection, position })
            .from(openRequest)
            .where(and(wanted, after))
            .orderBy(...order)
            .limit(limit)
            .offset(offset),
        count: () => db.$count(openRequest, wanted),
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
      description: "One that takes quotes, one of yours, or one you quoted on.",
      ...guarded(context, "marketplace:read"),
      request: { params: openRequestParams },
      responses: { 200: answer("The request", openRequestSchema) },
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
      description: "Its quotes can be accepted no more. Again is no error.",
      ...guarded(context, "orders:write"),
      request: { params: openRequestParams },
      responses: { 200: answer("The request as it is now", openRequestSchema), ...refusals("invalid_state") },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { id } = c.req.valid("param");
      await db.transaction(async (tx) => {
        const row = await lockOpenRequest(tx, id);
        if (row.accountId !== caller.accountId) throw notFound();
        if (row.status === "accepted") {
          throw new ApiError("invalid_state", "A quote on this request was accepted: it has ended already.");
        }
        if (row.status === "closed") return;
        await tx
          .update(openRequest)
          .set({ status: "closed", closedAt: sql`now()` })
          .where(eq(openRequest.id, id));
        await tx
          .update(quote)
          .set({ status: "declined", updatedAt: sql`now()` })
          .where(and(eq(quote.requestId, id), stands));
      });
      return c.json(presentOpenRequest(await readOpenRequest(db, caller, id), caller, context), 200);
    },
  );
}
