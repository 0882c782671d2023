import { createRoute, z } from "@hono/zod-openapi";
import type { Hex } from "viem";
import { hashPattern } from "../../protocol/settlement/shapes.ts";
import { placeSession } from "../../trade/orders/direct-order.ts";
import { relayClose } from "../../trade/orders/session-close.ts";
import { relayVoucher } from "../../trade/orders/voucher-relay.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { amountInput, idField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { quantityField } from "../services/pricing-fields.ts";
import type { App } from "../variables.ts";
import { orderParams, orderSchema, presentOrder } from "./order.ts";
import { orderRequest } from "./order-request.ts";
import { deadlineSchema, presentRelay, relayAnswer, signatureSchema } from "./relay-answer.ts";

const sessionRequest = z
  .strictObject({
    calls: quantityField.optional().openapi({
      description: "the most calls, which the balance pays; the default is the service's `max_quantity`",
      example: 1000,
    }),
    balance: amountInput.optional().openapi({
      example: "5.00",
      description:
        "instead of `calls`: the most to pay, in the token that pays. The session takes as many calls as it pays",
    }),
    ...orderRequest.pick({
      settlement_rail: true,
      pay_with: true,
      buyer_address: true,
      arbiter: true,
    }).shape,
  })
  .openapi("SessionRequest");

const voucherRequest = z
  .strictObject({
    cumulative_amount: z
      .string()
      .regex(/^[1-9][0-9]{0,38}$/)
      .openapi({ example: "250000", description: "base units that all calls cost so far" }),
    work_hash: z
      .string()
      .regex(hashPattern, "must be 0x and 64 hex digits in lower case")
      .transform((hash) => hash as Hex)
      .openapi({ description: "the hash of the newest call", example: `0x${"8c".repeat(32)}` }),
    signature: signatureSchema.openapi({ description: "the buyer's signature of the voucher (EIP-712)" }),
  })
  .openapi("VoucherRequest");

const closeRequest = z
  .strictObject({
    provider_amount: z
      .string()
      .regex(/^(0|[1-9][0-9]{0,38})$/)
      .openapi({
        example: "250000",
        description: "base units of the provider in all; the buyer gets the rest",
      }),
    deadline: deadlineSchema,
    buyer_signature: signatureSchema.openapi({ description: "the buyer's signature of the close (EIP-712)" }),
    provider_signature: signatureSchema.openapi({ description: "the provider's signature of the same" }),
  })
  .openapi("CloseRequest");

/** Adds the routes of a session's order. The calls themselves go to the provider's endpoint. */
export function addSessionOrder(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "post",
      path: "/services/{service_id}/sessions",
      operationId: "openCalls",
      tags: ["orders"],
      summary: "Open a session of calls",
      description:
        "Places the order of a `per_call` service whose total is the session's balance. No money moves: pay it as any order. Each call then goes to the `endpoint_url` of the agreement with a voucher; see docs/sessions.md.",
      ...accessRule(context, "orders:write"),
      request: {
        params: z.object({ service_id: idField("svc") }),
        body: jsonBody(sessionRequest),
      },
      responses: {
        201: jsonResponse("The order", orderSchema),
        ...errorResponses(
          "account_banned",
          "not_found",
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
      const effect = c.get("effect");
      const caller = callerOf(c);
      const repeated = effect && { orderId: `ord_${effect.id}`, mayStand: effect.mayStand };
      const { calls, balance, ...request } = c.req.valid("json");
      const { service_id } = c.req.valid("param");
      const placing = { ...request, service_id, quantity: calls, max_amount: balance };
      const row = await placeSession(context, caller, placing, repeated);
      return c.json(presentOrder(row, null, caller, 0), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/voucher",
      operationId: "relayVoucher",
      tags: ["orders"],
      summary: "Pay a session's calls by the newest voucher",
      description:
        "Takes the buyer's newest voucher from either party and sends it to the contract, which pays the provider at once. The service pays the gas. The same request again gets the same relay. `order.part_released` in the trail confirms the payment.",
      ...accessRule(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(voucherRequest) },
      responses: {
        202: jsonResponse("The relay", relayAnswer),
        ...errorResponses("invalid_state", "rate_limited"),
      },
    }),
    async (c) => {
      const { cumulative_amount, work_hash, signature } = c.req.valid("json");
      const voucher = { cumulativeAmount: BigInt(cumulative_amount), workHash: work_hash, signature };
      const relay = await relayVoucher(context, callerOf(c), c.req.valid("param").id, voucher);
      return c.json({ relay: presentRelay(relay) }, 202);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/close",
      operationId: "relayClose",
      tags: ["orders"],
      summary: "End a session by both signatures",
      description:
        "Takes the signatures of buyer and provider from either party and sends them to the contract, which pays both at once. The service pays the gas, once for each party. A repeated request gets the same relay. After a failed relay, send the newest voucher instead.",
      ...accessRule(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(closeRequest) },
      responses: {
        202: jsonResponse("The relay", relayAnswer),
        ...errorResponses("invalid_state", "rate_limited", "dependency_unavailable"),
      },
    }),
    async (c) => {
      const { provider_amount, deadline, buyer_signature, provider_signature } = c.req.valid("json");
      const relay = await relayClose(context, callerOf(c), c.req.valid("param").id, {
        providerAmount: BigInt(provider_amount),
        deadline,
        buyerSignature: buyer_signature,
        providerSignature: provider_signature,
      });
      return c.json({ relay: presentRelay(relay) }, 202);
    },
  );
}
