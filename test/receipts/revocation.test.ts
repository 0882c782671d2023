import { createPrivateKey } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ReceiptErrorCode, receiptErrors } from "../../receipts/errors.ts";
import { issuerOf } from "../../receipts/issuer.ts";
import { hashJws } from "../../receipts/jws-hash.ts";
import type { StatusList } from "../../receipts/revocation.ts";
import { addProof, signDocument, signStatusList, signX402Receipt } from "../../receipts/sign.ts";
import { createSigningKey, didDocumentOf, type SigningKey } from "../../receipts/signing-keys.ts";
import { type VerifyOptions, verifyReceipt, verifyX402Receipt } from "../../receipts/verify.ts";
import {
  hash,
  ISSUED_AT,
  KEY_CREATED,
  NOW,
  sampleDocument,
  sampleReceipt,
  sampleStatusList,
  serve,
} from "../harness/receipts/documents.ts";

const key = createSigningKey("key-1", KEY_CREATED);
const other = createSigningKey("key-2", KEY_CREATED);
let server: Awaited<ReturnType<typeof serve>>;
let issuer: { url: string; did: string };
/** The server's answers for the list, and the keys of its DID document; tests change them. */
let body: () => string;
let keys: SigningKey[];
let didFields: object;
let requestCount: number;

beforeAll(async () => {
  server = await serve((request, response) => {
    if (request.url === "/.well-known/did.json") {
      return response.end(JSON.stringify({ ...didDocumentOf(issuer.did, keys), ...didFields }));
    }
    if (request.url !== "/.well-known/earnest-receipt-status.json") return response.writeHead(404).end();
    requestCount += 1;
    return response.end(body());
  });
  issuer = { url: server.url, did: issuerOf(server.url) };
});
afterAll(() => server.close());
beforeEach(() => {
  keys = [key, other];
  didFields = {};
  requestCount = 0;
  body = () => JSON.stringify(listOf({}));
});

const listOf = (fields: Partial<StatusList>, signer = key) =>
  signStatusList(sampleStatusList(issuer, fields), signer, issuer.did);
const revoke = (fields: Partial<StatusList["revoked"][number]>) => {
  const id = `${issuer.url}/api/v1/receipts/rcp_other`;
  const entry = { id, revoked_at: ISSUED_AT, x402_sha256: null, ...fields };
  body = () => JSON.stringify(listOf({ revoked: [entry] }));
};
const document = () => signDocument(sampleDocument(issuer), key, issuer.did);
const jws = () => signX402Receipt(sampleReceipt(issuer), key, issuer.did);
const options = (more: Partial<VerifyOptions> = {}) => ({ issuer: issuer.did, now: NOW, ...more });
const checkDocument = (more = {}) => verifyReceipt(document(), options(more));
const checkJws = async (more = {}) => verifyX402Receipt(await jws(), options(more));

describe("a revoked receipt is refused", () => {
  test("a settlement document, by its id", async () => {
    revoke({ id: document().id });
    expect(await checkDocument()).toEqual({
      valid: false,
      code: "receipt_revoked",
      message: `${receiptErrors.receipt_revoked} The time of the revocation is ${ISSUED_AT}.`,
      status: "revoked",
    });
  });

  test("an x402 receipt, by the hash of its JWS, bare or in x402's envelope", async () => {
    revoke({ x402_sha256: hashJws(await jws()) });
    expect(await checkJws()).toMatchObject({ code: "receipt_revoked", status: "revoked" });
    const enveloped = await verifyX402Receipt({ format: "jws", signature: await jws() }, options());
    expect(enveloped).toMatchObject({ code: "receipt_revoked", status: "revoked" });
  });

  test("and no other: not by another's id, and not a reissued x402 receipt", async () => {
    revoke({ x402_sha256: hashJws(await jws()) });
    expect(await checkDocument()).toMatchObject({ valid: true, status: "good", statusReason: null });
    const anew = { ...sampleReceipt(issuer), issuedAt: Date.parse(ISSUED_AT) / 1000 + 6 };
    const again = await verifyX402Receipt(await signX402Receipt(anew, key, issuer.did), options());
    expect(again).toMatchObject({ valid: true, status: "good" });
  });

  test("but a bad signature stays a bad signature", async () => {
    revoke({ id: document().id });
    const forged = { ...document(), amount: "1" };
    expect(await verifyReceipt(forged, options())).toMatchObject({ code: "invalid_signature" });
    expect(requestCount).toBe(0);
  });
});

