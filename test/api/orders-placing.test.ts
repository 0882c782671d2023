import { eq } from "drizzle-orm";
import { typeid } from "typeid-js";
import { getAddress, zeroAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agent, event, fact, order, service, wallet } from "../../db/schema.ts";
import { depositAddressOf, digestOf, escrowIdOf, termsOf } from "../../settlement/terms.ts";
import { createKey, publishService } from "../harness/api.ts";
import { ask, createMarket, expectRefusal, type Market, place, rowOf } from "./orders.fixture.ts";

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

type Columns = {
  service?: Partial<typeof service.$inferSelect>;
  agent?: Partial<typeof agent.$inferSelect>;
};

/** Sets columns of the market's service or agent while `work` runs. */
async function whileSet(columns: Columns, work: () => Promise<unknown>): Promise<void> {
  const { db } = market.api;
  const [offered] = await db.select().from(service).where(eq(service.id, market.service.id));
  const [seller] = await db.select().from(agent).where(eq(agent.id, market.agent.id));
  const set = async (values: Columns) => {
    if (values.service) await db.update(service).set(values.service).where(eq(service.id, market.service.id));
    if (values.agent) await db.update(agent).set(values.agent).where(eq(agent.id, market.agent.id));
  };
  const as = (row: object | undefined, names: object | undefined) =>
    names && Object.fromEntries(Object.entries(row ?? {}).filter(([name]) => name in names));
  await set(columns);
  await work().finally(() =>
    set({ service: as(offered, columns.service), agent: as(seller, columns.agent) }),
  );
}

describe("POST /orders", () => {
  test("201 with the order: created, unfunded, with an escrow that commits to what was agreed", async () => {
    const before = Math.floor(Date.now() / 1000);
    const answer = await send();
    expect(answer.status).toBe(201);
    const row = await rowOf(market, answer.body.id);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^ord_[0-9a-z]{26}$/),
      reference: expect.stringMatching(/^E-[0-9A-HJKMNP-TV-Z]{6}$/),
      service_id: market.service.id,
      agent_id: market.agent.id,
      buyer_address: market.buyer.account.address,
      provider_address: market.provider.account.address,
      arbiter: market.chain.arbiter,
      quantity: 1,
      input_payload: { text: "Guten Tag" },
      output_payload: null,
      settlement_rail: "escrow",
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
      delivery_deadline: null,
      auto_release_at: null,
      completed_at: null,
      escrow: {
        chain_id: 31_337,
        contract_address: market.chain.escrow_contract,
        escrow_id: row.escrowId,
        deposit_address: getAddress(row.depositAddress),
        status: "none",
      },
    });
    expect(row.fundBy - before).toBeGreaterThanOrEqual(market.api.config.windows.fundingSeconds);
    expect(row.fundBy - before).toBeLessThan(market.api.config.windows.fundingSeconds + 5);
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

  test("its fact and an event for each party are written with it", async () => {
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
      data: { order_id: id, order_reference: reference, status: "created", entry: { type: "order.created" } },
    });
  });

  test("the agreement names the input as it was sent, to the last odd member", async () => {
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
  ])("a service priced %s costs its price times the quantity", async (pricing_model, quantity) => {
    const service_id = await offer({ pricing_model, price: "0.000001" });
    const placed = await place(market, { service_id, quantity });
    expect(placed).toMatchObject({
      quantity,
      unit_price_base_units: "1",
      total_amount_base_units: `${quantity}`,
    });
  });

  test("without a quantity the service's smallest is ordered", async () => {
    const service_id = await offer({ pricing_model: "per_unit", min_quantity: 5 });
    expect((await place(market, { service_id })).quantity).toBe(5);
  });

  test("a fixed service is one unit, unless it allows more", async () => {
    await refuse({ quantity: 2 }, 400, "invalid_request", "from 1 to 1");
    const service_id = await offer({ max_quantity: 3 });
    expect((await place(market, { service_id, quantity: 3 })).total_amount).toBe("7.500000");
    await refuse({ service_id, quantity: 4 }, 400, "invalid_request", "from 1 to 3");
  });

  test("a service without a schema takes any object, or none", async () => {
    const service_id = await offer({});
    expect((await place(market, { service_id, input_payload: { any: ["thing"] } })).input_payload).toEqual({
      any: ["thing"],
    });
    expect((await place(market, { service_id, input_payload: undefined })).input_payload).toBeNull();
    expect((await place(market, { service_id, input_payload: null })).input_payload).toBeNull();
  });

  test("a key with orders:write may place, in either header", async () => {
    const key = await createKey(market.api, market.buyer, ["orders:write"]);
    for (const access of [{ token: key }, { apiKey: key }]) {
      expect((await market.api.request("POST", "/orders", { ...access, body: request })).status).toBe(201);
    }
  });

  test("another verified wallet of the buyer's can be the one that is refunded", async () => {
    const second = privateKeyToAccount(generatePrivateKey()).address;
    await market.api.db
      .insert(wallet)
      .values({ id: typeid("wal").toString(), accountId: market.buyer.accountId, address: second });
    const placed = await place(market, { buyer_address: second.toLowerCase() });
    expect(placed.buyer_address).toBe(second);
  });

  test("the buyer may name an arbiter, or nobody", async () => {
    const arbiter = privateKeyToAccount(generatePrivateKey()).address;
    expect((await place(market, { arbiter: arbiter.toLowerCase() })).arbiter).toBe(arbiter);
    expect((await place(market, { arbiter: zeroAddress })).arbiter).toBe(zeroAddress);
    expect((await place(market, { arbiter: market.stranger.account.address })).arbiter).toBe(
      market.stranger.account.address,
    );
  });

  test("orders placed at once are all placed, each with its own escrow", async () => {
    const placed = await Promise.all(Array.from({ length: 8 }, () => place(market)));
    expect(new Set(placed.map(({ escrow }) => escrow.escrow_id)).size).toBe(8);
    expect(new Set(placed.map(({ reference }) => reference)).size).toBe(8);
  });
});

