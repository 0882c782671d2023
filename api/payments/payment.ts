import { setTimeout as sleep } from "node:timers/promises";
import { createRoute, z } from "@hono/zod-openapi";
import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from "@x402/core/http";
import type { PaymentRequired as X402PaymentRequired } from "@x402/core/types";
import type { Context as HonoContext } from "hono";
import { getAddress } from "viem";
import { paymentMethods } from "../../protocol/settlement/vocabulary.ts";
import { readOwnOrder } from "../../trade/orders/order-access.ts";
import {
  payOrder,
  readOpenRequirements,
  readOwnToPay,
  requireRelayed,
  requireSame,
  requireX402,
} from "../../trade/payments/pay-order.ts";
import { PaymentRefusal } from "../../trade/payments/payment-refusal.ts";
import {
  isOnItsWay,
  type PaidOrder,
  type PaymentState,
  readLatestPayment,
  readPayment,
} from "../../trade/payments/payments.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { idField, jsonObjectField, orNull, shownAddress, shownHash, timeField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonResponse } from "../http/openapi.ts";
import { orderParams } from "../orders/order.ts";
import { shutdownOf } from "../shutdown.ts";
import type { App, Variables } from "../variables.ts";
import { type PaymentRequired, paymentRequiredShape, requirePayment } from "./payment-required.ts";
import { largestPayment, readSubmittedPayment } from "./submitted-payment.ts";

const submission = jsonObjectField.nullable().openapi("PaymentSubmission", {
  type: "object",
  additionalProperties: true,
  description: `x402's \`PaymentPayload\`; or \`signature\` with \`authorization\` or \`permit2Authorization\`, the message of \`typed_data\`; \`signature\` with \`receiveAuthorization\`, the message of \`receive_authorization\`; or \`signature\` with \`accountCalls\`, the members \`account\`, \`nonce\` and \`deadline\` of \`account_payment\`. At most ${largestPayment} bytes.`,
});

export const paymentSchema = z
  .object({
    id: idField("pay"),
    status: z.enum(["accepted", "submitted", "confirmed", "failed"]).openapi("PaymentStatus", {
      description:
        "`accepted`: stored, and not sent yet; `submitted`: sent to the chain; `confirmed`: confirmed by the chain and in the trail; `failed`: see `error`, and pay again",
    }),
    method: z.enum(paymentMethods).openapi("PaymentMethod"),
    payer: shownAddress,
    transaction_hash: shownHash.nullable(),
    error: z.string().nullable(),
    created_at: timeField,
  })
  .openapi("Payment");

const paymentRefusalSchema = z.object(paymentRequiredShape).openapi("PaymentRefusal", {
  description: "x402's document, version 2, with the service's `error`; the header has x402's own `error`",
});

const paymentAnswer = z.object({ payment: paymentSchema }).openapi("PaymentAnswer");
const latestPaymentAnswer = z.object({ payment: orNull(paymentSchema) }).openapi("LatestPaymentAnswer");

/** Presents a payment to its buyer. It does not say that the order is funded: only the trail does. */
export function presentPayment({ payment, relay, creation }: PaymentState): z.output<typeof paymentSchema> {
  const onItsWay = relay?.status === "signed" || relay?.status === "mined";
  return {
    id: payment.id,
    status: payment.status === "accepted" && onItsWay ? "submitted" : payment.status,
    method: payment.method,
    payer: getAddress(payment.payer),
    transaction_hash: creation?.transactionHash ?? relay?.transactionHash ?? null,
    error: payment.error,
    created_at: payment.createdAt.toISOString(),
  };
}

/** Milliseconds between two polls of a payment that a request waits for: the first interval, and the longest. */
export const pollMilliseconds = { first: 100, longest: 1000 };

