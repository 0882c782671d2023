import { createRoute } from "@hono/zod-openapi";
import { acceptQuote } from "../../trade/requests/quote-acceptance.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { orderSchema, presentOrder } from "../orders/order.ts";
import { orderRequest } from "../orders/order-request.ts";
import type { App } from "../variables.ts";
import { quoteParams } from "./quote.ts";

const acceptance = orderRequest.omit({ service_id: true, quantity: true }).openapi("QuoteAcceptance");

/** Adds the route that accepts a quote, which places the order at its terms. */
export function addQuoteAcceptance(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "post",
      path: "/quotes/{id}/accept",
      operationId: "acceptQuote",
      tags: ["requests"],
      summary: "Accept a quote and place its order",
      description:
        "The order has the quantity one, the quoted price and the quoted delivery time. The request ends, and its other quotes are declined. No money moves: read the order's payment instructions next.",
      ...accessRule(context, "orders:write"),
      request: { params: quoteParams, body: jsonBody(acceptance) },
      responses: {
        201: jsonResponse("The order", orderSchema),
        ...errorResponses(
          "account_banned",
          "conflict",
          "invalid_state",
          "input_schema_violation",
          "file_not_found",
          "file_mismatch",
          "checker_busy",
          "too_many_unpaid_orders",
          "spend_limit_exceeded",
        ),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const row = await acceptQuote(context, caller, c.req.valid("param").id, c.req.valid("json"));
      return c.json(presentOrder(row, null, caller, 0), 201);
    },
  );
}
