import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountSettlement, fact, receipt } from "../../../db/schema.ts";
import { createMarket, indexer, type Market, place, rowOf, settleNow } from "../../harness/market/market.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

test("an order has facts of its first 80 vouchers, and further ones hold up no other order", async () => {
  const [many, other] = [await place(market), await place(market)];
  const chain = indexer(market, await rowOf(market, many.id));
  await chain.funded();
  for (const number of [1, 80, 81, 82]) await chain.partReleased(number);
  await settleNow(market);
  await indexer(market, await rowOf(market, other.id)).funded();
  await settleNow(market);
  expect((await rowOf(market, other.id)).status).toBe("funded");
  const ofParts = and(eq(fact.orderId, many.id), eq(fact.type, "order.part_released"));
  const parts = await market.api.db.select().from(fact).where(ofParts);
  expect(parts.map(({ data }) => data.released_so_far_base_units).sort()).toEqual(["1", "80"]);
  const { db } = market.api;
  const receipts = await db.select().from(receipt).where(eq(receipt.orderId, many.id));
  const said = receipts.flatMap(({ document, claim }) => (claim === "part_released" ? [document] : []));
  expect(said.map(({ amount, released_so_far }) => [amount, released_so_far]).sort()).toEqual([
    ["1", "1"],
    ["1", "80"],
  ]);
  const payments = await db
    .select()
    .from(accountSettlement)
    .innerJoin(receipt, eq(receipt.id, accountSettlement.receiptId))
    .where(eq(receipt.orderId, many.id));
  expect(payments.map(({ account_settlement }) => account_settlement.claim)).toEqual(["funded", "funded"]);
});
