import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { erc20Abi, maxUint256 } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { permit2Address, permit2ProxyAddress } from "../../protocol/settlement/x402.ts";
import { placeMulticall3 } from "../../tools/stack/anvil.ts";
import { type Answer, createTestApi, expectStatus } from "../harness/api.ts";
import { forkChain, type TestChain } from "../harness/chain.ts";
import { startForeignChain } from "../harness/flows/foreign-chain.ts";
import { placePermit2 } from "../harness/flows/permit2.ts";
import { signPermit } from "../harness/flows/permits.ts";
import {
  balanceOf,
  type Market,
  openMarket,
  paymentUrl,
  placeOrder,
  reach,
  stockFetch,
} from "../harness/flows/x402-order.ts";
import { use } from "../harness/mcp.ts";
import { startStack, type TestStack } from "../harness/stack.ts";

// A chain whose token is a plain ERC-20 without signed authorizations.
let foreign: Awaited<ReturnType<typeof startForeignChain>>;
let chain: TestChain;
let stack: TestStack;
let market: Market;
beforeAll(async () => {
  foreign = await startForeignChain(3_141_592);
  chain = await forkChain({ fork: foreign });
  await placeMulticall3(chain.rpcUrl);
  await placePermit2(chain);
  stack = await startStack({ chain });
  market = await openMarket(chain, stack.baseUrl);
});
afterAll(async () => {
  await stack?.close();
  await chain?.close();
  await foreign?.close();
});

const amount = 2_500_000_000_000_000_000n;
const pay = (order: Answer["body"], body?: unknown) =>
  market.api.request("POST", `/orders/${order.id}/payment`, { apiKey: market.buyerKey, body });
const readInstructions = async (order: Answer["body"]) =>
  expectStatus(
    200,
    await market.api.request("GET", `/orders/${order.id}/payment-instructions`, { apiKey: market.buyerKey }),
  );

test("a token without authorizations of its own is paid by Permit2 only", async () => {
  const order = await placeOrder(market);
  const { payment_required, typed_data } = await readInstructions(order);
  expect(payment_required.accepts).toMatchObject([
    { asset: foreign.token, amount: amount.toString(), extra: { assetTransferMethod: "permit2" } },
  ]);
  expect(expectStatus(402, await pay(order)).accepts).toEqual(payment_required.accepts);
  expect(typed_data.primaryType).toBe("PermitWitnessTransferFrom");

  const payer = market.buyer.account;
  const signed = {
    signature: await payer.signTypedData(typed_data),
    permit2Authorization: { ...typed_data.message, from: payer.address },
  };
  const unapproved = expectStatus(402, await pay(order, signed)).error;
  expect(unapproved).toMatchObject({ details: [{ keyword: "permit2_allowance_required" }] });
  expect(unapproved.message).toContain(permit2Address);
  await chain.node.setBalance({ address: payer.address, value: 10n ** 18n });
  await chain.publicClient.waitForTransactionReceipt({
    hash: await chain.wallet(payer).writeContract({
      address: foreign.token,
      abi: erc20Abi,
      functionName: "approve",
      args: [permit2Address, maxUint256],
    }),
  });

  // The typed data is signed unchanged, and sent back unchanged.
  const had = await balanceOf(market, payer.address);
  const { payment } = expectStatus(202, await pay(order, signed));
  expect(payment).toMatchObject({ method: "permit2", payer: payer.address });
  await reach(market, order, "funded");
  expect(await balanceOf(market, payer.address)).toBe(had - amount);

  // The next payment needs no approval, and a stock client only its spend controls.
  const next = await placeOrder(market);
  const answer = await stockFetch(market)(paymentUrl(market, next), {
    method: "POST",
    headers: { authorization: `Bearer ${market.buyerKey}` },
  });
  expect(answer.status).toBe(202);
  await reach(market, next, "funded");
});

test("an assistant without a wallet gets the approval of Permit2 beside the permit to sign, and pays by it", async () => {
  const order = await placeOrder(market);
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { authorization: `Bearer ${market.buyerKey}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${stack.baseUrl}/mcp`), { requestInit }));
  try {
    const due = (await use(client, "preview_payment", { order_id: order.id })).facts;
    const payment = {
      order_id: order.id,
      expected_amount: due.amount,
      expected_token: due.token,
      expected_chain_id: due.chain_id,
    };
    const { facts } = await use(client, "pay_order", payment);
    expect(facts).toMatchObject({ payment: "unsigned", calls: [{ function: "approve", to: due.token }] });
    expect(facts.to_sign).toMatchObject({ primaryType: "PermitWitnessTransferFrom" });
    const payer = market.buyer.account;
    const [approval] = facts.calls;
    await chain.node.setBalance({ address: payer.address, value: 10n ** 18n });
    await chain.publicClient.waitForTransactionReceipt({
      hash: await chain.wallet(payer).sendTransaction({ to: approval.to, data: approval.data }),
    });
    const signature = await payer.signTypedData(facts.to_sign);
    const signed = { ...payment, signature, authorization: facts.to_sign.message };
    expect((await use(client, "pay_order", signed)).facts).toMatchObject({ payment: "handed_in" });
    await reach(market, order, "funded");
  } finally {
    await client.close();
  }
});

test("an EIP-3009 authorization is refused where the token has none", async () => {
  const order = await placeOrder(market);
  const { payment_required, typed_data } = await readInstructions(order);
  const [{ payTo }] = payment_required.accepts;
  const authorization = {
    from: market.buyer.account.address,
    to: payTo,
    value: amount.toString(),
    validAfter: "0",
    validBefore: typed_data.message.deadline,
    nonce: `0x${"07".repeat(32)}`,
  };
  const refused = expectStatus(402, await pay(order, { signature: `0x${"11".repeat(65)}`, authorization }));
  expect(refused.error.details).toMatchObject([{ keyword: "unsupported_payload_type" }]);
});

test("a chain without x402's proxy does not offer Permit2", async () => {
  const bare = await forkChain();
  try {
    await placePermit2(bare);
    await bare.node.setCode({ address: permit2ProxyAddress, bytecode: "0x" });
    const api = await createTestApi({ chain: bare });
    try {
      const place = await openMarket(bare, api);
      const order = await placeOrder(place);
      const ask = (body?: unknown) =>
        api.request("POST", `/orders/${order.id}/payment`, { apiKey: place.buyerKey, body });
      expect(expectStatus(402, await ask()).accepts).toMatchObject([{ extra: { name: "Test USD" } }]);
      const signed = await signPermit(place, order, place.buyer.account);
      const refused = expectStatus(402, await ask(signed));
      expect(refused.error.details).toMatchObject([{ keyword: "unsupported_payload_type" }]);
    } finally {
      await api.close();
    }
  } finally {
    await bare.close();
  }
});
