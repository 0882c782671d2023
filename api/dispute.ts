import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, inArray, isNotNull, ne } from "drizzle-orm";
import { zeroHash } from "viem";
import { order, wallet } from "../db/schema.ts";
import { callerOf } from "./access.ts";
import type { App, Context } from "./context.ts";
import { disputeSchema, readDispute } from "./dispute-document.ts";
import { openingToSign } from "./dispute-opening.ts";
import { textHashSchema } from "./dispute-statements.ts";
import { answer, guarded } from "./openapi.ts";
import { orderParams, orderSchema, readNow, readSharedOrder } from "./order.ts";
import { readOrderPage } from "./orders.ts";
import { newestFirst, pageQuery, pageSchema } from "./page.ts";

const listQuery = pageQuery.extend({
  open: z.enum(["true", "false"]).optional().openapi({
    description: "`true`: those that are not settled yet; `false`: those that are",
  }),
});

/** What a dispute is about and how far it has come, and the disputes that the caller is to decide. */
export function addDisputes(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/dispute",
      operationId: "readDispute",
      tags: ["disputes"],
      summary: "An order's dispute with all its evidence, and what a party signs to open one",
      description:
        "For both parties at any time, and for the arbiter from the confirmed dispute on. The evidence is one bundle with one digest, which a ruling can name.",
      ...guarded(context, "orders:read"),
      request: {
        params: orderParams,
        query: z.object({
          reason_hash: textHashSchema.optional().openapi({ description: "goes into `typed_data`" }),
        }),
      },
      responses: { 200: answer("The dispute", disputeSchema) },
    }),
    async (c) => {
      const own = await readSharedOrder(db, callerOf(c), c.req.valid("param").id);
      const { reason_hash = zeroHash } = c.req.valid("query");
      const dispute = await readDispute(db, own);
      const now = await readNow(db, own.row.chainId);
      return c.json({ ...dispute, typed_data: openingToSign(own, now, reason_hash) }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/disputes",
      operationId: "listDisputes",
      tags: ["disputes"],
      summary: "The disputed orders whose arbiter is a wallet of yours, newest dispute first",
      ...guarded(context, "orders:read"),
      request: { query: listQuery },
      responses: { 200: answer("A page of orders", pageSchema(orderSchema)) },
    }),
    async (c) => {
      const { open, ...query } = c.req.valid("query");
      // Read beforehand, so that one wallet's disputes come from the index in their order.
      const wallets = await db
        .select({ address: wallet.address })
        .from(wallet)
        .where(eq(wallet.accountId, callerOf(c).accountId));
      const unsettled = open === "true" ? eq(order.status, "disputed") : ne(order.status, "disputed");
      const wanted = and(
        inArray(
          order.arbiter,
          wallets.map(({ address }) => address),
        ),
        isNotNull(order.disputedAt),
        open === undefined ? undefined : unsettled,
      );
      return c.json(await readOrderPage(db, wanted, newestFirst(order.disputedAt, order.id), query), 200);
    },
  );
}
