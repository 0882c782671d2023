import type { Context as HonoContext } from "hono";
import { type Address, getAddress } from "viem";
import { z } from "zod";
import { parseJson } from "../../protocol/json/parse.ts";
import { facilitatorPath } from "../../protocol/settlement/vocabulary.ts";
import { paymentKeyOf } from "../../protocol/settlement/x402-payload.ts";
import {
  type FacilitatedPayment,
  releaseClaim,
  settleFacilitated,
  verifyFacilitated,
} from "../../trade/payments/facilitated-payment.ts";
import { PaymentRefusal } from "../../trade/payments/payment-refusal.ts";
import { readRelayer } from "../../trade/payments/payment-requirements.ts";
import { isOnItsWay, type PaidOrder, type PaymentState } from "../../trade/payments/payments.ts";
import { Refusal } from "../../trade/refusal.ts";
import type { Context } from "../context.ts";
import { parseAs } from "../http/api-error.ts";
import { originOf } from "../http/client-address.ts";
import { shutdownOf } from "../shutdown.ts";
import type { App } from "../variables.ts";
import type { CheckSlots } from "./check-slots.ts";
import { followPayment, presentPayment } from "./payment.ts";
import type { Waits } from "./payment-waits.ts";
import { checkSize, parsePayment } from "./submitted-payment.ts";

const requestSchema = z.looseObject({
  x402Version: z.literal(2),
  paymentPayload: z.unknown(),
  paymentRequirements: z.looseObject({
    scheme: z.string(),
    network: z.string().regex(/^eip155:[1-9]\d{0,15}$/),
    amount: z.string(),
    asset: z.string(),
    payTo: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  }),
});

/**
 * Adds x402's facilitator (version 2) for the orders of this marketplace. The resource server of another seller can sell
 * an order, and lets this service verify and settle the payment. It needs no account: a payer's signature pays one order only.
 */
export function addFacilitator(app: App, context: Context, checks: CheckSlots, waits: Waits): void {
  app.get(`${facilitatorPath}/supported`, async (c) => {
    const networks = await Promise.all(
      context.config.chains.map(({ chain_id }) => describeNetwork(chain_id)),
    );
    return c.json({
      kinds: networks.flatMap(({ kinds }) => kinds),
      extensions: ["bazaar"],
      signers: Object.fromEntries(
        networks.flatMap(({ network, sender }) => (sender ? [[network, [sender]]] : [])),
      ),
    });
  });

  app.post(`${facilitatorPath}/verify`, async (c) => {
    const { payment, payer } = await readRequest(c);
    const refused = await checks.run(c, () => refusalOf(() => verifyFacilitated(context, payment)));
    if (refused === null) return c.json({ isValid: true, payer });
    return c.json({ isValid: false, payer, invalidReason: refused.reason, invalidMessage: refused.message });
  });

  app.post(`${facilitatorPath}/settle`, async (c) => {
    const { payment, payer, network } = await readRequest(c);
    const failure = { success: false, transaction: "", network, payer };
    try {
      const { row, state } = await checks.run(c, () => settleFacilitated(context, payment));
      const followed = await follow(c, row, state).catch(async (error) => {
        await releaseClaim(context, state.payment.id);
        throw error;
      });
      const { transaction_hash, error } = presentPayment(followed);
      const result = { ...failure, transaction: transaction_hash ?? "", amount: row.amount.toString() };
      if (error !== null)
        return c.json({ ...result, errorReason: "transaction_failed", errorMessage: error });
      if (followed.creation === null) {
        await releaseClaim(context, followed.payment.id);
        return c.json({ ...result, errorReason: "settlement_pending" });
      }
      return c.json({ ...result, success: true });
    } catch (error) {
      const { reason, message } = reasonOf(error);
      return c.json({ ...failure, errorReason: reason, errorMessage: message });
    }
  });

  /** Waits as `followPayment`. If too many requests wait already, the answer comes at once. */
  async function follow(c: HonoContext, { buyerAccountId }: PaidOrder, state: PaymentState) {
    const signal = AbortSignal.any([c.req.raw.signal, shutdownOf(context).signal]);
    const watch = isOnItsWay(state) ? await waits.open(buyerAccountId, originOf(c), signal) : null;
    if (!watch) return state;
    return followPayment(context, state, () => signal).finally(watch.close);
  }

  async function describeNetwork(chainId: number) {
    const network = `eip155:${chainId}`;
    const sender = await readRelayer(context.db, chainId);
    const exact = { x402Version: 2, scheme: "exact", network };
    const upto = { x402Version: 2, scheme: "upto", network, extra: { facilitatorAddress: sender } };
    return { network, sender, kinds: sender ? [exact, upto] : [exact] };
  }
}

/** @throws ApiError `invalid_request` with each fault */
async function readRequest(
  c: HonoContext,
): Promise<{ payment: FacilitatedPayment; payer: Address; network: string }> {
  const text = await c.req.text();
  checkSize(text);
  const { paymentPayload, paymentRequirements: accepted } = parseAs(
    requestSchema,
    text === "" ? null : parseJson(text),
    "The request does not match x402's facilitator protocol (version 2).",
  );
  const { signed } = parsePayment(paymentPayload);
  const { network } = accepted;
  const payment = { signed, accepted, chainId: Number(network.slice(7)), payTo: getAddress(accepted.payTo) };
  return { payment, payer: paymentKeyOf(signed).payer, network };
}

/** Returns why a payment is refused, null if it is not. */
async function refusalOf(check: () => Promise<void>) {
  try {
    await check();
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Returns a refusal in x402's form. @throws any other error, and refusals that concern no payment */
function reasonOf(error: unknown): { reason: string; message: string } {
  if (error instanceof PaymentRefusal) return error;
  const ofOrder = ["invalid_state", "conflict", "approval_required", "spend_limit_exceeded"];
  if (error instanceof Refusal && ofOrder.includes(error.code)) {
    return { reason: error.code, message: error.message };
  }
  throw error;
}
