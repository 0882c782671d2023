import { x402Client as AxiosClient, wrapAxiosWithPayment } from "@x402/axios";
import { decodePaymentResponseHeader } from "@x402/fetch";
import axios from "axios";
import { getAddress } from "viem";
import { expect, test } from "vitest";
import { ExactEvmScheme as OldExactEvmScheme } from "x402-evm-2.5";
import { x402Client as OldClient, wrapFetchWithPayment as wrapOldFetch } from "x402-fetch-2.5";
import { issuerOf, verifyReceipt } from "../../receipts/index.ts";
import { type Answer, expectStatus, signIn } from "../harness/api.ts";
import type { TestChain } from "../harness/chain.ts";
import {
  balanceOf,
  deliverNext,
  type Market,
  newAccount,
  openMarket,
  paymentUrl,
  placeOrder,
  reach,
  readBuyUrl,
  readEscrowed,
  stockFetch,
} from "../harness/flows/x402-order.ts";
import { testOnStack } from "../harness/stack.ts";

let chain: TestChain;
let market: Market;
testOnStack.beforeAll(async ({ stack }) => {
  ({ chain } = stack);
  market = await openMarket(chain, stack.baseUrl);
});

const amount = 2_500_000n;

test("a stock client with its spend controls set funds the escrow, under exactly the order's terms", async () => {
  const order = await placeOrder(market);
  const had = await balanceOf(market, market.buyer.account.address);
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
  expect(await readEscrowed(market, order)).toBe(amount);
  expect(await balanceOf(market, getAddress(order.escrow.deposit_address))).toBe(0n);
});

test("an old stock client, which lacks spend controls, funds the escrow", async () => {
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

test("a stock client of axios funds the escrow", async () => {
  const order = await placeOrder(market);
  const client = new AxiosClient().register(
    `eip155:${chain.chain.chain_id}`,
    new OldExactEvmScheme({
      address: market.buyer.account.address,
      signTypedData: (data) => market.buyer.account.signTypedData(data as never),
      readContract: () => Promise.reject(new Error("This client has no node.")),
    }) as never,
  );
  const headers = { "x-api-key": market.buyerKey };
  const answer = await wrapAxiosWithPayment(axios.create({ headers }), client).post(
    paymentUrl(market, order),
  );
  expect(answer.status).toBe(202);
  await reach(market, order, "funded");
});

test("a stock client without an account buys, gets the output and its proof by one request, and owns the order after a sign-in", async () => {
  const outsider = newAccount();
  await chain.fund(outsider);
  await chain.node.setBalance({ address: outsider.address, value: 0n });
  const working = deliverNext(market, { text: "Done." });
  const answer = await stockFetch(market, outsider)(await readBuyUrl(market), {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "wait=50" },
    body: JSON.stringify({ buyer_address: outsider.address, input_payload: { text: "Do it." } }),
  });
  const { order, payment, claim } = (await answer.json()) as Answer["body"];
  await working;
  expect([answer.status, order?.output_payload]).toEqual([200, { text: "Done." }]);
  expect(order.status).toBe("delivered");
  const settled = decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE") ?? "");
  expect(settled).toMatchObject({
    success: true,
    transaction: payment.transaction_hash,
    payer: outsider.address,
  });
  expect(await balanceOf(market, outsider.address)).toBe(10_000_000_000n - amount);

  // The owner of the buyer's address releases, on the chain or by a signature in a session.
  const session = await signIn(market.api, outsider, chain.chain.chain_id);
  const path = `/orders/${order.id}`;
  const { token } = session;
  const { typed_data } = expectStatus(200, await market.api.request("GET", `${path}/release`, { token }));
  const signature = await outsider.signTypedData(typed_data);
  const body = { signature, deadline: typed_data.message.deadline };
  expectStatus(202, await market.api.request("POST", `${path}/release`, { token, body }));

  // The claim token alone follows the order to its end.
  const read = (at: string) => fetch(at, { headers: { authorization: `Bearer ${claim.token}` } });
  await expect
    .poll(async () => ((await (await read(claim.order_url)).json()) as Answer["body"]).status, {
      interval: 100,
    })
    .toBe("released");
  const receipt = await read(`${claim.order_url}/receipt`);
  const verified = await verifyReceipt(await receipt.json(), { issuer: issuerOf(market.baseUrl) });
  expect(verified).toMatchObject({ valid: true, claim: "released", document: { order_id: order.id } });
});

test("an old stock client buys without an account, too", async () => {
  const outsider = newAccount();
  await chain.fund(outsider);
  const client = new OldClient().register(
    `eip155:${chain.chain.chain_id}`,
    new OldExactEvmScheme({
      address: outsider.address,
      signTypedData: (data) => outsider.signTypedData(data as never),
      readContract: () => Promise.reject(new Error("This client has no node.")),
    }),
  );
  const answer = await wrapOldFetch(fetch, client)(await readBuyUrl(market), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ buyer_address: newAccount().address }),
  });
  const { order, claim } = await expectAccepted(answer);
  const read = async () => {
    const found = await fetch(claim.order_url, { headers: { authorization: `Bearer ${claim.token}` } });
    return ((await found.json()) as Answer["body"]).status;
  };
  await expect.poll(read, { interval: 100 }).toBe("funded");
  expect(order.buyer_address).not.toBe(outsider.address);
});

/** Returns the body of a 202; any other answer is shown in the failure. */
async function expectAccepted(answer: Response): Promise<Answer["body"]> {
  const body = (await answer.json()) as Answer["body"];
  expect([answer.status, answer.status === 202 ? null : body]).toEqual([202, null]);
  return body;
}
