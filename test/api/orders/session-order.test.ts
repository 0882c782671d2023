import { eq } from "drizzle-orm";
import { typeid } from "typeid-js";
import { getAddress, type LocalAccount, zeroAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { relay } from "../../../db/schema.ts";
import { closeData, voucherData } from "../../../protocol/settlement/index.ts";
import { expectStatus, publishService } from "../../harness/api.ts";
import {
  ask,
  createMarket,
  expectRefusal,
  indexer,
  type Market,
  rowOf,
  settleNow,
} from "../../harness/market/market.ts";

let market: Market;
let service: string;
/** The path of the service. */
let shown: string;
const session_key = "_HpP3NYtYtKo3JW7ywUlD14HQHmAknyl9ay0WWehQrc";
const session = { endpoint_url: "https://calls.example/v1", session_key };
const perCall = { pricing_model: "per_call", price: "0.001", max_quantity: 5_000, session };
const workHash = `0x${"34".repeat(32)}` as const;

beforeAll(async () => {
  market = await createMarket();
  const published = await publishService(market.api, market.provider, perCall);
  service = published.service.id;
  shown = `/agents/${published.agent.slug}/services/${published.service.slug}`;
});
afterAll(() => market.api.close());

const open = (fields: object = {}, of = service) =>
  ask(market, market.buyer, "POST", `/services/${of}/sessions`, fields);

test.each([
  ["its calls", { calls: 1_000 }, 1_000, "1.000000"],
  ["the service's most calls", {}, 5_000, "5.000000"],
  ["what an amount pays, in whole calls", { balance: "0.0109" }, 10, "0.010000"],
])("a session's balance is %s", async (_, fields, quantity, total_amount) => {
  const order = expectStatus(201, await open(fields));
  expect(order).toMatchObject({ pricing_model: "per_call", quantity, total_amount, status: "created" });
  const { body } = await ask(market, market.buyer, "GET", `/orders/${order.id}/agreement`);
  expect(body).toMatchObject({ ...session, unit_price_base_units: "1000" });
  expect(body).toMatchObject({ acceptance_window_seconds: 2 ** 32 - 1, arbiter: zeroAddress });
});

test("a session has no arbiter and no disputes", async () => {
  const { body } = await market.api.request("GET", shown, {});
  expect(body.arbiters).toEqual([zeroAddress]);
  const arbiter = getAddress(`0x${"a1".repeat(20)}`);
  await expectRefusal(
    market,
    () => ask(market, market.buyer, "POST", "/orders", { service_id: service, quantity: 10, arbiter }),
    400,
    "invalid_request",
    `accepts: ${zeroAddress}`,
  );
  const { id } = expectStatus(201, await open({ calls: 10 }));
  const reason_hash = `0x${"12".repeat(32)}`;
  const dispute = await ask(market, market.buyer, "GET", `/orders/${id}/dispute?reason_hash=${reason_hash}`);
  expect(dispute.body.typed_data).toBeNull();
});

test("a session is not opened of another service, or with calls and a balance", async () => {
  await expectRefusal(
    market,
    () => open({ calls: 1 }, market.service.id),
    409,
    "invalid_state",
    "no sessions",
  );
  await expectRefusal(market, () => open({ calls: 1, balance: "1" }), 400, "invalid_request", "not both");
});

test("a service needs an endpoint for sessions, and only a per_call service has one", async () => {
  const { agent, provider, api } = market;
  const path = `/agents/${agent.slug}/services`;
  const token = provider.token;
  const create = (fields: object) =>
    api.request("POST", path, {
      token,
      body: { slug: "calls", title: "Calls", delivery_time_hours: 1, ...perCall, ...fields },
    });
  const refused = [
    [{ pricing_model: "fixed" }, "only per_call services"],
    [{ execution: { endpoint: "https://calls.example/orders" } }, "calls its endpoint itself"],
    [{ session: { ...session, endpoint_url: "http://calls.example" } }, "https"],
    [{ session: { ...session, session_key: "short" } }, "session_key"],
  ] as const;
  for (const [fields, message] of refused) {
    const answer = await create(fields);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining(message)]);
  }
  expectStatus(201, await create({ session: null }));
  const answer = await api.request("POST", `${path}/calls/publish`, { token });
  expect(answer.body.error.details).toMatchObject([{ path: "/session" }]);
});

