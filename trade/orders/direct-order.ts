import type { Database } from "../../db/client.ts";
import { and, eq } from "../../db/drizzle.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { order } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { Refusal } from "../refusal.ts";
import { unitsWithin } from "../services/max-amount-units.ts";
import { chooseQuantity, requireDirectOrders } from "../services/pricing.ts";
import { readServiceWithAgent, requireOnSale } from "../services/service-on-sale.ts";
import { type Buyer, checkOrderTerms, type OrderRequest, type PlacingContext } from "./order-terms.ts";
import { retryChanged, writeOrder } from "./placement.ts";

/** A request names the quantity. For a metered service or a session it may name the most to charge. */
type DirectRequest = OrderRequest & {
  service_id: string;
  quantity?: number | undefined;
  /** a decimal amount of the paying token */
  max_amount?: string | undefined;
};

/**
 * Places an order for a service at its listed price. The statement that writes the order checks that the offer is
 * unchanged.
 *
 * @param repeated.orderId the order's id, which an idempotent request fixes
 * @param repeated.mayStand whether an earlier attempt may have placed the order, which is then returned
 * @throws Refusal that names the broken rule; nothing is written then
 */
export async function placeOrder(
  context: PlacingContext,
  buyer: Buyer,
  request: DirectRequest,
  repeated?: { orderId: string; mayStand: boolean },
): Promise<OrderRow> {
  const placed = repeated?.mayStand && (await readPlaced(context.db, buyer, repeated.orderId));
  if (placed) return placed;
  return await retryChanged(() => placeAsOffered(context, buyer, request, repeated?.orderId));
}

/**
 * Places the order of a session, whose total is the balance.
 *
 * @throws Refusal `invalid_state` for a service without sessions, or as `placeOrder`
 */
export async function placeSession(
  context: PlacingContext,
  buyer: Buyer,
  request: DirectRequest,
  repeated?: { orderId: string; mayStand: boolean },
): Promise<OrderRow> {
  const found = await readServiceWithAgent(context.db, request.service_id);
  if (found && found.service.pricingModel !== "per_call") {
    throw new Refusal("invalid_state", "This service has no sessions. Place an order instead.");
  }
  return await placeOrder(context, buyer, request, repeated);
}

async function placeAsOffered(
  context: PlacingContext,
  buyer: Buyer,
  request: DirectRequest,
  orderId: string | undefined,
): Promise<OrderRow> {
  const { db, config } = context;
  const found = await readServiceWithAgent(db, request.service_id);
  requireOnSale(found, buyer.accountId);
  const { service } = found;
  requireDirectOrders(service.pricingModel);
  const quantity = chooseQuantity(service, unitsWithin(config, service, request) ?? request.quantity);
  const { price: unitPrice, deliveryTimeHours, stages } = service;
  const price = { quantity, price: unitPrice, deliveryTimeHours, stages };
  const terms = { ...(await checkOrderTerms(context, buyer, found, price, request)), orderId };
  return inTransaction(db, (tx) => writeOrder(tx, config, terms));
}

async function readPlaced(
  db: Database,
  buyer: Pick<Buyer, "accountId">,
  orderId: string,
): Promise<OrderRow | undefined> {
  const own = and(eq(order.id, orderId), eq(order.buyerAccountId, buyer.accountId));
  const [row] = await db.select().from(order).where(own);
  return row;
}
