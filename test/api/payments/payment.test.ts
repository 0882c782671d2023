import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentSignatureHeader,
} from "@x402/core/http";
import { eq } from "drizzle-orm";
import { type Hex, sliceHex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { payment, relay } from "../../../db/schema.ts";
import { escrowCall } from "../../../protocol/settlement/calls.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { ask, expectRefusal, place } from "../../harness/market/market.ts";
import {
  createPaymentMarket,
  isUsed,
  newAccount,
  type PaymentMarket,
  type Signed,
  signPayment,
} from "../../harness/market/payments.ts";

let market: PaymentMarket;
let order: Answer["body"];

beforeAll(async () => {
  market = await createPaymentMarket();
});
afterAll(() => market?.close());
beforeEach(async () => {
  order = await place(market, { settlement_rail: "x402" });
});

const pathOf = ({ id }: { id: string }) => `/orders/${id}/payment`;
const post = (body?: unknown, headers?: Record<string, string>) =>
  ask(market, market.buyer, "POST", pathOf(order), body, { headers });
const read = async (what: string) =>
  expectStatus(200, await ask(market, market.buyer, "GET", `/orders/${order.id}${what && `/${what}`}`));
const sign = (payer = market.buyer.account) => signPayment(market.testChain, order, payer);

async function payloadOf(signed: Signed) {
  const { accepts } = expectStatus(402, await post());
  return { x402Version: 2, accepted: accepts[0], payload: signed };
}

/** The stored payments of the order, and their queued relays. */
async function rows() {
  const { db } = market.api;
  return {
    payments: await db.select().from(payment).where(eq(payment.orderId, order.id)),
    relays: await db.select().from(relay).where(eq(relay.orderId, order.id)),
  };
}

describe("POST with a payment", () => {
  test("is 202 with the payment, one row and one relay of exactly this authorization", async () => {
    const signed = await sign();
    const answer = await post(await payloadOf(signed));
    const { payment: shown } = expectStatus(202, answer);
    expect(shown).toEqual({
      id: expect.stringMatching(/^pay_/),
      status: "accepted",
      method: "eip3009",
      payer: market.buyer.account.address,
      transaction_hash: null,
      error: null,
      created_at: expect.any(String),
    });
    const { payments, relays } = await rows();
    expect(payments).toMatchObject([{ id: shown.id, accountId: market.buyer.accountId, step: 0 }]);
    expect(relays).toMatchObject([{ key: `${shown.id}:0`, accountId: market.buyer.accountId }]);
    const { function: name, args } = escrowCall(market.chain.escrow_contract, relays[0]?.data as Hex);
    expect(name).toBe("createEscrowWithAuthorization");
    expect(args).toMatchObject({
      from: signed.authorization.from,
      nonce: signed.authorization.nonce,
      signature: signed.signature,
      validBefore: signed.authorization.validBefore,
    });
    expect(await read("payment")).toEqual({ payment: shown });
  });

  test("is pending while no worker runs, does not show the order as funded, and requests no second payment", async () => {
    const signed = await sign();
    const first = await post(signed);
    const { payment: shown } = expectStatus(202, first);
    for (const answer of [first, await post(), await post({}), await post({ note: "again" })]) {
      expect(expectStatus(202, answer)).toEqual({ payment: shown });
      expect(decodePaymentResponseHeader(answer.headers.get("payment-response") ?? "")).toEqual({
        success: false,
        errorReason: "settlement_pending",
        transaction: "",
        network: "eip155:31337",
        payer: market.buyer.account.address,
        amount: "2500000",
      });
      expect(answer.headers.get("payment-required")).toBeNull();
      expect(answer.headers.get("cache-control")).toBe("private, no-store");
    }
    const now = await read("");
    expect(now).toMatchObject({ status: "created", funded_at: null, escrow: { status: "none" } });
    expect((await read("events")).items.map(({ type }: { type: string }) => type)).toEqual(["order.created"]);
  });

  test("waits as long as the request says", async () => {
    const { config } = market.api;
    config.paymentWaitSeconds = 0.5;
    try {
      const started = performance.now();
      expectStatus(202, await post(await sign()));
      const waited = performance.now() - started;
      expect(waited).toBeGreaterThan(500);
      expect(waited).toBeLessThan(15_000);
    } finally {
      config.paymentWaitSeconds = 0;
    }
  });

  test("that fails while its request waits is 402 with the reason and new terms", async () => {
    const { config, db } = market.api;
    config.paymentWaitSeconds = 20;
    try {
      const answering = post(await sign());
      await expect.poll(async () => (await rows()).payments.length).toBe(1);
      // Ends the payment as the worker does.
      await db
        .update(payment)
        .set({ status: "failed", error: "ERC20InsufficientBalance()" })
        .where(eq(payment.orderId, order.id));
      const answer = await answering;
      const { error, accepts } = expectStatus(402, answer);
      expect(accepts).toMatchObject([{ payTo: order.escrow.deposit_address }]);
      expect(error).toMatchObject({
        code: "payment_required",
        message: "The payment failed: ERC20InsufficientBalance()",
        details: [{ path: "/payload", keyword: "transaction_failed" }],
      });
      expect(decodePaymentRequiredHeader(answer.headers.get("payment-required") ?? "")).toMatchObject({
        error: "transaction_failed",
        accepts: [{ payTo: order.escrow.deposit_address }],
      });
      expect(decodePaymentResponseHeader(answer.headers.get("payment-response") ?? "")).toMatchObject({
        success: false,
        errorReason: "transaction_failed",
        errorMessage: "ERC20InsufficientBalance()",
      });
    } finally {
      config.paymentWaitSeconds = 0;
    }
    expect((await read("payment")).payment).toMatchObject({
      status: "failed",
      error: "ERC20InsufficientBalance()",
    });
    expectStatus(402, await post());
    expectStatus(202, await post(await sign()));
  });

  test("is read from the header first: a good one beside any body", async () => {
    const header = encodePaymentSignatureHeader((await payloadOf(await sign())) as never);
    expectStatus(202, await post({ x402Version: 1, signature: "?" }, { "payment-signature": header }));
  });

  test("is read from the header first: a bad one beside a good body", async () => {
    const signed = await sign();
    await expectRefusal(
      market,
      () => post(signed, { "payment-signature": "?" }),
      400,
      "invalid_request",
      "PAYMENT-SIGNATURE",
    );
    expect(await isUsed(market.testChain, signed)).toBe(false);
  });

  test.each([0, 1])("accepts a signature that ends with the bare parity %i", async (parity) => {
    let signed = await sign();
    while (Number.parseInt(signed.signature.slice(-2), 16) !== 27 + parity) signed = await sign();
    const bare: Hex = `${sliceHex(signed.signature, 0, 64)}0${parity}`;
    expectStatus(202, await post({ ...signed, signature: bare }));
    const { relays } = await rows();
    const { args } = escrowCall(market.chain.escrow_contract, relays[0]?.data as Hex);
    expect(args.signature).toBe(signed.signature);
  });

  test("accepts money of any payer, and names the payer", async () => {
    const patron = newAccount();
    await market.testChain.fund(patron);
    const { payment: shown } = expectStatus(202, await post(await sign(patron)));
    expect(shown.payer).toBe(patron.address);
  });

  test("treats upper and lower case of hexadecimal values alike", async () => {
    const signed = await sign();
    const upper = (text: string) => `0x${text.slice(2).toUpperCase()}` as Hex;
    const { from, to, nonce } = signed.authorization;
    const loud = {
      signature: upper(signed.signature),
      authorization: { ...signed.authorization, from: upper(from), to: upper(to), nonce: upper(nonce) },
    };
    const { payment: first } = expectStatus(202, await post(loud));
    const { payment: second } = expectStatus(202, await post(signed));
    expect(second).toEqual(first);
    expect((await rows()).payments).toHaveLength(1);
  });
});

describe("a second payment", () => {
  test("that is the same gets the same answer, in the body or the header, however many race", async () => {
    const signed = await sign();
    const payload = await payloadOf(signed);
    const header = encodePaymentSignatureHeader(payload as never);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 3 === 0
          ? post(signed)
          : index % 3 === 1
            ? post(payload)
            : post(undefined, { "payment-signature": header }),
      ),
    );
    const bodies = answers.map((answer) => expectStatus(202, answer));
    for (const body of bodies) expect(body).toEqual(bodies[0]);
    const { payments, relays } = await rows();
    expect([payments.length, relays.length]).toEqual([1, 1]);
  });

  test("that differs and races the first is refused and not used", async () => {
    const signed = await Promise.all(Array.from({ length: 6 }, () => sign()));
    const answers = await Promise.all(signed.map((one) => post(one)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409]);
    const { payments, relays } = await rows();
    expect([payments.length, relays.length]).toEqual([1, 1]);
    for (const { status, body } of answers) {
      if (status === 202) continue;
      expect(body.error).toMatchObject({
        code: "conflict",
        message: expect.stringMatching(new RegExp(`${payments[0]?.id}.*not used`)),
      });
    }
    for (const one of signed) expect(await isUsed(market.testChain, one)).toBe(false);
  });

  test("after the first is refused, and the first stays", async () => {
    const { payment: first } = expectStatus(202, await post(await sign()));
    const second = await sign();
    await expectRefusal(
      market,
      () => post(second),
      409,
      "conflict",
      new RegExp(`${first.id} of ${market.buyer.account.address}.*not used`),
    );
    expect(await read("payment")).toEqual({ payment: first });
  });
});

test("is not shown before any: GET payment is null, also for the provider", async () => {
  expect(await read("payment")).toEqual({ payment: null });
  expectStatus(202, await post(await sign()));
  const shown = await read("payment");
  expect(expectStatus(200, await ask(market, market.provider, "GET", pathOf(order)))).toEqual(shown);
  await expectRefusal(market, () => ask(market, market.outsider, "GET", pathOf(order)), 404, "not_found");
});
