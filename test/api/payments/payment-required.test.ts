import { decodePaymentRequiredHeader } from "@x402/core/http";
import { parsePaymentRequired } from "@x402/core/schemas";
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  findAcceptsObjectFromSignedOffer,
  verifyOfferSignatureJWS,
} from "@x402/extensions/offer-receipt";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { payment, relay } from "../../../db/schema.ts";
import { issuerOf, verifyOffer } from "../../../receipts/index.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { ask, place, rowOf } from "../../harness/market/market.ts";
import { createPaymentMarket, type PaymentMarket, signPayment } from "../../harness/market/payments.ts";

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

/** The stored payments of the order, and their queued relays. */
async function rows() {
  const { db } = market.api;
  return {
    payments: await db.select().from(payment).where(eq(payment.orderId, order.id)),
    relays: await db.select().from(relay).where(eq(relay.orderId, order.id)),
  };
}

describe("placing an order on the x402 rail", () => {
  test("is 201, as any order, with its rail", async () => {
    const direct = await place(market);
    expect(order).toEqual({
      ...direct,
      id: order.id,
      reference: order.reference,
      created_at: order.created_at,
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
  ])("is 402 for %s, with the terms as the body and in the header", async (_, sent) => {
    const answer = await post(sent);
    const body = expectStatus(402, answer);
    const { config } = market.api;
    const { error, ...document } = body;
    expect(error).toEqual({
      code: "payment_required",
      message: expect.any(String),
      request_id: answer.headers.get("x-request-id"),
    });
    expect(document).toEqual({
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
    expect(decodePaymentRequiredHeader(answer.headers.get("payment-required") ?? "")).toEqual(document);
    expect(parsePaymentRequired(document)).toMatchObject({ success: true });
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    expect(JSON.stringify(body)).not.toMatch(/funded|paid/i);
    expect(await rows()).toEqual({ payments: [], relays: [] });
  });

  test("has terms that never reach beyond the funding deadline", async () => {
    const soon = Math.floor(Date.now() / 1000) + 90;
    await market.api.db.execute(`update earnest.order set fund_by = ${soon} where id = '${order.id}'`);
    const { maxTimeoutSeconds } = expectStatus(402, await post()).accepts[0];
    expect(maxTimeoutSeconds).toBeLessThanOrEqual(90);
    expect(maxTimeoutSeconds).toBeGreaterThan(80);
    const { message } = (await read("payment-instructions")).typed_data;
    expect(Number(message.validBefore)).toBeLessThanOrEqual(soon);
  });

  test("has a signed offer, verified by our verifier and by x402's, beside the terms", async () => {
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
  test("has the terms of the 402, and claims nothing of the payment", async () => {
    const required = expectStatus(402, await post());
    const instructions = await read("payment-instructions");
    expect(instructions).toMatchObject({
      settlement_rail: "x402",
      amount_base_units: "2500000",
      deposit_address: order.escrow.deposit_address,
      buyer_address: market.buyer.account.address,
    });
    expect(instructions.calls).toBeUndefined();
    expect(instructions.payment_required.accepts).toEqual(required.accepts);
    expect(parsePaymentRequired(instructions.payment_required)).toMatchObject({ success: true });
    expect(JSON.stringify(instructions)).not.toMatch(/"(funded|paid|confirmed)/i);
  });

  test("has typed data that is signed unchanged, and the message with the signature is a payment", async () => {
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

  test("has a new nonce each time", async () => {
    const nonces = await Promise.all(
      Array.from({ length: 5 }, async () => (await read("payment-instructions")).typed_data.message.nonce),
    );
    expect(new Set(nonces).size).toBe(5);
  });
});

test("omits the offer in a process without the signing key, which still takes payments", async () => {
  const bare = await createPaymentMarket();
  try {
    bare.api.config.signingKeyFile += ".gone";
    const placed = await place(bare, { settlement_rail: "x402" });
    const pay = (body?: unknown) => ask(bare, bare.buyer, "POST", pathOf(placed), body);
    const { error: _, ...requirements } = expectStatus(402, await pay());
    expect(requirements.extensions).toBeUndefined();
    expect(parsePaymentRequired(requirements)).toMatchObject({ success: true });
    expectStatus(202, await pay(await signPayment(bare.testChain, placed, bare.buyer.account)));
  } finally {
    await bare.close();
  }
});
