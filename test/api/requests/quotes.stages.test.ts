import { afterAll, beforeAll, expect, test } from "vitest";
import { expectStatus } from "../../harness/api.ts";
import { ask, createMarket, type Market } from "../../harness/market/market.ts";

let market: Market;
let request: string;
beforeAll(async () => {
  market = await createMarket();
  const wanted = { title: "A manual", description: "Forty pages.", tags: ["manuals"] };
  request = expectStatus(201, await ask(market, market.buyer, "POST", "/requests", wanted)).id;
});
afterAll(() => market?.api.close());

const session = { endpoint_url: "https://words.example/calls", session_key: "A".repeat(43) };
const metered = { pricing_model: "metered", price: "0.05", price_unit: "page" };
const fixed = { pricing_model: "fixed", price: "2.50", price_unit: null, session: null };
const stage = (fields: Record<string, unknown> = {}) => ({
  title: "Draft",
  amount: "1.25",
  hours: 24,
  ...fields,
});
const quote = (stages: unknown, fields: Record<string, unknown> = {}) =>
  ask(market, market.provider, "POST", `/requests/${request}/quotes`, {
    agent_slug: market.agent.slug,
    service_id: market.service.id,
    price: "2.50",
    delivery_time_hours: 48,
    stages,
    ...fields,
  });

test.each([
  ["amounts that are no sum of the price", [stage(), stage({ amount: "1.24" })], "/stages"],
  ["hours that are no sum of the delivery time", [stage(), stage({ hours: 25 })], "/stages"],
  ["an amount of zero", [stage({ amount: "2.50" }), stage({ amount: "0" })], "/stages/1/amount"],
  ["too many decimals", [stage(), stage({ amount: "1.2500001" })], "/stages/1/amount"],
  ["one stage alone", [stage({ amount: "2.50", hours: 48 })], "/stages"],
  ["21 stages", Array.from({ length: 21 }, () => stage()), "/stages"],
])("a quote is refused with %s", async (_, stages, path) => {
  const { error } = expectStatus(400, await quote(stages));
  expect(error.code).toBe("invalid_request");
  expect(error.details[0].path).toBe(path);
});

test("a quote is refused with a schema that is none", async () => {
  const stages = [stage(), stage({ output_schema: { type: "object", required: "text" } })];
  const { error } = expectStatus(422, await quote(stages));
  expect(error.code).toBe("invalid_schema");
  expect(error.details[0].path).toMatch(/^\/stages\/1\/output_schema/);
});

test("the order of a quote in stages shows them, and a delivery fits the schema of its stage", async () => {
  const schema = { type: "object", required: ["outline"] };
  const given = expectStatus(201, await quote([stage({ output_schema: schema }), stage({ title: "Text" })]));
  expect(given.stages).toMatchObject([
    { number: 1, title: "Draft", amount: "1.250000", hours: 24, output_schema: schema },
    { number: 2, title: "Text", output_schema: null },
  ]);
  const accepted = await ask(market, market.buyer, "POST", `/quotes/${given.id}/accept`, {
    input_payload: { text: "Guten Tag" },
  });
  const order = expectStatus(201, accepted);
  expect(order.stages).toEqual([
    {
      number: 1,
      title: "Draft",
      amount: "1.250000",
      amount_base_units: "1250000",
      hours: 24,
      due_at: null,
      state: "open",
    },
    {
      number: 2,
      title: "Text",
      amount: "1.250000",
      amount_base_units: "1250000",
      hours: 24,
      due_at: null,
      state: "open",
    },
  ]);
  const stages = expectStatus(200, await ask(market, market.provider, "GET", `/orders/${order.id}/stages`));
  expect(stages.items.map((one: Record<string, unknown>) => one.output_schema)).toEqual([schema, null]);
  const agreement = expectStatus(
    200,
    await ask(market, market.buyer, "GET", `/orders/${order.id}/agreement`),
  );
  expect(agreement.stages).toHaveLength(2);
});

test("an order without stages lists none", async () => {
  const placed = await ask(market, market.buyer, "POST", "/orders", {
    service_id: market.service.id,
    input_payload: { text: "Guten Tag" },
  });
  const order = expectStatus(201, placed);
  expect(order.stages).toBeNull();
  const { items } = expectStatus(200, await ask(market, market.buyer, "GET", `/orders/${order.id}/stages`));
  expect(items).toEqual([]);
});

test.each([
  ["of sessions", { pricing_model: "per_call", price: "0.001", session }, undefined, "sells sessions"],
  ["of metered work in stages", metered, [stage(), stage()], "has no stages"],
])(
  "a quote is refused %s, before and after the provider changes the service",
  async (_, model, stages, why) => {
    const wanted = { title: "A manual", description: "Forty pages.", tags: ["manuals"] };
    request = expectStatus(201, await ask(market, market.buyer, "POST", "/requests", wanted)).id;
    const path = `/agents/${market.agent.slug}/services/${market.service.slug}`;
    const change = async (fields: Record<string, unknown>) =>
      expectStatus(200, await ask(market, market.provider, "PATCH", path, fields));
    await change(model);
    expect(expectStatus(409, await quote(stages)).error.message).toContain(why);
    await change(fixed);
    const given = expectStatus(201, await quote(stages));
    await change(model);
    const body = { input_payload: { text: "Guten Tag" } };
    const accepted = await ask(market, market.buyer, "POST", `/quotes/${given.id}/accept`, body);
    expect(expectStatus(409, accepted).error.message).toContain(why);
    await change(fixed);
  },
);
