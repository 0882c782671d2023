import { base58 } from "@scure/base";
import { Resolver } from "did-resolver";
import { describe, expect, test } from "vitest";
import { didWebMethod, type FetchLimits } from "../../receipts/did-resolution.ts";
import { issuerOf } from "../../receipts/issuer.ts";
import { signDocument } from "../../receipts/sign.ts";
import { createSigningKey, didDocumentOf } from "../../receipts/signing-keys.ts";
import { verifyReceipt } from "../../receipts/verify.ts";
import { KEY_CREATED, NOW, sampleDocument, serve } from "../harness/receipts/documents.ts";

type Answer = (did: string) => {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  hang?: boolean;
};

/** Resolves the DID of a server that answers every request in one way. */
async function resolveFrom(answer: Answer, limits: FetchLimits = {}) {
  const { url, close } = await serve((_request, response) => {
    const { status = 200, headers = {}, body = "", hang = false } = answer(issuerOf(url));
    response.writeHead(status, headers);
    if (hang) response.write(body);
    else response.end(body);
  });
  try {
    const did = issuerOf(url);
    return { did, ...(await new Resolver(didWebMethod(limits)).resolve(did)) };
  } finally {
    await close();
  }
}

describe("the did:web method", () => {
  test("resolves a document served over HTTP on localhost", async () => {
    const { did, didDocument, didResolutionMetadata } = await resolveFrom((name) => ({
      body: JSON.stringify({ id: name }),
    }));
    expect(didDocument).toEqual({ id: did });
    expect(didResolutionMetadata).toEqual({ contentType: "application/did+json" });
  });

  test("asks a second time, and no more, where the server closes the connection without an answer", async () => {
    for (const [closes, expected] of [
      [1, null],
      [2, "notFound"],
    ] as const) {
      let requestCount = 0;
      const { url, close } = await serve((request, response) => {
        requestCount += 1;
        if (requestCount <= closes) request.socket.destroy();
        else response.end(JSON.stringify({ id: issuerOf(url) }));
      });
      const found = await new Resolver(didWebMethod()).resolve(issuerOf(url));
      expect([found.didResolutionMetadata.error ?? null, requestCount]).toEqual([expected, 2]);
      await close();
    }
  });

  test.each<[string, string, RegExp, Answer]>([
    [
      "a redirect",
      "notFound",
      /redirects/,
      () => ({ status: 302, headers: { location: "http://localhost:1/" } }),
    ],
    ["a 404", "notFound", /status is 404/, () => ({ status: 404 })],
    ["a 500", "notFound", /status is 500/, (did) => ({ status: 500, body: JSON.stringify({ id: did }) })],
    [
      "a body over 64 kB",
      "notFound",
      /exceeds 65536/,
      (did) => ({ body: JSON.stringify({ id: did, x: "x".repeat(65_536) }) }),
    ],
    ["a body that is no JSON", "invalidDidDocument", /does not hold/, () => ({ body: "<html>" })],
    ["an empty body", "invalidDidDocument", /does not hold/, () => ({})],
    [
      "doubled members",
      "invalidDidDocument",
      /does not hold/,
      (did) => ({ body: `{"id":"x","id":"${did}"}` }),
    ],
    [
      "another subject",
      "invalidDidDocument",
      /describes did:web:evil/,
      () => ({ body: '{"id":"did:web:evil.example"}' }),
    ],
    [
      "another spelling of the subject",
      "invalidDidDocument",
      /describes/,
      (did) => ({ body: JSON.stringify({ id: did.replace("%3A", "%3a") }) }),
    ],
  ])("refuses %s", async (_what, error, message, answer) => {
    const { didDocument, didResolutionMetadata } = await resolveFrom(answer);
    expect(didDocument).toBeNull();
    expect(didResolutionMetadata.error).toBe(error);
    expect(didResolutionMetadata.message).toMatch(message);
  });

  test("gives up on a server that never ends its answer", async () => {
    const answer = () => ({ body: "{", hang: true });
    const { didResolutionMetadata } = await resolveFrom(answer, { timeoutMs: 200 });
    expect(didResolutionMetadata).toMatchObject({
      error: "notFound",
      message: expect.stringMatching(/no response within 200 ms/),
    });
  });

  test("asks over https everywhere but on localhost", async () => {
    const urls: string[] = [];
    const recording = async (url: string | URL | Request) => {
      urls.push(String(url));
      return new Response(null, { status: 404 });
    };
    const resolver = new Resolver(didWebMethod({ fetch: recording }));
    const hosts = [
      "market.example",
      "localhost.evil.example",
      "10.0.0.1",
      "127.0.0.1%3A80801",
      "127.0.0.1%3A8080",
    ];
    for (const host of hosts) await resolver.resolve(`did:web:${host}`);
    expect(urls).toEqual([
      "https://market.example/.well-known/did.json",
      "https://localhost.evil.example/.well-known/did.json",
      "https://10.0.0.1/.well-known/did.json",
      "http://127.0.0.1:8080/.well-known/did.json",
    ]);
  });

  test("refuses a name that is not in its normal form", async () => {
    const { didResolutionMetadata } = await new Resolver(didWebMethod()).resolve("did:web:Market.example");
    expect(didResolutionMetadata.error).toBe("invalidDid");
  });
});

