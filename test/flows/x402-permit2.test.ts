import { decodePaymentResponseHeader, type PaymentRequirements } from "@x402/fetch";
import { eq } from "drizzle-orm";
import { type Address, getAddress, type LocalAccount, maxUint256 } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { relay } from "../../db/schema.ts";
import { permit2Address, permit2ProxyAddress } from "../../protocol/settlement/x402.ts";
import { type Answer, expectStatus, signIn } from "../harness/api.ts";
import type { TestChain } from "../harness/chain.ts";
import {
  approvePermit2,
  isPermitUsed,
  type Permit,
  type SignedPermit,
  secondsFromNow,
  signPermit,
} from "../harness/flows/permits.ts";
import { deployFactory, deployWallet, foreseeWallet, signAs } from "../harness/flows/wallets.ts";
import {
  balanceOf,
  type Market,
  newAccount,
  openMarket,
  paymentUrl,
  placeOrder,
  reach,
  reachPayment,
  readBuyUrl,
  stockFetch,
} from "../harness/flows/x402-order.ts";
import { type SharedStack, testOnStack } from "../harness/stack.ts";

let chain: TestChain;
let stack: SharedStack;
let market: Market;
testOnStack.beforeAll(async ({ stack: shared }) => {
  stack = shared;
  ({ chain } = stack);
  market = await openMarket(chain, stack.baseUrl);
});

const amount = 2_500_000n;
const byPermit2 = (_: number, accepts: PaymentRequirements[]): PaymentRequirements => {
  const entry = accepts.find(({ extra }) => extra?.assetTransferMethod === "permit2");
  if (!entry) throw new Error("Permit2 is not offered.");
  return entry;
};

test("permit2 is the second way to pay", async () => {
  const order = await placeOrder(market);
  const { payment_required } = await read(order, "payment-instructions");
  expect(payment_required.accepts).toHaveLength(2);
  const [byAuthorization, permit] = payment_required.accepts;
  expect(byAuthorization.extra.assetTransferMethod).toBeUndefined();
  expect(permit).toEqual({
    ...byAuthorization,
    extra: { ...byAuthorization.extra, assetTransferMethod: "permit2" },
  });
  expect(payment_required.extensions["offer-receipt"].info.offers).toHaveLength(2);
});

test("a stock client that chooses permit2 funds the escrow, by two relayed calls", async () => {
  const payer = await newPayer();
  const order = await placeOrder(market);
  const answer = await stockFetch(
    market,
    payer,
    byPermit2,
  )(paymentUrl(market, order), {
    method: "POST",
    headers: { authorization: `Bearer ${market.buyerKey}` },
  });
  expect(answer.status).toBe(202);
  const { payment } = (await answer.json()) as Answer["body"];
  expect(payment).toMatchObject({ method: "permit2", payer: payer.address });
  expect(decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE") ?? "")).toMatchObject({
    success: true,
    transaction: payment.transaction_hash,
    payer: payer.address,
  });
  await expectFunded(order, payer);
  const confirmed = await reachPayment(market, order, "confirmed");
  const readSent = () =>
    stack.db.select().from(relay).where(eq(relay.orderId, order.id)).orderBy(relay.queuedAt);
  // The event confirms the payment, which the relayer may learn of later.
  await expect
    .poll(async () => (await readSent()).map(({ to, status }) => [getAddress(to), status]))
    .toEqual([
      [permit2ProxyAddress, "mined"],
      [chain.chain.escrow_contract, "mined"],
    ]);
  const sent = await readSent();
  expect(confirmed).toMatchObject({ error: null, transaction_hash: sent[1]?.transactionHash });
});

test("a buyer without an account pays by permit2, and a sign-in with the same key has the order", async () => {
  const payer = await newPayer();
  const bought = await stockFetch(
    market,
    payer,
    byPermit2,
  )(await readBuyUrl(market), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ buyer_address: payer.address }),
  });
  const { order, payment } = (await bought.json()) as Answer["body"];
  expect([bought.status, payment?.method]).toEqual([202, "permit2"]);
  const { token } = await signIn(market.api, payer, chain.chain.chain_id);
  const status = async () =>
    expectStatus(200, await market.api.request("GET", `/orders/${order.id}`, { token })).status;
  await expect.poll(status, { interval: 50 }).toBe("funded");
});

test("a contract wallet that let Permit2 spend its money pays by it (ERC-1271)", async () => {
  const owner = newAccount();
  const wallet = await deployWallet(chain, owner.address);
  await chain.fund({ address: wallet });
  await approvePermit2(market, owner, maxUint256, wallet);
  const order = await placeOrder(market);
  const signed = await signPermit(market, order, signAs(wallet, owner, "named"));
  expectStatus(202, await pay(order, signed));
  await expectFunded(order, { address: wallet });
});

