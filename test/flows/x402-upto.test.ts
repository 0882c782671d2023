import { UptoEvmScheme } from "@x402/evm/upto/client";
import { type PaymentRequirements, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { eq } from "drizzle-orm";
import { getAddress, type LocalAccount } from "viem";
import { expect, test } from "vitest";
import { relay } from "../../db/schema.ts";
import { uptoProxyAddress } from "../../protocol/settlement/x402.ts";
import { signedPaymentData } from "../../protocol/settlement/x402-payload.ts";
import { type Answer, expectStatus, publishService, signIn } from "../harness/api.ts";
import { approvePermit2 } from "../harness/flows/permits.ts";
import {
  balanceOf,
  type Market,
  newAccount,
  openMarket,
  paymentUrl,
  placeOrder,
  reach,
  readEscrowed,
} from "../harness/flows/x402-order.ts";
import { type SharedStack, testOnStack } from "../harness/stack.ts";

let stack: SharedStack;
let market: Market;
let relayer: string;
testOnStack.beforeAll(async ({ stack: shared }) => {
  stack = shared;
  market = await openMarket(stack.chain, stack.baseUrl);
  const { service } = await publishService(market.api, market.provider, {
    pricing_model: "metered",
    price: "0.05",
    price_unit: "page",
    min_quantity: 10,
    max_quantity: 50,
  });
  market = { ...market, serviceId: service.id };
  const { items } = expectStatus(200, await market.api.request("GET", "/chains"));
  relayer = items[0].relayer.address;
});

async function newPayer(): Promise<LocalAccount> {
  const payer = newAccount();
  await stack.chain.fund(payer);
  await approvePermit2(market, payer);
  return payer;
}

/** A stock client that knows the scheme `upto` and nothing else. */
function uptoFetch(payer: LocalAccount): typeof fetch {
  const { chain_id, token } = stack.chain.chain;
  const network = `eip155:${chain_id}` as const;
  const client = new x402Client().register(network, new UptoEvmScheme(payer));
  client.setSpendControls({ allowedAssets: [{ network, asset: token.address }] });
  return wrapFetchWithPayment(fetch, client) as typeof fetch;
}

const pay = (order: Answer["body"], body: unknown) =>
  market.api.request("POST", `/orders/${order.id}/payment`, { apiKey: market.buyerKey, body });

/** The requirements of scheme `upto` of an order. */
async function readUpto(order: Answer["body"]): Promise<PaymentRequirements> {
  const { accepts } = expectStatus(402, await pay(order, undefined));
  return accepts.find(({ scheme }: PaymentRequirements) => scheme === "upto");
}

test("a stock upto client pays the most of a metered order into its escrow", async () => {
  const payer = await newPayer();
  const order = await placeOrder(market, { quantity: 40 });
  const answer = await uptoFetch(payer)(paymentUrl(market, order), {
    method: "POST",
    headers: { authorization: `Bearer ${market.buyerKey}` },
  });
  expect(answer.status).toBe(202);
  await reach(market, order, "funded");
  expect(await readEscrowed(market, order)).toBe(2_000_000n);
  // The order is funded by the event, which the relayer may learn of later.
  const readSent = async () => {
    const sent = await stack.db
      .select()
      .from(relay)
      .where(eq(relay.orderId, order.id))
      .orderBy(relay.queuedAt);
    return sent.map(({ to, status }) => [getAddress(to), status]);
  };
  await expect.poll(readSent).toEqual([
    [uptoProxyAddress, "mined"],
    [stack.chain.chain.escrow_contract, "mined"],
  ]);
});

test("a stock upto client buys a metered service without an account", async () => {
  const payer = await newPayer();
  const had = await balanceOf(market, payer.address);
  const { items } = expectStatus(200, await market.api.request("GET", "/marketplace/services"));
  const { buy_url } = items.find(({ id }: { id: string }) => id === market.serviceId);
  const bought = await uptoFetch(payer)(buy_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ buyer_address: payer.address, quantity: 20 }),
  });
  expect(bought.status).toBe(202);
  const { order } = (await bought.json()) as Answer["body"];
  const { token } = await signIn(market.api, payer, stack.chain.chain.chain_id);
  const status = async () =>
    expectStatus(200, await market.api.request("GET", `/orders/${order.id}`, { token })).status;
  await expect.poll(status, { interval: 50 }).toBe("funded");
  expect(await balanceOf(market, payer.address)).toBe(had - 1_000_000n);
});

test("an order of a fixed price does not offer upto", async () => {
  const { service } = await publishService(market.api, market.provider);
  const order = await placeOrder({ ...market, serviceId: service.id });
  expect(await readUpto(order)).toBeUndefined();
});

test("an upto permit is refused if it names another facilitator, amount or recipient", async () => {
  const payer = await newPayer();
  const order = await placeOrder(market, { quantity: 40 });
  const accepted = await readUpto(order);
  expect(accepted.extra).toMatchObject({ facilitatorAddress: relayer });
  const sign = async (change: { amount?: string; to?: string; facilitator?: string }) => {
    const permit2Authorization = {
      from: payer.address,
      permitted: { token: getAddress(accepted.asset), amount: change.amount ?? accepted.amount },
      spender: uptoProxyAddress,
      nonce: String(Math.floor(Math.random() * 2 ** 48)),
      deadline: String(Math.floor(Date.now() / 1000) + 300),
      witness: {
        to: getAddress(change.to ?? accepted.payTo),
        facilitator: getAddress(change.facilitator ?? relayer),
        validAfter: "0",
      },
    };
    const { chain_id: chainId, token } = stack.chain.chain;
    const signed = { signature: "0x" as const, permit2Authorization };
    const signature = await payer.signTypedData(signedPaymentData({ chainId, token }, signed));
    return { signature, permit2Authorization };
  };
  const stranger = newAccount().address;
  const refusals = [];
  for (const change of [{ facilitator: stranger }, { to: stranger }, { amount: "1999999" }]) {
    const { error } = expectStatus(402, await pay(order, await sign(change)));
    refusals.push(error.details[0].keyword);
  }
  expect(refusals).toEqual([
    "upto_facilitator_mismatch",
    "invalid_permit2_recipient_mismatch",
    "permit2_amount_mismatch",
  ]);
  expectStatus(202, await pay(order, await sign({})));
  await reach(market, order, "funded");
});
