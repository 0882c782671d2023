import { createRoute, z } from "@hono/zod-openapi";
import canonicalize from "canonicalize";
import { readSharedOrder } from "../../trade/orders/order-access.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { shownHash } from "../http/fields.ts";
import { limitField } from "../http/listing.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { orderParams } from "./order.ts";
import { agreementSchema, entrySchema, readTrailPage } from "./trail-entry.ts";

const trailQuery = z.object({
  limit: limitField(100),
  cursor: z.string().max(200).optional().openapi({ description: "`next_cursor` of the previous page." }),
});

const trailSchema = z
  .object({
    items: z.array(entrySchema),
    next_cursor: z
      .string()
      .nullable()
      .openapi({ description: "The cursor of the next page; null on the last page." }),
  })
  .openapi("Trail");

/** Adds the routes of an order's trail and of its agreement. */
export function addOrderTrail(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/events",
      operationId: "listOrderEvents",
      tags: ["orders"],
      summary: "List the trail of an order, oldest first",
      description:
        "The first 16 returned deposits and delivery records have an entry each. Further ones share an entry, whose data have their number as `times`. Unconfirmed entries come last.",
      ...accessRule(context, "order"),
      request: { params: orderParams, query: trailQuery },
      responses: { 200: jsonResponse("A page of entries", trailSchema) },
    }),
    async (c) => {
      const { row, role } = await readSharedOrder(db, callerOf(c), c.req.valid("param").id);
      return c.json(await readTrailPage(context, { row, role }, c.req.valid("query")), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/agreement",
      operationId: "readAgreement",
      tags: ["orders"],
      summary: "Read the agreement of an order",
      description:
        "The body is the canonical JSON (RFC 8785) of the agreement. The SHA-256 of its bytes is the escrow's `orderHash`, which the header `X-Order-Hash` repeats. After an erasure of the provider (`erased_at` of the order), words are missing, and the header alone has the hash.",
      ...accessRule(context, "order"),
      request: { params: orderParams },
      responses: {
        200: {
          ...jsonResponse("The document", agreementSchema),
          headers: z.object({
            "X-Order-Hash": shownHash.openapi({ description: "the SHA-256 of the body, in 0x-hex" }),
          }),
        },
      },
    }),
    async (c) => {
      const { row } = await readSharedOrder(db, callerOf(c), c.req.valid("param").id);
      // An object parsed from canonical text serialises to the same text, so the body has the hashed bytes.
      const document = JSON.parse(canonicalize(row.agreement) ?? "") as Record<string, unknown>;
      return c.json(document, 200, { "X-Order-Hash": row.orderHash });
    },
  );
}
