import { typeid } from "typeid-js";
import type { Config } from "../../config/config.ts";
import { insertEvents } from "../../db/account-events.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, or, sql } from "../../db/drizzle.ts";
import { agent, openRequest, quote, service } from "../../db/schema.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { quoteEventData } from "../../protocol/facts/market-events.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { caps, requireBelowCap } from "../account-caps.ts";
import type { Caller } from "../context.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { pricingToken, readPrice } from "../services/pricing.ts";
import { readServiceWithAgent, type ServiceWithAgent } from "../services/service-on-sale.ts";
import { readStages, requireSums, type StageRequest } from "../services/stages.ts";
import { lockOpenRequest, type OpenRequestRow, requireTakesQuotes } from "./open-request.ts";

type QuoteRow = typeof quote.$inferSelect;

/** A quote with its agent, its service and the account of its request. */
export type QuoteWithContext = Omit<Awaited<ReturnType<typeof selectQuotes>>[number], "position">;

/** Selects quotes with their context and their position in a list. */
export function selectQuotes(db: Database | Transaction, position = sql<string>`null`) {
  return db
    .select({
      quote,
      position,
      request: {
        accountId: openRequest.accountId,
        budget: openRequest.budget,
        budgetCurrency: openRequest.budgetCurrency,
      },
      agent: { id: agent.id, slug: agent.slug, name: agent.name },
      service: { id: service.id, slug: service.slug, title: service.title },
    })
    .from(quote)
    .innerJoin(openRequest, eq(openRequest.id, quote.requestId))
    .innerJoin(agent, eq(agent.id, quote.agentId))
    .innerJoin(service, eq(service.id, quote.serviceId));
}

/** A provider's quote. Members have the API's names, because refusals name them. */
export type QuoteRequest = {
  /** an agent of the caller; `service_id` is a published service of it */
  agent_slug: string;
  service_id: string;
  /** an exact decimal in the pricing token */
  price: string;
  delivery_time_hours: number;
  /** of which the price and the delivery time are the sums; `checkStageSchemas` has checked their schemas */
  stages?: StageRequest[] | undefined;
  message?: string | undefined;
  /** the request's expiry by default */
  expires_at?: Date | undefined;
};

/**
 * Gives a quote on an open request, with an event for the account that posted the request.
 *
 * @throws Refusal that names the broken rule
 */
export async function giveQuote(
  tx: Transaction,
  config: Pick<Config, "defaultChain">,
  caller: Caller,
  requestId: string,
  request: QuoteRequest,
): Promise<QuoteWithContext> {
  const price = readPrice(request.price, config);
  const stages = request.stages ? readStages(config, request.stages) : null;
  if (stages) requireSums(stages, { price, hours: request.delivery_time_hours });
  const requestRow = await lockOpenRequest(tx, requestId);
  if (requestRow.accountId === caller.accountId) {
    throw new Refusal("conflict", "You cannot quote on your own request.");
  }
  requireTakesQuotes(requestRow);
  const { service, agent } = await readQuotable(tx, caller, request);
  requireQuotedModel(service, stages);
  const expiresAt = readExpiry(request, requestRow);
  // An expired quote does not block a new one.
  await tx
    .update(quote)
    .set({ status: "withdrawn", updatedAt: sql`now()` })
    .where(
      and(
        eq(quote.requestId, requestRow.id),
        eq(quote.serviceId, service.id),
        eq(quote.status, "offered"),
        sql`${quote.expiresAt} <= now()`,
      ),
    );
  const today = and(
    eq(quote.accountId, caller.accountId),
    sql`${quote.createdAt} > now() - interval '1 day'`,
  );
  await requireBelowCap(tx, caller.accountId, [quote, today], caps.quotesADay, "quotes a day");
  const { decimals } = pricingToken(config);
  const [row] = await tx
    .insert(quote)
    .values({
      id: typeid("quo").toString(),
      requestId: requestRow.id,
      accountId: caller.accountId,
      agentId: agent.id,
      serviceId: service.id,
      price,
      priceCurrency: service.priceCurrency,
      deliveryTimeHours: request.delivery_time_hours,
      stages,
      message: request.message ?? null,
      expiresAt,
    })
    .onConflictDoNothing()
    .returning({ id: quote.id });
  if (!row) {
    throw new Refusal(
      "conflict",
      "This service already has a quote on the request. Withdraw that quote first.",
    );
  }
  const given = await readQuote(tx, caller, row.id);
  const data = quoteEventData({
    quote_id: row.id,
    request_id: requestRow.id,
    agent: given.agent,
    price: formatAmount(price, decimals),
    price_base_units: price.toString(),
    currency: service.priceCurrency,
    delivery_time_hours: request.delivery_time_hours,
    expires_at: given.quote.expiresAt.toISOString(),
  });
  const received = { accountId: requestRow.accountId, type: "quote.received", orderId: null, data } as const;
  await insertEvents(tx, [{ ...received, key: `quote:${row.id}` }]);
  return given;
}

