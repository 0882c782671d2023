import { eq, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { getAddress, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiKey, fact, service } from "../../../db/schema.ts";
import { placeOrder } from "../../../trade/orders/direct-order.ts";
import type { OrderRequest } from "../../../trade/orders/order-terms.ts";
import { createTrade, type Trade } from "../../harness/market/trade.ts";

let trade: Trade;
let serviceId: string;
beforeAll(async () => {
  trade = await createTrade();
  ({ id: serviceId } = await trade.offerService());
});
afterAll(() => trade?.close());

const input_payload = { text: "Guten Tag" };
const place = (
  fields: OrderRequest & { service_id?: string; quantity?: number } = {},
  { buyer = trade.buyer, orderId }: { buyer?: Trade["buyer"]; orderId?: string } = {},
) =>
  placeOrder(
    trade.context,
    buyer,
    { service_id: serviceId, input_payload, ...fields },
    orderId === undefined ? undefined : { orderId, mayStand: true },
  );

describe("placeOrder", () => {
  test("writes the order at the service's price, and its first fact", async () => {
    const { buyer, seller, context, db } = trade;
    const row = await place();
    expect(row).toMatchObject({
      buyerAccountId: buyer.accountId,
      providerAccountId: seller.accountId,
      amount: 2_500_000n,
      quantity: 1,
      status: "created",
      settlementRail: "escrow",
      inputPayload: input_payload,
      chainId: context.config.defaultChain?.chain_id,
      deliveryWindow: 24 * 3600,
      acceptanceWindow: 48 * 3600,
    });
    expect([row.buyerAddress, row.providerAddress].map((one) => getAddress(one))).toEqual([
      buyer.primaryAddress,
      seller.primaryAddress,
    ]);
    const facts = await db.select({ type: fact.type }).from(fact).where(eq(fact.orderId, row.id));
    expect(facts).toEqual([{ type: "order.created" }]);
  });

  test("returns the order of an earlier attempt", async () => {
    const orderId = typeid("ord").toString();
    const first = await place({}, { orderId });
    const before = await trade.db.$count(fact);
    const again = await place({}, { orderId });
    expect([first.id, again.id, again.escrowId]).toEqual([orderId, orderId, first.escrowId]);
    expect(await trade.db.$count(fact)).toBe(before);
  });

  test("uses the offer at the instant of writing: a paused service is refused, a new price is used", async () => {
    const { context, buyer, db } = trade;
    const { id } = await trade.offerService();
    const change = (columns: Partial<typeof service.$inferInsert>) =>
      db
        .update(service)
        .set({ ...columns, version: sql`${service.version} + 1` })
        .where(eq(service.id, id));
    /** A change by the owner while the input is checked, after the service was read. */
    const meanwhile = (act: () => Promise<unknown>, keyId: string | null = null) => {
      const run = async (...task: Parameters<typeof context.checker.run>) => {
        await act();
        return context.checker.run(...task);
      };
      const checker = { ...context.checker, run } as typeof context.checker;
      return placeOrder({ ...context, checker }, { ...buyer, keyId }, { service_id: id, input_payload });
    };
    const once = (act: () => Promise<unknown>) => {
      let done = false;
      return async () => {
        if (!done) await act();
        done = true;
      };
    };
    expect((await meanwhile(once(() => change({ price: 3_000_000n })))).amount).toBe(3_000_000n);
    const before = await db.$count(fact);
    await trade.expectRefusal(() => meanwhile(() => change({ title: "anew" })), "conflict");
    // A key whose limits change meanwhile is held to them, too.
    const keyId = typeid("key").toString();
    const key = {
      id: keyId,
      accountId: buyer.accountId,
      name: "x",
      scopes: [],
      tokenHash: keyId,
      tokenHint: "",
    };
    await db.insert(apiKey).values(key);
    const limit = () =>
      db
        .update(apiKey)
        .set({ limits: { per_order: "1" } })
        .where(eq(apiKey.id, keyId));
    await trade.expectRefusal(() => meanwhile(limit, keyId), "spend_limit_exceeded");
    await trade.expectRefusal(() => meanwhile(once(() => change({ status: "paused" }))), "invalid_state");
    expect(await db.$count(fact)).toBe(before);
  });

  test("refuses services that are not sold this way", async () => {
    const { expectRefusal, offerService, seller } = trade;
    await expectRefusal(() => place({ service_id: "svc_01jd3w8x2mfhz8w9q4t6n5k7ra" }), "not_found");
    await expectRefusal(() => place({}, { buyer: seller }), "conflict");
    await expectRefusal(() => place({ quantity: 2 }), "invalid_request", "/quantity");
    for (const [fields, code] of [
      [{ status: "draft" }, "not_found"],
      [{ status: "retired" }, "not_found"],
      [{ status: "paused" }, "invalid_state"],
      [{ available: false }, "invalid_state"],
      [{ price: 0n }, "invalid_state"],
      [{ pricingModel: "negotiated" }, "quote_required"],
      [{ pricingModel: "subscription", billingInterval: "month" }, "subscription_required"],
    ] as [Partial<typeof service.$inferInsert>, "not_found"][]) {
      const { id } = await offerService(fields);
      await expectRefusal(() => place({ service_id: id }), code);
    }
    const { id } = await offerService({ price: 2n ** 128n - 1n, maxQuantity: 2 });
    await expectRefusal(() => place({ service_id: id, quantity: 2 }), "invalid_request", "/quantity");
    expect((await place({ service_id: id })).amount).toBe(2n ** 128n - 1n);
  });

  test("refuses an input that breaks the service's schema", async () => {
    await trade.expectRefusal(
      () => place({ input_payload: { text: "" } }),
      "input_schema_violation",
      "/text",
    );
    await trade.expectRefusal(() => place({ input_payload: null }), "input_schema_violation");
    // The check itself throws: canonical JSON has no form for half of a surrogate pair.
    await trade.expectRefusal(
      () => place({ input_payload: { text: "\ud800" } }),
      "input_schema_violation",
      "",
    );
  });

  test("refuses parties that exclude each other", async () => {
    const { expectRefusal, signUp, seller, context, db } = trade;
    const outsider = await signUp();
    await expectRefusal(
      () => place({ buyer_address: outsider.primaryAddress }),
      "invalid_request",
      "/buyer_address",
    );
    await expectRefusal(() => place({ arbiter: outsider.primaryAddress }), "invalid_request", "/arbiter");
    const listed = await trade.offerService({ arbiters: [trade.buyer.primaryAddress, zeroAddress] });
    await expectRefusal(() => place({ service_id: listed.id }), "invalid_request", "/arbiter");
    await expectRefusal(
      () => place({ service_id: listed.id, arbiter: trade.buyer.primaryAddress }),
      "invalid_request",
      "/arbiter",
    );
    const arbiter = context.config.defaultChain?.arbiter;
    if (!arbiter) throw new Error("The chain names no arbiter.");
    await db.update(service).set({ arbiters: null }).where(eq(service.id, listed.id));
    const near = await signUp(arbiter);
    // Nobody named the chain's arbiter, so no member is wrong.
    await expectRefusal(() => place({}, { buyer: near }), "conflict");
    expect((await place({ arbiter: zeroAddress }, { buyer: near })).buyerAccountId).toBe(near.accountId);
    expect(seller.accountId).not.toBe(near.accountId);
  });

  test("refuses one more order at the cap of unpaid ones, and says when there is room", async () => {
    const { context, signUp, db } = trade;
    const buyer = await signUp();
    const caps = { ofNewBuyer: 1, ofBuyer: 9, withProvider: 1000, inAll: 1000 };
    const capped = { ...context, config: { ...context.config, unpaidOrders: caps } };
    const attempt = () => placeOrder(capped, buyer, { service_id: serviceId, input_payload });
    await attempt();
    const before = await db.$count(fact);
    const refused = { code: "too_many_unpaid_orders", retryAfter: expect.any(Number) };
    await expect(attempt()).rejects.toMatchObject(refused);
    expect(await db.$count(fact)).toBe(before);
  });

  test("is paid by signature where the token supports it and the order is large enough", async () => {
    const { context, buyer } = trade;
    const { config, chain } = context;
    const byX402 = { service_id: serviceId, input_payload, settlement_rail: "x402" } as const;
    expect((await place({ settlement_rail: "x402" })).settlementRail).toBe("x402");
    const dear = (id: number) => {
      const served = chain(id);
      return served && { ...served, chain: { ...served.chain, min_relay_amount: 10n ** 18n } };
    };
    const attempt = () => placeOrder({ ...context, config, chain: dear }, buyer, byX402);
    await trade.expectRefusal(attempt, "invalid_request", "/settlement_rail");
    const unserved = () => placeOrder({ ...context, chain: () => undefined }, buyer, byX402);
    await trade.expectRefusal(unserved, "invalid_request", "/settlement_rail");
    const nowhere = { ...context, config: { ...config, defaultChain: undefined } };
    await trade.expectRefusal(() => placeOrder(nowhere, buyer, byX402), "dependency_unavailable");
  });
});
