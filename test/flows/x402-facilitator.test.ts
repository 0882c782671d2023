import { encodePaymentSignatureHeader } from "@x402/core/http";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { validateDiscoveryExtension, withBazaar } from "@x402/extensions/bazaar";
import { decodePaymentResponseHeader, type PaymentPayload, type PaymentRequirements } from "@x402/fetch";
import { getAddress, zeroAddress } from "viem";
import { beforeEach, expect, test } from "vitest";
import { largestPayment } from "../../api/payments/submitted-payment.ts";
import { authorizationData } from "../../protocol/settlement/x402.ts";
import { type Answer, expectStatus, publishService } from "../harness/api.ts";
import {
  type Market,
  newAccount,
  openMarket,
  placeOrder,
  reach,
  readEscrowed,
  stockFetch,
} from "../harness/flows/x402-order.ts";
import { startSeller } from "../harness/flows/x402-seller.ts";
import { type SharedStack, testOnStack } from "../harness/stack.ts";

let stack: SharedStack;
let market: Market;
let facilitator: HTTPFacilitatorClient;
testOnStack.beforeAll(async ({ stack: shared }) => {
  stack = shared;
  market = await openMarket(stack.chain, stack.baseUrl);
  facilitator = new HTTPFacilitatorClient({ url: `${stack.baseUrl}/facilitator` });
});

let order: Answer["body"];
let requirements: PaymentRequirements;
beforeEach(async () => {
  order = await placeOrder(market);
  const path = `/orders/${order.id}/payment`;
  const { accepts } = expectStatus(402, await market.api.request("POST", path, { apiKey: market.buyerKey }));
  requirements = accepts[0];
});

/** A payment of the order as a stock client signs it. */
async function sign(payTo = requirements.payTo): Promise<PaymentPayload> {
  const { token, chain_id: chainId } = stack.chain.chain;
  const payable = {
    chainId,
    token,
    amount: BigInt(requirements.amount),
    depositAddress: getAddress(payTo),
    fundBy: Math.floor(Date.now() / 1000) + 300,
  };
  const payer = market.buyer.account;
  const now = BigInt(Math.floor(Date.now() / 1000));
  const data = authorizationData(
    payable,
    payer.address,
    `0x${crypto.randomUUID().replaceAll("-", "").repeat(2)}`,
    now,
  );
  const signature = await payer.signTypedData(data as never);
  return {
    x402Version: 2,
    resource: { url: "https://seller.example/goods", description: "Goods", mimeType: "application/json" },
    accepted: requirements,
    payload: { signature, authorization: data.message },
  };
}

test("a stock seller sells an order through the facilitator, and the payment is in the order's escrow", async () => {
  const seller = await startSeller(facilitator, requirements);
  try {
    const answer = await stockFetch(market)(seller.url, { method: "POST" });
    expect([answer.status, await answer.json()]).toEqual([200, { goods: "yours" }]);
    expect(decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE") ?? "")).toMatchObject({
      success: true,
      network: requirements.network,
      payer: market.buyer.account.address,
    });
  } finally {
    await seller.close();
  }
  await reach(market, order, "funded");
  expect(await readEscrowed(market, order)).toBe(BigInt(requirements.amount));
});

test("a payment that was settled buys nothing again from a stock seller, whoever copies it", async () => {
  const seller = await startSeller(facilitator, requirements);
  try {
    const payload = await sign();
    const buy = (payment: PaymentPayload) =>
      fetch(seller.url, {
        method: "POST",
        headers: { "payment-signature": encodePaymentSignatureHeader(payment) },
      });
    expect((await buy(payload)).status).toBe(200);
    const copied = { ...payload, payload: { ...payload.payload, signature: `0x${"11".repeat(65)}` } };
    expect([(await buy(payload)).status, (await buy(copied)).status]).toEqual([402, 402]);
  } finally {
    await seller.close();
  }
  expect(await facilitator.settle(await sign(), requirements)).toMatchObject({ errorReason: "conflict" });
});

