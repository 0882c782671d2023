import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Quote, Service } from "../src/index.ts";
import { joinMarket, type Market, type Member } from "./market.fixture.ts";

let market: Market;
let provider: Member;
let buyer: Member;
let service: Service;

beforeAll(async () => {
  market = await joinMarket();
  [provider, buyer] = await Promise.all([market.join(), market.join()]);
  service = await market.publish(provider, { tags: ["numbers"], pricing_model: "negotiated" });
});
afterAll(() => market?.close());

/** A quote on a request of the buyer's, as the buyer reads it. */
async function quoteFor(price: string) {
  const request = await buyer.client.requests.post({
    title: "Twice a number",
    description: "Only once.",
    tags: ["numbers"],
    budget: "20",
  });
  const { id } = await provider.client.quotes.give(request.id, {
    agent_slug: service.agent.slug,
    service_id: service.id,
    price,
    delivery_time_hours: 48,
  });
  return await buyer.client.quotes.get(id);
}

test("buys by a quote, at its price and in its time, and again goes on with the same order", async () => {
  const quote = await quoteFor("7.25");
  const options = {
    wallet: market.stack.chain.wallet(buyer.wallet),
    maxAmount: "8",
    issuer: market.issuer,
  };
  const had = await market.balanceOf(buyer.wallet.address);
  const purchase = await buyer.client.buyQuote(quote, { number: 4 }, options);
  expect(purchase.order).toMatchObject({ status: "funded", total_amount: "7.250000" });
  expect(purchase.agreed.terms.deliveryWindow).toBe(48 * 3600);
  const again = await buyer.client.buyQuote(quote, { number: 4 }, options);
  expect(again.orderId).toBe(purchase.orderId);
  expect(had - (await market.balanceOf(buyer.wallet.address))).toBe(7_250_000n);
  await expect(buyer.client.buyQuote(quote, { number: 5 }, options)).rejects.toMatchObject({
    field: "agreement.input_digest",
  });
});

test("signs nothing where the order costs another price, or takes longer, than the quote that was read", async () => {
  const sign = vi.spyOn(buyer.wallet, "signTypedData");
  const wallet = market.stack.chain.wallet(buyer.wallet);
  const options = { wallet, maxAmount: "20", issuer: market.issuer };
  const lies: [Partial<Quote>, string][] = [
    [{ price: "5.00" }, "agreement.unit_price_base_units"],
    [{ delivery_time_hours: 24 }, "agreement.delivery_window_seconds"],
    [{ stages: [] }, "agreement.stages"],
  ];
  for (const [shown, field] of lies) {
    const quote: Quote = { ...(await quoteFor("9.00")), ...shown };
    await expect(buyer.client.buyQuote(quote, { number: 4 }, options)).rejects.toMatchObject({ field });
  }
  const dear = await quoteFor("9.00");
  const little = { ...options, maxAmount: "8.99" };
  await expect(buyer.client.buyQuote(dear, { number: 4 }, little)).rejects.toMatchObject({
    field: "agreement.amount_base_units",
  });
  expect(sign).not.toHaveBeenCalled();
});
