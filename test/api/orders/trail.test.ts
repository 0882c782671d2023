import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { escrowEvent } from "../../../db/chain-index.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { digestOf } from "../../../protocol/settlement/terms.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import {
  asIndexer,
  ask,
  createMarket,
  indexer,
  type Market,
  nextLogIndex,
  place,
  placeDelivered,
  placeFunded,
  placeStarted,
  randomHash,
  settleNow,
} from "../../harness/market/market.ts";

let market: Market;

beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market.api.close());

const read = async (path: string, who = market.buyer): Promise<Answer["body"]> =>
  expectStatus(200, await ask(market, who, "GET", path));

describe("GET /orders/{id}/events", () => {
  test("lists every step once, oldest first, with its actor and its transaction", async () => {
    const { id, row } = await placeDelivered(market);
    const outputHash = digestOf({ translation: "Good day" });
    const recorded = await indexer(market, row).delivered(outputHash);
    const typesOf = (body: Answer["body"]) =>
      body.items.map(({ type, actor, confirmed }: Record<string, unknown>) => [type, actor, confirmed]);

    const before = await read(`/orders/${id}/events`);
    expect(typesOf(before)).toEqual([
      ["order.created", "buyer", true],
      ["order.funded", "chain", true],
      ["order.started", "provider", true],
      ["order.delivered", "provider", true],
      ["delivery.recorded", "chain", false],
    ]);
    const pending = before.items[4];
    expect(pending).toEqual({
      id: recorded.id,
      type: "delivery.recorded",
      actor: "chain",
      occurred_at: new Date(Number(recorded.timestamp) * 1000).toISOString(),
      confirmed: false,
      transaction: {
        chain_id: 31_337,
        hash: recorded.transactionHash,
        block_number: 1,
        log_index: recorded.logIndex,
      },
      data: expect.objectContaining({ output_hash: outputHash, number: 1 }),
    });
    expect(before.items[0].transaction).toBeNull();
    const { acceptance_ends_at: acceptanceEndsAt } = await read(`/orders/${id}`);
    expect(acceptanceEndsAt).toMatch(/Z$/);
    expect(before.items[3].data).toEqual({ output_hash: outputHash, acceptance_ends_at: acceptanceEndsAt });

    await settleNow(market);
    const after = await read(`/orders/${id}/events`, market.provider);
    expect(after.items).toHaveLength(5);
    expect(after.items[4]).toEqual({ ...pending, id: expect.stringMatching(/^fct_/), confirmed: true });
    expect(after.items.slice(0, 4)).toEqual(before.items.slice(0, 4));
  });

  test("omits contract events that are no step of the order", async () => {
    const { id, row } = await placeFunded(market);
    await indexEvent(row, "PayoutDeferred", { payee: row.buyerAddress, token: row.token, amount: "1" });
    expect((await read(`/orders/${id}/events`)).items).toHaveLength(2);
  });

  /** Writes an event of the order's escrow as the indexer does. */
  function indexEvent(row: OrderRow, name: string, args: Record<string, string>) {
    const plain = Object.entries(args).map(([key, value]) => [key, value.toLowerCase()]);
    const [blockHash, logIndex] = [randomHash(), nextLogIndex()];
    return asIndexer(market, (tx) =>
      tx.insert(escrowEvent).values({
        id: `31337:${blockHash}:${logIndex}`,
        chainId: 31_337,
        escrowId: row.escrowId,
        contract: row.escrowContract,
        name,
        args: { escrowId: row.escrowId, ...Object.fromEntries(plain) },
        blockNumber: 1n,
        blockHash,
        transactionHash: randomHash(),
        logIndex,
        timestamp: 1n,
      }),
    );
  }
});

describe("GET /orders/{id}/settlement-options", () => {
  const byName = (body: Answer["body"]) =>
    Object.fromEntries(body.actions.map((action: { action: string }) => [action.action, action]));

  test("lists only fund before funding", async () => {
    const { id } = await place(market);
    const body = await read(`/orders/${id}/settlement-options`);
    expect(body).toMatchObject({ your_roles: ["buyer"], onchain_status: "none" });
    expect(body.actions.map(({ action }: { action: string }) => action)).toEqual([
      "fund",
      "recordDelivery",
      "release",
      "refund",
      "dispute",
      "decideDispute",
      "settleDispute",
      "returnDeposit",
    ]);
    const available = body.actions.filter((action: { available: boolean }) => action.available);
    expect(available.map(({ action }: { action: string }) => action)).toEqual(["fund"]);
    for (const action of body.actions) {
      expect(typeof action.reason).toBe(action.available ? "object" : "string");
      if (action.call) expect(action.call.function).toBe(action.function);
    }
  });

  test("shows each party of a delivered order its own acts, with what it may sign", async () => {
    const { id } = await placeDelivered(market);
    const asProvider = await read(`/orders/${id}/settlement-options`, market.provider);
    expect(asProvider).toMatchObject({ your_roles: ["provider"], onchain_status: "funded" });
    const provider = byName(asProvider);
    expect(provider.recordDelivery).toMatchObject({
      available: true,
      who: "provider",
      typed_data: { primaryType: "RecordDelivery", message: { number: 1 } },
      call: { function: "recordDelivery", value: "0" },
    });
    expect(provider.release).toMatchObject({ available: false, who: "buyer", typed_data: null });
    const buyer = byName(await read(`/orders/${id}/settlement-options`));
    expect(buyer.release).toMatchObject({ available: true, typed_data: { primaryType: "Release" } });
    expect(buyer.recordDelivery).toMatchObject({
      available: false,
      reason: "Only the provider can do this.",
    });
  });

  test("is answered without the chain, and leaves the balance of the deposit address open", async () => {
    const cut = await createMarket({ env: { RPC_URL_31337: "http://127.0.0.1:1" } });
    try {
      const { id } = await placeStarted(cut);
      const body = expectStatus(200, await ask(cut, cut.buyer, "GET", `/orders/${id}/settlement-options`));
      expect(byName(body).returnDeposit).toMatchObject({ available: true, who: "anyone" });
      expect(byName(body).release.available).toBe(true);
    } finally {
      await cut.api.close();
    }
  });
});
