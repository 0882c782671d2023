import { encodePaymentSignatureHeader } from "@x402/core/http";
import { eq } from "drizzle-orm";
import type { Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { order as orders, payment, relay } from "../../../db/schema.ts";
import { escrowCall } from "../../../protocol/settlement/calls.ts";
import type { TypedData } from "../../../protocol/settlement/signatures.ts";
import { signedReceiveAuthorization } from "../../../protocol/settlement/x402-payload.ts";
import {
  checkReceiveAuthorization,
  takesReceiveAuthorizations,
} from "../../../trade/payments/receive-authorization.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { ask, place } from "../../harness/market/market.ts";
import {
  createPaymentMarket,
  newAccount,
  type PaymentMarket,
  signPayment,
} from "../../harness/market/payments.ts";

/** The alternative to x402: an authorization to the escrow contract, whose nonce is the escrow's id. */

type Payer = Parameters<typeof signPayment>[2];

let market: PaymentMarket;
let order: Answer["body"];
let offered: TypedData;

beforeAll(async () => {
  market = await createPaymentMarket();
  // The contract holds some of the token, as in production.
  await market.testChain.fund({ address: market.chain.escrow_contract });
  await market.testChain.node.setBalance({ address: market.provider.account.address, value: 10n ** 18n });
});
afterAll(() => market?.close());
beforeEach(async () => {
  order = await place(market, { settlement_rail: "x402" });
  offered = (await instructions()).receive_authorization;
});

const read = (what: string) => ask(market, market.buyer, "GET", `/orders/${order.id}/${what}`);
const instructions = async () => expectStatus(200, await read("payment-instructions"));
const post = (body?: unknown, headers?: Record<string, string>) =>
  ask(market, market.buyer, "POST", `/orders/${order.id}/payment`, body, { headers });
const client = () => market.testChain.publicClient;

async function sign(message: Partial<TypedData["message"]> = {}, payer: Payer = market.buyer.account) {
  const data = { ...offered, message: { ...offered.message, from: payer.address, ...message } };
  const signature: Hex = await payer.signTypedData(data as never);
  return { signature, receiveAuthorization: data.message };
}

async function expectRefused(body: unknown, reason: string, path: string) {
  const answer = expectStatus(402, await post(body));
  expect(answer.error).toMatchObject({ details: [{ keyword: reason, path }] });
  expect(await market.api.db.select().from(payment).where(eq(payment.orderId, order.id))).toEqual([]);
}

test("it is offered beside x402's own document, which does not mention it", async () => {
  const shown = await instructions();
  expect(offered).toMatchObject({
    primaryType: "ReceiveWithAuthorization",
    domain: { verifyingContract: shown.token_address, chainId: shown.chain_id },
    message: {
      from: order.buyer_address,
      to: shown.escrow_contract,
      value: shown.amount_base_units,
      validAfter: "0",
      nonce: shown.escrow_id,
    },
  });
  expect(
    shown.payment_required.accepts.every(({ payTo }: { payTo: string }) => payTo === shown.deposit_address),
  ).toBe(true);
  expect(JSON.stringify(expectStatus(402, await post()))).not.toContain("eceive");
});

test("the signature becomes one call that creates the escrow, as a simulation confirms", async () => {
  const signed = await sign();
  const { payment: shown } = expectStatus(202, await post(signed));
  expect(shown).toMatchObject({ status: "accepted", method: "eip3009", payer: market.buyer.account.address });
  // The same request, and the members that stock clients add, change nothing.
  expect(expectStatus(202, await post(signed)).payment.id).toBe(shown.id);
  const relays = await market.api.db.select().from(relay).where(eq(relay.orderId, order.id));
  expect(relays).toHaveLength(1);
  const { to, data } = relays[0] as { to: Hex; data: Hex };
  expect(escrowCall(market.chain.escrow_contract, data)).toMatchObject({
    function: "createEscrowWithReceiveAuthorization",
    args: { from: market.buyer.account.address, signature: signed.signature },
  });
  const hash = await market.testChain.wallet(market.provider.account).sendTransaction({ to, data } as never);
  const receipt = await client().waitForTransactionReceipt({ hash });
  expect(receipt.status).toBe("success");
  expect(receipt.gasUsed).toBeLessThan(105_000n);
});

test("another's money pays for the buyer, and of two payments that race one is accepted", async () => {
  const friend = newAccount();
  await market.testChain.fund(friend);
  const answers = await Promise.all([post(await sign({}, friend)), post(await sign())]);
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
});

test("one nonce: an authorization to the deposit address with it is the same payment", async () => {
  const receive = await sign();
  const { payment: shown } = expectStatus(202, await post(receive));
  const transfer = await signPayment(market.testChain, order, market.buyer.account, {
    nonce: offered.message.nonce,
  } as never);
  expect(expectStatus(202, await post(transfer)).payment.id).toBe(shown.id);
});

test.each<[what: string, message: () => Partial<TypedData["message"]>, reason: string, path: string]>([
  [
    "to the deposit address",
    () => ({ to: order.escrow.deposit_address }),
    "invalid_exact_evm_recipient_mismatch",
    "/receiveAuthorization/to",
  ],
  [
    "less",
    () => ({ value: "1" }),
    "invalid_exact_evm_payload_authorization_value_mismatch",
    "/receiveAuthorization/value",
  ],
  [
    "another nonce",
    () => ({ nonce: `0x${"1".repeat(64)}` }),
    "invalid_exact_evm_nonce_mismatch",
    "/receiveAuthorization/nonce",
  ],
  [
    "expired",
    () => ({ validBefore: "1" }),
    "invalid_exact_evm_payload_authorization_valid_before",
    "/payload/authorization/validBefore",
  ],
])("402, unused: %s", async (_what, message, reason, path) => {
  await expectRefused(await sign(message()), reason, path);
});

test("402, unused: another's signature, one of x402's kind, a payer without money, a used nonce", async () => {
  const outsider = newAccount();
  const poor = await sign({}, outsider);
  const bad = "invalid_exact_evm_signature";
  await expectRefused({ ...(await sign()), signature: poor.signature }, bad, "/payload/signature");
  const asTransfer = { ...offered, primaryType: "TransferWithAuthorization" };
  const members = offered.types.ReceiveWithAuthorization;
  const signature = await market.buyer.account.signTypedData({
    ...asTransfer,
    types: { TransferWithAuthorization: members },
  } as never);
  await expectRefused({ signature, receiveAuthorization: offered.message }, bad, "/payload/signature");
  await expectRefused(poor, "invalid_exact_evm_transaction_simulation_failed", "/payload");
  // The payer has cancelled the authorization.
  const cancel = await market.buyer.account.signTypedData({
    domain: offered.domain,
    types: {
      CancelAuthorization: [
        { name: "authorizer", type: "address" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "CancelAuthorization",
    message: { authorizer: market.buyer.account.address, nonce: offered.message.nonce },
  } as never);
  const abi = [
    {
      type: "function",
      name: "cancelAuthorization",
      stateMutability: "nonpayable",
      inputs: [
        { name: "authorizer", type: "address" },
        { name: "nonce", type: "bytes32" },
        { name: "signature", type: "bytes" },
      ],
      outputs: [],
    },
  ] as const;
  const hash = await market.testChain.wallet(market.provider.account).writeContract({
    abi,
    address: offered.domain.verifyingContract,
    functionName: "cancelAuthorization",
    args: [market.buyer.account.address, offered.message.nonce as Hex, cancel],
  } as never);
  await client().waitForTransactionReceipt({ hash });
  await expectRefused(await sign(), "invalid_exact_evm_nonce_already_used", "/payload/authorization/nonce");
});

test("it is refused as an x402 payment, and with a validAfter", async () => {
  const signed = await sign();
  const { accepts } = expectStatus(402, await post());
  const payload = { x402Version: 2, accepted: accepts[0], payload: signed };
  expectStatus(
    400,
    await post(undefined, { "payment-signature": encodePaymentSignatureHeader(payload as never) }),
  );
  expectStatus(
    400,
    await post({ ...signed, receiveAuthorization: { ...signed.receiveAuthorization, validAfter: "1" } }),
  );
});

test("an order of an earlier escrow contract has no such offer, and its payment is refused", async () => {
  const { context, db } = market.api;
  const [row] = await db.select().from(orders).where(eq(orders.id, order.id));
  if (!row) throw new Error("The order is not there.");
  expect(await takesReceiveAuthorizations(context, row)).toBe(true);
  // A contract without this call.
  const older = { ...row, escrowContract: market.chain.token.address };
  expect(await takesReceiveAuthorizations(context, older)).toBe(false);
  const signed = signedReceiveAuthorization.parse(await sign());
  await expect(checkReceiveAuthorization(context, older, signed, 0n)).rejects.toMatchObject({
    reason: "unsupported_payload_type",
  });
});
