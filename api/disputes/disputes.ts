import { createRoute, z } from "@hono/zod-openapi";
import { zeroHash } from "viem";
import { readNow } from "../../db/chain-index.ts";
import { and, eq, isNotNull, ne, or } from "../../db/drizzle.ts";
import { order } from "../../db/schema.ts";
import { selectDecided } from "../../trade/disputes/decided-orders.ts";
import { readSharedOrder } from "../../trade/orders/order-access.ts";
import { findTypedData, readActRelay } from "../../trade/orders/send-signed-act.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import type { Caller } from "../http/caller.ts";
import { newestFirst } from "../http/list-order.ts";
import { accessRule, errorResponses, jsonResponse } from "../http/openapi.ts";
import { orderPageSchema, orderParams } from "../orders/order.ts";
import { orderPageQuery, readOrderPage } from "../orders/order-list.ts";
import { presentRelay } from "../orders/relay-answer.ts";
import type { App } from "../variables.ts";
import { disputeSchema, readDispute } from "./dispute-document.ts";
import { textHashSchema } from "./dispute-statements.ts";

const listQuery = orderPageQuery.extend({
  role: z.enum(["arbiter", "party"]).openapi("DisputeRole").default("arbiter").openapi({
    description:
      "`arbiter`: disputes whose arbiter is one of your wallets; `party`: of your purchases and sales",
  }),
  open: z.enum(["true", "false"]).optional().openapi({
    type: "boolean",
    description: "`true`: unsettled disputes; `false`: settled disputes",
  }),
});

/** Adds the routes of a dispute's state, and of the disputes that the caller has to decide. */
export function addDisputeRoutes(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/dispute",
      operationId: "readDispute",
      tags: ["disputes"],
      summary: "Read a dispute with its evidence, and the typed data to open one",
      description:
        "For both parties at any time, and for the arbiter once the dispute is confirmed. The evidence is one bundle with one digest, which a ruling can refer to.",
      ...accessRule(context, "orders:read"),
      request: {
        params: orderParams,
        query: z.object({
          reason_hash: textHashSchema
            .optional()
            .openapi({ description: "the reason's hash for `typed_data`" }),
        }),
      },
      responses: {
        200: jsonResponse("The dispute", disputeSchema),
        ...errorResponses("rate_limited", "checker_busy"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const own = await readSharedOrder(db, caller, c.req.valid("param").id);
      const { reason_hash: reasonHash = zeroHash } = c.req.valid("query");
      const dispute = await readDispute(context, caller, own);
      const now = await readNow(db, own.row.chainId);
      const typedData = findTypedData("dispute", own, now, (deadline) => ({ reasonHash, deadline }));
      const relay = await readActRelay(db, "dispute", own);
      return c.json({ ...dispute, typed_data: typedData, relay: relay && presentRelay(relay) }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/disputes",
      operationId: "listDisputes",
      tags: ["disputes"],
      summary: "List the disputes that you decide, or of your orders, newest first",
      ...accessRule(context, "orders:read"),
      request: { query: listQuery },
      responses: { 200: jsonResponse("A page of orders", orderPageSchema) },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { open, role, ...query } = c.req.valid("query");
      const unsettled = open === "true" ? eq(order.status, "disputed") : ne(order.status, "disputed");
      const condition = and(
        role === "arbiter" ? await selectDecided(db, caller.accountId) : isPartyOf(caller),
        isNotNull(order.disputedAt),
        open === undefined ? undefined : unsettled,
      );
      const selection = { name: null, condition, values: {} };
      const page = await readOrderPage(db, caller, selection, newestFirst(order.disputedAt, order.id), query);
      return c.json(page, 200);
    },
  );
}

const isPartyOf = ({ accountId }: Caller) =>
  or(eq(order.buyerAccountId, accountId), eq(order.providerAccountId, accountId));
