import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agent, fact, quote, service } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { closeRequest, postRequest, readOpenRequest } from "../../../trade/requests/open-request.ts";
import { giveQuote, withdrawQuote } from "../../../trade/requests/quote.ts";
import { acceptQuote } from "../../../trade/requests/quote-acceptance.ts";
import { createTrade, type Trade } from "../../harness/market/trade.ts";

let trade: Trade;
let offered: Awaited<ReturnType<Trade["offerService"]>>;
beforeAll(async () => {
  trade = await createTrade();
  offered = await trade.offerService({ pricingModel: "negotiated", price: 0n });
});
afterAll(() => trade?.close());

const input_payload = { text: "Guten Tag" };
const post = () =>
  inTransaction(trade.db, (tx) =>
    postRequest(tx, trade.context.config, trade.buyer, {
      title: "A manual into Japanese",
      description: "Forty pages.",
      tags: ["japanese"],
      budget: "200",
    }),
  );
const give = (requestId: string, who = trade.seller, fields: { price?: string; expires_at?: Date } = {}) =>
  inTransaction(trade.db, (tx) =>
    giveQuote(tx, trade.context.config, who, requestId, {
      agent_slug: offered.agent.slug,
      service_id: offered.id,
      price: "180",
      delivery_time_hours: 36,
      ...fields,
    }),
  );
const accept = (id: string, who = trade.buyer, payload: Record<string, unknown> = input_payload) =>
  acceptQuote(trade.context, who, id, { input_payload: payload });
/** A request with a quote on it. */
async function quoted() {
  const { id: requestId } = await post();
  return { requestId, id: (await give(requestId)).quote.id };
}

describe("acceptQuote", () => {
  test("places the order at the quote's terms, and closes the request", async () => {
    const { requestId, id } = await quoted();
    const row = await accept(id);
    expect(row).toMatchObject({ amount: 180_000_000n, quantity: 1, deliveryWindow: 36 * 3600 });
    const [created] = await trade.db.select().from(fact).where(eq(fact.orderId, row.id));
    expect(created).toMatchObject({ type: "order.created", data: { quote_id: id } });
    expect((await readOpenRequest(trade.db, trade.buyer, requestId)).request.status).toBe("accepted");
    await trade.expectRefusal(() => accept(id), "invalid_state");
  });

  test("a quote is in its service's currency, and is refused once the service has another", async () => {
    const setCurrency = (priceCurrency: string) =>
      trade.db.update(service).set({ priceCurrency }).where(eq(service.id, offered.id));
    await setCurrency("USD");
    const { id: requestId } = await post();
    const { quote: given } = await give(requestId);
    expect(given.priceCurrency).toBe("USD");
    await setCurrency("EUR");
    await trade.expectRefusal(() => accept(given.id), "invalid_state");
    await setCurrency("USD");
    expect(await accept(given.id)).toMatchObject({ amount: 180_000_000n });
    await setCurrency("TUSD");
  });

  test("places one order when two race", async () => {
    const { id } = await quoted();
    const results = await Promise.allSettled([accept(id), accept(id)]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("is refused to other accounts, and for closed quotes", async () => {
    const { expectRefusal, seller, signUp, db, buyer } = trade;
    const { id, requestId } = await quoted();
    const outsider = await signUp();
    await expectRefusal(() => accept(id, outsider), "not_found");
    await expectRefusal(() => accept("no id"), "not_found");
    await expectRefusal(() => accept(id, seller), "invalid_state");
    await expectRefusal(() => accept(id, buyer, { text: "" }), "input_schema_violation", "/text");
    await db.update(service).set({ available: false }).where(eq(service.id, offered.id));
    await expectRefusal(() => accept(id), "invalid_state");
    await db.update(service).set({ available: true }).where(eq(service.id, offered.id));
    await db.update(agent).set({ payoutWallet: null }).where(eq(agent.id, offered.agent.id));
    await expectRefusal(() => accept(id), "invalid_state");
    await db.update(agent).set({ payoutWallet: seller.primaryAddress }).where(eq(agent.id, offered.agent.id));
    await inTransaction(db, (tx) => closeRequest(tx, buyer, requestId));
    await expectRefusal(() => accept(id), "invalid_state");

    const other = await quoted();
    await expectRefusal(() => inTransaction(db, (tx) => withdrawQuote(tx, buyer, other.id)), "invalid_state");
    await inTransaction(db, (tx) => withdrawQuote(tx, seller, other.id));
    await expectRefusal(() => accept(other.id), "invalid_state");

    const late = await quoted();
    await db
      .update(quote)
      .set({ expiresAt: new Date(0) })
      .where(eq(quote.id, late.id));
    await expectRefusal(() => accept(late.id), "invalid_state");
  });
});

describe("giveQuote", () => {
  test("is refused on one's own request, for another's service, twice, and after the request's expiry", async () => {
    const { expectRefusal, buyer, signUp } = trade;
    const { id } = await post();
    const outsider = await signUp();
    await expectRefusal(() => give(id, buyer), "conflict");
    await expectRefusal(() => give(id, outsider), "invalid_request", "/service_id");
    await expectRefusal(() => give(id, undefined, { price: "0" }), "invalid_request", "/price");
    const beyond = new Date(Date.now() + 100 * 86_400_000);
    await expectRefusal(() => give(id, undefined, { expires_at: beyond }), "invalid_request", "/expires_at");
    await give(id);
    await expectRefusal(() => give(id), "conflict");
  });
});
