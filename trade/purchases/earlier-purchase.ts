import { and, desc, eq, inArray, isNull, ne, sql } from "../../db/drizzle.ts";
import { order, payment, wallet } from "../../db/schema.ts";
import type { ProvedWallet } from "../accounts/wallet-claim.ts";
import type { Context } from "../context.ts";
import { type CheckedFor, checkInput } from "../orders/order-terms.ts";
import { readPayment } from "../payments/payments.ts";
import { Refusal } from "../refusal.ts";
import { unitsWithin } from "../services/max-amount-units.ts";
import { chooseQuantity } from "../services/pricing.ts";
import type { ServiceWithAgent } from "../services/service-on-sale.ts";
import type { PurchasedOrder } from "./purchase.ts";
import type { PurchaseRequest } from "./purchase-offer.ts";

/** Whether an order can be claimed: until 30 days after its end, and at the latest a year after it was placed. */
export const isClaimable = sql`coalesce(
    ${order.completedAt},
    case when ${order.status} = 'expired' then to_timestamp(${order.fundBy}) end,
    now()) > now() - interval '30 days'
  and ${order.createdAt} > now() - interval '1 year'`;

/** The newest orders of a wallet's account among which an earlier purchase is searched. */
const mostSearched = 200;

/**
 * Finds the newest order of a service that a wallet has paid, for the wallet's own account.
 *
 * @param checkedFor the account whose time allowance the input's check uses
 * @param request the repeated request, which has the order's input, buyer and quantity; null finds any order of the service
 * @throws Refusal if the service does not take the input
 */
export async function findEarlierPurchase(
  context: Context,
  checkedFor: CheckedFor,
  offered: ServiceWithAgent,
  { address, chainId }: ProvedWallet,
  request: PurchaseRequest | null,
): Promise<PurchasedOrder | null> {
  const { db } = context;
  const requested = request ? await orderOf(context, checkedFor, offered, request) : undefined;
  const newest = db
    .select({ id: order.id })
    .from(order)
    .innerJoin(wallet, eq(wallet.accountId, order.buyerAccountId))
    .where(
      and(
        eq(wallet.address, address),
        chainId === null ? isNull(wallet.chainId) : eq(wallet.chainId, chainId),
      ),
    )
    .orderBy(desc(order.createdAt), desc(order.id))
    .limit(mostSearched);
  const [found] = await db
    .select({ row: order, paymentId: payment.id })
    .from(order)
    .innerJoin(payment, and(eq(payment.orderId, order.id), ne(payment.status, "failed")))
    .where(
      and(
        inArray(order.id, newest),
        eq(order.serviceId, offered.service.id),
        eq(payment.payer, address),
        // The address of a contract may belong to another wallet on another chain.
        chainId === null ? undefined : eq(order.chainId, chainId),
        requested,
        isClaimable,
      ),
    )
    .orderBy(desc(order.createdAt), desc(order.id))
    .limit(1);
  return found ? { row: found.row, payment: await readPayment(db, found.paymentId) } : null;
}

/** The condition that an order has the input, the buyer and the quantity of a request. */
async function orderOf(
  context: Context,
  checkedFor: CheckedFor,
  offered: ServiceWithAgent,
  request: PurchaseRequest,
) {
  const { input } = await checkInput(context, checkedFor, offered, request.input_payload ?? null);
  const quantity = quantityOf(context, offered, request);
  return and(
    eq(order.buyerAddress, request.buyer_address),
    sql`${order.agreement}->>'input_digest' is not distinct from ${input}::text`,
    quantity === null ? undefined : eq(order.quantity, quantity),
  );
}

/** The quantity that a request means; null if the service does not sell it. */
function quantityOf({ config }: Context, { service }: ServiceWithAgent, request: PurchaseRequest) {
  try {
    return chooseQuantity(service, unitsWithin(config, service, request) ?? request.quantity);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