test("the same payment settles once, also by two requests at once, and another one is refused", async () => {
  const payload = await sign();
  expect(await facilitator.verify(payload, requirements)).toMatchObject({ isValid: true });
  const settle = () => facilitator.settle(payload, requirements);
  const answers = [...(await Promise.all([settle(), settle(), settle()])), await settle()];
  const [first, ...others] = answers.filter(({ success }) => success);
  expect(first).toMatchObject({ payer: market.buyer.account.address });
  expect(others).toEqual([]);
  const refused = answers.filter(({ errorReason }) => errorReason === "invalid_exact_evm_nonce_already_used");
  expect(refused).toHaveLength(3);
  const second = await sign();
  expect(await facilitator.verify(second, requirements)).toMatchObject({
    isValid: false,
    invalidReason: "conflict",
  });
  expect(await facilitator.settle(second, requirements)).toMatchObject({
    success: false,
    errorReason: "conflict",
  });
  await reach(market, order, "funded");
  expect(await readEscrowed(market, order)).toBe(BigInt(requirements.amount));
});

test("a payment to an address that is no order's, of another amount, or of a stranger's signature is refused", async () => {
  const stranger = newAccount();
  const elsewhere = await sign(stranger.address);
  const verify = (payload: PaymentPayload, asked = requirements) => facilitator.verify(payload, asked);
  expect(await verify(elsewhere, { ...requirements, payTo: stranger.address })).toMatchObject({
    isValid: false,
    invalidReason: "order_unknown",
  });
  const unserved = { ...requirements, network: "eip155:9999999999999999" as const };
  expect(await verify(await sign(), unserved)).toMatchObject({ invalidReason: "order_unknown" });
  expect(await verify(elsewhere)).toMatchObject({ invalidReason: "invalid_exact_evm_recipient_mismatch" });
  expect(await verify(await sign(), { ...requirements, amount: "1" })).toMatchObject({
    invalidReason: "invalid_exact_evm_amount_mismatch",
  });
  const forged = await sign();
  forged.payload = { ...forged.payload, signature: `0x${"11".repeat(65)}` };
  expect(await verify(forged)).toMatchObject({ invalidReason: "invalid_exact_evm_signature" });
  expect(await facilitator.settle(forged, requirements)).toMatchObject({ success: false, transaction: "" });
});

test("an order that waits for approval is not paid through the facilitator", async () => {
  const { token } = market.buyer;
  const key = expectStatus(
    201,
    await market.api.request("POST", "/api-keys", {
      token,
      body: {
        name: "limited",
        scopes: ["orders:read", "orders:write"],
        limits: { approval_above: "1" },
      },
    }),
  );
  const waiting = await placeOrder({ ...market, buyerKey: key.token });
  expect(waiting.approval).toMatchObject({ status: "pending" });
  const asked = { ...requirements, payTo: waiting.escrow.deposit_address };
  expect(await facilitator.settle(await sign(asked.payTo), asked)).toMatchObject({
    success: false,
    errorReason: "approval_required",
  });
});

