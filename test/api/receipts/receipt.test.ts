import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fact, receipt, signingKey } from "../../../db/schema.ts";
import { directoryPath } from "../../../protocol/execution/bot-signature.ts";
import { issuerOf, verifyReceipt, verifyX402Receipt } from "../../../receipts/index.ts";
import { createSigningKey } from "../../../receipts/signing-keys.ts";
import { type Answer, expectStatus } from "../../harness/api.ts";
import {
  ask,
  createMarket,
  expectRefusal,
  indexer,
  type Market,
  placeDelivered,
  placeFunded,
  settleNow,
} from "../../harness/market/market.ts";

let market: Market;
let issuer: string;

beforeAll(async () => {
  market = await createMarket();
  issuer = issuerOf(market.api.config.publicUrl);
});
afterAll(() => market.api.close());

/** The key documents as a verifier fetches them: from this API. */
const fetchKeys = ((url: string, init?: RequestInit) =>
  market.api.app.request(new URL(url).pathname, init)) as unknown as typeof fetch;

const read = async (path: string, who = market.buyer): Promise<Answer["body"]> =>
  expectStatus(200, await ask(market, who, "GET", path));

async function placeReleased() {
  const delivered = await placeDelivered(market);
  await indexer(market, delivered.row).ended("Released");
  await settleNow(market);
  return delivered;
}

describe("receipts of an order", () => {
  test("are one for each step of its money, oldest first, the same for both parties", async () => {
    const { id } = await placeReleased();
    const { items } = await read(`/orders/${id}/receipts`);
    expect(await read(`/orders/${id}/receipts`, market.provider)).toEqual({ items });
    expect(items).toEqual([
      {
        id: expect.stringMatching(/^rcp_/),
        claim: "funded",
        document: expect.objectContaining({ claim: "funded", order_id: id }),
        x402_receipt: null,
        transaction: {
          chain_id: 31_337,
          hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          block_number: 1,
          log_index: items[0].document.log_index,
        },
        revoked: false,
        created_at: expect.any(String),
      },
      expect.objectContaining({
        claim: "released",
        x402_receipt: expect.stringContaining("."),
        revoked: false,
      }),
    ]);
    expect(items[1].transaction.hash).toBe(items[1].document.transaction);
  });

  test("do not exist before it is funded, and no final one before it is settled", async () => {
    const { id } = await placeFunded(market);
    expect((await read(`/orders/${id}/receipts`)).items).toHaveLength(1);
    for (const path of ["receipt", "receipt/x402"]) {
      await expectRefusal(
        market,
        () => ask(market, market.buyer, "GET", `/orders/${id}/${path}`),
        409,
        "not_settled",
        "not settled yet",
      );
    }
  });

  test("have a final one that verifies against the published keys", async () => {
    const { id } = await placeReleased();
    const document = await read(`/orders/${id}/receipt`);
    const result = await verifyReceipt(JSON.stringify(document), { issuer, fetch: fetchKeys });
    expect(result).toMatchObject({ valid: true, claim: "released" });
    const forged = { ...document, amount: "999" };
    expect(await verifyReceipt(JSON.stringify(forged), { issuer, fetch: fetchKeys })).toMatchObject({
      valid: false,
    });
  });

  test("have an x402 receipt that verifies too, about the order's own address", async () => {
    const { id } = await placeReleased();
    const body = await read(`/orders/${id}/receipt/x402`, market.provider);
    expect(body).toEqual({ format: "jws", signature: expect.any(String) });
    const resourceUrl = `${market.api.config.publicUrl}/api/v1/orders/${id}`;
    expect(await verifyX402Receipt(body.signature, { issuer, resourceUrl, fetch: fetchKeys })).toMatchObject({
      valid: true,
    });
  });

  test("of a refund have a document and no x402 receipt", async () => {
    const { id, row } = await placeFunded(market);
    await indexer(market, row).ended("Refunded");
    await settleNow(market);
    expect(await read(`/orders/${id}/receipt`)).toMatchObject({ claim: "refunded" });
    await expectRefusal(
      market,
      () => ask(market, market.buyer, "GET", `/orders/${id}/receipt/x402`),
      404,
      "not_found",
      "The order was refunded",
    );
  });

  test("of a split have the release as the final one, and list both", async () => {
    const { id, row } = await placeFunded(market);
    await indexer(market, row).ended("Refunded", 1n);
    await indexer(market, row).ended("Released", row.amount - 1n);
    await settleNow(market);
    expect(await read(`/orders/${id}/receipt`)).toMatchObject({ claim: "released", amount: "2499999" });
    const { items } = await read(`/orders/${id}/receipts`);
    expect(items.map(({ claim }: { claim: string }) => claim).sort()).toEqual([
      "funded",
      "refunded",
      "released",
    ]);
  });

  test("show a revoked one as revoked, which is then not the final one", async () => {
    const { id } = await placeReleased();
    await market.api.db.update(receipt).set({ revokedAt: new Date() }).where(eq(receipt.orderId, id));
    const { items } = await read(`/orders/${id}/receipts`);
    expect(items.map(({ revoked }: { revoked: boolean }) => revoked)).toEqual([true, true]);
    await expectRefusal(
      market,
      () => ask(market, market.buyer, "GET", `/orders/${id}/receipt`),
      409,
      "not_settled",
    );
  });
});

