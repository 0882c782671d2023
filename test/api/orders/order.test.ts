import { createHash } from "node:crypto";
import { eq } from "drizzle-orm";
import { decodeFunctionData, erc20Abi, type Hex, isAddressEqual } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import { escrow } from "../../../db/chain-index.ts";
import { order, service } from "../../../db/schema.ts";
import { digestOf, termsOf } from "../../../protocol/settlement/terms.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import {
  asIndexer,
  ask,
  createMarket,
  expectRefusal,
  indexer,
  type Market,
  place,
  placeFunded,
  rowOf,
  settleNow,
} from "../../harness/market/market.ts";

let market: Market;

beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market.api.close());

const read = async (path: string, who = market.buyer): Promise<Answer["body"]> =>
  expectStatus(200, await ask(market, who, "GET", path));

describe("GET /orders/{id}", () => {
  test("shows both parties the same order, and the provider its input too", async () => {
    const placed = await place(market);
    const asBuyer = await read(`/orders/${placed.id}`);
    expect(asBuyer).toEqual(placed);
    expect(await read(`/orders/${placed.id}`, market.provider)).toEqual(asBuyer);
    expect(asBuyer.input_payload).toEqual({ text: "Guten Tag" });
  });

  test("shows the escrow's indexed status at once, and the order's own once it is confirmed", async () => {
    const placed = await place(market);
    const row = await rowOf(market, placed.id);
    await indexer(market, row).funded();
    expect(await read(`/orders/${placed.id}`)).toMatchObject({
      status: "created",
      funded_at: null,
      escrow: { status: "funded" },
    });
    await settleNow(market);
    const funded = await read(`/orders/${placed.id}`);
    expect(funded).toMatchObject({ status: "funded", escrow: { status: "funded" } });
    expect(Date.parse(funded.delivery_deadline) - Date.parse(funded.funded_at)).toBe(24 * 3600 * 1000);
  });

  test("reads the escrow of its own contract, not the same id in another", async () => {
    const placed = await place(market);
    const row = await rowOf(market, placed.id);
    await indexer(market, row).funded();
    await asIndexer(market, (tx) =>
      tx
        .update(escrow)
        .set({ contract: market.chain.token.address })
        .where(eq(escrow.escrowId, row.escrowId)),
    );
    expect((await read(`/orders/${placed.id}`)).escrow.status).toBe("none");
  });
});

describe("GET /orders and GET /orders/received", () => {
  let list: Market;
  let ids: string[];

  beforeAll(async () => {
    list = await createMarket();
    ids = [];
    for (let index = 0; index < 5; index += 1) ids.unshift((await place(list)).id);
    ids.unshift((await placeFunded(list)).id);
  });
  afterAll(() => list.api.close());

  const page = async (path: string, who = list.buyer) => expectStatus(200, await ask(list, who, "GET", path));
  const idsOf = (body: Answer["body"]) => body.items.map(({ id }: { id: string }) => id);

  test("list placed and received orders, newest first", async () => {
    for (const [path, who, other] of [
      ["/orders", list.buyer, list.provider],
      ["/orders/received", list.provider, list.buyer],
    ] as const) {
      const body = await page(path, who);
      expect(idsOf(body)).toEqual(ids);
      expect(body).toMatchObject({ total: 6, limit: 20, offset: 0, next_cursor: null });
      expect({ ...body.items[0], input_payload: { text: "Guten Tag" }, output_payload: null }).toEqual(
        expectStatus(200, await ask(list, who, "GET", `/orders/${ids[0]}`)),
      );
      expect(await page(path, other)).toMatchObject({ items: [], total: 0 });
      expect(await page(path, list.outsider)).toMatchObject({ items: [], total: 0 });
    }
  });

  test("filter by status, and count the filtered orders", async () => {
    expect(idsOf(await page("/orders?status=funded"))).toEqual([ids[0]]);
    expect(await page("/orders?status=created&limit=2")).toMatchObject({ total: 5, limit: 2 });
    expect(await page("/orders/received?status=released", list.provider)).toMatchObject({
      items: [],
      total: 0,
    });
  });

  test("are paged by offset and by cursor without gaps or repeats", async () => {
    expect(idsOf(await page("/orders?limit=2&offset=4"))).toEqual(ids.slice(4));
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const body: Answer["body"] = await page(`/orders?limit=4${cursor && `&cursor=${cursor}`}`);
      seen.push(...idsOf(body));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(ids);
  });

  test("take as many queries for many orders as for one", async () => {
    const { db } = list.api.context;
    const queriesOf = async (path: string) => {
      const queries: string[] = [];
      const { query } = db.$client;
      db.$client.query = ((...call: Parameters<typeof query>) => {
        queries.push(JSON.stringify(call[0]));
        return query.apply(db.$client, call);
      }) as typeof query;
      await page(path).finally(() => {
        db.$client.query = query;
      });
      return queries.length;
    };
    const one = await queriesOf("/orders?limit=1");
    expect(one).toBeGreaterThan(1);
    expect(await queriesOf("/orders?limit=6")).toBe(one);
  });
});