describe("a faulty key set is refused", () => {
  const issuer = { url: "https://market.example", did: "did:web:market.example" };
  const key = createSigningKey("key-1", KEY_CREATED);
  const document = signDocument(sampleDocument(issuer), key, issuer.did);
  const good = didDocumentOf(issuer.did, [key]);
  const [jwkMethod, multikeyMethod] = good.verificationMethod;

  const codeWith = async (keySet: object, input: object = document) => {
    const served = async () => new Response(JSON.stringify(keySet));
    const result = await verifyReceipt(input, { issuer: issuer.did, now: NOW, fetch: served });
    return result.valid ? "valid" : result.code;
  };

  test("except a good one, the control of this table", async () => {
    expect(await codeWith(good)).toBe("valid");
  });

  test.each<[string, string, object]>([
    ["without methods", "invalid_key_document", { id: issuer.did }],
    ["of another subject", "invalid_key_document", { ...good, id: "did:web:evil.example" }],
    [
      "that lists a method twice",
      "invalid_key_document",
      { ...good, verificationMethod: [multikeyMethod, multikeyMethod] },
    ],
    [
      "that does not list the key for assertions",
      "unknown_key",
      { ...good, assertionMethod: [jwkMethod?.id] },
    ],
    ["with no such method", "unknown_key", { ...good, verificationMethod: [jwkMethod] }],
    [
      "whose method is another's",
      "unknown_key",
      { ...good, verificationMethod: [{ ...multikeyMethod, controller: "did:web:evil.example" }] },
    ],
    [
      "whose method is of another type",
      "unknown_key",
      { ...good, verificationMethod: [{ ...multikeyMethod, type: "Ed25519VerificationKey2020" }] },
    ],
    [
      "whose key is not Ed25519",
      "invalid_key_document",
      {
        ...good,
        verificationMethod: [
          { ...multikeyMethod, publicKeyMultibase: "zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme" },
        ],
      },
    ],
    [
      "whose key is no multibase",
      "invalid_key_document",
      { ...good, verificationMethod: [{ ...multikeyMethod, publicKeyMultibase: "z0OIl" }] },
    ],
    [
      "whose key is missing",
      "invalid_key_document",
      { ...good, verificationMethod: [{ ...multikeyMethod, publicKeyMultibase: undefined }] },
    ],
    [
      "whose window is no time",
      "invalid_key_document",
      { ...good, verificationMethod: [{ ...multikeyMethod, validFrom: "always" }] },
    ],
  ])("%s: %s", async (_what, code, keySet) => {
    expect(await codeWith(keySet)).toBe(code);
  });

  test("whose key is for key agreement (X25519) and not for signatures", async () => {
    const publicKeyMultibase = `z${base58.encode(Uint8Array.of(0xec, 0x01, ...new Array(32).fill(9)))}`;
    const agreement = { ...good, verificationMethod: [{ ...multikeyMethod, publicKeyMultibase }] };
    expect(await codeWith(agreement)).toBe("invalid_key_document");
  });

  test("whose key is of small order, under which anyone can sign anything", async () => {
    const identity = [1, ...new Array(31).fill(0)];
    const publicKeyMultibase = `z${base58.encode(Uint8Array.from([0xed, 0x01, ...identity]))}`;
    const proofValue = `z${base58.encode(Uint8Array.from([...identity, ...new Array(32).fill(0)]))}`;
    const weak = { ...good, verificationMethod: [{ ...multikeyMethod, publicKeyMultibase }] };
    expect(await codeWith(weak, { ...document, proof: { ...document.proof, proofValue } })).toBe(
      "invalid_signature",
    );
  });
});
