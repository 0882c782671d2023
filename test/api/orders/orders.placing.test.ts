import { eq } from "drizzle-orm";
import { typeid } from "typeid-js";
import { getAddress, zeroAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type NewOrder, recordOrder } from "../../../db/new-order.ts";
import { agent, event, fact, service, wallet, webhookDelivery } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { depositAddressOf, digestOf, escrowIdOf, termsOf } from "../../../protocol/settlement/terms.ts";
import { createKey, expectStatus, publishService } from "../../harness/api.ts";
import {
  accept,
  ask,
  countRows,
  createMarket,
  expectRefusal,
  type Market,
  place,
  randomHash,
  rowOf,
} from "../../harness/market/market.ts";

let market: Market;
let request: Record<string, unknown>;

beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market.api.close());
beforeEach(() => {
  request = { service_id: market.service.id, input_payload: { text: "Guten Tag" } };
});

const send = (changes: Record<string, unknown> = {}, who = market.buyer) =>
  ask(market, who, "POST", "/orders", { ...request, ...changes });
const refuse = (changes: Record<string, unknown>, status: number, code: string, message?: string | RegExp) =>
  expectRefusal(market, () => send(changes), status, code, message);

/** A service of the market's provider with other fields. */
async function offer(fields: Record<string, unknown>): Promise<string> {
  const published = await publishService(market.api, market.provider, fields);
  return published.service.id;
}

