import type { x402Facilitator } from "@x402/core/facilitator";
import { parsePaymentRequired } from "@x402/core/schemas";
import { authorizationTypes } from "@x402/evm";
import { decodePaymentResponseHeader } from "@x402/fetch";
import type { PaymentPayload, PaymentRequired, PaymentRequirements } from "@x402/hono";
import { getAddress, type Hex, type LocalAccount, toHex } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { localAccounts } from "../../tools/stack/anvil.ts";
import { type Answer, expectStatus } from "../harness/api.ts";
import type { TestChain } from "../harness/chain.ts";
import { deployWallet, foreseeWallet } from "../harness/contract-wallet.ts";
import {
  balanceOf,
  type Market,
  newAccount,
  openMarket,
  paymentUrl,
  placeOrder,
  reach,
  readEscrowed,
  stockFetch,
} from "../harness/flows/x402-order.ts";
import { createFacilitator, startSeller } from "../harness/flows/x402-seller.ts";
import { testOnStack } from "../harness/stack.ts";

let chain: TestChain;
let market: Market;
let facilitator: x402Facilitator;
testOnStack.beforeAll(async ({ stack }) => {
  ({ chain } = stack);
  market = await openMarket(chain, stack.baseUrl);
  facilitator = createFacilitator(chain, localAccounts.arbiter);
});

const amount = 2_500_000n;

