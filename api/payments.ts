import { setTimeout as sleep } from "node:timers/promises";
import { createRoute, z } from "@hono/zod-openapi";
import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from "@x402/core/http";
import type { PaymentRequired as X402PaymentRequired } from "@x402/core/types";
import type { Context as HonoContext } from "hono";
import { getAddress } from "viem";
import type { OrderRow } from "../db/ledger.ts";
import {
  acceptPayment,
  type PaymentState,
  readLatestPayment,
  readPayment,
  readStandingPayment,
  relayedCall,
} from "../db/payments.ts";
import type { PaymentCall } from "../db/schema.ts";
import { refuseFunding } from "../settlement/exits.ts";
import { termsOf } from "../settlement/terms.ts";
import { identify, type PaymentRequirements, type SignedPayment } from "../settlement/x402.ts";
import { type Caller, callerOf } from "./access.ts";
import type { App, Context, Variables } from "./context.ts";
import { ApiError } from "./errors.ts";
import { answer, errorSchema, guarded, refusals } from "./openapi.ts";
import { lockOwnOrder, type OwnOrder, orderParams, readNow, readOwnOrder } from "./order.ts";
import {
  paymentRequiredSchema,
  paymentSchema,
  presentPayment,
  readRequirements,
  requirePayment,
} from "./payment.ts";
import { checkPayment, matchRequirements } from "./payment-check.ts";
import { PaymentRefusal } from "./payment-refusal.ts";
import { type HandedIn, readHandedIn } from "./payment-request.ts";
import { queuePartyRelay, refuseFreeRelay } from "./relay.ts";

/** Milliseconds between two looks at a payment that its request waits for: the first, and the longest. */
const lookEvery = { first: 100, longest: 1000 };

