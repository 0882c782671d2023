import type { PaymentRequirements } from "@x402/fetch";
import { type Address, getAddress, type Hex, type LocalAccount } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, expectStatus, publishService } from "../harness/api.ts";
import { forkChain, type TestChain } from "../harness/chain.ts";
import { settleOneOrder } from "../harness/flows/life.ts";
import { placePermit2 } from "../harness/flows/permit2.ts";
import { approvePermit2 } from "../harness/flows/permits.ts";
import { deployWallet, type Signing, signAs } from "../harness/flows/wallets.ts";
import {
  balanceOf,
  type Market,
  newAccount,
  openMarket,
  paymentUrl,
  placeOrder,
  reach,
  readBuyUrl,
  stockFetch,
} from "../harness/flows/x402-order.ts";
import { startStack, type TestStack } from "../harness/stack.ts";
import { deployUsdc, type Usdc } from "../harness/usdc.ts";

// The whole stack with Circle's own token contracts.
let usdc: Usdc;
let chain: TestChain;
let stack: TestStack;
let market: Market;
beforeAll(async () => {
  chain = await forkChain({
    async placeToken(rpcUrl) {
      usdc = await deployUsdc(rpcUrl);
      return usdc.address;
    },
  });
  await placePermit2(chain);
  stack = await startStack({ chain });
  market = await openMarket(chain, stack.baseUrl);
});
afterAll(async () => {
  await stack?.close();
  await chain?.close();
});

const amount = 2_500_000n;
const pay = (order: Answer["body"], payer?: Signing, select?: Parameters<typeof stockFetch>[2]) =>
  stockFetch(
    market,
    payer as LocalAccount,
    select,
  )(paymentUrl(market, order), {
    method: "POST",
    headers: { authorization: `Bearer ${market.buyerKey}` },
  });

test("an order settles on the escrow rail, from sign-in to verified receipts", async () => {
  expect(chain.chain.token).toMatchObject({ symbol: "USDC", decimals: 6, name: "USD Coin", version: "2" });
  await settleOneOrder(stack, "2.500000");
});

test("a stock client pays by USDC's own authorization, with an account and without one", async () => {
  const order = await placeOrder(market);
  expect((await pay(order)).status).toBe(202);
  await reach(market, order, "funded");

  const bought = await stockFetch(market)(await readBuyUrl(market), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ buyer_address: market.buyer.account.address }),
  });
  expect(bought.status).toBe(202);
});

test("a contract wallet pays by a signature as bytes, which USDC asks the wallet for", async () => {
  const owner = newAccount();
  const wallet = await deployWallet(chain, owner.address);
  await chain.fund({ address: wallet });
  const order = await placeOrder(market);
  const answer = await pay(order, signAs(wallet, owner, "named"));
  expect(await answer.json()).toMatchObject({ payment: { payer: getAddress(wallet) } });
  await reach(market, order, "funded");
});

test("USDC is paid by Permit2", async () => {
  const payer = newAccount();
  await chain.fund(payer);
  await approvePermit2(market, payer);
  const order = await placeOrder(market);
  const byPermit2 = (_: number, accepts: PaymentRequirements[]) => accepts[1] as PaymentRequirements;
  const answer = await pay(order, payer, byPermit2);
  expect(await answer.json()).toMatchObject({ payment: { method: "permit2" } });
  await reach(market, order, "funded");
  expect(await balanceOf(market, payer.address)).toBe(10_000_000_000n - amount);
});

test("a payment is refused while USDC blocks the payer or is paused, and succeeds afterwards", async () => {
  const payer = newAccount();
  await chain.fund(payer);
  const order = await placeOrder(market);
  for (const [set, lift] of [
    [
      ["blacklist", payer.address],
      ["unBlacklist", payer.address],
    ],
    [["pause"], ["unpause"]],
  ] as [[string, ...unknown[]], [string, ...unknown[]]][]) {
    await usdc.call(...set);
    const refused = await pay(order, payer);
    await usdc.call(...lift);
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({
      error: { details: [{ keyword: "invalid_exact_evm_transaction_simulation_failed" }] },
    });
  }
  expect((await pay(order, payer)).status).toBe(202);
  await reach(market, order, "funded");
});

test("an order is released to a blacklisted provider, who is paid once USDC lets it", async () => {
  const { service } = await publishService(market.api, market.provider);
  const order = await placeOrder(market, { service_id: service.id });
  expect((await pay(order)).status).toBe(202);
  await reach(market, order, "funded");
  const provider = market.provider.account.address;
  const had = await balanceOf(market, provider);
  await usdc.call("blacklist", provider);
  const path = `/orders/${order.id}`;
  const { actions } = expectStatus(
    200,
    await market.api.request("GET", `${path}/settlement-options`, { apiKey: market.buyerKey }),
  );
  const { call } = actions.find(({ action }: { action: string }) => action === "release");
  const { account } = market.buyer;
  await chain.node.setBalance({ address: account.address, value: 10n ** 18n });
  await send(account, call);
  await reach(market, order, "released");
  expect(await balanceOf(market, provider)).toBe(had);
  await usdc.call("unBlacklist", provider);
  const { token } = market.provider;
  const { wallets } = expectStatus(200, await market.api.request("GET", "/balances", { token }));
  const [{ owed, withdraw_call }] = wallets;
  expect(owed).toBe("2.500000");
  // Anybody may send the call that pays the provider.
  await send(account, withdraw_call);
  expect(await balanceOf(market, provider)).toBe(had + amount);
});

async function send(account: LocalAccount, { to, data }: { to: Address; data: Hex }): Promise<void> {
  const hash = await chain.wallet(account).sendTransaction({ to, data });
  const receipt = await chain.publicClient.waitForTransactionReceipt({ hash });
  expect(receipt.status).toBe("success");
}
