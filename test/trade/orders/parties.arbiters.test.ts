import { eq } from "drizzle-orm";
import { typeid } from "typeid-js";
import { zeroAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { order, organisationMember, subscription, wallet } from "../../../db/schema.ts";
import { renewSubscriptions } from "../../../jobs/subscriptions/renew.ts";
import { expectStatus, publishService, type Session } from "../../harness/api.ts";
import { ask, createMarket, expectRefusal, inputSchema, type Market } from "../../harness/market/market.ts";

type Offered = Awaited<ReturnType<typeof publishService>>;

let market: Market;
/** A service that accepts one arbiter, which is not the chain's. */
let strict: Offered;
const listed = fresh();
const input_payload = { text: "Guten Tag" };
beforeAll(async () => {
  market = await createMarket();
  strict = await offer({ arbiters: [listed.toLowerCase()] });
});
afterAll(() => market?.api.close());

/** A new random address. */
function fresh() {
  return privateKeyToAccount(generatePrivateKey()).address;
}
const offer = (fields: Record<string, unknown> = {}) =>
  publishService(market.api, market.provider, { input_schema: inputSchema, ...fields });
const pathOf = ({ agent, service }: Offered) => `/agents/${agent.slug}/services/${service.slug}`;
const change = async (offered: Offered, body: object, status = 200) =>
  expectStatus(
    status,
    await market.api.request("PATCH", pathOf(offered), { token: market.provider.token, body }),
  );
const order_ = (offered: Pick<Offered, "service">, body: object = {}) =>
  ask(market, market.buyer, "POST", "/orders", { service_id: offered.service.id, input_payload, ...body });
const addWallet = async ({ accountId }: Session, address = fresh()) => {
  await market.api.db
    .insert(wallet)
    .values({ id: typeid("wal").toString(), accountId, address, provedBy: "key" });
  return address;
};

describe("an arbiter that the service does not accept", () => {
  test("is refused where the service lists none, so a buyer cannot name itself by a new address", async () => {
    const error = await expectRefusal(
      market,
      () => order_(market, { arbiter: fresh() }),
      400,
      "invalid_request",
      `${market.chain.arbiter}`,
    );
    expect(error.details).toMatchObject([{ path: "/arbiter", keyword: "enum" }]);
    for (const arbiter of [market.chain.arbiter, zeroAddress]) {
      expect(expectStatus(201, await order_(market, { arbiter })).arbiter).toBe(arbiter);
    }
  });

  test("is refused where the service has a list without it, even the chain's own arbiter", async () => {
    for (const arbiter of [fresh(), market.chain.arbiter, zeroAddress]) {
      await expectRefusal(market, () => order_(strict, { arbiter }), 400, "invalid_request", listed);
    }
    expect(expectStatus(201, await order_(strict, { arbiter: listed })).arbiter).toBe(listed);
  });

  test("is not the default of a buyer who names none", async () => {
    const error = await expectRefusal(market, () => order_(strict), 400, "invalid_request", listed);
    expect(error.details).toMatchObject([{ path: "/arbiter", keyword: "required" }]);
    const both = await offer({ arbiters: [listed, market.chain.arbiter] });
    expect(expectStatus(201, await order_(both)).arbiter).toBe(market.chain.arbiter);
  });

  test("is refused when a quote is accepted, and the quote stays", async () => {
    const request = expectStatus(
      201,
      await ask(market, market.buyer, "POST", "/requests", {
        title: "A page",
        description: "x",
        tags: ["x"],
      }),
    );
    const quote = expectStatus(
      201,
      await ask(market, market.provider, "POST", `/requests/${request.id}/quotes`, {
        agent_slug: strict.agent.slug,
        service_id: strict.service.id,
        price: "7",
        delivery_time_hours: 5,
      }),
    );
    const accept = (body: object) =>
      ask(market, market.buyer, "POST", `/quotes/${quote.id}/accept`, { input_payload, ...body });
    await expectRefusal(market, () => accept({ arbiter: fresh() }), 400, "invalid_request", listed);
    await expectRefusal(market, () => accept({}), 400, "invalid_request", listed);
    expect((await ask(market, market.buyer, "GET", `/quotes/${quote.id}`)).body.status).toBe("offered");
    expect(expectStatus(201, await accept({ arbiter: listed })).arbiter).toBe(listed);
  });
});

describe("a service's list of arbiters", () => {
  test("is on the market, with the default where a service has none", async () => {
    const shown = [
      expectStatus(200, await market.api.request("GET", pathOf(strict))),
      ...expectStatus(200, await market.api.request("GET", `/agents/${strict.agent.slug}/services`)).items,
      ...expectStatus(
        200,
        await market.api.request("GET", `/marketplace/services?agent=${strict.agent.slug}`),
      ).items,
    ];
    expect(shown.map(({ arbiters }) => arbiters)).toEqual([[listed], [listed], [listed]]);
    const plain = expectStatus(200, await market.api.request("GET", pathOf(market)));
    expect(plain.arbiters).toEqual([market.chain.arbiter, zeroAddress]);
  });

  test("applies to new orders, and changes no placed one", async () => {
    const offered = await offer({ arbiters: [listed] });
    const placed = expectStatus(201, await order_(offered, { arbiter: listed }));
    const next = fresh();
    expect((await change(offered, { arbiters: [next, next.toLowerCase(), zeroAddress] })).arbiters).toEqual([
      next,
      zeroAddress,
    ]);
    await expectRefusal(market, () => order_(offered, { arbiter: listed }), 400, "invalid_request", next);
    expect(expectStatus(201, await order_(offered, { arbiter: zeroAddress })).arbiter).toBe(zeroAddress);
    expect((await change(offered, { arbiters: null })).arbiters).toEqual([market.chain.arbiter, zeroAddress]);
    expect(expectStatus(201, await order_(offered)).arbiter).toBe(market.chain.arbiter);
    const agreement = await ask(market, market.provider, "GET", `/orders/${placed.id}/agreement`);
    expect(expectStatus(200, agreement).arbiter).toBe(listed);
  });

  test.each([[[]], [["nobody"]], [[null]], ["0x90F79bf6EB2c4f870365E785982E1f101E93b906"]])(
    "is refused as %j",
    async (arbiters) => {
      const { error } = await change(strict, { arbiters }, 400);
      expect([error.code, error.details[0].path]).toEqual([
        "invalid_request",
        expect.stringMatching(/^\/arbiters/),
      ]);
    },
  );

  test("has ten arbiters at most", async () => {
    await change(strict, { arbiters: Array.from({ length: 11 }, fresh) }, 400);
  });
});

describe("an arbiter that is a party", () => {
  test("is refused although the service lists it, for each wallet of a party's account", async () => {
    for (const who of [market.buyer, market.provider]) {
      const arbiter = fresh();
      const offered = await offer({ arbiters: [arbiter] });
      expectStatus(201, await order_(offered, { arbiter }));
      await addWallet(who, arbiter);
      await expectRefusal(
        market,
        () => order_(offered, { arbiter }),
        400,
        "invalid_request",
        "is a party of the order",
      );
    }
  });

  test("is refused where a party and the arbiter share an organisation", async () => {
    const arbiter = market.outsider.account.address;
    const offered = await offer({ arbiters: [arbiter] });
    for (const { accountId } of [market.buyer, market.provider]) {
      for (const row of [
        { accountId, memberAccountId: market.outsider.accountId },
        { accountId: market.outsider.accountId, memberAccountId: accountId },
      ]) {
        await market.api.db.insert(organisationMember).values({ ...row, role: "viewer" });
        await expectRefusal(
          market,
          () => order_(offered, { arbiter }),
          400,
          "invalid_request",
          "is a party of the order",
        );
        await market.api.db.delete(organisationMember).where(eq(organisationMember.accountId, row.accountId));
      }
    }
    expectStatus(201, await order_(offered, { arbiter }));
  });
});

test("every event of an order names its arbiter", async () => {
  const placed = expectStatus(201, await order_(strict, { arbiter: listed }));
  for (const who of [market.buyer, market.provider]) {
    const { items } = expectStatus(200, await ask(market, who, "GET", "/events?limit=100"));
    const created = items.find(
      (one: { data: { order?: { id: string } } }) => one.data.order?.id === placed.id,
    );
    expect([created.type, created.data.order.arbiter]).toEqual(["order.created", listed]);
  }
});

describe("a subscription's next order", () => {
  const renew = () => renewSubscriptions(market.api.db, market.api.config, market.api.context);
  /** Starts the period of a subscription. */
  const begin = async (id: string) => {
    const { db } = market.api;
    await db
      .update(subscription)
      .set({ nextOrderAt: new Date(0) })
      .where(eq(subscription.id, id));
    await renew();
    return expectStatus(200, await ask(market, market.buyer, "GET", `/subscriptions/${id}`));
  };
  const plan = (arbiters: string[]) => offer({ pricing_model: "subscription", interval: "month", arbiters });
  const subscribe = async (offered: Offered, body: object) =>
    ask(market, market.buyer, "POST", "/subscriptions", {
      service_id: offered.service.id,
      input_payload,
      ...body,
    });

  test("is placed while the buyer's wallet and the arbiter stay valid", async () => {
    const { id } = expectStatus(201, await subscribe(await plan([listed]), { arbiter: listed }));
    expect(await begin(id)).toMatchObject({ status: "active", periods: 2, arbiter: listed });
  });

  test("is not placed with an arbiter that the service removed, nor the first with one it never accepted", async () => {
    const offered = await plan([listed]);
    await expectRefusal(
      market,
      () => subscribe(offered, { arbiter: fresh() }),
      400,
      "invalid_request",
      listed,
    );
    const { id } = expectStatus(201, await subscribe(offered, { arbiter: listed }));
    await change(offered, { arbiters: [fresh()] });
    const before = await market.api.db.$count(order);
    expect(await begin(id)).toMatchObject({ status: "ended", ended_reason: "arbiter_refused", periods: 1 });
    expect(await market.api.db.$count(order)).toBe(before);
  });

  test("is not placed with an arbiter that has become a party's", async () => {
    for (const who of [market.buyer, market.provider]) {
      const arbiter = fresh();
      const { id } = expectStatus(201, await subscribe(await plan([arbiter]), { arbiter }));
      await addWallet(who, arbiter);
      expect(await begin(id)).toMatchObject({ status: "ended", ended_reason: "arbiter_refused", periods: 1 });
    }
  });

  test("is not placed for a wallet that the buyer has removed, because refunds would go there", async () => {
    const buyer_address = await addWallet(market.buyer);
    const made = expectStatus(201, await subscribe(await plan([listed]), { arbiter: listed, buyer_address }));
    await market.api.db.delete(wallet).where(eq(wallet.address, buyer_address));
    expect(await begin(made.id)).toMatchObject({
      status: "ended",
      ended_reason: "wallet_removed",
      periods: 1,
    });
  });
});