/** The payment of an order by x402: asked for, handed in, and what became of it. */
export function addPayments(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/payment",
      operationId: "readPayment",
      tags: ["orders"],
      summary: "What became of the payment that was handed in last",
      ...guarded(context, "orders:read"),
      request: { params: orderParams },
      responses: {
        200: answer("The payment, or null before any", z.object({ payment: paymentSchema.nullable() })),
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
        "Speaks x402 v2, so any stock client pays here. Without a payment the answer is 402 with what to pay, in the header `PAYMENT-REQUIRED` and as the body. A payment comes in the header `PAYMENT-SIGNATURE` (looked at first) or as the JSON body: x402's `PaymentPayload`, or only `signature` with `authorization` (the message of `typed_data`). It is verified and relayed into the escrow; the service pays the gas. The same payment again gets the same answer. A refused one was not used: the answer is 402 with the reason. That the order is funded is known by the event `order.funded` and the trail.",
      ...guarded(context, "orders:write"),
      request: {
        params: orderParams,
        headers: z.object({
          "payment-signature": z
            .string()
            .optional()
            .openapi({ description: "x402's `PaymentPayload`, base64 of its JSON" }),
        }),
        body: {
          required: false,
          content: { "application/json": { schema: z.record(z.string(), z.unknown()).or(z.null()) } },
        },
      },
      responses: {
        202: answer(
          "The payment; the header `PAYMENT-RESPONSE` says the same in x402's words",
          z.object({ payment: paymentSchema }),
        ),
        402: answer(
          "What to pay, or why a payment is refused",
          z.union([paymentRequiredSchema, errorSchema]),
        ),
        ...refusals("invalid_state", "conflict", "rate_limited"),
      },
    }),
    async (c) => {
      const own = await readOwnOrder(db, callerOf(c), c.req.valid("param").id);
      const { row } = own;
      if (own.role !== "buyer") throw new ApiError("invalid_state", "Only the buyer pays an order.");
      if (row.settlementRail !== "x402") {
        throw new ApiError(
          "invalid_state",
          "This order's rail is escrow: its buyer's wallet sends the calls of `payment-instructions`. An order placed with `settlement_rail` x402 is paid here.",
        );
      }
      const handedIn = await readHandedIn(c);
      const standing = await readStandingPayment(db, row.id);
      if (standing && (!handedIn || isSame(standing, handedIn.signed))) {
        return answerPayment(c, row, await follow(standing, c.req.raw.signal));
      }
      if (standing) throw anotherStands(standing);
      const requirements = await readOpenRequirements(own);
      if (!handedIn) return askForPayment(c, requirePayment(context, row, requirements));
      const accepted = await accept(c, row, requirements, handedIn);
      return answerPayment(c, row, await follow(accepted, c.req.raw.signal));
    },
  );

  /** What this order can be paid with now. */
  async function readOpenRequirements({ row, escrow }: OwnOrder): Promise<PaymentRequirements[]> {
    const now = await readNow(db, row.chainId);
    const refusal =
      row.status === "created"
        ? (refuseFunding({ escrow, terms: termsOf(row), now }) ?? refuseFreeRelay(context, row))
        : `The order is ${row.status}; only an unfunded order is paid.`;
    if (refusal) throw new ApiError("invalid_state", refusal);
    return readRequirements(context, row, now);
  }

  /** Waits a little for a payment to be mined or refused; it goes on without us. */
  async function follow(from: PaymentState, signal: AbortSignal): Promise<PaymentState> {
    let state = from;
    const until = Date.now() + context.config.paymentWaitSeconds * 1000;
    let pause = lookEvery.first;
    while (isOpen(state) && Date.now() < until && !signal.aborted) {
      await sleep(Math.min(pause, until - Date.now()), undefined, { signal }).catch(() => {});
      pause = Math.min(pause * 1.2, lookEvery.longest);
      state = await readPayment(db, state.payment.id);
    }
    return state;
  }

  /** @throws PaymentRefusal for a payment that the chain refused after all, with what to pay instead */
  async function answerPayment(c: HonoContext<{ Variables: Variables }>, row: OrderRow, state: PaymentState) {
    const { payment, creation } = state;
    const shown = presentPayment(state);
    const failed = payment.status === "failed" ? (payment.error ?? "It failed.") : null;
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
    if (failed === null) return c.json({ payment: shown }, 202);
    const requirements = await readOpenRequirements(await readOwnOrder(db, callerOf(c), row.id));
    setPaymentRequired(c, requirePayment(context, row, requirements, "transaction_failed"));
    throw new PaymentRefusal("transaction_failed", "/payload", `The payment failed: ${failed}`);
  }

  async function accept(
    c: HonoContext<{ Variables: Variables }>,
    row: OrderRow,
    requirements: PaymentRequirements[],
    { signed, accepted }: HandedIn,
  ): Promise<PaymentState> {
    let calls: PaymentCall[];
    try {
      calls = await checkPayment(context, row, matchRequirements(requirements, signed, accepted), signed);
    } catch (error) {
      if (error instanceof PaymentRefusal) {
        setPaymentRequired(c, requirePayment(context, row, requirements, error.reason));
      }
      throw error;
    }
    const { id } = await db.transaction((tx) => writeDown(tx, callerOf(c), row, signed, calls));
    return readPayment(db, id);
  }

  /** Under the order's lock, so that of two payments at once one stands and the other is told. */
  async function writeDown(
    tx: Parameters<Parameters<typeof db.transaction>[0]>[0],
    caller: Caller,
    { id }: OrderRow,
    signed: SignedPayment,
    calls: PaymentCall[],
  ) {
    const { row } = await lockOwnOrder(tx, caller, id);
    const standing = await readStandingPayment(tx, id);
    if (standing && isSame(standing, signed)) return standing.payment;
    if (standing) throw anotherStands(standing);
    if (row.status !== "created") {
      throw new ApiError("conflict", `The order is ${row.status} already. This payment was not used.`);
    }
    const payment = await acceptPayment(tx, row, caller.accountId, identify(signed), calls);
    await queuePartyRelay(context, tx, caller, row, relayedCall(payment));
    return payment;
  }
}

function anotherStands({ payment }: PaymentState): ApiError {
  return new ApiError(
    "conflict",
    `Another payment of this order stands: ${payment.id}, by ${getAddress(payment.payer)}. This one was not used.`,
  );
}

function isSame({ payment }: PaymentState, signed: SignedPayment): boolean {
  const { method, payer, nonce } = identify(signed);
  return (
    payment.method === method &&
    payment.payer.toLowerCase() === payer.toLowerCase() &&
    payment.nonce === nonce
  );
}

function isOpen({ payment, creation }: PaymentState): boolean {
  return creation === null && (payment.status === "accepted" || payment.status === "submitted");
}

function askForPayment(c: HonoContext, document: ReturnType<typeof requirePayment>) {
  setPaymentRequired(c, document);
  return c.json(document, 402);
}

function setPaymentRequired(c: HonoContext, document: ReturnType<typeof requirePayment>): void {
  c.header("PAYMENT-REQUIRED", encodePaymentRequiredHeader(document as X402PaymentRequired));
  c.header("Cache-Control", "private, no-store");
}