describe("POST /orders", () => {
  test("is 201 with the order: created, unfunded, with an escrow that commits to the agreement", async () => {
    const before = Math.floor(Date.now() / 1000);
    const answer = await send();
    expect(answer.status).toBe(201);
    const row = await rowOf(market, answer.body.id);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^ord_[0-9a-z]{26}$/),
      reference: expect.stringMatching(/^E-[0-9A-HJKMNP-TV-Z]{6}$/),
      service_id: market.service.id,
      service: { id: market.service.id, slug: market.service.slug, title: market.service.title },
      agent_id: market.agent.id,
      agent: { id: market.agent.id, slug: market.agent.slug, name: market.agent.name },
      buyer_address: market.buyer.account.address,
      provider_address: market.provider.account.address,
      arbiter: market.chain.arbiter,
      pricing_model: "fixed",
      units: null,
      charge: null,
      charge_base_units: null,
      stages: null,
      unread_messages: 0,
      quantity: 1,
      input_payload: { text: "Guten Tag" },
      output_payload: null,
      settlement_rail: "escrow",
      approval: null,
      status: "created",
      unit_price: "2.500000",
      unit_price_base_units: "2500000",
      subtotal: "2.500000",
      subtotal_base_units: "2500000",
      platform_fee: "0.000000",
      platform_fee_base_units: "0",
      platform_fee_bps: 0,
      total_amount: "2.500000",
      total_amount_base_units: "2500000",
      currency: market.chain.token.symbol,
      created_at: row.createdAt.toISOString(),
      funding_deadline: new Date(row.fundBy * 1000).toISOString(),
      funded_at: null,
      started_at: null,
      delivered_at: null,
      delivery_record: "none",
      disputed_at: null,
      delivery_deadline: null,
      acceptance_ends_at: null,
      auto_release_at: null,
      completed_at: null,
      erased_at: null,
      escrow: {
        chain_id: 31_337,
        contract_address: market.chain.escrow_contract,
        escrow_id: row.escrowId,
        deposit_address: getAddress(row.depositAddress),
        status: "none",
      },
    });
    expect(row.fundBy - before).toBeGreaterThanOrEqual(market.api.config.windows.fundingSeconds);
    expect(row.fundBy - before).toBeLessThan(market.api.config.windows.fundingSeconds + 60);
    expect(row).toMatchObject({
      deliveryWindow: 24 * 3600,
      acceptanceWindow: 48 * 3600,
      disputeWindow: market.api.config.windows.disputeSeconds,
      appealWindow: market.api.config.windows.appealSeconds,
    });
    expect(row.orderHash).toBe(digestOf(row.agreement));
    const { chain } = market;
    expect(row.escrowId).toBe(escrowIdOf(chain.chain_id, chain.escrow_contract, termsOf(row)));
    expect(getAddress(row.depositAddress)).toBe(
      depositAddressOf(chain.escrow_contract, chain.deposit_implementation, row.escrowId),
    );
  });

  test("writes the order's fact and an event for each party", async () => {
    const { id, reference } = await place(market);
    const facts = await market.api.db.select().from(fact).where(eq(fact.orderId, id));
    expect(facts).toMatchObject([
      {
        type: "order.created",
        actor: "buyer",
        key: `${id}:created`,
        data: { amount: "2.500000", amount_base_units: "2500000", settlement_rail: "escrow" },
      },
    ]);
    const events = await market.api.db.select().from(event).where(eq(event.orderId, id));
    expect(events.map(({ accountId }) => accountId).sort()).toEqual(
      [market.buyer.accountId, market.provider.accountId].sort(),
    );
    expect(events[0]).toMatchObject({
      type: "order.created",
      data: { order: { id, reference, status: "created" }, entry: { type: "order.created" } },
    });
  });

  test("puts the input unchanged into the agreement, to the last odd member", async () => {
    const service_id = await offer({});
    const text = '{"b":1,"a":{"constructor":{"x":null},"é\\u20ac":[1.5e-7,true],"10":0,"9":-0},"":""}';
    const sent = JSON.parse(text);
    const answer = await market.api.app.request("/api/v1/orders", {
      method: "POST",
      headers: { authorization: `Bearer ${market.buyer.token}`, "content-type": "application/json" },
      body: `{"service_id":"${service_id}","input_payload":${text}}`,
    });
    expect(answer.status).toBe(201);
    const body = JSON.parse(await answer.text());
    const row = await rowOf(market, body.id);
    expect(row.agreement.input_digest).toBe(digestOf(sent));
    expect(digestOf(row.inputPayload)).toBe(digestOf(sent));
    expect(body.input_payload).toEqual(JSON.parse(JSON.stringify(sent)));
  });

  test.each([
    ["per_unit", 7],
    ["hourly", 3],
  ])("charges for a service priced %s its price times the quantity", async (pricing_model, quantity) => {
    const service_id = await offer({ pricing_model, price: "0.000001" });
    const placed = await place(market, { service_id, quantity });
    expect(placed).toMatchObject({
      quantity,
      unit_price_base_units: "1",
      total_amount_base_units: `${quantity}`,
    });
  });

  test("without a quantity orders the service's smallest", async () => {
    const service_id = await offer({ pricing_model: "per_unit", min_quantity: 5 });
    expect((await place(market, { service_id })).quantity).toBe(5);
  });

  test("orders one unit of a fixed service, unless the service allows more", async () => {
    await refuse({ quantity: 2 }, 400, "invalid_request", "from 1 to 1");
    const service_id = await offer({ max_quantity: 3 });
    expect((await place(market, { service_id, quantity: 3 })).total_amount).toBe("7.500000");
    await refuse({ service_id, quantity: 4 }, 400, "invalid_request", "from 1 to 3");
  });

  test("accepts any object, or none, for a service without a schema", async () => {
    const service_id = await offer({});
    expect((await place(market, { service_id, input_payload: { any: ["thing"] } })).input_payload).toEqual({
      any: ["thing"],
    });
    expect((await place(market, { service_id, input_payload: undefined })).input_payload).toBeNull();
    expect((await place(market, { service_id, input_payload: null })).input_payload).toBeNull();
  });

  test("accepts a key with orders:write, in either header", async () => {
    const key = await createKey(market.api, market.buyer, ["orders:write"]);
    for (const access of [{ token: key }, { apiKey: key }]) {
      expect((await market.api.request("POST", "/orders", { ...access, body: request })).status).toBe(201);
    }
  });

  test("accepts another verified wallet of the buyer for refunds", async () => {
    const second = privateKeyToAccount(generatePrivateKey()).address;
    await market.api.db.insert(wallet).values({
      id: typeid("wal").toString(),
      accountId: market.buyer.accountId,
      address: second,
      provedBy: "key",
    });
    const placed = await place(market, { buyer_address: second.toLowerCase() });
    expect(placed.buyer_address).toBe(second);
  });

  test("accepts an arbiter that the service accepts, or none", async () => {
    const arbiter = privateKeyToAccount(generatePrivateKey()).address;
    await accept(market, arbiter, market.outsider.account.address);
    expect((await place(market, { arbiter: arbiter.toLowerCase() })).arbiter).toBe(arbiter);
    expect((await place(market, { arbiter: zeroAddress })).arbiter).toBe(zeroAddress);
    expect((await place(market, { arbiter: market.outsider.account.address })).arbiter).toBe(
      market.outsider.account.address,
    );
  });

  test("places concurrent orders, each with its own escrow", async () => {
    const placed = await Promise.all(Array.from({ length: 8 }, () => place(market)));
    expect(new Set(placed.map(({ escrow }) => escrow.escrow_id)).size).toBe(8);
    expect(new Set(placed.map(({ reference }) => reference)).size).toBe(8);
  });

  test("sends its events to the subscribed endpoints only", async () => {
    const register = async (who: typeof market.buyer, events: string[]): Promise<string> => {
      const url = "http://localhost:9/hook";
      const created = await market.api.request("POST", "/webhooks", {
        token: who.token,
        body: { url, events },
      });
      return expectStatus(201, created).id;
    };
    const wanting = [
      await register(market.buyer, ["order.funded", "order.created"]),
      await register(market.buyer, ["*"]),
      await register(market.provider, ["*"]),
    ];
    await register(market.buyer, ["order.funded"]);
    await register(market.outsider, ["*"]);
    const revoked = await register(market.provider, ["*"]);
    await market.api.request("DELETE", `/webhooks/${revoked}`, { token: market.provider.token });

    const { id } = await place(market);
    const deliveries = await market.api.db
      .select({
        endpointId: webhookDelivery.endpointId,
        type: webhookDelivery.type,
        account: event.accountId,
      })
      .from(webhookDelivery)
      .innerJoin(event, eq(event.id, webhookDelivery.eventId))
      .where(eq(event.orderId, id));
    const accounts = [market.buyer, market.buyer, market.provider].map(({ accountId }) => accountId);
    expect(deliveries.sort((a, b) => wanting.indexOf(a.endpointId) - wanting.indexOf(b.endpointId))).toEqual(
      wanting.map((endpointId, at) => ({ endpointId, type: "order.created", account: accounts[at] })),
    );
  });
});

