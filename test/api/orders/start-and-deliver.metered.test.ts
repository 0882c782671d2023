import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectStatus, publishService } from "../../harness/api.ts";
import {
  ask,
  createMarket,
  expectRefusal,
  indexer,
  type Market,
  rowOf,
  settleNow,
} from "../../harness/market/market.ts";

let market: Market;
let service: string;
const metered = { pricing_model: "metered", price: "0.05", price_unit: "page", max_quantity: 100 };

beforeAll(async () => {
  market = await createMarket();
  service = (await publishService(market.api, market.provider, metered)).service.id;
});
afterAll(() => market.api.close());

const order = (fields: Record<string, unknown> = {}) =>
  ask(market, market.buyer, "POST", "/orders", { service_id: service, ...fields });

/** A metered order whose provider has begun. */
async function start(fields: Record<string, unknown> = {}): Promise<string> {
  const { id } = expectStatus(201, await order(fields));
  await indexer(market, await rowOf(market, id)).funded();
  await settleNow(market);
  expectStatus(200, await ask(market, market.provider, "POST", `/orders/${id}/start`));
  return id;
}
const deliver = (id: string, units?: unknown) =>
  ask(market, market.provider, "POST", `/orders/${id}/deliver`, { output_payload: {}, units });

describe("the maximum of a metered order", () => {
  test.each([
    ["its quantity", { quantity: 30 }, 30, "1.500000"],
    ["the service's maximum", {}, 100, "5.000000"],
    ["what an amount pays, in whole units", { max_amount: "1.29" }, 25, "1.250000"],
    ["an amount for all units", { max_amount: "5" }, 100, "5.000000"],
  ])("is %s", async (_, fields, quantity, total_amount) => {
    expect(expectStatus(201, await order(fields))).toMatchObject({
      pricing_model: "metered",
      quantity,
      total_amount,
      units: null,
      charge: null,
      charge_base_units: null,
    });
  });

  test.each([
    ["a quantity beside it", { max_amount: "1", quantity: 2 }, "either max_amount or quantity"],
    ["less than a unit", { max_amount: "0.049999" }, "below the price of one unit"],
    ["no amount of the token", { max_amount: "0.0000001" }, "at most 6 decimals"],
    ["more than the service sells", { max_amount: "5.05" }, "from 1 to 100"],
  ])("is refused for an amount with %s", async (_, fields, message) => {
    await expectRefusal(market, () => order(fields), 400, "invalid_request", message);
  });

  test("is refused for a service that is not metered", async () => {
    const send = () =>
      order({ service_id: market.service.id, input_payload: { text: "x" }, max_amount: "5" });
    await expectRefusal(market, send, 400, "invalid_request", "not metered");
  });

  test("has to be stated if the service has none", async () => {
    const fields = { ...metered, max_quantity: undefined };
    const { id } = (await publishService(market.api, market.provider, fields)).service;
    await expectRefusal(market, () => order({ service_id: id }), 400, "invalid_request", "has no maximum");
    expect(expectStatus(201, await order({ service_id: id, quantity: 7 })).total_amount).toBe("0.350000");
  });
});

describe("the delivery of a metered order", () => {
  test("states its units, and the order shows their price", async () => {
    const id = await start();
    expect(expectStatus(200, await deliver(id, 7))).toMatchObject({
      status: "delivered",
      units: 7,
      charge: "0.350000",
      charge_base_units: "350000",
      total_amount: "5.000000",
    });
    const { items } = expectStatus(200, await ask(market, market.buyer, "GET", `/orders/${id}/events`));
    expect(items.at(-1)).toMatchObject({
      type: "order.delivered",
      data: { units: 7, charge: "0.350000", charge_base_units: "350000" },
    });
  });

  test.each([
    ["no units", undefined, "state the units"],
    ["more units than the buyer pays", 101, "at most 100"],
    ["no unit at all", 0, "units"],
    ["a part of a unit", 1.5, "units"],
  ])("is refused with %s, and the order stays started", async (_, units, message) => {
    const id = await start();
    await expectRefusal(market, () => deliver(id, units), 400, "invalid_request", message);
    expect((await rowOf(market, id)).status).toBe("started");
  });

  test("keeps its units in a revision", async () => {
    const id = await start();
    expectStatus(200, await deliver(id, 7));
    const reason = { reason: "Page 3 is missing." };
    expectStatus(200, await ask(market, market.buyer, "POST", `/orders/${id}/revision`, reason));
    expect(await rowOf(market, id)).toMatchObject({ status: "started", deliveredUnits: 7 });
    await expectRefusal(market, () => deliver(id, 8), 400, "invalid_request", "units of the first delivery");
    expect(expectStatus(200, await deliver(id, 7))).toMatchObject({ units: 7, charge: "0.350000" });
  });

  test("of another order states no units", async () => {
    const body = { service_id: market.service.id, input_payload: { text: "x" } };
    const { id } = expectStatus(201, await ask(market, market.buyer, "POST", "/orders", body));
    await indexer(market, await rowOf(market, id)).funded();
    await settleNow(market);
    expectStatus(200, await ask(market, market.provider, "POST", `/orders/${id}/start`));
    await expectRefusal(market, () => deliver(id, 1), 400, "invalid_request", "not metered");
  });
});

test("a metered service is published with a unit only", async () => {
  const { agent, provider, api } = market;
  const path = `/agents/${agent.slug}/services`;
  const body = { slug: "unitless", title: "No unit", delivery_time_hours: 1, ...metered, price_unit: null };
  expectStatus(201, await api.request("POST", path, { token: provider.token, body }));
  const answer = await api.request("POST", `${path}/unitless/publish`, { token: provider.token });
  expect(answer.body.error.details).toMatchObject([{ path: "/price_unit" }]);
});
