import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { digestOf } from "../../../protocol/settlement/digest.ts";
import { expectStatus } from "../../harness/api.ts";
import { ask, createMarket, type Market } from "../../harness/market/market.ts";
import { doubling } from "../../harness/slow-schemas.ts";

let market: Market;
let path: string;
beforeAll(async () => {
  market = await createMarket();
  path = `/agents/${market.agent.slug}/services/${market.service.slug}`;
});
afterAll(() => market?.api.close());

const schema = { type: "object", required: ["outline"] };
const stages = [
  { title: "Outline", amount: "0.75", hours: 12, output_schema: schema },
  { title: "Text", amount: "1.75", hours: 36 },
];
const change = (fields: Record<string, unknown>) => ask(market, market.provider, "PATCH", path, fields);
const read = async () => expectStatus(200, await market.api.request("GET", path));

beforeEach(async () => {
  expectStatus(
    200,
    await change({ stages: null, price: "2.50", delivery_time_hours: 48, max_quantity: null }),
  );
});

test("a purchase of a service with stages makes an order in these stages, and later changes leave it as it is", async () => {
  expect((await read()).stages).toBeNull();
  expectStatus(200, await change({ stages }));
  const shown = [
    { number: 1, title: "Outline", amount: "0.750000", amount_base_units: "750000", hours: 12 },
    { number: 2, title: "Text", amount: "1.750000", amount_base_units: "1750000", hours: 36 },
  ];
  expect((await read()).stages).toEqual([
    { ...shown[0], output_schema: schema },
    { ...shown[1], output_schema: null },
  ]);
  const placed = await ask(market, market.buyer, "POST", "/orders", {
    service_id: market.service.id,
    input_payload: { text: "Guten Tag" },
  });
  const order = expectStatus(201, placed);
  expectStatus(200, await change({ stages: null }));
  const states = shown.map((one) => ({ ...one, due_at: null, state: "open" }));
  expect(order).toMatchObject({ total_amount: "2.500000", stages: states });
  const agreement = expectStatus(
    200,
    await ask(market, market.buyer, "GET", `/orders/${order.id}/agreement`),
  );
  expect(agreement.stages).toEqual([
    { title: "Outline", amount_base_units: "750000", hours: 12, output_schema_digest: digestOf(schema) },
    { title: "Text", amount_base_units: "1750000", hours: 36, output_schema_digest: null },
  ]);
});

test.each([
  ["stages whose amounts are no sum of its price", { stages, price: "2.51" }, "/stages"],
  ["stages whose hours are no sum of its delivery time", { stages, delivery_time_hours: 47 }, "/stages"],
  ["one stage alone", { stages: [{ ...stages[1], amount: "2.50", hours: 48 }] }, "/stages"],
  ["a stage for nothing", { stages: [{ ...stages[0], amount: "0" }, stages[1]] }, "/stages/0/amount"],
  ["stages for a quantity", { stages, max_quantity: 2 }, "/max_quantity"],
  ["stages of a metered price", { stages, pricing_model: "metered", price_unit: "page" }, "/stages"],
  [
    "stages that an endpoint executes",
    { stages, execution: { endpoint: "http://localhost:9/orders" } },
    "/execution",
  ],
])("a service is refused with %s", async (_, fields, at) => {
  const { error } = expectStatus(400, await change(fields));
  expect(error.code).toBe("invalid_request");
  expect(error.details[0].path).toBe(at);
  expect((await read()).stages).toBeNull();
});

test("the price of a service with stages changes with its stages only", async () => {
  expectStatus(200, await change({ stages }));
  const { error } = expectStatus(400, await change({ price: "3" }));
  expect(error.message).toContain("must add up to price");
  const dearer = [{ ...stages[0], amount: "1.25" }, stages[1]];
  expectStatus(200, await change({ price: "3", stages: dearer }));
});

test("a service is refused with a stage whose schema takes too long to check", async () => {
  const { error } = expectStatus(
    422,
    await change({ stages: [stages[0], { ...stages[1], output_schema: doubling }] }),
  );
  expect(error.details[0].path).toMatch(/^\/stages\/1\/output_schema/);
});

test("a service is refused with a stage whose schema is none", async () => {
  const wrong = [stages[0], { ...stages[1], output_schema: { type: "object", required: "text" } }];
  const { error } = expectStatus(422, await change({ stages: wrong }));
  expect(error.code).toBe("invalid_schema");
  expect(error.details[0].path).toMatch(/^\/stages\/1\/output_schema/);
});
