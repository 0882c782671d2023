import { createPrivateKey, sign } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signDocument, signX402Offer, signX402Receipt } from "../../receipts/sign.ts";
import { jwkMethodId, type SigningKey } from "../../receipts/signing-keys.ts";
import { verifyOffer, verifyX402Receipt } from "../../receipts/verify.ts";
import {
  BUYER,
  hash,
  type Issuer,
  NOW,
  PROVIDER,
  sampleDocument,
  sampleOffer,
  sampleReceipt,
  startIssuer,
} from "../harness/receipts/documents.ts";

let issuer: Issuer;
let other: Issuer;
let receipt: string;
let offer: string;

beforeAll(async () => {
  issuer = await startIssuer();
  other = await startIssuer();
  receipt = await signX402Receipt(sampleReceipt(issuer), issuer.key, issuer.did);
  offer = await signX402Offer(sampleOffer(issuer), issuer.key, issuer.did);
});
afterAll(() => Promise.all([issuer.close(), other.close()]));

const checkReceipt = (input: unknown, options = {}) =>
  verifyX402Receipt(input, { issuer: issuer.did, now: NOW, ...options });
const checkOffer = (input: unknown, options = {}) =>
  verifyOffer(input, { issuer: issuer.did, now: NOW, ...options });
const codeOf = async (result: ReturnType<typeof checkReceipt> | ReturnType<typeof checkOffer>) => {
  const answer = await result;
  return answer.valid ? "valid" : answer.code;
};

const encode = (text: string | Buffer) => Buffer.from(text as string).toString("base64url");
const headerOf = (key: SigningKey) => ({ alg: "EdDSA", kid: jwkMethodId(issuer.did, key) });

/** Signs any header and payload text, as a faulty issuer would. */
function forge(header: object | string, payload: object | string | Buffer, key = issuer.key): string {
  const parts = [header, payload].map((part) =>
    typeof part === "string" || Buffer.isBuffer(part) ? part : JSON.stringify(part),
  );
  const input = parts.map(encode).join(".");
  const privateKey = createPrivateKey({ key: key.jwk, format: "jwk" });
  return `${input}.${sign(null, Buffer.from(input), privateKey).toString("base64url")}`;
}
const receiptPayload = (fields = {}) => ({ version: 1, ...sampleReceipt(issuer), ...fields });

describe("a good x402 receipt", () => {
  test("is valid, as a JWS and in x402's envelope", async () => {
    const expected = {
      valid: true,
      kind: "x402_receipt",
      receipt: receiptPayload(),
      issuer: issuer.did,
      keyId: `${issuer.did}#key-2`,
      status: "good",
      statusReason: null,
    };
    expect(await checkReceipt(receipt)).toEqual(expected);
    expect(await checkReceipt({ format: "jws", signature: receipt })).toEqual(expected);
  });

  test("is valid for the caller's expectations, and refused for others", async () => {
    const { issuedAt: _time, ...known } = sampleReceipt(issuer);
    expect(await codeOf(checkReceipt(receipt, known))).toBe("valid");
    const others = {
      resourceUrl: `${issuer.url}/other`,
      payer: PROVIDER,
      network: "eip155:1",
      transaction: hash("99"),
    };
    for (const [field, value] of Object.entries(others)) {
      expect(await codeOf(checkReceipt(receipt, { [field]: value }))).toBe("unexpected_value");
    }
  });
});