/** Reads the service of a quote, which must be published and belong to the named agent of the caller. */
async function readQuotable(
  tx: Transaction,
  caller: Caller,
  request: Pick<QuoteRequest, "agent_slug" | "service_id">,
): Promise<ServiceWithAgent> {
  const found = await readServiceWithAgent(tx, request.service_id);
  if (found?.agent.accountId !== caller.accountId || found.agent.slug !== request.agent_slug) {
    const message = `Your agent ${request.agent_slug} has no service with this id.`;
    throw refuseField("service_id", "service", message);
  }
  if (found.service.status !== "published" || found.agent.status !== "published") {
    throw new Refusal("invalid_state", "Only a published service of a published agent can quote.");
  }
  return found;
}

/**
 * Requires a pricing model that a quote's one price fits.
 *
 * @throws Refusal `invalid_state` for a service whose orders are sessions, and for stages of a metered service
 */
export function requireQuotedModel(
  { pricingModel }: Pick<ServiceWithAgent["service"], "pricingModel">,
  stages: QuoteRow["stages"],
): void {
  if (pricingModel === "per_call") {
    const message = "A per_call service sells sessions, so it takes no quotes. Use another service.";
    throw new Refusal("invalid_state", message);
  }
  if (pricingModel === "metered" && stages) {
    const message = "A metered service has no stages: its charge follows the units. Use another service.";
    throw new Refusal("invalid_state", message);
  }
}

function readExpiry({ expires_at }: Pick<QuoteRequest, "expires_at">, requestRow: OpenRequestRow): Date {
  const expiresAt = expires_at ?? requestRow.expiresAt;
  if (expiresAt.getTime() > Date.now() && expiresAt <= requestRow.expiresAt) return expiresAt;
  const message = `Field expires_at: use a time before the request ends, at ${requestRow.expiresAt.toISOString()}.`;
  throw refuseField("expires_at", "range", message);
}

/**
 * Withdraws a quote of the caller before it is accepted. A repeated withdrawal changes nothing.
 *
 * @throws Refusal `not_found`, `invalid_state`
 */
export async function withdrawQuote(tx: Transaction, caller: Caller, id: string): Promise<QuoteWithContext> {
  const { quote: row } = await lockQuote(tx, caller, id);
  if (row.accountId !== caller.accountId) {
    throw new Refusal("invalid_state", "Only the account that gave the quote can withdraw it.");
  }
  if (row.status === "accepted") {
    throw new Refusal(
      "invalid_state",
      "This quote was accepted and has an order, so it cannot be withdrawn.",
    );
  }
  if (row.status === "offered") {
    await tx.update(quote).set({ status: "withdrawn", updatedAt: sql`now()` }).where(eq(quote.id, row.id));
  }
  return readQuote(tx, caller, row.id);
}

/** Whether a quote has expired without being accepted, withdrawn or declined. */
export function isQuoteOver(row: Pick<QuoteRow, "status" | "expiresAt">): boolean {
  return row.status === "offered" && row.expiresAt.getTime() <= Date.now();
}

/** Reads a quote that the caller gave or received. @throws Refusal `not_found` */
export async function readQuote(
  db: Database | Transaction,
  caller: Caller,
  id: string,
): Promise<QuoteWithContext> {
  const own = or(eq(quote.accountId, caller.accountId), eq(openRequest.accountId, caller.accountId));
  const [row] = isId("quo", id) ? await selectQuotes(db).where(and(eq(quote.id, id), own)) : [];
  if (!row) throw notFound();
  return row;
}

/** Locks a quote of the caller and its request. The request is locked first, so that two transactions cannot deadlock. */
export async function lockQuote(tx: Transaction, caller: Caller, id: string) {
  const { quote: found } = await readQuote(tx, caller, id);
  const request = await lockOpenRequest(tx, found.requestId);
  const [row] = await tx.select().from(quote).where(eq(quote.id, id)).for("update");
  if (!row) throw notFound();
  return { request, quote: row };
}

function notFound(): Refusal {
  return new Refusal("not_found", "You have neither given nor received a quote with this id.");
}