describe("recordOrder", () => {
  const record = (row: NewOrder) =>
    inTransaction(market.api.db, async (tx) => {
      const key = `${row.id}:created`;
      const created = { type: "order.created", actor: "buyer", key, occurredAt: row.createdAt } as const;
      return recordOrder(tx, row, created, { keyId: null, offer: await readOffer(row.serviceId) });
    });
  const readOffer = async (serviceId: string) => {
    const [read] = await market.api.db
      .select({ service: service.version, agent: agent.version })
      .from(service)
      .innerJoin(agent, eq(agent.id, service.agentId))
      .where(eq(service.id, serviceId));
    if (!read) throw new Error(`There is no service ${serviceId}.`);
    return read;
  };

  test("writes nothing under a reference that another order has", async () => {
    const taken = await rowOf(market, (await place(market)).id);
    const before = await countRows(market);
    const next = { ...taken, id: typeid("ord").toString(), escrowId: randomHash() };
    expect(await record(next)).toBeUndefined();
    expect(await countRows(market)).toEqual(before);
    const { orders, facts, events } = before;
    expect(await record({ ...next, reference: "E-FREE00" })).toBeDefined();
    expect(await countRows(market)).toMatchObject({
      orders: orders + 1,
      facts: facts + 1,
      events: events + 2,
    });
  });

  test("returns the row as later reads do", async () => {
    const like = await rowOf(
      market,
      (await place(market, { input_payload: { text: 'a "b" \\ \u00e9\u{1f600}' } })).id,
    );
    const id = typeid("ord").toString();
    const placed = await record({ ...like, id, reference: "E-FREE01", escrowId: randomHash() });
    expect(placed).toEqual(await rowOf(market, id));
  });

  test("locks service and agent until the order is written", async () => {
    const service_id = await offer({ price: "1.00" });
    const like = await rowOf(market, (await place(market, { service_id })).id);
    const read = await readOffer(service_id);
    const id = typeid("ord").toString();
    const changed: string[] = [];
    const changes: Promise<unknown>[] = [];
    await inTransaction(market.api.db, async (tx) => {
      const values = { ...like, id, reference: "E-FREE03", escrowId: randomHash() };
      const created = { type: "order.created", actor: "buyer", key: `${id}:created` } as const;
      await recordOrder(tx, values, { ...created, occurredAt: like.createdAt }, { keyId: null, offer: read });
      for (const [table, row] of [
        [service, like.serviceId],
        [agent, like.agentId],
      ] as const) {
        const change = market.api.db.update(table).set({ version: 1000 }).where(eq(table.id, row));
        changes.push(change.then(() => changed.push(row)));
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(changed).toEqual([]);
    });
    await Promise.all(changes);
    expect(changed).toHaveLength(2);
  });

  test("fails for an existing order, and leaves it unchanged", async () => {
    const row = await rowOf(market, (await place(market)).id);
    const before = await countRows(market);
    await expect(record({ ...row, reference: "E-FREE02" })).rejects.toThrow("order_pkey");
    expect(await countRows(market)).toEqual(before);
    expect(await rowOf(market, row.id)).toEqual(row);
  });
});