describe("x402's facilitator and this service agree", () => {
  let order: Answer["body"];
  let requirements: PaymentRequirements;
  let buyer: LocalAccount;
  beforeAll(async () => {
    order = await placeOrder(market);
    requirements = await readRequirements(order);
    buyer = market.buyer.account;
  });

  /** Payments with one fault each, and x402's reason for it. */
  const wrong: [what: string, reason: string, make: () => Promise<Signed>][] = [
    [
      "with a value that was changed after signing",
      "invalid_exact_evm_signature",
      async () => change(await sign(buyer), { value: (amount + 1n).toString() }),
    ],
    [
      "for less than is asked",
      "invalid_exact_evm_payload_authorization_value_mismatch",
      () => sign(buyer, { value: (amount - 1n).toString() }),
    ],
    [
      "with a nonce that was changed after signing",
      "invalid_exact_evm_signature",
      async () => change(await sign(buyer), { nonce: randomHash() }),
    ],
    [
      "to another recipient",
      "invalid_exact_evm_recipient_mismatch",
      () => sign(buyer, { to: market.provider.account.address }),
    ],
    [
      "that has expired",
      "invalid_exact_evm_payload_authorization_valid_before",
      () => sign(buyer, { validBefore: secondsFromNow(-1) }),
    ],
    [
      "that is not yet valid",
      "invalid_exact_evm_payload_authorization_valid_after",
      () => sign(buyer, { validAfter: secondsFromNow(300) }),
    ],
    [
      "with a garbage signature",
      "invalid_exact_evm_signature",
      async () => ({ ...(await sign(buyer)), signature: randomBytes(65) }),
    ],
    [
      "with a signature of the wrong length",
      "invalid_exact_evm_signature",
      async () => ({ ...(await sign(buyer)), signature: randomBytes(40) }),
    ],
    [
      "in another payer's name",
      "invalid_exact_evm_signature",
      async () => change(await sign(buyer), { from: market.provider.account.address }),
    ],
    ["of a payer without money", "invalid_exact_evm_insufficient_balance", () => sign(newAccount())],
    [
      "of a wallet whose factory is not allowed",
      "eip6492_factory_not_allowed",
      async () => {
        const owner = newAccount();
        const wallet = foreseeWallet(owner.address);
        await chain.fund(wallet);
        const signed = await sign(owner, { from: wallet.address });
        return { ...signed, signature: wallet.wrap(signed.signature) };
      },
    ],
    [
      "of a wallet whose owner did not sign",
      "invalid_exact_evm_signature",
      async () => {
        const wallet = await deployWallet(chain, newAccount().address);
        await chain.fund({ address: wallet });
        return sign(newAccount(), { from: wallet });
      },
    ],
  ];

  test.each(wrong)("a payment %s", async (_, reason, make) => {
    await expectSameRefusal(payloadOf(await make()), reason);
  });

  test("a payment whose nonce was used for another order", async () => {
    const other = await placeOrder(market);
    const first = await sign(buyer, { to: getAddress(other.escrow.deposit_address) });
    expectStatus(202, await hand(other, payloadOf(first, await readRequirements(other))));
    await reach(market, other, "funded");
    const { nonce } = first.authorization;
    await expectSameRefusal(payloadOf(await sign(buyer, { nonce })), "invalid_exact_evm_nonce_already_used");
  });

  test("a payment that accepts another scheme or network", async () => {
    const payload = payloadOf(await sign(buyer));
    const accepting = (accepted: Partial<PaymentRequirements>): PaymentPayload => ({
      ...payload,
      accepted: { ...requirements, ...accepted },
    });
    await expectSameRefusal(accepting({ scheme: "upto" }), "invalid_exact_evm_scheme");
    await expectSameRefusal(accepting({ network: "eip155:8453" }), "invalid_exact_evm_network_mismatch");
    // x402 leaves other members to the seller; this service requires the offered ones.
    const less = accepting({ amount: "1" });
    expect(await facilitator.verify(less, requirements)).toMatchObject({ isValid: true });
    expect(await refusalOf(less)).toBe("invalid_exact_evm_amount_mismatch");
  });

  test("and accept a good payment after all of these", async () => {
    const payload = payloadOf(await sign(buyer));
    expect(await facilitator.verify(payload, requirements)).toMatchObject({
      isValid: true,
      payer: buyer.address,
    });
    const { payment } = expectStatus(202, await hand(order, payload));
    expect(payment.payer).toBe(buyer.address);
    await reach(market, order, "funded");
  });

  test("except on a good payment of a contract wallet, and one that only this service accepts", async () => {
    const owner = newAccount();
    const wallet = await deployWallet(chain, owner.address);
    await chain.fund({ address: wallet });
    const [longer, asKeys] = [await placeOrder(market), await placeOrder(market)];
    for (const each of [longer, asKeys]) {
      const offered = await readRequirements(each);
      const signed = await sign(owner, { from: wallet, to: getAddress(offered.payTo) });
      // The facilitator passes 65 bytes to the token as a key's signature, although it is the wallet's.
      const signature: Hex = each === asKeys ? signed.signature : `${signed.signature}00`;
      const payload = payloadOf({ ...signed, signature }, offered);
      const verdict = await facilitator.verify(payload, offered);
      expect(verdict).toMatchObject({ isValid: each === longer, payer: wallet });
      expectStatus(202, await hand(each, payload));
      await reach(market, each, "funded");
    }
  });

  type Signed = {
    signature: Hex;
    authorization: Record<"from" | "to" | "value" | "validAfter" | "validBefore" | "nonce", string>;
  };

  /** The payer's signed authorization, by the order's terms unless changed. */
  async function sign(
    payer: LocalAccount,
    differing: Partial<Signed["authorization"]> = {},
  ): Promise<Signed> {
    const authorization = {
      from: payer.address,
      to: requirements.payTo,
      value: requirements.amount,
      validAfter: "0",
      validBefore: secondsFromNow(300),
      nonce: randomHash(),
      ...differing,
    };
    const { name, version } = requirements.extra as { name: string; version: string };
    const signature = await payer.signTypedData({
      domain: {
        name,
        version,
        chainId: chain.chain.chain_id,
        verifyingContract: getAddress(requirements.asset),
      },
      types: authorizationTypes,
      primaryType: "TransferWithAuthorization",
      message: authorization as never,
    });
    return { signature, authorization };
  }

  function change(signed: Signed, differing: Partial<Signed["authorization"]>): Signed {
    return { ...signed, authorization: { ...signed.authorization, ...differing } };
  }

  function payloadOf(signed: Signed, accepted = requirements): PaymentPayload {
    return { x402Version: 2, accepted, payload: signed };
  }

  async function expectSameRefusal(payload: PaymentPayload, reason: string): Promise<void> {
    const verdict = await facilitator.verify(payload, requirements);
    expect({ isValid: verdict.isValid, reason: verdict.invalidReason }).toEqual({ isValid: false, reason });
    expect(await refusalOf(payload)).toBe(reason);
  }

  /** The service's reason, which the body and the header both have. */
  async function refusalOf(payload: PaymentPayload): Promise<string | undefined> {
    const answer = await hand(order, payload);
    const { error } = expectStatus(402, answer);
    expect(error.code).toBe("payment_required");
    expect(paymentRequiredOf(answer.headers).error).toBe(error.details[0].keyword);
    return error.details[0].keyword;
  }
});

