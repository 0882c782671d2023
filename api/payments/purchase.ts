import { createRoute, z } from "@hono/zod-openapi";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { ConfigError } from "../../config/config.ts";
import { findWebhookKey, readWebhookKey } from "../../config/keys/webhook-key.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { PaymentRefusal } from "../../trade/payments/payment-refusal.ts";
import { findEarlierPurchase } from "../../trade/purchases/earlier-purchase.ts";
import {
  buy,
  findPurchase,
  type PurchasedOrder,
  type SealedPayment,
} from "../../trade/purchases/purchase.ts";
import { checkPurchase, offerTerms, readOffer } from "../../trade/purchases/purchase-offer.ts";
import { createClaimToken } from "../../trade/purchases/sealed-terms.ts";
import {
  readServiceNamed,
  readServiceWithAgent,
  requireOnSale,
  type ServiceWithAgent,
} from "../../trade/services/service-on-sale.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { originOf } from "../http/client-address.ts";
import { errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { presentOrder } from "../orders/order.ts";
import { serviceParams } from "../services/service.ts";
import type { App, Variables } from "../variables.ts";
import type { CheckSlots } from "./check-slots.ts";
import { asksForMpp, readMppPayment, writeChallenge, writeReceipt } from "./mpp-payment.ts";
import { askForPayment, presentPayment, setPaymentRequired, setPaymentResponse } from "./payment.ts";
import type { PaymentRequired } from "./payment-required.ts";
import type { Waits } from "./payment-waits.ts";
import { followPurchase } from "./purchase-progress.ts";
import { purchaseRefusalSchema, purchaseRequest, purchaseSchema } from "./purchase-schemas.ts";
import { largestSignIn, offerSignIn, proveSignIn, readSignIn, SignInRefusal } from "./purchase-sign-in.ts";
import { askForInput, askForPrice, askForPurchase, presentLeftOut, purchaseUrl } from "./purchase-terms.ts";
import { largestPayment, readHeaderPayment } from "./submitted-payment.ts";

/** The purchase that a sign-in has found, or why the sign-in is refused. */
type SignedIn = { own: PurchasedOrder | null; refusal: SignInRefusal | null };

/** The result of a request without a sign-in. */
const nobody: SignedIn = { own: null, refusal: null };

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
        "Speaks x402 v2: a stock client can buy with one call. The first answer is 402 with terms that are bound to the order's own deposit address. Nothing is stored for it. The same request with the header `PAYMENT-SIGNATURE` buys. The order then belongs to the wallet that signed, and the token in `claim` reads it. A repeated payment gets the same answer. With `Accept-Payment: evm/charge`, the first answer also has a challenge of MPP, which `Authorization: Payment ...` pays. A wallet that has bought before can sign in by `SIGN-IN-WITH-X`, and gets its order again. A refused payment is not used. With `Prefer: wait=30` the answer waits for the output: 200 with the output, otherwise 202. A request without a body gets the price only.",
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
          "sign-in-with-x": z.string().optional().openapi({
            pattern: "^[A-Za-z0-9+/]+=*$",
            maxLength: largestSignIn,
            description:
              "x402's proof of a wallet, as base64 of its JSON: the signed message of a 402. The answer is the newest order that this wallet bought by the same body, or of this service if there is no body. If there is none, the answer is 402",
          }),
          prefer: z.string().max(200).optional().openapi({
            description: `\`wait=<seconds>\` (RFC 7240): the longest time to wait for the output`,
            example: "wait=30",
          }),
        }),
        body: jsonBody(purchaseRequest),
      },
      responses: {
        200: jsonResponse(
          "The order is bought and delivered: `order.output_payload` is the output",
          purchaseSchema,
        ),
        202: jsonResponse("The order is bought; `order.status` has its progress", purchaseSchema),
        402: jsonResponse(
          "The payment requirements, or the reason why a payment is refused",
          purchaseRefusalSchema,
        ),
        ...errorResponses(
          "account_banned",
          "not_found",
          "conflict",
          "invalid_state",
          "quote_required",
          "subscription_required",
          "input_schema_violation",
          "file_not_found",
          "file_mismatch",
          "checker_busy",
          "rate_limited",
          "too_many_unpaid_orders",
        ),
      },
    }),
    async (c) => {
      const key = readKey();
      const submitted = readSubmitted(c);
      const earlier = submitted && (await findPurchase(context, key, submitted));
      if (earlier) return answerBought(c, key, earlier);

      const request = c.req.valid("json");
      const { own, refusal } = submitted ? nobody : await findOwn(c, key, request);
      if (own) return answerBought(c, key, own);

      const offered = await readFound(c);
      const checked = await checkPurchase(context, countedOf(c), offered, request);
      if (!submitted) {
        const offers = await offerTerms(context, key, checked);
        const [agreement, ...others] = offers.map(({ draft }) => draft.agreement);
        const more = {
          agreement,
          ...(others.length > 0 ? { other_agreements: others } : {}),
          ...presentLeftOut(checked.leftOut),
        };
        const document = await askForPurchase(context, offered, offers);
        const challenge = asksForMpp(c) ? writeChallenge(context, offers) : null;
        if (challenge === null) return askOrSignIn(c, key, document, { more, refusal });
        c.header("WWW-Authenticate", challenge);
        // Together with the description for lists of services, the headers could be too long for a proxy.
        const { bazaar: _, ...extensions } = document.extensions ?? {};
        return askOrSignIn(c, key, { ...document, extensions }, { more, refusal });
      }
      const purchase = await checks.run(c, () =>
        buy(context, key, checked, submitted, originOf(c).network).catch(async (error) => {
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
    if (readSubmitted(c)) {
      throw new ApiError(
        "invalid_request",
        "A payment needs the body whose terms it pays. This payment was not used.",
        [{ path: "/buyer_address", keyword: "required", message: "is required" }],
      );
    }
    const key = findKey();
    const { own, refusal } = key ? await findOwn(c, key, null) : nobody;
    if (key && own) return answerBought(c, key, own);
    const found = await readFound(c);
    const message = askForInput(found.service);
    const { document, more } = await askForPrice(context, found);
    return askOrSignIn(c, key, document, { message, more, refusal });
  }

  /** Finds what the wallet that signed in has bought, or why the sign-in is refused. */
  async function findOwn(
    c: HonoContext<{ Variables: Variables }>,
    key: Uint8Array,
    request: z.output<typeof purchaseRequest> | null,
  ): Promise<SignedIn> {
    const signIn = readSignIn(c);
    const offered = signIn && (await readNamed(c));
    if (!offered) return nobody;
    try {
      const url = purchaseUrl(context, offered);
      const wallet = await checks.run(c, () => proveSignIn(context, key, url, signIn));
      return { ...nobody, own: await findEarlierPurchase(context, countedOf(c), offered, wallet, request) };
    } catch (error) {
      if (error instanceof SignInRefusal) return { ...nobody, refusal: error };
      throw error;
    }
  }

  /** Asks for a payment, or for the signature of a wallet that has bought this already. */
  function askOrSignIn(
    c: HonoContext<{ Variables: Variables }>,
    key: Uint8Array | null,
    document: PaymentRequired,
    { refusal, ...shown }: { message?: string; more: object } & Pick<SignedIn, "refusal">,
  ): never {
    const signIn = key && offerSignIn(context, key, document.resource.url, document.accepts);
    const asked = { ...document, extensions: { ...document.extensions, ...signIn } };
    if (!refusal) return askForPayment(c, asked, shown);
    const { reason, message } = refusal;
    return askForPayment(c, { ...asked, error: `${reason}: ${message}` }, { ...shown, message });
  }

  /** Reads the payment of a request: x402's, or that of MPP. */
  function readSubmitted(c: HonoContext): SealedPayment | null {
    const payment = readHeaderPayment(c);
    return payment ? { ...payment, seal: payment.accepted?.extra?.terms } : readMppPayment(context, c);
  }

  const readNamed = (c: HonoContext) =>
    readServiceNamed(db, c.req.param("slug") ?? "", c.req.param("svc") ?? "");

  async function readFound(c: HonoContext<{ Variables: Variables }>): Promise<ServiceWithAgent> {
    const offered = await readNamed(c);
    requireOnSale(offered, null);
    return offered;
  }

  function findKey(): Uint8Array | null {
    try {
      return findWebhookKey(config);
    } catch (error) {
      if (error instanceof ConfigError) return null;
      throw error;
    }
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
    const { row, escrow, unreadMessages, payment, waited } = await followPurchase(
      context,
      c,
      waits,
      purchase,
    );
    const failed = setPaymentResponse(c, row, payment);
    if (failed !== null) {
      const offered = await readServiceWithAgent(db, row.serviceId);
      const offer = await readOffer(context, key, row);
      if (offered && !offer.isOver) {
        setPaymentRequired(c, await askForPurchase(context, offered, [offer], "transaction_failed"));
      }
      throw new PaymentRefusal("transaction_failed", "/payload", `The payment failed: ${failed}`);
    }
    // A payment of x402 counts before one of MPP, which is then not read.
    const isOfMpp = c.req.header("payment-signature") === undefined && readMppPayment(context, c) !== null;
    if (payment.creation && isOfMpp) {
      const { transactionHash } = payment.creation;
      c.header("Payment-Receipt", writeReceipt(transactionHash, payment.payment.updatedAt));
    }
    const orderUrl = `${config.publicUrl}${apiPath}/orders/${row.id}`;
    c.header("Location", orderUrl);
    if (waited > 0) c.header("Preference-Applied", `wait=${waited}`);
    return c.json(
      {
        order: presentOrder(row, escrow, { accountId: row.buyerAccountId }, unreadMessages),
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
}

function countedOf(c: HonoContext<{ Variables: Variables }>) {
  const { network } = originOf(c);
  return { account: `network ${network ?? "unknown"}`, group: "anonymous" as const };
}
