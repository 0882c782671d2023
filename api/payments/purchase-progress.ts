// Follows a purchase while its caller waits.

import type { Context as HonoContext } from "hono";
import type { Database } from "../../db/client.ts";
import { type OwnOrder, readOwnOrder } from "../../trade/orders/order-access.ts";
import { isOnItsWay, type PaymentState, readPayment } from "../../trade/payments/payments.ts";
import type { PurchasedOrder } from "../../trade/purchases/purchase.ts";
import type { Context } from "../context.ts";
import { originOf } from "../http/client-address.ts";
import { readPreferredWait } from "../http/preferred-wait.ts";
import { shutdownOf } from "../shutdown.ts";
import type { Variables } from "../variables.ts";
import { pollMilliseconds } from "./payment.ts";
import type { Waits } from "./payment-waits.ts";

/** Milliseconds between two polls of an order that waits for an event. */
const eventPollMilliseconds = 5000;

/** Statuses that end the wait for an output. */
const finalStatuses = new Set(["delivered", "disputed", "released", "refunded", "expired"]);

/**
 * Waits shortly for the payment, or for the output if the request prefers a wait. If too many requests wait already, the
 * answer comes at once.
 *
 * @returns the current state, and the seconds of the preference that was applied
 */
export async function followPurchase(
  context: Context,
  c: HonoContext<{ Variables: Variables }>,
  waits: Waits,
  { row: { id, buyerAccountId }, payment }: PurchasedOrder,
) {
  const { config, db } = context;
  const signal = AbortSignal.any([c.req.raw.signal, shutdownOf(context).signal]);
  const preferred = readPreferredWait(c, config.buying.waitSeconds);
  const seconds = preferred > 0 ? preferred : config.paymentWaitSeconds;
  const watch = seconds > 0 ? await waits.open(buyerAccountId, originOf(c), signal) : null;
  const until = watch ? Date.now() + seconds * 1000 : 0;
  try {
    let pause = pollMilliseconds.first;
    for (;;) {
      const now = await readState(db, id, buyerAccountId, payment.payment.id);
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
  db: Database,
  orderId: string,
  accountId: string,
  paymentId: string,
): Promise<OwnOrder & { payment: PaymentState }> {
  const own = await readOwnOrder(db, { accountId }, orderId);
  return { ...own, payment: await readPayment(db, paymentId) };
}
