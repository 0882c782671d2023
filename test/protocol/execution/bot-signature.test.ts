import { createPublicKey, verify } from "node:crypto";
import { httpbis } from "http-message-signatures";
import { expect, test } from "vitest";
import { directoryOf, joinSignatures, signAsBot } from "../../../protocol/execution/bot-signature.ts";
import { signExecution } from "../../../protocol/execution/sign.ts";
import { signatureBase } from "../../../protocol/execution/signature.ts";
import { verifyExecution } from "../../../protocol/execution/verify.ts";
import { createSigningKey, didDocumentOf } from "../../../receipts/signing-keys.ts";

const publicUrl = "https://market.example";
const keys = [createSigningKey("key-1", new Date(Date.now() - 60_000))];
const url = "https://agent.example/orders?via=earnest";

/** Verifies a request by its origin's directory, with a library of others. Returns the found key ids. */
async function verifyByDirectory(method: string, headers: Record<string, string>, label = "bot") {
  const { keys: listed } = await directoryOf(keys);
  const found: string[] = [];
  const isValid = await httpbis.verifyMessage(
    {
      keyLookup: async ({ keyid, tag }) => {
        const jwk = listed.find(({ kid }) => kid === keyid);
        if (!jwk || tag !== "web-bot-auth") return null;
        found.push(jwk.kid);
        const key = createPublicKey({ key: jwk, format: "jwk" });
        return {
          id: jwk.kid,
          algs: ["ed25519"],
          verify: async (data, given) => verify(null, data, key, given),
        };
      },
      requiredParams: ["created", "expires", "keyid", "tag"],
    },
    { method, url, headers: pick(headers, label) },
  );
  return { isValid, found };
}

/** The headers with the signature of one label. */
function pick(headers: Record<string, string>, label: string): Record<string, string> {
  const only = (value = "") => value.split(", ").find((member) => member.startsWith(`${label}=`)) ?? "";
  return {
    ...headers,
    "Signature-Input": only(headers["Signature-Input"]),
    Signature: only(headers.Signature),
  };
}

test("the signed text is that of the draft's Ed25519 example", () => {
  const names = ["@authority", 'signature-agent;key="agent2"'];
  const params = `("@authority" "signature-agent";key="agent2");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=4889289600;nonce="n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==";tag="web-bot-auth"`;
  const base = signatureBase(names, params, {
    method: "GET",
    url: "https://example.com/path/to/resource",
    header: (name) => (name === names[1] ? '"https://signature-agent.test"' : null),
  });
  const x = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs";
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const signature =
    "RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==";
  expect(verify(null, Buffer.from(base), key, Buffer.from(signature, "base64"))).toBe(true);
});

test("an independent verifier accepts a request by the directory, and no other request with its signature", async () => {
  const headers = await signAsBot({ method: "GET", url }, { publicUrl, keys });
  expect(headers["Signature-Agent"]).toBe('bot="https://market.example"');
  const { isValid, found } = await verifyByDirectory("GET", headers);
  expect([isValid, found.length]).toEqual([true, 1]);
  expect((await verifyByDirectory("POST", headers)).isValid).toBe(false);
  const renamed = { ...headers, "Signature-Agent": 'bot="https://other.example"' };
  expect((await verifyByDirectory("GET", renamed)).isValid).toBe(false);
});

test("an execution has both signatures, and each verifier accepts its own", async () => {
  const [issuer, body] = ["did:web:bots.example", '{"order_id":"ord_1","agent_id":"agt_1"}'];
  const signed = signExecution({ url, body, idempotencyKey: "ord_1" }, { issuer, keys });
  const headers = joinSignatures(signed, await signAsBot({ method: "POST", url }, { publicUrl, keys }));
  const fetch = async () => Response.json(didDocumentOf(issuer, keys));
  const options = { issuer, endpoint: url, agent: "agt_1", fetch };
  expect(await verifyExecution({ method: "POST", headers, body }, options)).toMatchObject({ valid: true });
  expect((await verifyByDirectory("POST", headers)).isValid).toBe(true);
});

test("nothing is signed for a service without https or without a valid key", async () => {
  const request = { method: "GET", url };
  expect(await signAsBot(request, { publicUrl: "http://localhost:3000", keys })).toEqual({});
  expect(await signAsBot(request, { publicUrl, keys }, new Date("2020-01-01"))).toEqual({});
});

test("the directory has sound keys that are in use", async () => {
  const [key] = keys;
  if (!key) throw new Error("There is no key.");
  const retired = { ...createSigningKey("old"), retired_at: "2020-01-01T00:00:00.000Z" };
  const compromised = { ...createSigningKey("lost"), compromised_since: "2020-01-01T00:00:00.000Z" };
  const { keys: listed } = await directoryOf([retired, compromised, key]);
  expect(listed.map(({ x }) => x)).toEqual([key.jwk.x]);
  expect(JSON.stringify(listed)).not.toContain('"d"');
});