describe("a good x402 offer", () => {
  test("is valid until it expires", async () => {
    expect(await checkOffer({ format: "jws", acceptIndex: 0, signature: offer })).toEqual({
      valid: true,
      kind: "x402_offer",
      offer: { version: 1, ...sampleOffer(issuer) },
      issuer: issuer.did,
      keyId: `${issuer.did}#key-2`,
    });
    expect(await codeOf(checkOffer(offer, { now: new Date(NOW.getTime() + 300_000) }))).toBe("valid");
    expect(await codeOf(checkOffer(offer, { now: new Date(NOW.getTime() + 300_001) }))).toBe("offer_expired");
  });

  test("is refused when it differs from what the caller expects", async () => {
    expect(await codeOf(checkOffer(offer, { payTo: sampleOffer(issuer).payTo, amount: "2500000" }))).toBe(
      "valid",
    );
    expect(await codeOf(checkOffer(offer, { payTo: BUYER }))).toBe("unexpected_value");
  });

  test("is refused once its key is retired", async () => {
    const old = await signX402Offer(sampleOffer(issuer), issuer.retired, issuer.did);
    expect(await codeOf(checkOffer(old))).toBe("key_retired");
    expect(await codeOf(checkOffer(offer, { now: new Date("2026-10-31T00:00:00Z") }))).toBe(
      "key_not_yet_valid",
    );
  });
});

describe("kinds are distinct", () => {
  test("an offer is not a receipt and a receipt is not an offer", async () => {
    expect(await codeOf(checkReceipt(offer))).toBe("wrong_kind");
    expect(await codeOf(checkOffer(receipt))).toBe("wrong_kind");
    const both = forge(headerOf(issuer.key), { ...receiptPayload(), ...sampleOffer(issuer) });
    expect(await codeOf(checkReceipt(both))).toBe("wrong_kind");
    expect(await codeOf(checkOffer(both))).toBe("invalid_shape");
  });

  test("a settlement document is not a JWS", async () => {
    const document = signDocument(sampleDocument(issuer), issuer.key, issuer.did);
    for (const input of [document, JSON.stringify(document)]) {
      expect(await codeOf(checkReceipt(input))).toBe("wrong_kind");
      expect(await codeOf(checkOffer(input))).toBe("wrong_kind");
    }
    expect(await codeOf(checkReceipt(forge(headerOf(issuer.key), document)))).toBe("wrong_kind");
  });

  test("a receipt in an offer's envelope is refused", async () => {
    expect(await codeOf(checkReceipt({ format: "jws", signature: receipt, acceptIndex: 0 }))).toBe(
      "wrong_kind",
    );
    expect(await codeOf(checkReceipt({ format: "eip712", payload: {}, signature: "0x" }))).toBe("wrong_kind");
  });
});

describe("a tampered receipt is refused", () => {
  const changes: Record<string, fc.Arbitrary<unknown>> = {
    network: fc.integer({ min: 1, max: 31336 }).map((id) => `eip155:${id}`),
    resourceUrl: fc.nat().map((n) => `${issuer.url}/api/v1/orders/${n}`),
    payer: fc.constant(PROVIDER),
    issuedAt: fc.integer({ min: 1, max: 3600 }).map((seconds) => sampleReceipt(issuer).issuedAt - seconds),
    transaction: fc.stringMatching(/^0x[0-9a-f]{64}$/),
  };

  test.each(Object.keys(changes))("when %s has another value", async (field) => {
    const [header, , signature] = receipt.split(".");
    await fc.assert(
      fc.asyncProperty(changes[field] as fc.Arbitrary<unknown>, async (value) => {
        const payload = encode(JSON.stringify(receiptPayload({ [field]: value })));
        expect(await codeOf(checkReceipt(`${header}.${payload}.${signature}`))).toBe("invalid_signature");
      }),
      { numRuns: 10 },
    );
  });

  test.each(["version", ...Object.keys(changes)])("when %s is missing or of another form", async (field) => {
    const { [field]: _gone, ...rest } = receiptPayload() as Record<string, unknown>;
    expect(await codeOf(checkReceipt(forge(headerOf(issuer.key), rest)))).toBe("invalid_shape");
    const wrong = receiptPayload({ [field]: [1] });
    expect(await codeOf(checkReceipt(forge(headerOf(issuer.key), wrong)))).toBe("invalid_shape");
  });

  test("when any single character is changed", async () => {
    const body = await (await fetch(`${issuer.url}/.well-known/did.json`)).text();
    const cached = async () => new Response(body);
    for (let index = 0; index < receipt.length; index += 1) {
      const character = receipt[index] === "A" ? "B" : "A";
      const tampered = receipt.slice(0, index) + character + receipt.slice(index + 1);
      expect(await codeOf(checkReceipt(tampered, { fetch: cached }))).not.toBe("valid");
    }
  });

  test("when its payload has more members, or a number that no double can hold", async () => {
    expect(await codeOf(checkReceipt(forge(headerOf(issuer.key), receiptPayload({ amount: "1" }))))).toBe(
      "invalid_shape",
    );
    const text = JSON.stringify(receiptPayload()).replace(/"issuedAt":\d+/, '"issuedAt":90071992547409930');
    expect(await codeOf(checkReceipt(forge(headerOf(issuer.key), text)))).toBe("invalid_number");
  });
});

