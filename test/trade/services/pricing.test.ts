import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectStatus, publishService } from "../../harness/api.ts";
import { ask, createMarket, expectRefusal, type Market } from "../../harness/market/market.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market.api.close());

const offer = async (fields: Record<string, unknown>) =>
  (await publishService(market.api, market.provider, fields)).service;
const order = (service_id: string, quantity?: number) =>
  ask(market, market.buyer, "POST", "/orders", { service_id, quantity });

describe("the amount of an order", () => {
  test.each([
    ["fixed", {}, undefined, "2.500000"],
    ["fixed", {}, 1, "2.500000"],
    ["fixed", { max_quantity: 4 }, 4, "10.000000"],
    ["fixed", { min_quantity: 2, max_quantity: 4 }, undefined, "5.000000"],
    ["fixed", { price: "0.000001" }, 1, "0.000001"],
    ["per_unit", { price: "0.1" }, 3, "0.300000"],
    ["per_unit", { price: "0.000001" }, 2 ** 31 - 1, "2147.483647"],
    ["per_unit", { price: "123456789.123456" }, 7, "864197523.864192"],
    ["hourly", { price: "40" }, 8, "320.000000"],
    ["hourly", { price: "40", min_quantity: 3 }, undefined, "120.000000"],
    [
      "per_unit",
      { price: "340282366920938463463374607431768.211455" },
      1,
      "340282366920938463463374607431768.211455",
    ],
  ])("%s %o, quantity %s: %s", async (pricing_model, fields, quantity, total) => {
    const { id } = await offer({ pricing_model, ...fields });
    const placed = expectStatus(201, await order(id, quantity));
    expect(placed.total_amount).toBe(total);
    expect(placed.total_amount_base_units).toBe(total.replace(".", "").replace(/^0+(?=\d)/, ""));
  });

  test.each([
    ["fixed", {}, 2, "invalid_request", "from 1 to 1"],
    ["fixed", { max_quantity: 3 }, 4, "invalid_request", "from 1 to 3"],
    ["per_unit", { min_quantity: 5 }, 4, "invalid_request", "at least 5"],
    ["per_unit", { max_quantity: 5 }, 6, "invalid_request", "from 1 to 5"],
    ["hourly", { min_quantity: 2, max_quantity: 8 }, 1, "invalid_request", "from 2 to 8"],
    [
      "per_unit",
      { price: "340282366920938463463374607431768.211455" },
      2,
      "invalid_request",
      "what an escrow can hold",
    ],
    [
      "hourly",
      { price: "170141183460469231731687303715885" },
      3,
      "invalid_request",
      "what an escrow can hold",
    ],
  ])("%s %o, quantity %i is refused", async (pricing_model, fields, quantity, code, message) => {
    const { id } = await offer({ pricing_model, ...fields });
    const error = await expectRefusal(market, () => order(id, quantity), 400, code, message);
    expect(error.details[0].path).toBe("/quantity");
  });

  test.each([
    ["negotiated", {}, "quote_required", /request.*quote/],
    ["negotiated", { price: "5" }, "quote_required", /request.*quote/],
    ["subscription", { interval: "month" }, "subscription_required", /Subscribe/],
  ])("%s %o is not ordered directly: %s", async (pricing_model, fields, code, message) => {
    const { id } = await offer({
      pricing_model,
      price: undefined,
      ...(pricing_model === "subscription" ? { price: "9" } : {}),
      ...fields,
    });
    await expectRefusal(market, () => order(id), 409, code, message);
  });
});

describe("the price of a service", () => {
  const path = () => `/agents/${market.agent.slug}/services`;
  let made = 0;
  const create = (fields: object) =>
    market.api.request("POST", path(), {
      token: market.provider.token,
      body: { slug: `priced-${++made}`, title: "A service", delivery_time_hours: 1, ...fields },
    });
  const change = (slug: string, fields: object) =>
    market.api.request("PATCH", `${path()}/${slug}`, { token: market.provider.token, body: fields });

  test.each([
    ["a fixed one from two on, without a most", { price: "1", min_quantity: 2 }, "/max_quantity"],
    ["an hourly one by the page", { pricing_model: "hourly", price: "1", price_unit: "page" }, "/price_unit"],
    ["an interval on a fixed one", { price: "1", interval: "month" }, "/interval"],
    ["an unknown interval", { pricing_model: "subscription", price: "1", interval: "decade" }, "/interval"],
    ["one finer than the token", { price: "0.0000001" }, "/price"],
    ["a negotiated one of zero", { pricing_model: "negotiated", price: "0" }, "/price"],
  ])("is refused: %s", async (_, fields, at) => {
    const { status, body } = await create(fields);
    expect([status, body.error.code, body.error.details[0].path]).toEqual([400, "invalid_request", at]);
  });

  test("is null when open, in a draft and in a negotiated service", async () => {
    for (const pricing_model of ["fixed", "negotiated"]) {
      const body = expectStatus(201, await create({ pricing_model }));
      expect(body).toMatchObject({ price: null, price_base_units: null });
    }
  });

  test("can be cleared in a negotiated service only", async () => {
    const { slug } = expectStatus(201, await create({ pricing_model: "negotiated", price: "5" }));
    expect(expectStatus(200, await change(slug, { price: null })).price).toBeNull();
    const answer = await change(slug, { pricing_model: "fixed", price: null });
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, "/price"]);
  });

  test("an hourly one is per hour", async () => {
    for (const price_unit of [undefined, "hour"]) {
      const body = expectStatus(201, await create({ pricing_model: "hourly", price: "1", price_unit }));
      expect(body.price_unit).toBe("hour");
    }
  });

  test("is checked again when the model changes", async () => {
    const fields = { pricing_model: "subscription", price: "1", interval: "day" };
    const { slug } = expectStatus(201, await create(fields));
    const answer = await change(slug, { pricing_model: "fixed" });
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, "/interval"]);
    expectStatus(200, await change(slug, { pricing_model: "fixed", interval: null }));
  });
});
