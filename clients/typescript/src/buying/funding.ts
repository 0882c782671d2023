// Brings an order's money into the escrow, and pays again if the chain refuses a payment.

import type { BaseClient } from "../base-client.ts";
import type { Order } from "../generated/types.ts";
import { ApprovalRequiredError, OrderEndedError, PaymentFailedError } from "./errors.ts";

/** The most payments that may fail on the chain. */
const maxFailedPayments = 3;

/**
 * Pays an unpaid order, and waits until the service has seen the money on the chain.
 *
 * @param funding.pay pays once. It is called again for a payment that the chain refused
 * @param funding.until reads the order until the check returns it
 */
export async function fundOrder(
  { client, order, signal }: { client: BaseClient; order: Order; signal?: AbortSignal | undefined },
  {
    isPaid,
    pay,
    until,
  }: {
    isPaid: boolean;
    pay: () => Promise<void>;
    until: (
      check: (order: Order) => Promise<Order | undefined>,
      signal: AbortSignal | undefined,
    ) => Promise<Order>;
  },
): Promise<void> {
  let failed = 0;
  if (order.status === "created" && !isPaid) {
    const status = order.approval?.status;
    if (status === "pending" || status === "refused") throw new ApprovalRequiredError(order);
    await pay();
  }
  await until(async (current) => {
    if (current.status === "expired") throw new OrderEndedError(current.id, "expired", "funded");
    if (current.status !== "created") return current;
    if (order.settlement_rail === "x402") {
      const { payment } = await client.orders.getPayment(current.id, { signal });
      if (payment?.status === "failed") {
        failed += 1;
        if (failed >= maxFailedPayments)
          throw new PaymentFailedError(current.id, payment.error ?? "transaction_failed");
        await pay();
      }
    }
    return undefined;
  }, signal);
}