describe("a foreign header is refused", () => {
  test.each([
    ["alg none", { alg: "none" }, "unsupported_algorithm"],
    ["alg HS256", { alg: "HS256" }, "unsupported_algorithm"],
    ["alg ES256K", { alg: "ES256K" }, "unsupported_algorithm"],
    ["alg Ed25519, RFC 9864's other name", { alg: "Ed25519" }, "unsupported_algorithm"],
    ["an unknown crit", { crit: ["exp"], exp: 1 }, "unsupported_critical_header"],
    ["a crit of b64", { crit: ["b64"], b64: true }, "unsupported_critical_header"],
    ["an embedded key", { jwk: { kty: "OKP", crv: "Ed25519", x: "AA" } }, "invalid_shape"],
    ["a key address", { jku: "https://evil.example/jwks.json" }, "invalid_shape"],
    ["a type", { typ: "JWT" }, "invalid_shape"],
    ["no kid", { kid: undefined }, "invalid_shape"],
    ["a kid that is only the fragment", { kid: "key-2" }, "foreign_key"],
  ])("%s", async (_what, change, code) => {
    expect(await codeOf(checkReceipt(forge({ ...headerOf(issuer.key), ...change }, receiptPayload())))).toBe(
      code,
    );
  });

  test("a foreign kid, a Multikey's kid, an unlisted kid", async () => {
    const kid = (name: string) => checkReceipt(forge({ alg: "EdDSA", kid: name }, receiptPayload()));
    expect(await codeOf(kid(`${other.did}#key-2`))).toBe("foreign_key");
    expect(await codeOf(kid(`${issuer.did}#key-2-mb`))).toBe("unknown_key");
    expect(await codeOf(kid(`${issuer.did}#key-9`))).toBe("unknown_key");
    expect(await codeOf(kid(issuer.did))).toBe("foreign_key");
  });

  test("a header that is no object", async () => {
    for (const header of ["[]", "7", "null", '"x"']) {
      expect(await codeOf(checkReceipt(forge(header, receiptPayload())))).toMatch(
        /unsupported_algorithm|invalid_shape/,
      );
    }
  });
});