describe("refused and unused", () => {
  let order: Answer["body"];
  let payer: LocalAccount;
  beforeAll(async () => {
    order = await placeOrder(market);
    payer = await newPayer();
  });

  const cases: [
    what: string,
    reason: string,
    path: string,
    change: (order: Answer["body"]) => Partial<Permit>,
  ][] = [
    [
      "of another spender",
      "invalid_permit2_spender",
      "spender",
      () => ({ spender: market.provider.account.address }),
    ],
    [
      "to another address than the order's",
      "invalid_permit2_recipient_mismatch",
      "witness/to",
      () => ({ witness: { to: market.provider.account.address, validAfter: "0" } }),
    ],
    [
      "of another token",
      "permit2_token_mismatch",
      "permitted/token",
      () => ({ permitted: { token: permit2Address, amount: amount.toString() } }),
    ],
    [
      "of less",
      "permit2_amount_mismatch",
      "permitted/amount",
      () => ({ permitted: { token: chain.chain.token.address, amount: (amount - 1n).toString() } }),
    ],
    [
      "of more",
      "permit2_amount_mismatch",
      "permitted/amount",
      () => ({ permitted: { token: chain.chain.token.address, amount: (amount + 1n).toString() } }),
    ],
    ["that has expired", "permit2_deadline_expired", "deadline", () => ({ deadline: secondsFromNow(-1) })],
    [
      "that is not good yet",
      "permit2_not_yet_valid",
      "witness/validAfter",
      () => ({ witness: { to: getAddress(order.escrow.deposit_address), validAfter: secondsFromNow(300) } }),
    ],
  ];
  test.each(cases)("a permit %s", async (_, reason, path, change) => {
    const signed = await signPermit(market, order, payer, change(order));
    await expectRefused(order, signed, reason, `/payload/permit2Authorization/${path}`);
  });

  test("a permit that another key signed", async () => {
    const signed = await signPermit(market, order, payer);
    const outsider = newAccount();
    const { signature } = await signPermit(market, order, outsider);
    await expectRefused(order, { ...signed, signature }, "invalid_permit2_signature", "/payload/signature");
    const garbage = { ...signed, signature: "0x1234" as const };
    await expectRefused(order, garbage, "invalid_permit2_signature", "/payload/signature");
  });

  test("a permit of a contract wallet that is yet to be deployed", async () => {
    const factory = await deployFactory(chain);
    const { signing } = foreseeWallet(factory, newAccount(), "named");
    await chain.fund(signing);
    const signed = await signPermit(market, order, signing);
    await expectRefused(order, signed, "invalid_permit2_signature", "/payload/signature");
  });

  test("a permit of a payer without an allowance for Permit2", async () => {
    const careful = newAccount();
    await chain.fund(careful);
    const signed = await signPermit(market, order, careful);
    await expectRefused(order, signed, "permit2_allowance_required", "/payload/permit2Authorization/from");
  });

  test("a permit of a payer with too little money", async () => {
    const poor = newAccount();
    await approvePermit2(market, poor);
    const signed = await signPermit(market, order, poor);
    await expectRefused(order, signed, "permit2_insufficient_balance", "/payload/permit2Authorization/from");
  });

  test("a permit whose nonce was used for another order", async () => {
    const other = await placeOrder(market);
    const first = await signPermit(market, other, payer);
    expectStatus(202, await pay(other, first));
    await reach(market, other, "funded");
    const { nonce } = first.permit2Authorization;
    const signed = await signPermit(market, order, payer, { nonce });
    await expectRefused(order, signed, "permit2_invalid_nonce", "/payload/permit2Authorization/nonce", {
      used: true,
    });
  });

  test("and the order can be paid after all of them", async () => {
    expectStatus(202, await pay(order, await signPermit(market, order, payer)));
    await expectFunded(order, payer, 2n);
  });
});

function pay(order: Answer["body"], body: unknown): Promise<Answer> {
  return market.api.request("POST", `/orders/${order.id}/payment`, { apiKey: market.buyerKey, body });
}

async function read(order: Answer["body"], what: string): Promise<Answer["body"]> {
  return expectStatus(
    200,
    await market.api.request("GET", `/orders/${order.id}/${what}`, { apiKey: market.buyerKey }),
  );
}

/** Creates a wallet with money that lets Permit2 spend it. */
async function newPayer(): Promise<LocalAccount> {
  const payer = newAccount();
  await chain.fund(payer);
  await approvePermit2(market, payer);
  return payer;
}

async function expectRefused(
  order: Answer["body"],
  signed: SignedPermit,
  reason: string,
  path: string,
  { used = false } = {},
): Promise<void> {
  const answer = await pay(order, signed);
  expect(expectStatus(402, answer).error).toMatchObject({
    code: "payment_required",
    details: [{ keyword: reason, path }],
  });
  expect(await read(order, "payment")).toEqual({ payment: null });
  expect(await stack.db.select().from(relay).where(eq(relay.orderId, order.id))).toEqual([]);
  expect(await isPermitUsed(market, signed)).toBe(used);
}

/** Asserts that the order is funded, and that its payer paid for this many orders. */
async function expectFunded(order: Answer["body"], payer: { address: Address }, orders = 1n): Promise<void> {
  const funded = await reach(market, order, "funded");
  expect(funded.escrow.status).toBe("funded");
  expect(await balanceOf(market, payer.address)).toBe(10_000_000_000n - orders * amount);
  expect(await balanceOf(market, getAddress(order.escrow.deposit_address))).toBe(0n);
}
