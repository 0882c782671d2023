import { eq } from "drizzle-orm";
import { typeid } from "typeid-js";
import { zeroAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { agent, order, organisationMember, service, wallet } from "../../../db/schema.ts";
import { createKey, publishService } from "../../harness/api.ts";
import { accept, ask, createMarket, expectRefusal, type Market } from "../../harness/market/market.ts";

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

describe("POST /orders refuses", () => {
  test.each(["svc_01jd3w8x2mfhz8w9q4t6n5k7ra", "nonsense", "", "'; drop table"])(
    "an unknown service with 404: %s",
    async (service_id) => {
      await refuse({ service_id }, 404, "not_found");
    },
  );

  test.each(["draft", "retired"] as const)("a service or an agent that is %s with 404", async (status) => {
    await whileSet({ service: { status } }, () => refuse({}, 404, "not_found"));
    await whileSet({ agent: { status } }, () => refuse({}, 404, "not_found"));
  });

  test("a paused service, and a paused agent's, with 409", async () => {
    await whileSet({ service: { status: "paused" } }, () => refuse({}, 409, "invalid_state", "paused"));
    await whileSet({ agent: { status: "paused" } }, () => refuse({}, 409, "invalid_state", "paused"));
  });

  test("an agent without a payout wallet with 409", async () => {
    await whileSet({ agent: { payoutWallet: null } }, () =>
      refuse({}, 409, "invalid_state", "payout wallet"),
    );
  });

  test("the caller's own agent with 409", async () => {
    await expectRefusal(market, () => send({}, market.provider), 409, "conflict", "own agent");
  });

  test("a buyer's wallet that is also the payee with 409", async () => {
    const address = market.buyer.account.address;
    await whileSet({ agent: { payoutWallet: address } }, () =>
      refuse({}, 409, "conflict", "Use another wallet"),
    );
  });

  test.each([
    ["negotiated", "quote_required"],
    ["subscription", "subscription_required"],
  ])("a service priced %s with 409, and says what to do instead", async (pricingModel, code) => {
    await whileSet({ service: { pricingModel } }, () => refuse({}, 409, code));
  });

  test("a service that takes no orders for now with 409", async () => {
    await whileSet({ service: { available: false } }, () =>
      refuse({}, 409, "invalid_state", "no new orders"),
    );
  });

  test("a wallet of another account or of none with 400", async () => {
    for (const buyer_address of [
      market.outsider.account.address,
      market.provider.account.address,
      privateKeyToAccount(generatePrivateKey()).address,
    ]) {
      const error = await refuse({ buyer_address }, 400, "invalid_request", "not a verified wallet of yours");
      expect(error.details[0].path).toBe("/buyer_address");
    }
  });

  test("an arbiter who is a party, by any address of theirs, with 400", async () => {
    const second = privateKeyToAccount(generatePrivateKey()).address;
    await market.api.db.insert(wallet).values({
      id: typeid("wal").toString(),
      accountId: market.provider.accountId,
      address: second,
      provedBy: "key",
    });
    const theirs = [market.buyer.account.address, market.provider.account.address, second];
    await accept(market, ...theirs);
    for (const arbiter of theirs) {
      const error = await refuse({ arbiter }, 400, "invalid_request", "is a party");
      expect(error.details[0].path).toBe("/arbiter");
    }
  });

  test("an arbiter who is a member of a party's organisation with 400", async () => {
    const arbiter = market.outsider.account.address;
    const { db } = market.api;
    await accept(market, arbiter);
    const memberAccountId = market.outsider.accountId;
    for (const { accountId } of [market.buyer, market.provider]) {
      await db.insert(organisationMember).values({ accountId, memberAccountId, role: "viewer" });
      const error = await refuse({ arbiter }, 400, "invalid_request", "is a party");
      expect(error.details[0].path).toBe("/arbiter");
      await db.delete(organisationMember).where(eq(organisationMember.accountId, accountId));
    }
    expect((await send({ arbiter })).status).toBe(201);
  });

  test("the chain's own arbiter with 409 when it is a party and no other is named", async () => {
    const { arbiter } = market.chain;
    if (!arbiter) throw new Error("The base chain names no arbiter.");
    await whileSet({ agent: { payoutWallet: arbiter } }, async () => {
      await refuse({}, 409, "conflict", "Give another");
      expect((await send({ arbiter: zeroAddress })).status).toBe(201);
    });
  });

  test("the x402 rail for a token that cannot be paid by signature with 400", async () => {
    const { token } = market.chain;
    market.chain.token = { ...token, address: market.chain.escrow_contract };
    const error = await refuse(
      { settlement_rail: "x402" },
      400,
      "invalid_request",
      /TUSD on Local chain cannot be paid by signature; use escrow/,
    ).finally(() => {
      market.chain.token = token;
    });
    expect(error.details).toMatchObject([{ path: "/settlement_rail", keyword: "rail" }]);
  });

  test.each([0, -1, 1.5, "1", 2 ** 31, null])("a quantity of %s with 400", async (quantity) => {
    const error = await refuse({ quantity }, 400, "invalid_request");
    expect(error.details[0].path).toBe("/quantity");
  });

  test("a quantity under the service's smallest with 400", async () => {
    const service_id = await offer({ pricing_model: "per_unit", min_quantity: 5, max_quantity: 10 });
    await refuse({ service_id, quantity: 4 }, 400, "invalid_request", "from 5 to 10");
    await refuse({ service_id, quantity: 11 }, 400, "invalid_request", "from 5 to 10");
  });

  test("an amount beyond the escrow's terms with 400", async () => {
    const columns = { price: 2n ** 127n, pricingModel: "per_unit" };
    await whileSet({ service: columns }, async () => {
      await refuse({ quantity: 2 }, 400, "invalid_request", "exceeds what an escrow can hold");
      expect((await send({ quantity: 1 })).status).toBe(201);
    });
    await whileSet({ service: { price: 2n ** 128n - 1n } }, async () => {
      expect((await send()).body.total_amount_base_units).toBe(`${2n ** 128n - 1n}`);
    });
  });

  test("a service that costs nothing with 409", async () => {
    await whileSet({ service: { price: 0n } }, () => refuse({}, 409, "invalid_state", "price is zero"));
  });

  test("an input that breaks the schema with 422, with every violation and its path", async () => {
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
  ])("%s as %s with 400", async (field, value) => {
    await refuse({ [field]: value }, 400, "invalid_request");
  });

  test("malformed JSON with 400, another content type with 415, too large a body with 413", async () => {
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

  test("anonymous callers with 401, and a key without the scope with 403", async () => {
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

  test("every order with 503 where no chain is configured", async () => {
    const { api, chain } = market;
    api.config.defaultChain = undefined;
    await refuse({}, 503, "dependency_unavailable").finally(() => {
      api.config.defaultChain = chain;
    });
    expect(await api.db.$count(order)).toBeGreaterThan(0);
  });
});