describe("GET /receipts/{id}", () => {
  test("is 200 for everybody who knows the id", async () => {
    const { id } = await placeReleased();
    const { items } = await read(`/orders/${id}/receipts`);
    const answer = await market.api.request("GET", `/receipts/${items[1].id}`);
    expect([answer.status, answer.body]).toEqual([200, items[1]]);
    expect(items[1].document.id).toBe(`${market.api.config.publicUrl}/api/v1/receipts/${items[1].id}`);
  });

  test.each(["rcp_01jd3w8x2mfhz8w9q4t6n5k7ra", "rcp_", "nonsense", "%20"])("is 404 for %s", async (id) => {
    await expectRefusal(market, () => market.api.request("GET", `/receipts/${id}`), 404, "not_found");
  });

  test("is 404 for the fact's id", async () => {
    const [any] = await market.api.db.select().from(fact).limit(1);
    await expectRefusal(market, () => market.api.request("GET", `/receipts/${any?.id}`), 404, "not_found");
  });
});

describe("the key documents", () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    market.api.app.request(path, { headers });

  test.each([
    ["/.well-known/jwks.json", "application/jwk-set+json"],
    ["/.well-known/did.json", "application/did+json"],
    [directoryPath, "application/http-message-signatures-directory+json"],
  ])("include %s at the root, as %s, with caching and revalidation", async (path, type) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe(type);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=60");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    const etag = answer.headers.get("etag");
    expect(etag).toMatch(/^"/);
    const again = await get(path, { "if-none-match": etag ?? "" });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect((await market.api.request("GET", path)).status).toBe(404);
  });

  test("hold public keys only, and retired keys with the end of their use", async () => {
    const retired = createSigningKey("key-0", new Date("2026-01-01T00:00:00Z"));
    const retiredAt = new Date("2026-06-01T00:00:00Z");
    const { kty, crv, x } = retired.jwk;
    await market.api.db.insert(signingKey).values({
      kid: retired.kid,
      publicJwk: { kty, crv, x },
      notBefore: new Date(retired.not_before),
      retiredAt,
    });
    const jwks = (await (await get("/.well-known/jwks.json")).json()) as { keys: Record<string, unknown>[] };
    expect(jwks.keys.map(({ kid }) => kid)).toEqual([`${issuer}#key-0`, `${issuer}#key-1`]);
    expect(jwks.keys[0]).toMatchObject({ x, exp: retiredAt.getTime() / 1000 });
    expect(JSON.stringify(jwks)).not.toContain('"d"');
    const did = (await (await get("/.well-known/did.json")).json()) as Record<string, unknown>;
    expect(did).toMatchObject({ id: issuer });
    expect(did.assertionMethod).toHaveLength(4);
    expect(JSON.stringify(did)).not.toContain(retired.jwk.d);
  });

  test("of a service under a path are where did:web expects them", async () => {
    const under = await createMarket({ env: { PUBLIC_URL: "https://example.org/market" } });
    try {
      const answer = await under.api.app.request("/did.json");
      expect(await answer.json()).toMatchObject({ id: "did:web:example.org:market" });
    } finally {
      await under.api.close();
    }
  });
});
