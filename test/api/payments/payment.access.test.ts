import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { order as orderTable } from "../../../db/schema.ts";
import { gasBounds } from "../../../trade/relay/gas-bounds.ts";
import { createKey, expectStatus } from "../../harness/api.ts";
import { ask, expectRefusal, indexer, place, rowOf, settleNow } from "../../harness/market/market.ts";
import { isUsed, type Signed } from "../../harness/market/payments.ts";
import { type Refusals, startRefusals } from "../../harness/market/refused.ts";

let market: Refusals["market"];
let order: Refusals["order"];
let post: Refusals["post"];
let sign: Refusals["sign"];

beforeAll(async () => {
  ({ market, order, post, sign } = await startRefusals());
});
afterAll(() => market?.close());

describe("who may pay, and which order", () => {
  let signed: Signed;
  beforeEach(async () => {
    signed = await sign();
  });

  test("is 404 for other accounts, and 409 for the provider", async () => {
    await expectRefusal(market, () => post(order, signed, {}, market.outsider), 404, "not_found");
    await expectRefusal(
      market,
      () => post(order, signed, {}, market.provider),
      409,
      "invalid_state",
      "Only the buyer",
    );
  });

  test("is 403 for a key without orders:write, and 401 for anonymous callers", async () => {
    const apiKey = await createKey(market.api, market.buyer, ["orders:read"]);
    const send = (access: { apiKey?: string }) => () =>
      market.api.request("POST", `/orders/${order.id}/payment`, { body: signed, ...access });
    await expectRefusal(market, send({ apiKey }), 403, "insufficient_scope", "orders:write");
    await expectRefusal(market, send({}), 401, "unauthenticated");
  });

  test("is 409 for an order on the other rail, and says what to do", async () => {
    const direct = await place(market);
    for (const body of [undefined, await sign({}, direct)]) {
      await expectRefusal(market, () => post(direct, body), 409, "invalid_state", "rail is escrow");
    }
  });

  test("is 409 once the funding window is over", async () => {
    const late = await place(market, { settlement_rail: "x402" });
    await market.api.db
      .update(orderTable)
      .set({ fundBy: Math.floor(Date.now() / 1000) - 1 })
      .where(eq(orderTable.id, late.id));
    for (const body of [undefined, await sign({}, late)]) {
      await expectRefusal(market, () => post(late, body), 409, "invalid_state", "funding window ended");
    }
  });

  test("is 409 for an order that is funded otherwise, and for one that is released", async () => {
    const third = await place(market, { settlement_rail: "x402" });
    const row = await rowOf(market, third.id);
    const mine = await sign({}, third);
    const refused = (message: string) =>
      expectRefusal(market, () => post(third, mine), 409, "invalid_state", message);
    await indexer(market, row).funded();
    await refused("escrow is funded already");
    await settleNow(market);
    await refused("order is funded");
    await indexer(market, row).ended("Released");
    await settleNow(market);
    await refused("order is released");
    expect(await isUsed(market.testChain, mine)).toBe(false);
  });
});

describe("the gas that the service pays", () => {
  test("is refused with 400 to place, and 409 to pay, an order under its smallest", async () => {
    const cheap = await place(market, { settlement_rail: "x402" });
    const signed = await sign({}, cheap);
    const { min_relay_amount } = market.chain;
    market.chain.min_relay_amount = 2_500_001n;
    try {
      for (const body of [undefined, signed]) {
        await expectRefusal(market, () => post(cheap, body), 409, "invalid_state", "2.500001 TUSD and more");
      }
      const body = {
        service_id: market.service.id,
        input_payload: { text: "Guten Tag" },
        settlement_rail: "x402",
      };
      const error = await expectRefusal(
        market,
        () => ask(market, market.buyer, "POST", "/orders", body),
        400,
        "invalid_request",
        "Use the rail escrow",
      );
      expect(error.details).toMatchObject([{ path: "/settlement_rail", keyword: "minimum" }]);
    } finally {
      market.chain.min_relay_amount = min_relay_amount;
    }
    expect(await isUsed(market.testChain, signed)).toBe(false);
  });

  test("is limited: 429 with Retry-After when the account's gas of the hour is used up", async () => {
    const { config } = market.api;
    const { relayGasPerHour } = config;
    const first = await place(market, { settlement_rail: "x402" });
    expectStatus(202, await post(first, await sign({}, first)));
    config.relayGasPerHour = gasBounds.payment;
    try {
      const signed = await sign();
      const pay = () => post(order, signed);
      await expectRefusal(market, pay, 429, "rate_limited", /used up for this hour/);
      const retryAfter = Number((await pay()).headers.get("retry-after"));
      // The first call is in flight, and its gas is known soon.
      expect(retryAfter).toBe(30);
      expect(await isUsed(market.testChain, signed)).toBe(false);
    } finally {
      config.relayGasPerHour = relayGasPerHour;
    }
  });
});
