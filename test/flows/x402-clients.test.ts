import { decodePaymentResponseHeader } from "@x402/fetch";
import { getAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ExactEvmScheme as OldExactEvmScheme } from "x402-evm-2.5";
import { x402Client as OldClient, wrapFetchWithPayment as wrapOldFetch } from "x402-fetch-2.5";
import type { Answer } from "../harness/api.ts";
import { forkChain, type TestChain } from "../harness/chain.ts";
import {
  balanceOf,
  type Market,
  openMarket,
  paymentUrl,
  placeOrder,
  reach,
  stockFetch,
} from "../harness/flows/x402-order.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

let chain: TestChain;
let stack: TestStack;
let market: Market;
beforeAll(async () => {
  chain = await forkChain();
  stack = await startStack({ chain });
  market = await openMarket(chain, stack.baseUrl);
});
afterAll(async () => {
  await stack?.close();
  await chain?.close();
});

const amount = 2_500_000n;

test("a stock client with its spend controls set funds the escrow, under exactly the order's terms", async () => {
  const order = await placeOrder(market);
  const [had, held] = [
    await balanceOf(market, market.buyer.account.address),
    await balanceOf(market, chain.chain.escrow_contract),
  ];
  const answer = await stockFetch(market)(paymentUrl(market, order), {
    method: "POST",
    headers: { authorization: `Bearer ${market.buyerKey}` },
  });
  const { payment } = await expectAccepted(answer);
  const settled = decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE") ?? "");
  expect(settled).toMatchObject({
    success: true,
    transaction: payment.transaction_hash,
    network: `eip155:${chain.chain.chain_id}`,
    payer: market.buyer.account.address,
  });
  const funded = await reach(market, order, "funded");
  expect(funded.escrow.status).toBe("funded");
  expect(await balanceOf(market, market.buyer.account.address)).toBe(had - amount);
  expect(await balanceOf(market, chain.chain.escrow_contract)).toBe(held + amount);
  expect(await balanceOf(market, getAddress(order.escrow.deposit_address))).toBe(0n);
});

test("an old stock client, which knows no spend controls, funds the escrow", async () => {
  const order = await placeOrder(market);
  const client = new OldClient().register(
    `eip155:${chain.chain.chain_id}`,
    new OldExactEvmScheme({
      address: market.buyer.account.address,
      signTypedData: (data) => market.buyer.account.signTypedData(data as never),
      readContract: () => Promise.reject(new Error("This client has no node.")),
    }),
  );
  const answer = await wrapOldFetch(fetch, client)(paymentUrl(market, order), {
    method: "POST",
    headers: { "x-api-key": market.buyerKey },
  });
  await expectAccepted(answer);
  await reach(market, order, "funded");
});

/** The body of a 202; what was answered instead shows in the failure. */
async function expectAccepted(answer: Response): Promise<Answer["body"]> {
  const body = (await answer.json()) as Answer["body"];
  expect([answer.status, answer.status === 202 ? null : body]).toEqual([202, null]);
  return body;
}