describe("a receipt of the wrong signer, place or time is refused", () => {
  test("another issuer's receipt", async () => {
    const foreign = await signX402Receipt(sampleReceipt(other), other.key, other.did);
    expect(await codeOf(checkReceipt(foreign))).toBe("foreign_resource");
    const forged = await signX402Receipt(sampleReceipt(issuer), other.key, other.did);
    expect(await codeOf(checkReceipt(forged))).toBe("foreign_key");
  });

  test("another key under the issuer's kid", async () => {
    expect(await codeOf(checkReceipt(forge(headerOf(issuer.key), receiptPayload(), other.key)))).toBe(
      "invalid_signature",
    );
  });

  test("a resource of another host", async () => {
    const elsewhere = await signX402Receipt(
      { ...sampleReceipt(issuer), resourceUrl: "https://evil.example/orders/1" },
      issuer.key,
      issuer.did,
    );
    expect(await codeOf(checkReceipt(elsewhere))).toBe("foreign_resource");
  });

  test("outside the key's time, or in the future", async () => {
    const late = forge(headerOf(issuer.retired), receiptPayload(), issuer.retired);
    expect(await codeOf(checkReceipt(late))).toBe("key_retired");
    const early = forge(headerOf(issuer.key), receiptPayload({ issuedAt: 1_790_000_000 }));
    expect(await codeOf(checkReceipt(early))).toBe("key_not_yet_valid");
    expect(await codeOf(checkReceipt(receipt, { now: new Date("2026-11-20T11:00:00Z") }))).toBe(
      "issued_in_future",
    );
  });

  test("an invalid expected issuer", async () => {
    expect(await codeOf(checkReceipt(receipt, { issuer: "localhost" }))).toBe("invalid_issuer");
  });
});

describe("another encoding of a good receipt is refused", () => {
  test("padding, standard base64, loose bits, white space", async () => {
    const [header = "", payload = "", signature = ""] = receipt.split(".");
    // 64 bytes end in a character with four unused bits: a decoder may accept sixteen encodings.
    const loose =
      signature.slice(0, -1) +
      ({ A: "B", Q: "R", g: "h", w: "x" } as Record<string, string>)[signature.at(-1) ?? ""];
    expect(Buffer.from(loose, "base64url")).toEqual(Buffer.from(signature, "base64url"));
    for (const spelled of [
      `${header}.${payload}.${loose}`,
      `${header}.${payload}.${signature}==`,
      `${header}=.${payload}.${signature}`,
      `${header}.${payload}.${signature}\n`,
      ` ${receipt}`,
      `${header}.${payload}.${signature.slice(0, -2)}`,
    ]) {
      expect(await codeOf(checkReceipt(spelled))).toBe("invalid_encoding");
    }
  });

  test("duplicate members in header or payload", async () => {
    const text = JSON.stringify(receiptPayload());
    const doubled = text.replace('"payer":', `"payer":"${PROVIDER}","payer":`);
    expect(await codeOf(checkReceipt(forge(headerOf(issuer.key), doubled)))).toBe("duplicate_member");
    const header = `{"alg":"none","alg":"EdDSA","kid":"${issuer.did}#key-2"}`;
    expect(await codeOf(checkReceipt(forge(header, text)))).toBe("duplicate_member");
  });

  test("other parts, malformed JSON or UTF-8, too long", async () => {
    const [header, payload, signature] = receipt.split(".");
    for (const input of ["", "a.b", `${receipt}.x`, 7, null, undefined, () => receipt]) {
      expect(await codeOf(checkReceipt(input))).toBe("malformed");
    }
    expect(await codeOf(checkReceipt(`${encode("{")}.${payload}.${signature}`))).toBe("malformed");
    const text = JSON.stringify(receiptPayload({ resourceUrl: `${issuer.url}/caf\u00e9` }));
    expect(await codeOf(checkReceipt(forge(headerOf(issuer.key), text)))).toBe("invalid_shape");
    const latin = Buffer.from(text, "latin1");
    expect(await codeOf(checkReceipt(forge(headerOf(issuer.key), latin)))).toBe("malformed");
    expect(await codeOf(checkReceipt(forge(headerOf(issuer.key), `\ufeff${text}`)))).toBe("malformed");
    expect(await codeOf(checkReceipt(`${header}.${"A".repeat(20_000)}.${signature}`))).toBe("too_large");
  });

  test("any input: each ends in a result", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.anything(), fc.string(), fc.stringMatching(/^\w*\.\w*\.\w*$/)),
        async (input) => {
          expect(await checkReceipt(input)).toMatchObject({ valid: false });
          expect(await checkOffer(input)).toMatchObject({ valid: false });
        },
      ),
    );
  });
});