describe("GET /orders/{id}/payment-instructions", () => {
  test("shows the buyer and the provider the exact two calls, and claims nothing", async () => {
    const placed = await place(market);
    const row = await rowOf(market, placed.id);
    const { chain } = market;
    const body = await read(`/orders/${placed.id}/payment-instructions`);
    expect(await read(`/orders/${placed.id}/payment-instructions`, market.provider)).toEqual(body);
    expect(body).toEqual({
      order_id: placed.id,
      order_reference: placed.reference,
      settlement_rail: "escrow",
      chain_id: 31_337,
      network_name: chain.network_name,
      escrow_contract: chain.escrow_contract,
      token_address: chain.token.address,
      token_symbol: chain.token.symbol,
      token_decimals: 6,
      amount: "2.500000",
      amount_base_units: "2500000",
      escrow_id: row.escrowId,
      deposit_address: placed.escrow.deposit_address,
      terms: {
        buyer: placed.buyer_address,
        provider: placed.provider_address,
        token: chain.token.address,
        amount: "2500000",
        fundBy: row.fundBy,
        deliveryWindow: row.deliveryWindow,
        acceptanceWindow: row.acceptanceWindow,
        disputeWindow: row.disputeWindow,
        appealWindow: row.appealWindow,
        arbiter: placed.arbiter,
        orderHash: row.orderHash,
      },
      buyer_address: placed.buyer_address,
      provider_address: placed.provider_address,
      funding_deadline: placed.funding_deadline,
      calls: [
        {
          function: "approve",
          to: chain.token.address,
          data: expect.stringMatching(/^0x095ea7b3/),
          value: "0",
          args: { spender: chain.escrow_contract, amount: "2500000" },
        },
        {
          function: "createEscrow",
          to: chain.escrow_contract,
          data: expect.stringMatching(/^0x/),
          value: "0",
          args: { terms: body.terms },
        },
      ],
    });
    const [approve, createEscrow] = body.calls as { data: Hex }[];
    expect(decodeFunctionData({ abi: erc20Abi, data: approve?.data ?? "0x" }).args).toEqual([
      chain.escrow_contract,
      2_500_000n,
    ]);
    const [terms] = decodeFunctionData({ abi: escrowAbi, data: createEscrow?.data ?? "0x" }).args as [
      ReturnType<typeof termsOf>,
    ];
    const own = termsOf(row);
    expect(terms.amount).toBe(own.amount);
    expect(terms.orderHash).toBe(own.orderHash);
    expect(isAddressEqual(terms.buyer, own.buyer)).toBe(true);
  });

  test("is 409 once the escrow is seen on the chain, before and after confirmation", async () => {
    const placed = await place(market);
    await indexer(market, await rowOf(market, placed.id)).funded();
    const request = () => ask(market, market.buyer, "GET", `/orders/${placed.id}/payment-instructions`);
    await expectRefusal(market, request, 409, "invalid_state", "funded already");
    await settleNow(market);
    await expectRefusal(market, request, 409, "invalid_state", "The order is funded");
  });

  test("is 409 once the funding window is over, whether or not the order was marked expired", async () => {
    const { id } = await place(market);
    await market.api.db.update(order).set({ fundBy: 1 }).where(eq(order.id, id));
    const request = () => ask(market, market.buyer, "GET", `/orders/${id}/payment-instructions`);
    await expectRefusal(market, request, 409, "invalid_state", "funding window ended");
    await market.api.db.update(order).set({ status: "expired" }).where(eq(order.id, id));
    await expectRefusal(market, request, 409, "invalid_state", "The order is expired");
  });
});

describe("GET /orders/{id}/agreement", () => {
  test("is the exact text whose SHA-256 the escrow commits to", async () => {
    const placed = await place(market);
    const row = await rowOf(market, placed.id);
    const response = await market.api.app.request(`/api/v1/orders/${placed.id}/agreement`, {
      headers: { authorization: `Bearer ${market.provider.token}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(response.headers.get("x-order-hash")).toBe(row.orderHash);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(`0x${createHash("sha256").update(bytes).digest("hex")}`).toBe(row.orderHash);
    expect(JSON.parse(bytes.toString())).toMatchObject({
      order_id: placed.id,
      service_slug: market.service.slug,
      input_schema_digest: digestOf(row.inputSchema),
      output_schema_digest: digestOf(row.outputSchema),
      input_digest: digestOf({ text: "Guten Tag" }),
      amount_base_units: "2500000",
      buyer: placed.buyer_address,
      provider: placed.provider_address,
    });
  });

  test("stays the same when the service changes", async () => {
    const placed = await place(market);
    const before = await read(`/orders/${placed.id}/agreement`);
    const { db } = market.api;
    await db.update(service).set({ title: "Dearer", price: 9n }).where(eq(service.id, market.service.id));
    expect(await read(`/orders/${placed.id}/agreement`)).toEqual(before);
    const restored = { title: market.service.title, price: 2_500_000n };
    await db.update(service).set(restored).where(eq(service.id, market.service.id));
  });
});
