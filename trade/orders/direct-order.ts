import { and, eq } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import type { OrderRow } from "../../db/ledger.ts";
import { order } from "../../db/schema.ts";
import { checkQuantity, requireDirectOrders } from "../services/pricing.ts";
import { readServiceWithAgent, requireOnSale } from "../services/sale.ts";
import { writeOrder } from "./placement.ts";
import { type Buyer, checkOrderTerms, type OrderRequest, type PlacingContext } from "./terms.ts";

/**
 * Places an order for a service at its own price.
 *
 * @param request.quantity the service's smallest unless given
 * @param orderId of a request that may be repeated: an order that an earlier try has placed is given back
 * @throws Refusal saying which rule the order breaks; nothing is written then
 */
export async function placeOrder(
  context: PlacingContext,
  buyer: Buyer,
  request: OrderRequest & { service_id: string; quantity?: number | undefined },
  orderId?: string,
): Promise<OrderRow> {
  const { db, config } = context;
  const placed = orderId && (await readPlaced(db, buyer, orderId));
  if (placed) return placed;
  const found = await readServiceWithAgent(db, request.service_id);
  requireOnSale(found, buyer.accountId);
  const { service } = found;
  requireDirectOrders(service.pricingModel);
  const quantity = request.quantity ?? service.minQuantity;
  checkQuantity(service, quantity);
  const price = { quantity, unitPrice: service.price, deliveryTimeHours: service.deliveryTimeHours };
  const terms = await checkOrderTerms(context, buyer, found, price, request);
  return db.transaction((tx) => writeOrder(tx, config, { ...terms, orderId }));
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
