import { afterAll, beforeAll, expect, test } from "vitest";
import { digestOf } from "../../../protocol/settlement/index.ts";
import { createKey, expectStatus, publishService } from "../../harness/api.ts";
import { type Court, createCourt, placeDisputed, readDispute } from "../../harness/market/court.ts";
import { ask, indexer, rowOf, settleNow } from "../../harness/market/market.ts";
import { type McpService, serveMcp, use } from "../../harness/mcp.ts";

let market: Court;
let mcp: McpService;
beforeAll(async () => {
  market = await createCourt();
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

test("an arbiter decides a dispute by a signature, with a ruling that both parties read", async () => {
  const { id: order_id, row } = await placeDisputed(market);
  const key = await createKey(market.api, market.arbiter, ["orders:read", "orders:write"]);
  const client = await mcp.connect(key);
  const decision = { order_id, provider_amount: "1.25", ruling: "Half of the work, half of the money." };
  const { facts: unsigned } = await use(client, "decide_dispute", decision);
  expect(unsigned).toMatchObject({ status: "unsigned", signer: market.arbiter.account.address });
  expect(unsigned.to_sign).toMatchObject({
    primaryType: "DecideDispute",
    message: { escrowId: row.escrowId, providerAmount: "1250000" },
  });
  const sign = (session: typeof market.arbiter) => session.account.signTypedData(unsigned.to_sign);
  const { deadline } = unsigned;
  const forged = { ...decision, deadline, signature: await sign(market.provider) };
  expect((await use(client, "decide_dispute", forged)).error).toBeDefined();
  const signed = { ...decision, deadline, signature: await sign(market.arbiter) };
  expect((await use(client, "decide_dispute", { ...signed, ruling: "Another." })).error).toBeDefined();
  expect((await use(client, "decide_dispute", signed)).facts).toMatchObject({ status: "sent" });
  const { statements } = await readDispute(market, market.buyer, order_id);
  expect(JSON.stringify(statements)).toContain(decision.ruling);
  const buyer = await mcp.connect(await createKey(market.api, market.buyer, ["orders:read", "orders:write"]));
  expect((await use(buyer, "decide_dispute", signed)).error).toBeDefined();
});

test("an assistant subscribes to a plan once for its key, lists the subscription and cancels it", async () => {
  const plan = await publishService(market.api, market.provider, {
    pricing_model: "subscription",
    interval: "month",
    price: "20",
  });
  const client = await mcp.connect(
    await createKey(market.api, market.buyer, ["orders:read", "orders:write", "subscriptions:read"]),
  );
  const wanted = { service_id: plan.service.id, idempotency_key: "monthly" };
  expect((await use(client, "place_order", wanted)).code).toBe("subscription_required");
  const monthly = { ...wanted, subscribe: true, idempotency_key: "monthly plan" };
  expect((await use(client, "place_order", { ...monthly, quantity: 2 })).code).toBe("invalid_arguments");
  const { facts: first, text } = await use(client, "place_order", monthly);
  expect(first).toMatchObject({ status: "created", amount: "20.000000" });
  expect((await use(client, "place_order", monthly)).facts.order_id).toBe(first.order_id);
  const { facts: listed } = await use(client, "list_subscriptions");
  expect(listed.subscriptions).toMatchObject([{ status: "active", latest_order_id: first.order_id }]);
  const { subscription_id } = listed.subscriptions[0];
  expect(text).toContain(subscription_id);
  const cancel = () => use(client, "cancel_subscription", { subscription_id });
  expect((await cancel()).facts).toMatchObject({ status: "cancelled", next_order_at: null });
  expect((await cancel()).facts).toMatchObject({ status: "cancelled" });
  const writes = await mcp.connect(await createKey(market.api, market.buyer, ["orders:write"]));
  expect((await use(writes, "place_order", monthly)).code).toBe("insufficient_scope");
});