test("the facilitator names what it supports, and refuses what is not its protocol", async () => {
  const { kinds, signers } = await facilitator.getSupported();
  const { network } = requirements;
  expect(kinds).toContainEqual({ x402Version: 2, scheme: "exact", network });
  expect(kinds).toContainEqual({
    x402Version: 2,
    scheme: "upto",
    network,
    extra: { facilitatorAddress: signers[network]?.[0] },
  });
  const long = { x402Version: 2, paymentPayload: "a".repeat(largestPayment) };
  for (const [body, refusal] of [
    [undefined, [400, "invalid_request"]],
    ["{", [400, "invalid_request"]],
    [JSON.stringify({ x402Version: 1 }), [400, "invalid_request"]],
    [JSON.stringify(long), [413, "payload_too_large"]],
  ] as const) {
    const answer = await fetch(`${stack.baseUrl}/facilitator/verify`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect([answer.status, ((await answer.json()) as Answer["body"]).error.code]).toEqual(refusal);
  }
});

test("a Bazaar client finds the services that one request can buy, with their input and price", async () => {
  await publishService(market.api, market.provider, {
    slug: "translate",
    title: "Translate a text",
    tags: ["text"],
    input_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  });
  const { bazaar } = withBazaar(facilitator).extensions;
  const { items, pagination } = await bazaar.listResources({ type: "http", limit: 50 });
  expect(pagination).toMatchObject({ limit: 50, offset: 0, total: expect.any(Number) });
  const found = items.find(({ description }) => description?.startsWith("Translate a text"));
  expect(found).toMatchObject({ type: "http", x402Version: 2, tags: ["text"], serviceName: "Earnest" });
  expect(found?.accepts[0]).toMatchObject({
    scheme: "exact",
    network: requirements.network,
    payTo: zeroAddress,
  });
  expect(validateDiscoveryExtension(found?.extensions?.bazaar as never)).toMatchObject({ valid: true });

  // The found resource is bought by a stock client that knows nothing else.
  const input = { input_payload: { text: "Good day" }, buyer_address: market.buyer.account.address };
  const bought = await stockFetch(market)(found?.resource ?? "", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  expect(bought.status).toBe(202);

  const none = await bazaar.listResources({ type: "mcp" });
  expect(none.items).toEqual([]);
  const elsewhere = await bazaar.listResources({ network: "eip155:8453" });
  expect(elsewhere.items).toEqual([]);
  const paidTo = await bazaar.listResources({ payTo: market.buyer.account.address });
  expect(paidTo).toMatchObject({ items: [], pagination: { total: 0 } });
});

test("a Bazaar client searches by words as the marketplace does, page by page, and buys what it found", async () => {
  for (const n of [1, 2, 3]) {
    await publishService(market.api, market.provider, {
      slug: `lighthouse-${n}`,
      title: `Draw a lighthouse ${n}`,
      input_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    });
  }
  await publishService(market.api, market.provider, {
    slug: "lighthouse-quoted",
    title: "Draw a lighthouse by quote",
    pricing_model: "negotiated",
    price: undefined,
  });
  const { bazaar } = withBazaar(facilitator).extensions;
  const titles = ({ resources }: { resources: { description?: string }[] }) =>
    resources.map(({ description }) => description?.split(",")[0]).sort();
  const all = ["Draw a lighthouse 1", "Draw a lighthouse 2", "Draw a lighthouse 3"];
  const found = await bazaar.search({ query: "lighthouse" });
  expect(titles(found)).toEqual(all);
  expect(found).toMatchObject({
    x402Version: 2,
    partialResults: false,
    pagination: { limit: 20, cursor: null },
  });
  expect(validateDiscoveryExtension(found.resources[0]?.extensions?.bazaar as never).valid).toBe(true);

  const pages: Awaited<ReturnType<typeof bazaar.search>>["resources"] = [];
  let cursor: string | null | undefined;
  do {
    const page = await bazaar.search({ query: "lighthouse", limit: 2, ...(cursor ? { cursor } : {}) });
    expect(page.resources.length).toBeLessThanOrEqual(2);
    expect(page.partialResults).toBe(page.pagination?.cursor !== null);
    pages.push(...page.resources);
    cursor = page.pagination?.cursor;
  } while (cursor);
  expect(titles({ resources: pages })).toEqual(all);
  expect(titles(await bazaar.search({ query: "lighthuose" }))).toEqual(all);

  const { network } = requirements;
  for (const filter of [
    { type: "http", scheme: "exact", network, extensions: "bazaar", payTo: zeroAddress },
    { limit: 500 },
  ]) {
    expect(titles(await bazaar.search({ query: "lighthouse", ...filter }))).toEqual(all);
  }
  for (const filter of [
    { type: "mcp" },
    { scheme: "upto" },
    { network: "eip155:8453" },
    { network: "solana:main" },
    { extensions: "none" },
    { payTo: market.buyer.account.address },
  ]) {
    expect((await bazaar.search({ query: "lighthouse", ...filter })).resources).toEqual([]);
  }
  for (const refused of [{ query: "" }, { query: "-lighthouse" }, { query: "lighthouse", cursor: "x" }]) {
    await expect(bazaar.search(refused)).rejects.toThrow("400");
  }

  const input = { input_payload: { text: "Good day" }, buyer_address: market.buyer.account.address };
  const bought = await stockFetch(market)(pages[0]?.resource ?? "", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  expect(bought.status).toBe(202);
});
