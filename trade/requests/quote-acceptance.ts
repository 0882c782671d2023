import { and, eq, ne, sql } from "../../db/drizzle.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { openRequest, quote } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import {
  type Buyer,
  checkOrderTerms,
  type OrderRequest,
  type PlacingContext,
} from "../orders/order-terms.ts";
import { retryChanged, writeOrder } from "../orders/placement.ts";
import { Refusal } from "../refusal.ts";
import { readServiceWithAgent, requireOnSale } from "../services/service-on-sale.ts";
import { isBinding, requireTakesQuotes } from "./open-request.ts";
import { isQuoteOver, lockQuote, readQuote, requireQuotedModel } from "./quote.ts";

/**
 * Accepts a quote: places an order of quantity one at the quoted price. Ends the request and declines its other
 * quotes.
 *
 * @throws Refusal that names the broken rule; nothing is written then
 */
export function acceptQuote(
  context: PlacingContext,
  buyer: Buyer,
  id: string,
  request: OrderRequest,
): Promise<OrderRow> {
  return retryChanged(() => acceptAsQuoted(context, buyer, id, request));
}

async function acceptAsQuoted(
  context: PlacingContext,
  buyer: Buyer,
  id: string,
  request: OrderRequest,
): Promise<OrderRow> {
  const { db, config } = context;
  const found = await readQuote(db, buyer, id);
  if (found.request.accountId !== buyer.accountId) {
    throw new Refusal("invalid_state", "Only the account that posted the request can accept a quote on it.");
  }
  const quoted = await readServiceWithAgent(db, found.quote.serviceId);
  requireAcceptable(found.quote);
  requireOnSale(quoted, buyer.accountId);
  // The service may have another pricing model since the quote.
  requireQuotedModel(quoted.service, found.quote.stages);
  if (quoted.service.priceCurrency !== found.quote.priceCurrency) {
    throw new Refusal(
      "invalid_state",
      `The quote is in ${found.quote.priceCurrency}, and the service is now sold in ${quoted.service.priceCurrency}. Ask the provider for a new quote.`,
    );
  }
  const price = {
    quantity: 1,
    price: found.quote.price,
    deliveryTimeHours: found.quote.deliveryTimeHours,
    stages: found.quote.stages,
  };
  const terms = await checkOrderTerms(context, buyer, quoted, price, request);
  return inTransaction(db, async (tx) => {
    const locked = await lockQuote(tx, buyer, id);
    requireAcceptable(locked.quote);
    requireTakesQuotes(locked.request);
    const placed = await writeOrder(tx, config, { ...terms, origin: { quote_id: id } });
    await tx
      .update(quote)
      .set({ status: "declined", updatedAt: sql`now()` })
      .where(and(eq(quote.requestId, locked.request.id), ne(quote.id, id), isBinding));
    await tx
      .update(quote)
      .set({ status: "accepted", orderId: placed.id, updatedAt: sql`now()` })
      .where(eq(quote.id, id));
    await tx
      .update(openRequest)
      .set({ status: "accepted", closedAt: sql`now()` })
      .where(eq(openRequest.id, locked.request.id));
    return placed;
  });
}

function requireAcceptable(row: typeof quote.$inferSelect): void {
  if (row.status === "accepted") {
    throw new Refusal("invalid_state", `This quote was already accepted: its order is ${row.orderId}.`);
  }
  if (row.status === "withdrawn") throw new Refusal("invalid_state", "This quote was withdrawn.");
  if (row.status === "declined") throw new Refusal("invalid_state", "Another quote was accepted instead.");
  if (isQuoteOver(row))
    throw new Refusal("invalid_state", `This quote ended at ${row.expiresAt.toISOString()}.`);
}
