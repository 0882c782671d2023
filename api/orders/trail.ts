import { createRoute, z } from "@hono/zod-openapi";
import canonicalize from "canonicalize";
import { readSharedOrder } from "../../trade/orders/order-access.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { shownHash } from "../http/fields.ts";
import { limitField } from "../http/listing.ts";
import { answer, guarded } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { orderParams } from "./order.ts";
import { agreementSchema, entrySchema, readTrailPage } from "./trail-entry.ts";

const trailQuery = z.object({
  limit: limitField(100),
  cursor: z.string().max(200).optional().openapi({ description: "`next_cursor` of the page before." }),
});

const trailSchema = z
  .object({
    items: z.array(entrySchema),
    next_cursor: z.string().nullable().openapi({ description: "For the next page; null on the last." }),
  })
  .openapi("Trail");

/** What happened to an order, and what was agreed about it. */
export function addOrderTrail(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/events",
      operationId: "listOrderEvents",
      tags: ["orders"],
      summary: "The order's trail, oldest first",
      description:
        "An entry whose data have `times` stands for so many of its kind: returns of deposits and records of deliveries are told one by one 16 times, and counted then. What is not confirmed comes last.",
      ...guarded(context, "order"),
      request: { params: orderParams, query: trailQuery },
      responses: { 200: answer("A page of steps", trailSchema) },
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
      summary: "What was agreed when the order was placed",
      description:
        "The body is the canonical JSON (RFC 8785) of the document: the SHA-256 of its bytes is the escrow's `orderHash`, which the header `X-Order-Hash` repeats.",
      ...guarded(context, "order"),
      request: { params: orderParams },
      responses: {
        200: {
          ...answer("The document", agreementSchema),
          headers: z.object({
            "X-Order-Hash": shownHash.openapi({ description: "SHA-256 of the body, 0x-hex" }),
          }),
        },
      },
    }),
    async (c) => {
      const { row } = await readSharedOrder(db, callerOf(c), c.req.valid("param").id);
      // An object read from canonical text is written as that text again: its bytes are what was hashed.
      const document = JSON.parse(canonicalize(row.agreement) ?? "") as Record<string, unknown>;
      return c.json(document, 200, { "X-Order-Hash": row.orderHash });
    },
  );
}
