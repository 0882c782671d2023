import type { PaymentRequirements } from "@x402/fetch";
import { type Address, formatUnits, type Hex, type LocalAccount, parseUnits } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Answer,
  createKey,
  expectStatus,
  publishService,
  requesterOf,
  type Session,
  signIn,
} from "../harness/api.ts";
import type { TestChain } from "../harness/chain.ts";
import { approvePermit2 } from "../harness/flows/permits.ts";
import { startTwoChains, type TwoChains } from "../harness/flows/two-chains.ts";
import {
  balanceOf,
  type Market,
  newAccount,
  paymentUrl,
  reach,
  stockFetch,
} from "../harness/flows/x402-order.ts";
import { startStack, type TestStack } from "../harness/stack.ts";
import type { Usdc } from "../harness/usdc.ts";

let chains: TwoChains;
let first: TestChain;
let second: TestChain;
let foreign: TwoChains["foreign"];
let usdc: Usdc;
let stack: TestStack;
let provider: Session;
let buyer: Session;
let slug: string;
let markets: Record<"testUsd" | "usdc" | "foreign", Market>;
beforeAll(async () => {
  chains = await startTwoChains();
  ({ first, second, foreign, usdc } = chains);
  stack = await startStack({ chain: { ...first, env: chains.env }, env: { DEFAULT_CHAIN_ID: "31337" } });
  const api = requesterOf(stack.baseUrl);
  [provider, buyer] = [await signIn(api), await signIn(api)];
  for (const chain of [first, second]) await chain.fund(buyer.account);
  const published = await publishService(api, provider, {
    price: "2.50",
    price_currency: "USD",
    accepts: chains.accepts,
  });
  slug = published.agent.slug;
  const market = {
    api,
    baseUrl: stack.baseUrl,
    buyer,
    provider,
    serviceId: published.service.id,
    buyerKey: await createKey(api, buyer, ["orders:read", "orders:write"]),
    providerKey: await createKey(api, provider, ["orders:read", "orders:write"]),
  };
  const withUsdc = { ...first, chain: { ...first.chain, token: chains.usdcToken } };
  markets = {
    testUsd: { ...market, chain: first },
    usdc: { ...market, chain: withUsdc },
    foreign: { ...market, chain: second },
  };
});
afterAll(async () => {
  await stack?.close();
  await chains?.close();
});

/** Buys the service without an account, as a stock client that holds the market's token alone. */
async function buy(market: Market, payer: LocalAccount): Promise<Answer["body"]> {
  const { items } = expectStatus(200, await market.api.request("GET", "/marketplace/services"));
  const { buy_url } = items.find(({ id }: { id: string }) => id === market.serviceId);
  const answer = await stockFetch(market, payer)(buy_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ buyer_address: payer.address }),
  });
  const bought = (await answer.json()) as Answer["body"];
  expect([answer.status, bought.error]).toEqual([202, undefined]);
  return bought;
}

/** Waits until the order of a purchase has a status, as its claim token reads it. */
async function reachByClaim({ order, claim }: Answer["body"], status: string): Promise<Answer["body"]> {
  let now: Answer["body"];
  const read = async () => {
    const path = `/orders/${order.id}`;
    now = expectStatus(200, await markets.testUsd.api.request("GET", path, { token: claim.token }));
    return now.status;
  };
  await expect.poll(read, { interval: 100 }).toBe(status);
  return now;
}

const placeIn = async (market: Market, rail = "x402") =>
  expectStatus(
    201,
    await market.api.request("POST", "/orders", {
      apiKey: market.buyerKey,
      body: {
        service_id: market.serviceId,
        settlement_rail: rail,
        pay_with: { chain_id: market.chain.chain.chain_id, token: market.chain.chain.token.address },
      },
    }),
  );

test("both chains are listed with their tokens, and how each can be paid", async () => {
  const { items } = expectStatus(200, await markets.testUsd.api.request("GET", "/chains"));
  const shown = items.map(({ chain_id, is_default, tokens }: Answer["body"]) => [
    chain_id,
    is_default,
    tokens.map(({ symbol, decimals, currency, methods }: Answer["body"]) => [
      symbol,
      decimals,
      currency,
      methods,
    ]),
  ]);
  expect(shown).toEqual([
    [
      31_337,
      true,
      [
        ["TUSD", 6, "USD", ["approve", "eip3009", "permit2"]],
        ["USDC", 6, "USD", ["approve", "eip3009", "permit2"]],
      ],
    ],
    [3_141_592, false, [["FRGN", 18, "USD", ["approve", "permit2"]]]],
  ]);
});

test("a service shows its price in each token that it accepts", async () => {
  const { api, serviceId } = markets.testUsd;
  const { items } = expectStatus(200, await api.request("GET", "/marketplace/services"));
  const service = items.find(({ id }: { id: string }) => id === serviceId);
  expect(service).toMatchObject({ price: "2.500000", price_currency: "USD" });
  expect(service.accepts.map(({ symbol, price }: Answer["body"]) => [symbol, price])).toEqual([
    ["TUSD", "2.500000"],
    ["USDC", "2.500000"],
    ["FRGN", "2.500000000000000000"],
  ]);
});