describe("an unreliable list makes the status unknown, and fails where the list is required", () => {
  const late = "2026-11-20T12:04:59.000Z";
  const sign =
    (fields: Partial<StatusList>, signer = key) =>
    () =>
      JSON.stringify(listOf(fields, signer));

  test.each<[string, ReceiptErrorCode, () => void]>([
    [
      "is not served",
      "status_unavailable",
      () => {
        didFields = { service: [{ type: "ReceiptStatusList", serviceEndpoint: `${issuer.url}/none` }] };
      },
    ],
    [
      "is not named",
      "status_not_published",
      () => {
        didFields = { service: undefined };
      },
    ],
    [
      "is named in a form that cannot be read",
      "status_not_published",
      () => {
        didFields = { service: "x" };
      },
    ],
    [
      "is named on another host",
      "status_not_published",
      () => {
        didFields = {
          service: [{ type: "ReceiptStatusList", serviceEndpoint: `${issuer.url}1/status.json` }],
        };
      },
    ],
    [
      "has expired",
      "status_expired",
      () => {
        body = sign({ valid_until: late });
      },
    ],
    [
      "lies in the future",
      "status_invalid",
      () => {
        body = sign({ issued_at: "2026-11-20T12:06:01.000Z" });
      },
    ],
    [
      "is another issuer's",
      "status_invalid",
      () => {
        const foreign = { did: "did:web:market.example" };
        body = () => JSON.stringify(signStatusList(sampleStatusList(foreign), key, foreign.did));
      },
    ],
    [
      "is about another issuer, though signed by this one's key",
      "status_invalid",
      () => {
        const { proofValue: _, ...proof } = listOf({}).proof;
        const foreign = sampleStatusList({ did: "did:web:market.example" });
        body = () =>
          JSON.stringify(addProof(foreign, proof, createPrivateKey({ key: key.jwk, format: "jwk" })));
      },
    ],
    [
      "is signed by a key that is not the issuer's",
      "status_invalid",
      () => {
        body = sign({}, createSigningKey("key-1", KEY_CREATED));
      },
    ],
    [
      "is signed by a key that was retired before",
      "status_invalid",
      () => {
        keys = [key, { ...other, retired_at: "2026-11-20T11:59:59Z" }];
        body = sign({}, other);
      },
    ],
    [
      "is signed by a compromised key",
      "status_invalid",
      () => {
        keys = [key, { ...other, compromised_since: late }];
        body = sign({}, other);
      },
    ],
    [
      "lost an entry",
      "status_invalid",
      () => {
        const entry = { id: document().id, revoked_at: ISSUED_AT, x402_sha256: null };
        body = () => JSON.stringify({ ...listOf({ revoked: [entry] }), revoked: [] });
      },
    ],
    [
      "was given more time",
      "status_invalid",
      () => {
        body = () =>
          JSON.stringify({ ...listOf({ valid_until: late }), valid_until: "2099-01-01T00:00:00.000Z" });
      },
    ],
    [
      "has no proof",
      "status_invalid",
      () => {
        body = () => JSON.stringify(sampleStatusList(issuer));
      },
    ],
    [
      "is a receipt",
      "status_invalid",
      () => {
        body = () => JSON.stringify(document());
      },
    ],
    [
      "names a member twice",
      "status_invalid",
      () => {
        body = () => JSON.stringify(listOf({})).replace('"revoked":[]', '"revoked":[],"revoked":[]');
      },
    ],
    [
      "is no JSON",
      "status_invalid",
      () => {
        body = () => "<html>";
      },
    ],
    [
      "is too long",
      "status_unavailable",
      () => {
        body = () => " ".repeat(1_048_577);
      },
    ],
  ])("where it %s: %s", async (_what, code, prepare) => {
    prepare();
    for (const check of [checkDocument, checkJws]) {
      expect(await check()).toMatchObject({ valid: true, status: "unknown", statusReason: { code } });
      const required = await check({ status: "require" });
      expect(required).toMatchObject({ valid: false, code });
      expect(required).not.toHaveProperty("status");
    }
  });

  test("where nothing answers in time", async () => {
    const hang = ((url: string, init: RequestInit) =>
      url.endsWith("did.json")
        ? fetch(url)
        : new Promise((_, reject) =>
            init.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
          )) as typeof fetch;
    expect(await checkDocument({ fetch: hang, timeoutMs: 300 })).toMatchObject({
      status: "unknown",
      statusReason: {
        code: "status_unavailable",
        message: expect.stringMatching(/no response within 300 ms/),
      },
    });
  });

  test("where it redirects", async () => {
    const moved = (async (url: string) =>
      url.endsWith("did.json")
        ? fetch(url)
        : new Response("", { status: 302, headers: { location: "https://evil.example" } })) as typeof fetch;
    expect(await checkDocument({ fetch: moved })).toMatchObject({
      statusReason: { code: "status_unavailable", message: expect.stringMatching(/redirects/) },
    });
  });
});

test("a list is not fetched where it is not required, and the result says so", async () => {
  revoke({ id: document().id });
  expect(await checkDocument({ status: "skip" })).toMatchObject({
    valid: true,
    status: "unknown",
    statusReason: { code: "status_not_asked" },
  });
  expect(requestCount).toBe(0);
});

test("a list of five thousand revocations is read", async () => {
  const revoked = Array.from({ length: 5000 }, (_, i) => ({
    id: `${issuer.url}/api/v1/receipts/rcp_${String(i).padStart(26, "0")}`,
    revoked_at: ISSUED_AT,
    x402_sha256: hash("ab"),
  }));
  body = () =>
    JSON.stringify(
      listOf({ revoked: [...revoked, { ...revoked[0], id: document().id }] as StatusList["revoked"] }),
    );
  expect(await checkDocument()).toMatchObject({ code: "receipt_revoked" });
});