test("a funded session takes vouchers of its buyer from either party, and no step of a delivery", async () => {
  const { id } = expectStatus(201, await open({ calls: 100 }));
  const row = await rowOf(market, id);
  const { chainId, escrowId } = row;
  const escrow = { chainId, escrowId, escrowContract: getAddress(row.escrowContract) };
  const voucher = async (cumulativeAmount: bigint, account: LocalAccount = market.buyer.account) => ({
    cumulative_amount: String(cumulativeAmount),
    work_hash: workHash,
    signature: await account.signTypedData(voucherData(escrow, { cumulativeAmount, workHash })),
  });
  const send = async (body: object, as = market.provider) =>
    await ask(market, as, "POST", `/orders/${id}/voucher`, body);
  const early = await voucher(5_000n);
  await expectRefusal(market, () => send(early), 409, "invalid_state", "not funded");
  await indexer(market, row).funded();
  await settleNow(market);
  const foreign = await voucher(5_000n, privateKeyToAccount(generatePrivateKey()));
  await expectRefusal(market, () => send(foreign), 400, "invalid_request", "not the signature");
  const large = await voucher(100_001n);
  await expectRefusal(market, () => send(large), 400, "invalid_request", "at most 100000");
  for (const [path, body] of [
    ["start", undefined],
    ["deliver", { output_payload: {} }],
  ] as const) {
    const act = () => ask(market, market.provider, "POST", `/orders/${id}/${path}`, body);
    await expectRefusal(market, act, 409, "invalid_state", "no delivery");
  }
  const release = () => ask(market, market.buyer, "GET", `/orders/${id}/release`);
  await expectRefusal(market, release, 409, "invalid_state", "by its vouchers");
  const queued = expectStatus(202, await send(early)).relay;
  expect(queued.status).toBe("queued");
  expect(expectStatus(202, await send(early)).relay).toEqual(queued);

  // The buyer uses up its own vouchers, also by requests at once, and none of the provider's.
  const atOnce = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => await send(await voucher(5_001n + BigInt(at)), market.buyer)),
  );
  expect(atOnce.map(({ status }) => status).sort()).toEqual([...Array(8).fill(202), ...Array(4).fill(409)]);
  const ninth = await voucher(6_000n);
  await expectRefusal(market, () => send(ninth, market.buyer), 409, "invalid_state", "the gas of 8 vouchers");
  expectStatus(202, await send(await voucher(90_000n)));

  // The buyer's wallet reverts calls elsewhere: no call that it signs is relayed, but the provider's vouchers are.
  await market.api.db.insert(relay).values({
    id: typeid("rly").toString(),
    key: `${id}:reverted`,
    chainId,
    status: "failed",
    to: escrow.escrowContract,
    data: "0x",
    gasBound: 400_000,
    revertedAt: new Date(),
    signer: market.buyer.account.address.toLowerCase() as `0x${string}`,
  });
  expectStatus(202, await send(await voucher(91_000n)));
});

test("both signatures end a session at once, by either party and once for each", async () => {
  const { id } = expectStatus(201, await open({ calls: 100 }));
  const row = await rowOf(market, id);
  const escrow = {
    chainId: row.chainId,
    escrowId: row.escrowId,
    escrowContract: getAddress(row.escrowContract),
  };
  const deadline = BigInt(Math.floor(Date.now() / 1000) + 3_600);
  const close = async (providerAmount: bigint, more: object = {}, by = market.provider.account) => {
    const data = closeData(escrow, { providerAmount, deadline });
    const [buyer_signature, provider_signature] = await Promise.all([
      market.buyer.account.signTypedData(data),
      by.signTypedData(data),
    ]);
    return {
      provider_amount: String(providerAmount),
      deadline: String(deadline),
      buyer_signature,
      provider_signature,
      ...more,
    };
  };
  const send = async (body: object, as = market.provider) =>
    await ask(market, as, "POST", `/orders/${id}/close`, body);
  const good = await close(7_000n);
  await expectRefusal(market, () => send(good), 409, "invalid_state", "not funded");
  await indexer(market, row).funded();
  await settleNow(market);
  const bad: [object, string][] = [
    [await close(100_001n), "0 to 100000"],
    [await close(7_000n, { deadline: "1" }), "has passed"],
    [
      await close(7_000n, {}, market.buyer.account),
      `not the signature of ${market.provider.account.address}`,
    ],
  ];
  for (const [body, message] of bad) {
    await expectRefusal(market, () => send(body), 400, "invalid_request", message);
  }
  const first = expectStatus(202, await send(good)).relay;
  expect(expectStatus(202, await send(await close(8_000n))).relay).toEqual(first);
  // A failed one is not sent again: the code of the other party's account could make it fail each time.
  await market.api.db.update(relay).set({ status: "failed" }).where(eq(relay.id, first.id));
  expect(expectStatus(202, await send(good)).relay).toMatchObject({ id: first.id, status: "failed" });
  // The buyer has a close of its own. It runs both wallets' code, so it waits for no revert of one wallet.
  expect(expectStatus(202, await send(good, market.buyer)).relay).not.toMatchObject({ id: first.id });
});

test("a key's limits count the balances of its sessions", async () => {
  const { api, buyer } = market;
  const key = expectStatus(
    201,
    await api.request("POST", "/api-keys", {
      token: buyer.token,
      body: {
        name: "limited",
        scopes: ["orders:read", "orders:write"],
        limits: { per_order: "1.00", per_day: "1.50" },
      },
    }),
  );
  const openAs = (calls: number) =>
    api.request("POST", `/services/${service}/sessions`, { token: key.token, body: { calls } });
  const expectLimit = async (calls: number) => {
    const { status, body } = await openAs(calls);
    expect([status, body.error?.code]).toEqual([403, "spend_limit_exceeded"]);
  };
  await expectLimit(1_001);
  expectStatus(201, await openAs(1_000));
  await expectLimit(501);
  expectStatus(201, await openAs(500));
  await expectLimit(1);
});
