import { and, eq } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { OfferChanged } from "../../db/new-order.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { order } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { parseAmount } from "../../protocol/settlement/money.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { chooseToken, requireAmountIn } from "../services/payment-token.ts";
import { chooseQuantity, isMeasured, largestQuantity, requireDirectOrders } from "../services/pricing.ts";
import { readServiceWithAgent, requireOnSale, type ServiceWithAgent } from "../services/sale.ts";
import { type Buyer, checkOrderTerms, type OrderRequest, type PlacingContext } from "./order-terms.ts";
import { writeOrder } from "./placement.ts";

/** A request names the quantity. For a metered service or a session it may name the most to charge. */
type DirectRequest = OrderRequest & {
  service_id: string;
  quantity?: number | undefined;
  /** a decimal amount of the paying token */
  max_amount?: string | undefined;
};

/** The most attempts while the service or its agent keeps changing. */
const tries = 5;

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
  for (let attempt = 0; attempt < tries; attempt += 1) {
    try {
      return await placeAsOffered(context, buyer, request, repeated?.orderId);
    } catch (error) {
      if (!(error instanceof OfferChanged)) throw error;
    }
  }
  throw new Refusal("conflict", "The service keeps changing. Read it again, then order.");
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
  const { service, agent } = found;
  requireDirectOrders(service.pricingModel);
  const quantity = chooseQuantity(service, unitsWithin(config, service, request) ?? request.quantity);
  const price = { quantity, price: service.price, deliveryTimeHours: service.deliveryTimeHours };
  const terms = { ...(await checkOrderTerms(context, buyer, found, price, request)), orderId };
  const offer = { service: service.version, agent: agent.version };
  return inTransaction(db, (tx) => writeOrder(tx, config, terms, { offer }));
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

/**
 * Returns the units, or the calls, that a `max_amount` pays; undefined without one.
 *
 * @throws Refusal `invalid_request` if the amount pays no unit, is no amount of the token, or stands beside a quantity
 */
function unitsWithin(
  config: PlacingContext["config"],
  service: ServiceWithAgent["service"],
  { max_amount, quantity, pay_with }: DirectRequest,
): number | undefined {
  if (max_amount === undefined) return undefined;
  const refuse = (keyword: string, message: string) => refuseField("max_amount", keyword, message);
  if (!isMeasured(service.pricingModel)) {
    throw refuse(
      "model",
      "Field max_amount: omit it, because this service is not metered and has no sessions. Use quantity.",
    );
  }
  if (quantity !== undefined) {
    throw refuse("model", "Field max_amount: send either max_amount or quantity, not both.");
  }
  const paidIn = chooseToken(config, service, pay_with);
  const { decimals, symbol } = paidIn.token;
  const most = parseAmount(max_amount, decimals);
  if (most === null) {
    throw refuse("amount", `Field max_amount: use a decimal with at most ${decimals} decimals (${symbol}).`);
  }
  const units = most / requireAmountIn(config, service.price, paidIn);
  if (units === 0n) throw refuse("minimum", "Field max_amount: the amount is below the price of one unit.");
  return Number(units < BigInt(largestQuantity) ? units : BigInt(largestQuantity));
}
