import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentSignatureHeader,
} from "@x402/core/http";
import { parsePaymentRequired } from "@x402/core/schemas";
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  findAcceptsObjectFromSignedOffer,
  verifyOfferSignatureJWS,
} from "@x402/extensions/offer-receipt";
import { eq } from "drizzle-orm";
import { type Hex, sliceHex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { payment, relay } from "../../db/schema.ts";
import { issuerOf, verifyOffer } from "../../receipts/index.ts";
import { escrowCall } from "../../settlement/calls.ts";
import { type Answer, expectStatus } from "../harness/api.ts";
import { ask, expectRefusal, place, rowOf } from "./orders.fixture.ts";
import {
  createPaymentMarket,
  isUsed,
  newAccount,
  type PaymentMarket,
  type Signed,
  signPayment,
} from "./payments.fixture.ts";

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

/** What was written down of the order's payments, and queued to be relayed. */
async function rows() {
  const { db } = market.api;
  return {
    payments: await db.select().from(payment).where(eq(payment.orderId, order.id)),
    relays: await db.select().from(relay).where(eq(relay.orderId, order.id)),
  };
}

describe("placing an order on the x402 rail", () => {
  test("201, as any order, with its rail", async () => {
    const direct = await place(market);
    expect(order).toEqual({
      ...direct,
      ...{ id: order.id, reference: order.reference, created_at: order.created_at },
      settlement_rail: "x402",
      funding_deadline: order.funding_deadline,
      escrow: {
        ...direct.escrow,
        escrow_id: order.escrow.escrow_id,
        deposit_address: order.escrow.deposit_address,
      },
    });
    const [created] = (await read("events")).items;
    expect(created).toMatchObject({ type: "order.created", data: { settlement_rail: "x402" } });
  });
});

describe("POST without a payment", () => {
  test.each([
    ["nothing", undefined],
    ["null", null],
    ["an empty object", {}],
    ["a body of the caller's own", { note: "for the books", authorization: {} }],
    ["one that is larger than any payment", { note: "x".repeat(100_000) }],
  ])("402 for %s, with what to pay as the body and in the header", async (_, sent) => {
    const answer = await post(sent);
    const body = expectStatus(402, answer);
    const { config } = market.api;
    expect(body).toEqual({
      x402Version: 2,
      resource: {
        url: `${config.publicUrl}/api/v1/orders/${order.id}/payment`,
        description: `Order ${order.reference}, into its escrow`,
        mimeType: "application/json",
        serviceName: "Earnest",
      },
      accepts: [
        {
          scheme: "exact",
          network: "eip155:31337",
          amount: "2500000",
          asset: market.chain.token.address,
          payTo: order.escrow.deposit_address,
          maxTimeoutSeconds: 600,
          extra: { name: market.chain.token.name, version: market.chain.token.version },
        },
      ],
      extensions: { "offer-receipt": { info: { offers: [expect.anything()] }, schema: expect.anything() } },
    });
    expect(decodePaymentRequiredHeader(answer.headers.get("payment-required") ?? "")).toEqual(body);
    expect(parsePaymentRequired(body)).toMatchObject({ success: true });
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    expect(JSON.stringify(body)).not.toMatch(/funded|paid/i);
    expect(await rows()).toEqual({ payments: [], relays: [] });
  });

  test("it never reaches beyond the funding deadline", async () => {
    const soon = Math.floor(Date.now() / 1000) + 90;
    await market.api.db.execute(`update earnest.order set fund_by = ${soon} where id = '${order.id}'`);
    const { maxTimeoutSeconds } = expectStatus(402, await post()).accepts[0];
    expect(maxTimeoutSeconds).toBeLessThanOrEqual(90);
    expect(maxTimeoutSeconds).toBeGreaterThan(80);
    const { message } = (await read("payment-instructions")).typed_data;
    expect(Number(message.validBefore)).toBeLessThanOrEqual(soon);
  });

  test("its offer is signed, by our verifier and by x402's, and is the way to pay beside it", async () => {
    const body = expectStatus(402, await post());
    const resourceUrl = `${market.api.config.publicUrl}/api/v1/orders/${order.id}`;
    const [offer] = extractOffersFromPaymentRequired(body);
    if (offer?.format !== "jws") throw new Error("There is no offer.");
    const answered = await market.api.app.request("/.well-known/jwks.json");
    const [key] = ((await answered.json()) as { keys: object[] }).keys;
    expect(await verifyOfferSignatureJWS(offer, key as never)).toMatchObject({
      resourceUrl,
      amount: "2500000",
      validUntil: (await rowOf(market, order.id)).fundBy,
    });
    const [decoded] = decodeSignedOffers([offer]);
    if (!decoded) throw new Error("The offer is not decoded.");
    expect(findAcceptsObjectFromSignedOffer(decoded, body.accepts)).toEqual(body.accepts[0]);
    const ours = await verifyOffer(offer, {
      issuer: issuerOf(market.api.config.publicUrl),
      resourceUrl,
      payTo: order.escrow.deposit_address,
      amount: "2500000",
      asset: market.chain.token.address,
      network: "eip155:31337",
      fetch: (url) => Promise.resolve(market.api.app.request(new URL(url as string).pathname)),
    });
    expect(ours).toMatchObject({ valid: true, kind: "x402_offer" });
  });
});

describe("GET payment-instructions of an x402 order", () => {
  test("asks for what the 402 asks for, and claims nothing of what was paid", async () => {
    const asked = expectStatus(402, await post());
    const instructions = await read("payment-instructions");
    expect(instructions).toMatchObject({
      settlement_rail: "x402",
      amount_base_units: "2500000",
      deposit_address: order.escrow.deposit_address,
      buyer_address: market.buyer.account.address,
    });
    expect(instructions.calls).toBeUndefined();
    expect(instructions.payment_required.accepts).toEqual(asked.accepts);
    expect(parsePaymentRequired(instructions.payment_required)).toMatchObject({ success: true });
    expect(JSON.stringify(instructions)).not.toMatch(/"(funded|paid|confirmed)/i);
  });

  test("its typed data is signed as it stands, and the message with the signature is a payment", async () => {
    const { typed_data } = await read("payment-instructions");
    const signature = await market.buyer.account.signTypedData(typed_data);
    const { payment: shown } = expectStatus(
      202,
      await post({ signature, authorization: typed_data.message }),
    );
    expect(shown).toMatchObject({
      method: "eip3009",
      payer: market.buyer.account.address,
      status: "accepted",
    });
  });

  test("has a nonce of its own each time", async () => {
    const nonces = await Promise.all(
      Array.from({ length: 5 }, async () => (await read("payment-instructions")).typed_data.message.nonce),
    );
    expect(new Set(nonces).size).toBe(5);
  });
});

describe("POST with a payment", () => {
  test("202 with the payment, one row and one relay of exactly this authorization", async () => {
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
    expect(relays).toMatchObject([{ intent: `${shown.id}:0`, accountId: market.buyer.accountId }]);
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

  test("while no worker is there it is pending, says nothing of being funded, and asks for no second payment", async () => {
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

  test("it waits as long as it is told to", async () => {
    const { config } = market.api;
    config.paymentWaitSeconds = 0.5;
    try {
      const started = performance.now();
      expectStatus(202, await post(await sign()));
      const waited = performance.now() - started;
      expect(waited).toBeGreaterThan(500);
      expect(waited).toBeLessThan(3000);
    } finally {
      config.paymentWaitSeconds = 0;
    }
  });

  test("that fails while its request waits: 402 with the reason, and what to pay instead", async () => {
    const { config, db } = market.api;
    config.paymentWaitSeconds = 20;
    try {
      const answering = post(await sign());
      await expect.poll(async () => (await rows()).payments.length).toBe(1);
      // As the worker has it that follows payments.
      await db
        .update(payment)
        .set({ status: "failed", error: "ERC20InsufficientBalance()" })
        .where(eq(payment.orderId, order.id));
      const answer = await answering;
      const { error } = expectStatus(402, answer);
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

  test("the header is looked at first: a good one beside any body", async () => {
    const header = encodePaymentSignatureHeader((await payloadOf(await sign())) as never);
    expectStatus(202, await post({ x402Version: 1, signature: "?" }, { "payment-signature": header }));
  });

  test("the header is looked at first: a bad one beside a good body", async () => {
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

  test.each([0, 1])("a signature that ends with the bare parity %i is taken", async (parity) => {
    let signed = await sign();
    while (Number.parseInt(signed.signature.slice(-2), 16) !== 27 + parity) signed = await sign();
    const bare: Hex = `${sliceHex(signed.signature, 0, 64)}0${parity}`;
    expectStatus(202, await post({ ...signed, signature: bare }));
    const { relays } = await rows();
    const { args } = escrowCall(market.chain.escrow_contract, relays[0]?.data as Hex);
    expect(args.signature).toBe(signed.signature);
  });

  test("anybody's money is taken, and the answer names the payer", async () => {
    const patron = newAccount();
    await market.testChain.fund(patron);
    const { payment: shown } = expectStatus(202, await post(await sign(patron)));
    expect(shown.payer).toBe(patron.address);
  });

  test("upper and lower case of what is hexadecimal tell no two payments apart", async () => {
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

describe("twice", () => {
  test("the same payment gets the same answer, however it is handed in and however many at once", async () => {
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

  test("of two different payments at once one stands, and the other is refused and not used", async () => {
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

  test("a second payment after the first is refused, and the first stands", async () => {
    const { payment: first } = expectStatus(202, await post(await sign()));
    const second = await sign();
    await expectRefusal(
      market,
      () => post(second),
      409,
      "conflict",
      new RegExp(`${first.id}, by ${market.buyer.account.address}.*not used`),
    );
    expect(await read("payment")).toEqual({ payment: first });
  });
});

test("GET payment is null before any, and is the provider's to see too", async () => {
  expect(await read("payment")).toEqual({ payment: null });
  expectStatus(202, await post(await sign()));
  const shown = await read("payment");
  expect(expectStatus(200, await ask(market, market.provider, "GET", pathOf(order)))).toEqual(shown);
  await expectRefusal(market, () => ask(market, market.stranger, "GET", pathOf(order)), 404, "not_found");
});

test("a process without the signing key leaves its offers out and is paid all the same", async () => {
  const bare = await createPaymentMarket();
  try {
    bare.api.config.signingKeyFile += ".gone";
    const placed = await place(bare, { settlement_rail: "x402" });
    const pay = (body?: unknown) => ask(bare, bare.buyer, "POST", pathOf(placed), body);
    const asked = expectStatus(402, await pay());
    expect(asked.extensions).toBeUndefined();
    expect(parsePaymentRequired(asked)).toMatchObject({ success: true });
    expectStatus(202, await pay(await signPayment(bare.testChain, placed, bare.buyer.account)));
  } finally {
    await bare.close();
  }
});
