import { and, eq, sql } from "drizzle-orm";
import { expect } from "vitest";
import { lockOrder, recordFacts } from "../../../db/ledger.ts";
import { event, fact } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { type Answer, expectStatus, type Session, signIn } from "../api.ts";
import { ask, createMarket, indexer, type Market, placeFunded, settleNow } from "./market.ts";

export const opinion = { rating: 4, text: "Delivered within the hour." };

/** A market, and the acts on its reviews. */
export async function createReviewMarket() {
  const market = await createMarket();
  const { api, buyer } = market;
  const request = (method: string, path: string, who: Session, body?: unknown, headers = {}) =>
    api.request(method, path, { token: who.token, body, headers });

  /** An order of the buyer's, or of another's, that the ledger has as settled. */
  async function placeSettled(as: "Released" | "Refunded" = "Released", who: Session = buyer, from = {}) {
    const placed = await placeFunded({ ...market, ...from, buyer: who });
    await indexer(market, placed.row).ended(as);
    await settleNow(market);
    return placed;
  }
  const write = (id: string, body: unknown = opinion, who: Session = buyer) =>
    request("POST", `/orders/${id}/review`, who, body);

  return {
    market,
    request,
    placeSettled,
    write,
    /** A settled order with its review. */
    async placeReviewed(body: unknown = opinion, as: "Released" | "Refunded" = "Released") {
      const { id } = await placeSettled(as);
      return { orderId: id, review: expectStatus(201, await write(id, body)) };
    },
    edit: (id: string, body: unknown, who: Session = buyer) =>
      request("PATCH", `/orders/${id}/review`, who, body),
    withdraw: (id: string, who: Session = buyer) => request("DELETE", `/orders/${id}/review`, who),
    answer: (id: string, text: unknown, who: Session = market.provider) =>
      request("POST", `/reviews/${id}/answer`, who, { text }),
    report: (id: string, who: Session, text: unknown = "It is untrue.") =>
      request("POST", "/reports", who, { subject: { kind: "review", id }, reason: "misleading", text }),
    /** Sends a request without a key, as the public does. */
    read: async (id: string) => expectStatus(200, await api.request("GET", `/reviews/${id}`)),
    list: async (query = "") =>
      expectStatus(200, await api.request("GET", `/agents/${market.agent.slug}/reviews${query}`)),
    /** A person who paid for an order of a service, of the provider's unless given. */
    async signUpBuyer(from: Partial<Pick<Market, "service">> = {}) {
      const who = await signIn(api);
      await placeSettled("Released", who, from);
      return who;
    },
    /** Adds a person to an organisation as a viewer. */
    async join(who: Session, founder: Session) {
      const { id } = expectStatus(
        201,
        await ask(market, founder, "POST", `/organisations/${founder.accountId}/invitations`, {
          address: who.account.address,
          role: "viewer",
        }),
      );
      expectStatus(200, await ask(market, who, "POST", `/invitations/${id}/accept`));
    },
    /** Copies a settled order and its review, for this buyer: a cheap way to many reviews. */
    async copy(orderId: string, times: number, who: Session) {
      const copies = await api.db.execute<{ id: string }>(sql`
        with orders as (
          insert into earnest."order" select (jsonb_populate_record(o, jsonb_build_object(
            'id', o.id || n, 'reference', o.reference || n, 'escrow_id', overlay(o.escrow_id placing lpad(n::text, 6, '0') from 20),
            'buyer_account_id', ${who.accountId}::text))).*
          from earnest."order" o, generate_series(1, ${times}) n where o.id = ${orderId} returning id)
        insert into earnest.review select (jsonb_populate_record(r, jsonb_build_object(
          'id', overlay(r.id placing lpad(n::text, 6, '0') from 20), 'order_id', r.order_id || n,
          'buyer_account_id', ${who.accountId}::text, 'created_at', now()))).*
        from earnest.review r, generate_series(1, ${times}) n, (select count(*) from orders) as made
        where r.order_id = ${orderId} returning id`);
      return copies.rows.map(({ id }) => id);
    },
    /** Reverts an order's release, as a reorganisation does. */
    async revertRelease(orderId: string) {
      const ofRelease = and(eq(fact.orderId, orderId), eq(fact.type, "order.released"));
      const [released] = await api.db.select().from(fact).where(ofRelease);
      if (!released) throw new Error("The order was not released.");
      await record(orderId, {
        type: "fact.reverted",
        key: `${released.key}:reverted`,
        data: { fact_id: released.id },
      });
    },
    /** Records the release again, in another block. */
    releaseAgain: (orderId: string) =>
      record(orderId, {
        type: "order.released",
        key: `${orderId}:again`,
        data: { amount_base_units: "2500000" },
      }),
    eventsOf: (who: Session, type: string, orderId: string) =>
      api.db
        .select()
        .from(event)
        .where(and(eq(event.accountId, who.accountId), eq(event.type, type), eq(event.orderId, orderId))),
  };

  async function record(
    orderId: string,
    chainFact: { type: "fact.reverted" | "order.released"; key: string; data: Record<string, unknown> },
  ) {
    await inTransaction(api.db, async (tx) => {
      const row = await lockOrder(tx, orderId);
      if (!row) throw new Error("The order is not there.");
      await recordFacts(tx, row, [{ ...chainFact, actor: "chain", occurredAt: new Date() }]);
    });
  }
}
export type ReviewMarket = Awaited<ReturnType<typeof createReviewMarket>>;

/** Asserts a refusal with this status and code. */
export function expectRefused(answer: Answer, status: number, code: string, message?: RegExp): void {
  expect([answer.status, answer.body.error?.code], JSON.stringify(answer.body)).toEqual([status, code]);
  if (message) expect(answer.body.error.message).toMatch(message);
}
