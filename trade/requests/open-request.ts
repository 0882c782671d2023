import { typeid } from "typeid-js";
import type { Config } from "../../config/config.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, exists, gt, or, type SQL, sql } from "../../db/drizzle.ts";
import { openRequest, quote } from "../../db/schema.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { caps, requireBelowCap } from "../account-caps.ts";
import { requireActive } from "../accounts/active-account.ts";
import type { Caller } from "../context.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { requireCurrency } from "../services/price-currency.ts";
import { pricingToken, readAmount } from "../services/pricing.ts";

const day = 86_400_000;
const usualDays = 14;
const mostDays = 90;

export type OpenRequestRow = typeof openRequest.$inferSelect;

/** Selects requests that take quotes now. */
export const takesQuotes = and(eq(openRequest.status, "open"), gt(openRequest.expiresAt, sql`now()`));

/** Selects binding quotes: neither accepted, withdrawn, declined nor expired. */
export const isBinding = and(eq(quote.status, "offered"), sql`${quote.expiresAt} > now()`);

const quoteCount = sql<number>`(
  select count(*)::int from ${quote} as q where q.request_id = open_request.id
  and (q.status = 'accepted' or (q.status = 'offered' and q.expires_at > now())))`;

/** A request with the number of its binding and accepted quotes. */
export const openRequestSelection = { request: openRequest, quoteCount };

/** The open request of a buyer. Members have the API's names, because refusals name them. */
export type PostedRequest = {
  title: string;
  description: string;
  tags: string[];
  /** an exact decimal in the pricing token */
  budget?: string | undefined;
  /** the currency of the budget; the default token's symbol by default */
  currency?: string | undefined;
  /** 14 days from now by default */
  expires_at?: Date | undefined;
};

/**
 * Posts an open request, on which providers can quote.
 *
 * @throws Refusal `invalid_request`, `account_banned`, `conflict` beyond `caps.openRequests`, `rate_limited` beyond `caps.requestsADay`
 */
export async function postRequest(
  tx: Transaction,
  config: Pick<Config, "defaultChain" | "chains">,
  caller: Caller,
  { budget, currency, expires_at, ...request }: PostedRequest,
): Promise<OpenRequestRow> {
  const expiresAt = expires_at ?? new Date(Date.now() + usualDays * day);
  if (expiresAt.getTime() <= Date.now() || expiresAt.getTime() > Date.now() + mostDays * day) {
    throw refuseField("expires_at", "range", `Field expires_at: use a time in the next ${mostDays} days.`);
  }
  await requireActive(tx, caller.accountId);
  const amount = budget === undefined ? null : readAmount("budget", budget, config);
  const named = currency === undefined ? undefined : requireCurrency(config, "currency", currency);
  const open = and(isOwn(caller), takesQuotes);
  const what = "open requests: close one first";
  await requireBelowCap(tx, caller.accountId, [openRequest, open], caps.openRequests, what);
  const today = await tx.$count(
    openRequest,
    and(isOwn(caller), gt(openRequest.createdAt, sql`now() - interval '1 day'`)),
  );
  if (today >= caps.requestsADay) {
    const message = `An account can post at most ${caps.requestsADay} requests a day.`;
    throw new Refusal("rate_limited", message, undefined, 3600);
  }
  const [created] = await tx
    .insert(openRequest)
    .values({
      ...request,
      id: typeid("rqt").toString(),
      accountId: caller.accountId,
      budget: amount,
      budgetCurrency: named ?? (amount === null ? null : pricingToken(config).symbol),
      expiresAt,
    })
    .returning();
  if (!created) throw new Error("The database returned no request.");
  return created;
}

/**
 * Closes a request of the caller and declines its quotes. A repeated close changes nothing.
 *
 * @throws Refusal `not_found`, `invalid_state` after a quote was accepted
 */
export async function closeRequest(tx: Transaction, caller: Caller, id: string): Promise<void> {
  const row = await lockOpenRequest(tx, id);
  if (row.accountId !== caller.accountId) throw notFound();
  if (row.status === "accepted") {
    throw new Refusal("invalid_state", "A quote on this request was accepted, so the request has ended.");
  }
  if (row.status === "closed") return;
  await tx.update(openRequest).set({ status: "closed", closedAt: sql`now()` }).where(eq(openRequest.id, id));
  await tx
    .update(quote)
    .set({ status: "declined", updatedAt: sql`now()` })
    .where(and(eq(quote.requestId, id), isBinding));
}

/** Whether a request takes quotes now. */
export function isOpen(row: Pick<OpenRequestRow, "status" | "expiresAt">): boolean {
  return row.status === "open" && !isRequestOver(row);
}

/** Whether a request has expired without being closed or accepted. */
export function isRequestOver(row: Pick<OpenRequestRow, "status" | "expiresAt">): boolean {
  return row.status === "open" && row.expiresAt.getTime() <= Date.now();
}

/**
 * Requires that a request takes quotes and acceptances.
 *
 * @throws Refusal `invalid_state`
 */
export function requireTakesQuotes(row: OpenRequestRow): void {
  if (row.status === "accepted")
    throw new Refusal("invalid_state", "A quote on this request was already accepted.");
  if (row.status === "closed") throw new Refusal("invalid_state", "This request was closed.");
  if (isRequestOver(row)) {
    throw new Refusal("invalid_state", `This request ended at ${row.expiresAt.toISOString()}.`);
  }
}

/**
 * Reads a request that the caller may see: an open one, the caller's own, or one that the caller quoted on.
 *
 * @throws Refusal `not_found`
 */
export async function readOpenRequest(db: Database, caller: Caller, id: string) {
  const [found] = isId("rqt", id)
    ? await db
        .select(openRequestSelection)
        .from(openRequest)
        .where(and(eq(openRequest.id, id), or(takesQuotes, isOwn(caller), hasQuoteOf(db, caller))))
    : [];
  if (!found) throw notFound();
  return found;
}

/** Locks a request of any account until the transaction ends. @throws Refusal `not_found` */
export async function lockOpenRequest(tx: Transaction, id: string): Promise<OpenRequestRow> {
  const [row] = isId("rqt", id)
    ? await tx.select().from(openRequest).where(eq(openRequest.id, id)).for("update")
    : [];
  if (!row) throw notFound();
  return row;
}

/** Selects the caller's own requests. */
export function isOwn(caller: Caller): SQL {
  return eq(openRequest.accountId, caller.accountId);
}

function hasQuoteOf(db: Database, caller: Caller): SQL {
  return exists(
    db
      .select({ one: sql`1` })
      .from(quote)
      .where(and(eq(quote.requestId, openRequest.id), eq(quote.accountId, caller.accountId))),
  );
}

function notFound(): Refusal {
  return new Refusal("not_found", "There is no open request with this id.");
}
