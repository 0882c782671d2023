import { afterAll, beforeAll, expect, test } from "vitest";
import { digestOf } from "../../../protocol/settlement/index.ts";
import { createKey, expectStatus, publishService } from "../../harness/api.ts";
import { ask, createMarket, indexer, type Market, rowOf, settleNow } from "../../harness/market/market.ts";
import { type McpService, serveMcp, use } from "../../harness/mcp.ts";

let market: Market;
let mcp: McpService;
beforeAll(async () => {
  market = await createMarket();
  mcp = await serveMcp(market.api.app);
});
afterAll(async () => {
  await mcp?.close();
  await market?.api.close();
});

test("an assistant delivers a metered order's units, and is given a voucher of their price to sign", async () => {
  const fields = { pricing_model: "metered", price: "0.05", price_unit: "page", max_quantity: 100 };
  const { id: service_id } = (await publishService(market.api, market.provider, fields)).service;
  const placed = expectStatus(201, await ask(market, market.buyer, "POST", "/orders", { service_id }));
  const { funded, deliveredFinally } = indexer(market, await rowOf(market, placed.id));
  await funded();
  await settleNow(market);
  const buys = await mcp.connect(await createKey(market.api, market.buyer, ["orders:read", "orders:write"]));
  const sells = await mcp.connect(
    await createKey(market.api, market.provider, ["orders:read", "orders:write"]),
  );
  const order_id = placed.id as string;

  // A plain release of an undelivered order could pay the whole amount.
  const early = await use(buys, "accept_delivery", { order_id });
  expect(early.text).toContain("units");
  expect(JSON.stringify(early)).not.toContain("Release");

  const output = { pages: 7 };
  const delivery = { order_id, output, units: 7, idempotency_key: "deliver" };
  const { facts: delivered } = await use(sells, "deliver_order", delivery);
  expect(delivered).toMatchObject({ status: "delivered", units: 7, charge: "0.350000" });
  const { facts: record } = await use(sells, "record_delivery", { order_id });
  expect(record.to_sign).toMatchObject({
    primaryType: "RecordPart",
    message: { earned: "350000", workHash: digestOf(output), isFinal: true },
  });
  await deliveredFinally(digestOf(output), 350_000n);
  await settleNow(market);
  const { facts: release } = await use(buys, "accept_delivery", { order_id });
  expect(release).toMatchObject({ status: "unsigned", amount: "5.000000", charge: "0.350000" });
  expect(release.to_sign).toMatchObject({
    primaryType: "Voucher",
    message: { cumulativeAmount: "350000", workHash: digestOf(output) },
  });
});

test("an assistant delivers an order stage by stage, and accepts the stage that it names and no other", async () => {
  const stages = [
    { title: "Outline", amount: "1.00", hours: 12 },
    { title: "Text", amount: "1.50", hours: 12 },
  ];
  const offered = await publishService(market.api, market.provider, { stages });
  const body = { service_id: offered.service.id, input_payload: { text: "Guten Tag" } };
  const placed = expectStatus(201, await ask(market, market.buyer, "POST", "/orders", body));
  const { funded } = indexer(market, await rowOf(market, placed.id));
  await funded();
  await settleNow(market);
  const buys = await mcp.connect(await createKey(market.api, market.buyer, ["orders:read", "orders:write"]));
  const sells = await mcp.connect(
    await createKey(market.api, market.provider, ["orders:read", "orders:write"]),
  );
  const order_id = placed.id as string;

  const output = { outline: "One" };
  const { facts: delivered } = await use(sells, "deliver_order", {
    order_id,
    output,
    idempotency_key: "one",
  });
  expect(delivered).toMatchObject({
    status: "delivered",
    stages: [
      { number: 1, amount: "1.000000", state: "delivered" },
      { number: 2, amount: "1.500000", state: "open" },
    ],
    untrusted: { stage_titles: ["Outline", "Text"] },
  });
  const { facts: record } = await use(sells, "record_delivery", { order_id });
  expect(record).toMatchObject({ stage: 1, stage_amount: "1.000000" });
  expect(record.to_sign).toMatchObject({
    primaryType: "RecordPart",
    message: { earned: "1000000", workHash: digestOf(output), isFinal: false },
  });

  const { facts: read, text } = await use(buys, "get_output", { order_id, stage: 1 });
  expect(read.untrusted.output).toEqual(output);
  expect(text).toContain("Stage 1");
  const none = await use(buys, "get_output", { order_id, stage: 3 });
  expect(none.code).toBe("invalid_arguments");
  for (const stage of [undefined, 2]) {
    const other = await use(buys, "accept_delivery", { order_id, stage });
    expect(other).toMatchObject({ code: "invalid_state", text: expect.stringContaining("Stage 1 waits") });
  }
  const { facts: release } = await use(buys, "accept_delivery", { order_id, stage: 1 });
  expect(release).toMatchObject({ status: "unsigned", stage: 1, stage_amount: "1.000000" });
  expect(release.to_sign).toMatchObject({
    primaryType: "Voucher",
    message: { cumulativeAmount: "1000000", workHash: digestOf(output) },
  });
});
