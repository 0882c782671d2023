import { createRoute, z } from "@hono/zod-openapi";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { ConfigError } from "../../config/config.ts";
import { readWebhookKey } from "../../config/keys/webhook-key.ts";
import type { EscrowRow } from "../../db/chain-index.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { readOwnOrder } from "../../trade/orders/order-access.ts";
import { PaymentRefusal } from "../../trade/payments/payment-refusal.ts";
import { isOnItsWay, type PaymentState, readPayment } from "../../trade/payments/payments.ts";
import { buy, findPurchase, type PurchasedOrder } from "../../trade/purchases/purchase.ts";
import { checkPurchase, offerTerms, readOffer } from "../../trade/purchases/purchase-offer.ts";
import { createClaimToken } from "../../trade/purchases/sealed-terms.ts";
import {
  readServiceNamed,
  readServiceWithAgent,
  requireOnSale,
  type ServiceWithAgent,
} from "../../trade/services/sale.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { originOf } from "../http/client-address.ts";
import {
  addressField,
  amountInput,
  nullableJsonObjectField,
  shownUrl,
  tokenNameField,
} from "../http/fields.ts";
import { answer, errorSchema, jsonBody, refusals } from "../http/openapi.ts";
import { readPreferredWait } from "../http/preferred-wait.ts";
import { orderSchema, presentOrder } from "../orders/order.ts";
import { quantityField } from "../services/pricing-fields.ts";
import { serviceParams } from "../services/service.ts";
import { shutdownOf } from "../shutdown.ts";
import type { App, Variables } from "../variables.ts";
import type { CheckSlots } from "./check-slots.ts";
import {
  askForPayment,
  paymentSchema,
  pollMilliseconds,
  presentPayment,
  setPaymentRequired,
  setPaymentResponse,
} from "./payment.ts";
import type { Waits } from "./payment-waits.ts";
import {
  askForInput,
  askForPrice,
  askForPurchase,
  presentLeftOut,
  purchaseTermsSchema,
} from "./purchase-terms.ts";
import { largestPayment, readHeaderPayment } from "./submitted-payment.ts";

const purchaseRequest = z
  .strictObject({
    input_payload: nullableJsonObjectField
      .optional()
      .openapi({ description: "an object that fits the service's `input_schema`" }),
    buyer_address: addressField.openapi({
      description:
        "the order's buyer on the chain, who gets refunds and whose signature releases the money. It may differ from the payer",
    }),
    quantity: quantityField.optional().openapi({
      description:
        "the default is the service's `min_quantity`. Of a metered service the most units that may be charged, by default its `max_quantity`; without one, `quantity` or `max_amount` is required",
    }),
    max_amount: amountInput.optional().openapi({
      example: "5.00",
      description:
        "instead of `quantity`, of a metered service: the most that may be charged, in the token that pays. The order takes as many units as it pays",
    }),
    pay_with: tokenNameField.optional().openapi({
      description: "the only token to offer; by default, all that the service accepts",
    }),
    arbiter: addressField.optional().openapi({
      description:
        "the address that decides disputes: one of the service's `arbiters`; the default is the chain's",
    }),
  })
  .openapi("PurchaseRequest");

const purchaseSchema = z
  .object({
    order: orderSchema,
    payment: paymentSchema,
    claim: z
      .object({
        token: z.string().openapi({ example: `ecl_01jd3w8x2mfhz8w9q4t6n5k7ra_${"Zk3vQ0m8".repeat(5)}yHn` }),
        order_url: shownUrl.openapi({
          description: "the URL of the order; below it are its trail, agreement and receipts",
        }),
        receipts_url: shownUrl,
      })
      .openapi("OrderClaim", {
        description:
          "the token, sent as `Authorization: Bearer ...`, can only read this order, until 30 days after the order's end. A sign-in with the paying wallet can do more",
      }),
  })
  .openapi("Purchase");

const purchaseRefusalSchema = z.union([purchaseTermsSchema, errorSchema]).openapi("PurchaseRefusal");

/** Milliseconds between two polls of an order that waits for an event. */
const eventPollMilliseconds = 5000;

