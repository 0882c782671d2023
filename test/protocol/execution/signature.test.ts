import { createPublicKey, sign, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { httpbis } from "http-message-signatures";
import { beforeEach, expect, test } from "vitest";
import { signExecution } from "../../../protocol/execution/sign.ts";
import { signatureBase } from "../../../protocol/execution/signature.ts";
import {
  type ExecutionOptions,
  type ExecutionRequest,
  verifyExecution,
} from "../../../protocol/execution/verify.ts";
import { createKeyring } from "../../../receipts/keyring.ts";
import { privateKeyOf } from "../../../receipts/sign.ts";
import { didDocumentOf } from "../../../receipts/signing-keys.ts";

const vectors = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../../protocol/execution/vectors.json", import.meta.url)), "utf8"),
) as Vectors;
type Case = {
  issuer: string;
  endpoint: string;
  agent: string;
  now: number;
  method: string;
  body: string;
  did: Record<string, unknown>;
};
type Vectors = Case & {
  cases: (Partial<Case> & { name: string; code: string | null; headers: Record<string, string> })[];
};

const url = "https://agent.example/orders?via=earnest";
const body = JSON.stringify({ order_id: "ord_1", agent_id: "agt_1", input_payload: { text: "Grüße" } });
const at = new Date("2026-11-21T12:00:00.000Z");
const { keys } = createKeyring(new Date("2026-11-01T00:00:00.000Z"));
const [key] = keys;
if (!key) throw new Error("There is no key.");

let issuers = 0;
let issuer: string;
let options: ExecutionOptions;
let document: Record<string, unknown>;
let fetched: number;
beforeEach(() => {
  // Keys are cached by issuer, so each test has an issuer of its own.
  issuer = `did:web:market${++issuers}.example`;
  document = didDocumentOf(issuer, keys);
  fetched = 0;
  options = {
    issuer,
    endpoint: url,
    agent: ["agt_0", "agt_1"],
    now: at.getTime() / 1000,
    fetch: async () => {
      fetched += 1;
      return Response.json(document);
    },
  };
});

function signed(): ExecutionRequest & { headers: Record<string, string> } {
  const headers = signExecution({ url, body, idempotencyKey: "ord_1" }, { issuer, keys }, at);
  return { method: "POST", headers, body };
}

test("the signature base is RFC 9421's: its Ed25519 example (B.2.6) verifies", () => {
  const headers: Record<string, string> = {
    date: "Tue, 20 Apr 2021 02:07:55 GMT",
    "content-type": "application/json",
    "content-length": "18",
  };
  const names = ["date", "@method", "@path", "@authority", "content-type", "content-length"];
  const params = `("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`;
  const message = { method: "POST", url: "https://example.com/foo?param=Value&Pet=dog" };
  const base = signatureBase(names, params, { ...message, header: (name) => headers[name] ?? null });
  const x = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs";
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const signature = Buffer.from(
    "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==",
    "base64",
  );
  expect(verify(null, Buffer.from(base), publicKey, signature)).toBe(true);
});

test("our verifier and an independent one accept a request, and fetch the keys once", async () => {
  const request = signed();
  for (let times = 0; times < 3; times++) {
    expect(await verifyExecution(request, options)).toMatchObject({
      valid: true,
      order: { order_id: "ord_1", input_payload: { text: "Grüße" } },
      idempotencyKey: "ord_1",
      keyId: `${issuer}#key-1`,
    });
  }
  expect(fetched).toBe(1);
  // The headers come as from Node, as from a Request, and beside a proxy's own signature.
  const headers = new Headers(request.headers);
  headers.append("signature-input", `proxy=("@method");created=1;keyid="earnest=(\\"@method\\")"`);
  headers.append("signature", "proxy=:AAAA:");
  expect((await verifyExecution({ ...request, headers }, options)).valid).toBe(true);

  const requests: unknown[] = [];
  const outsider = (headers: Record<string, string>) =>
    httpbis.verifyMessage(
      {
        keyLookup: async ({ keyid }) => {
          requests.push(keyid);
          const publicKey = createPublicKey(privateKeyOf(key));
          return {
            id: String(keyid),
            algs: ["ed25519"],
            verify: async (data, signature) => verify(null, data, publicKey, signature),
          };
        },
        requiredFields: ["@method", "@target-uri", "content-digest", "idempotency-key"],
      },
      { method: "POST", url, headers },
    );
  // The independent verifier reads the real clock, too.
  const now = signExecution({ url, body, idempotencyKey: "ord_1" }, { issuer, keys });
  expect(await outsider(now)).toBe(true);
  expect(requests).toEqual([`${issuer}#key-1`]);
  expect(await outsider({ ...now, "Idempotency-Key": "ord_2" })).toBe(false);
});

test.each(vectors.cases.map((one) => ({ ...vectors, ...one })))("$name", async (one) => {
  const load = async () => Response.json(one.did);
  const { method, body, endpoint, agent, now } = one;
  const headers = one.headers as Record<string, string>;
  const found = await verifyExecution(
    { method, body, headers },
    { issuer: one.issuer, endpoint, agent, now, fetch: load },
  );
  expect(found.valid ? null : found.code).toBe(one.code);
});

test("a key that is listed for receipts only signs no requests", async () => {
  document = { ...document, authentication: undefined };
  expect(await verifyExecution(signed(), options)).toMatchObject({ valid: false, code: "unknown_key" });
});

test("a signature of a receipt is never valid for a request, or the reverse", async () => {
  const request = signed();
  const [, params = ""] = /^earnest=(.*)$/.exec(request.headers["Signature-Input"] ?? "") ?? [];
  const header = (name: string) =>
    Object.entries(request.headers).find(([one]) => one.toLowerCase() === name)?.[1] ?? null;
  const base = signatureBase(
    ["@method", "@target-uri", "content-digest", "content-type", "idempotency-key"],
    params,
    { method: "POST", url, header },
  );
  // A JWS input is base64url and a dot; a Data Integrity input has 64 bytes.
  expect(base[0]).toBe('"');
  expect(/^[A-Za-z0-9_-]+\./.test(base)).toBe(false);
  expect(Buffer.byteLength(base)).toBeGreaterThan(64);
  // The same key's signature of a JWS input, put into a request.
  const jws = sign(null, Buffer.from("eyJhbGciOiJFZERTQSJ9.e30"), privateKeyOf(key)).toString("base64");
  const headers = { ...request.headers, Signature: `earnest=:${jws}:` };
  expect(await verifyExecution({ ...request, headers }, options)).toMatchObject({
    code: "invalid_signature",
  });
});