test("a purchase offers each token of each chain, with a deposit address of its own", async () => {
  const { api, serviceId, buyer } = markets.testUsd;
  const { items } = expectStatus(200, await api.request("GET", "/marketplace/services"));
  const { buy_url } = items.find(({ id }: { id: string }) => id === serviceId);
  const ask = async (more = {}): Promise<Answer["body"]> => {
    const body = JSON.stringify({ buyer_address: buyer.account.address, ...more });
    const answer = await fetch(buy_url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(answer.status).toBe(402);
    return answer.json();
  };
  const all = await ask();
  const ways = all.accepts.map(({ network, amount, extra }: PaymentRequirements) => [
    network,
    amount,
    extra?.assetTransferMethod ?? "eip3009",
  ]);
  expect(ways).toEqual([
    ["eip155:31337", "2500000", "eip3009"],
    ["eip155:31337", "2500000", "permit2"],
    ["eip155:31337", "2500000", "eip3009"],
    ["eip155:31337", "2500000", "permit2"],
    ["eip155:3141592", "2500000000000000000", "permit2"],
  ]);
  const deposits = new Set(all.accepts.map(({ payTo }: PaymentRequirements) => payTo));
  expect([deposits.size, all.other_agreements.length]).toEqual([3, 2]);

  const one = await ask({ pay_with: { chain_id: 3_141_592, token: foreign.token } });
  expect(one.accepts).toMatchObject([{ network: "eip155:3141592" }]);
  expect(one.other_agreements).toBeUndefined();
});

test("stock clients without an account pay with what they hold", async () => {
  const people = { testUsd: newAccount(), usdc: newAccount(), foreign: newAccount() };
  await first.fund(people.testUsd);
  await usdc.mint(people.usdc.address, 10_000_000_000n);
  await second.fund(people.foreign);
  await approvePermit2(markets.foreign, people.foreign);
  for (const [name, payer] of Object.entries(people) as [keyof typeof people, LocalAccount][]) {
    const market = markets[name];
    const had = await balanceOf(market, payer.address);
    const bought = await buy(market, payer);
    const order = await reachByClaim(bought, "funded");
    const { chain_id, token } = market.chain.chain;
    expect(order).toMatchObject({
      currency: token.symbol,
      escrow: { chain_id },
      total_amount: formatUnits(parseUnits("2.5", token.decimals), token.decimals).padEnd(
        2 + token.decimals,
        "0",
      ),
    });
    expect(await balanceOf(market, payer.address)).toBe(had - parseUnits("2.5", token.decimals));
  }
});

test("an order is paid, released and receipted on the chain that the buyer chose", async () => {
  const market = markets.foreign;
  const { api, buyerKey } = market;
  const order = await placeIn(market, "escrow");
  expect(order).toMatchObject({ currency: "FRGN", escrow: { chain_id: 3_141_592 } });
  const path = `/orders/${order.id}`;
  const { calls } = expectStatus(
    200,
    await api.request("GET", `${path}/payment-instructions`, { apiKey: buyerKey }),
  );
  for (const call of calls) await send(market, call);
  await reach(market, order, "funded");
  const { actions } = expectStatus(
    200,
    await api.request("GET", `${path}/settlement-options`, { apiKey: buyerKey }),
  );
  await send(market, actions.find(({ action }: Answer["body"]) => action === "release").call);
  await reach(market, order, "released");
  const had = await balanceOf(market, provider.account.address);
  expect(had).toBe(2_500_000_000_000_000_000n);
  const receipts = async () =>
    expectStatus(200, await api.request("GET", `${path}/receipts`, { apiKey: buyerKey })).items;
  await expect.poll(async () => (await receipts()).length).toBe(2);
  for (const { document } of await receipts())
    expect(document).toMatchObject({ chain: "eip155:3141592", token: foreign.token });
});

test("tokens that cannot pay a price are refused by name", async () => {
  const { api, buyerKey, serviceId } = markets.testUsd;
  const unknown = { chain_id: 31_337, token: foreign.token };
  const placed = await api.request("POST", "/orders", {
    apiKey: buyerKey,
    body: { service_id: serviceId, pay_with: unknown },
  });
  expect(placed).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
  expect(placed.body.error.message).toContain("this service accepts TUSD");

  const path = `/agents/${slug}/services`;
  const create = (more: Record<string, unknown>) =>
    api.request("POST", path, {
      token: provider.token,
      body: { slug: "other", title: "Other", price: "2.5", delivery_time_hours: 1, ...more },
    });
  expect((await create({ accepts: [unknown] })).body.error.details).toMatchObject([{ path: "/accepts/0" }]);
  const accepts = [{ chain_id: 31_337, token: usdc.address }];
  expect((await create({ accepts, price_currency: "EUR" })).body.error.details).toMatchObject([
    { path: "/accepts/0", keyword: "currency" },
  ]);
});

test("a dead chain delays no order on the other", async () => {
  await second.close();
  const { api } = markets.testUsd;
  const order = await placeIn(markets.testUsd);
  const answer = await stockFetch(markets.testUsd)(paymentUrl(markets.testUsd, order), {
    method: "POST",
    headers: { authorization: `Bearer ${markets.testUsd.buyerKey}` },
  });
  expect(answer.status).toBe(202);
  await reach(markets.testUsd, order, "funded");
  const { items } = expectStatus(200, await api.request("GET", "/chains"));
  expect(items.map(({ rpc_reachable }: Answer["body"]) => rpc_reachable)).toEqual([true, false]);
});

async function send({ chain, buyer }: Market, call: { to: Address; data: Hex }): Promise<void> {
  const hash = await chain.wallet(buyer.account).sendTransaction({ to: call.to, data: call.data });
  expect((await chain.publicClient.waitForTransactionReceipt({ hash })).status).toBe("success");
}