test("x402's middleware and this service have terms of the same form", async () => {
  const order = await placeOrder(market);
  const ours = await market.api.request("POST", `/orders/${order.id}/payment`, { apiKey: market.buyerKey });
  expect(ours.status).toBe(402);
  const required = paymentRequiredOf(ours.headers);
  const { error: _, ...document } = ours.body;
  expect(document).toEqual(required);
  const seller = await startSeller(facilitator, required.accepts[0] as PaymentRequirements);
  try {
    const theirs = await fetch(seller.url, { method: "POST" });
    expect(theirs.status).toBe(402);
    const like = paymentRequiredOf(theirs.headers);
    for (const document of [required, like]) expect(parsePaymentRequired(document).success).toBe(true);
    // The middleware was given the first way to pay; the second one is by Permit2.
    expect(like.accepts).toEqual(required.accepts.slice(0, 1));
    expect(required.accepts.map(({ extra }) => extra.assetTransferMethod)).toEqual([undefined, "permit2"]);
    expect(Object.keys(required).sort()).toEqual(
      [...Object.keys(like).filter((name) => name !== "error"), "extensions"].sort(),
    );
    expect(Object.keys(required.resource).sort()).toEqual(
      [...Object.keys(like.resource), "serviceName"].sort(),
    );
    for (const { headers } of [ours, theirs]) expect(headers.get("cache-control")).toContain("no-store");
  } finally {
    await seller.close();
  }
});

test("one stock client pays both, and a stock seller's settlement of an order funds it all the same", async () => {
  const pay = stockFetch(market);
  const direct = await placeOrder(market);
  const ours = await pay(paymentUrl(market, direct), {
    method: "POST",
    headers: { authorization: `Bearer ${market.buyerKey}` },
  });
  expect(ours.status).toBe(202);

  const resold = await placeOrder(market);
  const seller = await startSeller(facilitator, await readRequirements(resold));
  try {
    const theirs = await pay(seller.url, { method: "POST" });
    expect([theirs.status, await theirs.json()]).toEqual([200, { goods: "yours" }]);
    const [settled, like] = [ours, theirs].map((answer) =>
      decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE") ?? ""),
    );
    for (const response of [settled, like]) {
      expect(response).toMatchObject({
        success: true,
        transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        network: `eip155:${chain.chain.chain_id}`,
        payer: market.buyer.account.address,
      });
    }
  } finally {
    await seller.close();
  }
  for (const order of [direct, resold]) {
    await reach(market, order, "funded");
    expect(await readEscrowed(market, order)).toBe(amount);
  }
  expect(await balanceOf(market, getAddress(resold.escrow.deposit_address))).toBe(0n);
});

async function readRequirements(order: Answer["body"]): Promise<PaymentRequirements> {
  const { accepts } = expectStatus(
    402,
    await market.api.request("POST", `/orders/${order.id}/payment`, { apiKey: market.buyerKey }),
  );
  return accepts[0];
}

/** Sends a payment as stock clients do. */
function hand(order: Answer["body"], payload: PaymentPayload): Promise<Answer> {
  return market.api.request("POST", `/orders/${order.id}/payment`, {
    apiKey: market.buyerKey,
    headers: { "PAYMENT-SIGNATURE": Buffer.from(JSON.stringify(payload)).toString("base64") },
  });
}

function paymentRequiredOf(headers: Headers): PaymentRequired {
  return JSON.parse(Buffer.from(headers.get("PAYMENT-REQUIRED") ?? "", "base64").toString());
}

function secondsFromNow(seconds: number): string {
  return (Math.floor(Date.now() / 1000) + seconds).toString();
}

function randomBytes(length: number): Hex {
  return toHex(crypto.getRandomValues(new Uint8Array(length)));
}

function randomHash(): Hex {
  return randomBytes(32);
}