/** Adds the routes that pay an order by x402 and read its last payment. */
export function addPaymentRoutes(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/payment",
      operationId: "readPayment",
      tags: ["orders"],
      summary: "Read the last payment of an order",
      ...accessRule(context, "order"),
      request: { params: orderParams },
      responses: {
        200: jsonResponse("The payment; null before the first", latestPaymentAnswer),
      },
    }),
    async (c) => {
      const { row } = await readOwnOrder(db, callerOf(c), c.req.valid("param").id);
      const latest = await readLatestPayment(db, row.id);
      return c.json({ payment: latest && presentPayment(latest) }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/payment",
      operationId: "payOrder",
      tags: ["orders"],
      summary: "Pay an order by x402",
      description:
        "Speaks x402 v2, so any x402 client can pay. Without a payment, the answer is 402 with the requirements: in the header `PAYMENT-REQUIRED`, and in the body beside the usual `error`. A payment is in the header `PAYMENT-SIGNATURE`, which has precedence, or in the JSON body. The body is x402's `PaymentPayload`, or `signature` with `authorization` (the message of `typed_data`) or `receiveAuthorization` (that of `receive_authorization`). The service verifies the payment, relays it into the escrow and pays the gas. A repeated payment gets the same answer. A refused payment is not used: the answer is 402 with the reason. Only the event `order.funded` and the trail say that the order is funded.",
      ...accessRule(context, "orders:write"),
      request: {
        params: orderParams,
        headers: z.object({
          "payment-signature": z.string().optional().openapi({
            pattern: "^[A-Za-z0-9+/]+=*$",
            maxLength: largestPayment,
            description: "x402's `PaymentPayload`, as base64 of its JSON",
          }),
        }),
        body: {
          required: false,
          content: { "application/json": { schema: submission } },
        },
      },
      responses: {
        202: jsonResponse("The payment; the header `PAYMENT-RESPONSE` has it in x402's form", paymentAnswer),
        402: jsonResponse(
          "The payment requirements, or the reason why a payment is refused",
          paymentRefusalSchema,
        ),
        ...errorResponses(
          "invalid_state",
          "conflict",
          "rate_limited",
          "spend_limit_exceeded",
          "approval_required",
        ),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const own = await readOwnToPay(db, caller, c.req.valid("param").id);
      const { row, current } = own;
      const submitted = await readSubmittedPayment(c);
      const byCalls = submitted !== null && "accountCalls" in submitted.signed;
      if (!byCalls) requireX402(row);
      requireSame(current, submitted?.signed ?? null);
      if (current)
        return answerPayment(c, row, await followPayment(context, current, () => c.req.raw.signal));
      const signalOf = () => AbortSignal.any([c.req.raw.signal, shutdownOf(context).signal]);
      if (byCalls) {
        await requireRelayed(context, caller, own);
        const paid = await payOrder(context, caller, own, [], submitted);
        return answerPayment(c, row, await followPayment(context, paid, signalOf));
      }
      const requirements = await readOpenRequirements(context, caller, own);
      if (!submitted) return askForPayment(c, await requirePayment(context, row, requirements));
      const accepted = await payOrder(context, caller, own, requirements, submitted).catch(async (error) => {
        if (error instanceof PaymentRefusal) {
          setPaymentRequired(c, await requirePayment(context, row, requirements, error.reason));
        }
        throw error;
      });
      return answerPayment(c, row, await followPayment(context, accepted, signalOf));
    },
  );

  /** @throws PaymentRefusal for a payment that the chain refused, with new requirements */
  async function answerPayment(
    c: HonoContext<{ Variables: Variables }>,
    row: PaidOrder,
    state: PaymentState,
  ) {
    const failed = setPaymentResponse(c, row, state);
    // A payment by calls is no x402 payment, so its failure asks for none.
    if (failed === null || state.payment.method === "account_calls") {
      return c.json({ payment: presentPayment(state) }, 202);
    }
    const caller = callerOf(c);
    const own = await readOwnOrder(db, caller, row.id);
    const requirements = await readOpenRequirements(context, caller, own);
    setPaymentRequired(c, await requirePayment(context, row, requirements, "transaction_failed"));
    throw new PaymentRefusal("transaction_failed", "/payload", `The payment failed: ${failed}`);
  }
}

/**
 * Waits shortly for a payment to be mined or refused. The payment continues after the wait.
 *
 * @param signalOf makes the signal that ends the wait, only if there is a wait: it costs a whole `Request`
 */
export async function followPayment(
  { config, db }: Pick<Context, "config" | "db">,
  from: PaymentState,
  signalOf: () => AbortSignal,
): Promise<PaymentState> {
  const { paymentWaitSeconds } = config;
  if (paymentWaitSeconds === 0 || !isOnItsWay(from)) return from;
  const signal = signalOf();
  let state = from;
  const until = Date.now() + paymentWaitSeconds * 1000;
  let pause = pollMilliseconds.first;
  while (isOnItsWay(state) && Date.now() < until && !signal.aborted) {
    await sleep(Math.min(pause, until - Date.now()), undefined, { signal }).catch(() => {});
    pause = Math.min(pause * 1.2, pollMilliseconds.longest);
    state = await readPayment(db, state.payment.id);
  }
  return state;
}

/**
 * Asks for payment, in answer to a request without one.
 *
 * @param more further members of the body
 * @throws ApiError `payment_required`
 */
export function askForPayment(
  c: HonoContext<{ Variables: Variables }>,
  document: PaymentRequired,
  { message = missingPayment, more = {} }: { message?: string; more?: object } = {},
): never {
  setPaymentRequired(c, document, more);
  throw new ApiError("payment_required", message);
}

const missingPayment =
  "The request has no payment. Sign one entry of `accepts`, and send it in the header PAYMENT-SIGNATURE.";

/**
 * Sets the header with the result of a payment in x402's form.
 *
 * @returns the reason of a failure, or null
 */
export function setPaymentResponse(
  c: HonoContext,
  row: Pick<PaidOrder, "chainId" | "amount">,
  state: PaymentState,
): string | null {
  const { payment, creation } = state;
  const shown = presentPayment(state);
  const failed = payment.status === "failed" ? (payment.error ?? "The payment failed.") : null;
  c.header(
    "PAYMENT-RESPONSE",
    encodePaymentResponseHeader({
      success: creation !== null && failed === null,
      ...(creation === null && failed === null ? { errorReason: "settlement_pending" } : {}),
      ...(failed === null ? {} : { errorReason: "transaction_failed", errorMessage: failed }),
      transaction: shown.transaction_hash ?? "",
      network: `eip155:${row.chainId}`,
      payer: shown.payer,
      amount: row.amount.toString(),
    }),
  );
  c.header("Cache-Control", "private, no-store");
  return failed;
}

/** Sets the payment requirements: in the header for x402 clients, and for the body of the error that the caller throws. */
export function setPaymentRequired(
  c: HonoContext<{ Variables: Variables }>,
  document: PaymentRequired,
  more: object = {},
): void {
  c.set("paymentRequired", { ...document, ...more });
  c.header("PAYMENT-REQUIRED", encodePaymentRequiredHeader(document as X402PaymentRequired));
  c.header("Cache-Control", "private, no-store");
}