/** Statuses that end the wait for an output. */
const finalStatuses = new Set(["delivered", "disputed", "released", "refunded", "expired"]);

/** Adds the route that buys a service with one request, without an account. */
export function addPurchase(app: App, context: Context, checks: CheckSlots, waits: Waits): void {
  const { config, db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/buy/{slug}/{svc}",
      operationId: "buyService",
      tags: ["orders"],
      summary: "Buy a service with one request, without an account",
      description:
        "Speaks x402 v2: a stock client can buy with one call. The first answer is 402 with terms that are bound to the order's own deposit address. Nothing is stored for it. The same request with the header `PAYMENT-SIGNATURE` buys. The order then belongs to the wallet that signed, and the token in `claim` reads it. A repeated payment gets the same answer. A refused payment is not used. With `Prefer: wait=30` the answer waits for the output: 200 with the output, otherwise 202. A request without a body gets the price only.",
      security: [] as Record<string, string[]>[],
      middleware: answerPrice,
      request: {
        params: serviceParams,
        headers: z.object({
          "payment-signature": z.string().optional().openapi({
            pattern: "^[A-Za-z0-9+/]+=*$",
            maxLength: largestPayment,
            description: "x402's `PaymentPayload`, as base64 of its JSON, with `accepted` unchanged",
          }),
          prefer: z.string().max(200).optional().openapi({
            description: `\`wait=<seconds>\` (RFC 7240): the longest time to wait for the output`,
            example: "wait=30",
          }),
        }),
        body: jsonBody(purchaseRequest),
      },
      responses: {
        200: answer(
          "The order is bought and delivered: `order.output_payload` is the output",
          purchaseSchema,
        ),
        202: answer("The order is bought; `order.status` has its progress", purchaseSchema),
        402: answer(
          "The payment requirements, or the reason why a payment is refused",
          purchaseRefusalSchema,
        ),
        ...refusals(
          "not_found",
          "conflict",
          "invalid_state",
          "quote_required",
          "subscription_required",
          "input_schema_violation",
          "checker_busy",
          "rate_limited",
          "too_many_unpaid_orders",
        ),
      },
    }),
    async (c) => {
      const key = readKey();
      const payment = readHeaderPayment(c);
      const submitted = payment && { ...payment, seal: payment.accepted?.extra?.terms };
      const earlier = submitted && (await findPurchase(context, key, submitted));
      if (earlier) return answerBought(c, key, earlier);

      const offered = await readFound(c);
      const origin = originOf(c);
      const counted = { account: `network ${origin.network ?? "unknown"}`, group: "anonymous" as const };
      const checked = await checkPurchase(context, counted, offered, c.req.valid("json"));
      if (!submitted) {
        const offers = await offerTerms(context, key, checked);
        const [agreement, ...others] = offers.map(({ draft }) => draft.agreement);
        const more = {
          agreement,
          ...(others.length > 0 ? { other_agreements: others } : {}),
          ...presentLeftOut(checked.leftOut),
        };
        return askForPayment(c, await askForPurchase(context, offered, offers), { more });
      }
      const purchase = await checks.run(c, () =>
        buy(context, key, checked, submitted, origin.network).catch(async (error) => {
          if (error instanceof PaymentRefusal) {
            const offers = await offerTerms(context, key, checked);
            setPaymentRequired(c, await askForPurchase(context, offered, offers, error.reason));
          }
          throw error;
        }),
      );
      return answerBought(c, key, purchase);
    },
  );

  /** Answers a request without content with the price, before its body is validated. */
  async function answerPrice(...[c, next]: Parameters<MiddlewareHandler<{ Variables: Variables }>>) {
    const text = await c.req.text();
    const isEmpty = text === "" || /^\s*(\{\s*\}|null)\s*$/.test(text);
    if (!isEmpty) return next();
    if (c.req.header("payment-signature") !== undefined) {
      throw new ApiError(
        "invalid_request",
        "A payment needs the body whose terms it pays. This payment was not used.",
        [{ path: "/buyer_address", keyword: "required", message: "is required" }],
      );
    }
    const found = await readFound(c);
    const message = askForInput(found.service);
    const { document, more } = await askForPrice(context, found);
    return askForPayment(c, document, { message, more });
  }

  async function readFound(c: HonoContext<{ Variables: Variables }>): Promise<ServiceWithAgent> {
    const offered = await readServiceNamed(db, c.req.param("slug") ?? "", c.req.param("svc") ?? "");
    requireOnSale(offered, null);
    return offered;
  }

  function readKey(): Uint8Array {
    try {
      return readWebhookKey(config);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      context.log.error(
        { err: error, alert: "webhook_key_unusable" },
        "webhook key unusable, purchases without an account refused",
      );
      throw new ApiError(
        "dependency_unavailable",
        "Purchases without an account are not possible at the moment. Try again later.",
      );
    }
  }

  /** @throws PaymentRefusal for a payment that the chain refused, with the same terms to be paid again */
  async function answerBought(
    c: HonoContext<{ Variables: Variables }>,
    key: Uint8Array,
    purchase: PurchasedOrder,
  ) {
    const { row, escrow, payment, waited } = await follow(c, purchase);
    const failed = setPaymentResponse(c, row, payment);
    if (failed !== null) {
      const offered = await readServiceWithAgent(db, row.serviceId);
      const offer = await readOffer(context, key, row);
      if (offered && !offer.isOver) {
        setPaymentRequired(c, await askForPurchase(context, offered, [offer], "transaction_failed"));
      }
      throw new PaymentRefusal("transaction_failed", "/payload", `The payment failed: ${failed}`);
    }
    const orderUrl = `${config.publicUrl}${apiPath}/orders/${row.id}`;
    c.header("Location", orderUrl);
    if (waited > 0) c.header("Preference-Applied", `wait=${waited}`);
    return c.json(
      {
        order: presentOrder(row, escrow, { accountId: row.buyerAccountId }),
        payment: presentPayment(payment),
        claim: {
          token: createClaimToken(key, row.id),
          order_url: orderUrl,
          receipts_url: `${orderUrl}/receipts`,
        },
      },
      row.deliveredAt === null ? 202 : 200,
    );
  }

  /**
   * Waits shortly for the payment, or for the output if the request prefers a wait. If too many requests wait already, the
   * answer comes at once.
   *
   * @returns the current state, and the seconds of the preference that was applied
   */
  async function follow(
    c: HonoContext<{ Variables: Variables }>,
    { row: { id, buyerAccountId }, payment }: PurchasedOrder,
  ) {
    const signal = AbortSignal.any([c.req.raw.signal, shutdownOf(context).signal]);
    const preferred = readPreferredWait(c, config.buying.waitSeconds);
    const seconds = preferred > 0 ? preferred : config.paymentWaitSeconds;
    const watch = seconds > 0 ? await waits.open(buyerAccountId, originOf(c), signal) : null;
    const until = watch ? Date.now() + seconds * 1000 : 0;
    try {
      let pause = pollMilliseconds.first;
      for (;;) {
        const now = await readState(id, buyerAccountId, payment.payment.id);
        const onItsWay = isOnItsWay(now.payment);
        const isOver =
          now.payment.payment.status === "failed" ||
          (preferred > 0 ? finalStatuses.has(now.row.status) : !onItsWay);
        const left = until - Date.now();
        if (isOver || !watch || left <= 0 || signal.aborted) {
          return { ...now, waited: watch && preferred > 0 ? preferred : 0 };
        }
        await watch.next(Math.min(left, onItsWay ? pause : eventPollMilliseconds));
        pause = Math.min(pause * 1.2, pollMilliseconds.longest);
      }
    } finally {
      watch?.close();
    }
  }

  async function readState(
    orderId: string,
    accountId: string,
    paymentId: string,
  ): Promise<{ row: OrderRow; escrow: EscrowRow | null; payment: PaymentState }> {
    const { row, escrow } = await readOwnOrder(db, { accountId }, orderId);
    return { row, escrow, payment: await readPayment(db, paymentId) };
  }
}