describe("POST /orders refuses", () => {
  test.each(["svc_01jd3w8x2mfhz8w9q4t6n5k7ra", "nonsense", "", "'; drop table"])(
    "404 an unknown service: %s",
    async (service_id) => {
      await refuse({ service_id }, 404, "not_found");
    },
  );

  test.each(["draft", "retired"] as const)("404 a service or an agent that is %s", async (status) => {
    await whileSet({ service: { status } }, () => refuse({}, 404, "not_found"));
    await whileSet({ agent: { status } }, () => refuse({}, 404, "not_found"));
  });

  test("409 a paused service, and a paused agent's", async () => {
    await whileSet({ service: { status: "paused" } }, () => refuse({}, 409, "invalid_state", "paused"));
    await whileSet({ agent: { status: "paused" } }, () => refuse({}, 409, "invalid_state", "paused"));
  });

  test("409 an agent without a payout wallet", async () => {
    await whileSet({ agent: { payoutWallet: null } }, () =>
      refuse({}, 409, "invalid_state", "payout wallet"),
    );
  });

  test("409 the caller's own agent", async () => {
    await expectRefusal(market, () => send({}, market.provider), 409, "conflict", "own agent");
  });

  test("409 a buyer's wallet that is paid as well", async () => {
    const address = market.buyer.account.address;
    await whileSet({ agent: { payoutWallet: address } }, () => refuse({}, 409, "conflict", "must differ"));
  });

  test.each(["negotiated", "subscription"])("409 a service priced %s", async (pricingModel) => {
    await whileSet({ service: { pricingModel } }, () =>
      refuse({}, 409, "invalid_state", "cannot be ordered directly"),
    );
  });

  test("400 a wallet that is somebody else's or nobody's", async () => {
    for (const buyer_address of [
      market.stranger.account.address,
      market.provider.account.address,
      privateKeyToAccount(generatePrivateKey()).address,
    ]) {
      const error = await refuse({ buyer_address }, 400, "invalid_request", "no verified wallet of yours");
      expect(error.details[0].path).toBe("/buyer_address");
    }
  });

  test("400 an arbiter who is a party, under any address of theirs", async () => {
    const second = privateKeyToAccount(generatePrivateKey()).address;
    await market.api.db
      .insert(wallet)
      .values({ id: typeid("wal").toString(), accountId: market.provider.accountId, address: second });
    for (const arbiter of [market.buyer.account.address, market.provider.account.address, second]) {
      const error = await refuse({ arbiter }, 400, "invalid_request", "no party");
      expect(error.details[0].path).toBe("/arbiter");
    }
  });

  test("409 when the chain's own arbiter is a party and nobody else is named", async () => {
    const { arbiter } = market.chain;
    if (!arbiter) throw new Error("The base chain names no arbiter.");
    await whileSet({ agent: { payoutWallet: arbiter } }, async () => {
      await refuse({}, 409, "conflict", "name another");
      expect((await send({ arbiter: zeroAddress })).status).toBe(201);
    });
  });

  test("400 the x402 rail, which is not offered yet", async () => {
    const error = await refuse(
      { settlement_rail: "x402" },
      400,
      "invalid_request",
      "does not offer the x402 rail yet",
    );
    expect(error.details[0].path).toBe("/settlement_rail");
  });

  test.each([0, -1, 1.5, "1", 2 ** 31, null])("400 a quantity of %s", async (quantity) => {
    const error = await refuse({ quantity }, 400, "invalid_request");
    expect(error.details[0].path).toBe("/quantity");
  });

  test("400 a quantity under the service's smallest", async () => {
    const service_id = await offer({ pricing_model: "per_unit", min_quantity: 5, max_quantity: 10 });
    await refuse({ service_id, quantity: 4 }, 400, "invalid_request", "from 5 to 10");
    await refuse({ service_id, quantity: 11 }, 400, "invalid_request", "from 5 to 10");
  });

  test("400 an amount that the escrow's terms cannot hold", async () => {
    const columns = { price: 2n ** 127n, pricingModel: "per_unit" };
    await whileSet({ service: columns }, async () => {
      await refuse({ quantity: 2 }, 400, "invalid_request", "more than an escrow can hold");
      expect((await send({ quantity: 1 })).status).toBe(201);
    });
    await whileSet({ service: { price: 2n ** 128n - 1n } }, async () => {
      expect((await send()).body.total_amount_base_units).toBe(`${2n ** 128n - 1n}`);
    });
  });

  test("409 a service that costs nothing", async () => {
    await whileSet({ service: { price: 0n } }, () => refuse({}, 409, "invalid_state", "no price"));
  });

  test("422 an input that breaks the schema, with every violation and its path", async () => {
    const error = await refuse(
      { input_payload: { text: "", pages: "two", extra: 1 } },
      422,
      "input_schema_violation",
    );
    expect(
      error.details.map(({ path, keyword }: { path: string; keyword: string }) => [path, keyword]),
    ).toEqual(
      expect.arrayContaining([
        ["/text", "minLength"],
        ["/pages", "type"],
      ]),
    );
    expect(error.details).toHaveLength(3);
    await refuse({ input_payload: {} }, 422, "input_schema_violation");
    await refuse({ input_payload: null }, 422, "input_schema_violation");
    await refuse({ input_payload: undefined }, 422, "input_schema_violation");
  });

  test.each([
    ["input_payload", ["a list"]],
    ["input_payload", "text"],
    ["buyer_address", "0x12"],
    ["buyer_address", 12],
    ["arbiter", "nobody"],
    ["settlement_rail", "cash"],
    ["service_id", 7],
    ["service_id", undefined],
    ["colour", "red"],
  ])("400 %s as %s", async (field, value) => {
    await refuse({ [field]: value }, 400, "invalid_request");
  });

  test("400 what is not JSON, 415 what is not said to be, 413 what is too large", async () => {
    const post =
      (body: string, headers: Record<string, string> = {}) =>
      async () => {
        const response = await market.api.app.request("/api/v1/orders", {
          method: "POST",
          headers: {
            authorization: `Bearer ${market.buyer.token}`,
            "content-type": "application/json",
            ...headers,
          },
          body,
        });
        return { status: response.status, body: await response.json(), headers: response.headers };
      };
    await expectRefusal(market, post("{"), 400, "invalid_request", "not JSON");
    await expectRefusal(market, post(""), 400, "invalid_request");
    await expectRefusal(market, post("[]"), 400, "invalid_request");
    const good = JSON.stringify(request);
    await expectRefusal(market, post(good, { "content-type": "text/plain" }), 415, "unsupported_media_type");
    const large = JSON.stringify({ ...request, input_payload: { text: "x".repeat(256 * 1024) } });
    await expectRefusal(market, post(large), 413, "payload_too_large");
  });

  test("401 without access, 403 without the scope", async () => {
    await expectRefusal(
      market,
      () => market.api.request("POST", "/orders", { body: request }),
      401,
      "unauthenticated",
    );
    const apiKey = await createKey(market.api, market.buyer, ["orders:read"]);
    await expectRefusal(
      market,
      () => market.api.request("POST", "/orders", { apiKey, body: request }),
      403,
      "insufficient_scope",
      "orders:write",
    );
  });

  test("503 where no chain is configured", async () => {
    const { api, chain } = market;
    api.config.defaultChain = undefined;
    await refuse({}, 503, "dependency_unavailable").finally(() => {
      api.config.defaultChain = chain;
    });
    expect(await api.db.$count(order)).toBeGreaterThan(0);
  });
});
