import { createHash, createPrivateKey, type KeyObject } from "node:crypto";
import { locateIssuer, statusPath } from "../../../receipts/issuer.ts";
import { signStatusList } from "../../../receipts/sign.ts";
import { didDocumentOf, jwksOf, type SigningKey } from "../../../receipts/signing-keys.ts";

/** The time of the checks that have no time of their own. */
export const now = "2026-11-20T12:05:00.000Z";
export const issuedAt = "2026-11-20T12:00:00.000Z";

/** The response at a URL. */
export type Page = { status: number; headers?: Record<string, string>; body: string };
/** URLs, each with the name of the page that answers. */
export type Addresses = Record<string, string>;

/** Makes a test key whose private half is the SHA-256 of a text, so that each run has the same key. */
function testKey(name: string, window: Partial<SigningKey> & { not_before: string }): SigningKey {
  const seed = createHash("sha256").update(`Earnest test key: ${name}`).digest();
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const { x, d } = createPrivateKey({ key: der, format: "der", type: "pkcs8" }).export({ format: "jwk" });
  return {
    kid: name.split(" ").at(-1) as string,
    created: window.not_before,
    retired_at: null,
    compromised_since: null,
    jwk: { kty: "OKP", crv: "Ed25519", x: x as string, d: d as string },
    ...window,
  };
}

export function privateKeyOf({ jwk }: SigningKey): KeyObject {
  return createPrivateKey({ key: jwk, format: "jwk" });
}

export const keys = {
  /** A key in use. */
  current: testKey("market.example key-3", { not_before: "2026-11-13T00:00:00.000Z" }),
  /** A key retired a week before the check. */
  retired: testKey("market.example key-2", {
    not_before: "2026-10-01T00:00:00.000Z",
    retired_at: "2026-11-13T00:00:00.000Z",
  }),
  /** A key that was compromised in September. */
  compromised: testKey("market.example key-1", {
    not_before: "2026-08-01T00:00:00.000Z",
    retired_at: "2026-10-01T00:00:00.000Z",
    compromised_since: "2026-09-01T00:00:00.000Z",
  }),
  /** A published key whose use has not begun. */
  coming: testKey("market.example key-4", { not_before: "2026-12-01T00:00:00.000Z" }),
  /** A key of another issuer, under a name that the market uses too. */
  foreign: testKey("evil.example key-3", { not_before: "2026-01-01T00:00:00.000Z" }),
  shop: testKey("hosting.example shop key-1", { not_before: "2026-01-01T00:00:00.000Z" }),
  local: testKey("localhost key-1", { not_before: "2026-01-01T00:00:00.000Z" }),
};

const marketKeys = [keys.compromised, keys.retired, keys.current, keys.coming];

export const market = "did:web:market.example";
export const foreign = "did:web:evil.example";
export const shop = "did:web:hosting.example:shop";
export const local = "did:web:localhost%3A3000";

/** The receipts that the market revoked. */
export const revokedDocument = "https://market.example/api/v1/receipts/rcp_01kah7w8zqf3d9v2t5b6n7m8zz";

/** Returns the URLs of an issuer's documents. */
export function placesOf(issuer: string): { did: string; jwks: string; status: string } {
  const location = locateIssuer(issuer);
  if (!location) throw new Error(`${issuer} is no issuer.`);
  const { baseUrl, didDocumentUrl: did } = location;
  return { did, jwks: `${baseUrl}/.well-known/jwks.json`, status: `${baseUrl}${statusPath}` };
}

const json = (content: unknown): Page => ({ status: 200, body: JSON.stringify(content) });

function statusList(
  issuer: string,
  key: SigningKey,
  revokedJws: string | null,
  times: { issued_at?: string; valid_until?: string } = {},
) {
  const revoked = { id: revokedDocument, revoked_at: "2026-11-20T12:01:00.000Z" };
  const x402_sha256 =
    revokedJws === null ? null : `0x${createHash("sha256").update(revokedJws).digest("hex")}`;
  return signStatusList(
    {
      type: "ReceiptStatusList",
      version: 1,
      issuer,
      issued_at: "2026-11-20T12:04:00.000Z",
      valid_until: "2026-11-20T13:04:00.000Z",
      ...times,
      revoked: issuer === market ? [{ ...revoked, x402_sha256 }] : [],
    },
    key,
    issuer,
  );
}

type DidDocument = ReturnType<typeof didDocumentOf>;
/** Returns the market's DID document with a fault. */
function changedDid(change: (did: DidDocument & Record<string, unknown>) => unknown): Page {
  const did = structuredClone(didDocumentOf(market, marketKeys));
  return json(change(did) ?? did);
}
const currentMethods = ({ verificationMethod }: DidDocument) =>
  verificationMethod.filter(({ id }) => /#key-3(-mb)?$/.test(id)) as Record<string, unknown>[];

/** All pages by name. */
export function makePages(revokedJws: string): Record<string, Page> {
  const list = (times = {}) => statusList(market, keys.current, revokedJws, times);
  const forged = { ...list(), proof: statusList(foreign, keys.foreign, null).proof };
  return {
    did: json(didDocumentOf(market, marketKeys)),
    jwks: json(jwksOf(market, marketKeys)),
    status: json(list()),
    "status that has expired": json(
      list({ issued_at: "2026-11-20T10:00:00.000Z", valid_until: "2026-11-20T11:00:00.000Z" }),
    ),
    "status with nobody on it": json({ ...list(), revoked: [] }),
    "status signed by another": json(forged),
    "status that is no JSON": { status: 200, body: "<html>" },
    "did of another": json(didDocumentOf(foreign, [keys.foreign])),
    "did with the keys of another": json({ ...didDocumentOf(foreign, [keys.foreign]), id: market }),
    "did that is no JSON": { status: 200, body: "<html>" },
    "did without methods": json({ id: market }),
    "did with a method twice": changedDid((did) => {
      did.verificationMethod.push(...(structuredClone(currentMethods(did)) as never[]));
    }),
    "did with methods of another's control": changedDid((did) => {
      for (const method of currentMethods(did)) method.controller = foreign;
    }),
    "did with methods for no assertion": changedDid((did) => {
      did.assertionMethod = did.assertionMethod.filter((id) => !/#key-3(-mb)?$/.test(id));
    }),
    "did with methods of another type": changedDid((did) => {
      for (const method of currentMethods(did)) method.type = "Ed25519VerificationKey2018";
    }),
    "did with a key cut short": changedDid((did) => {
      for (const method of currentMethods(did)) {
        if (method.publicKeyJwk) method.publicKeyJwk = { kty: "OKP", crv: "Ed25519", x: "AAAA" };
        else method.publicKeyMultibase = "z6Mk";
      }
    }),
    "did with a member twice": {
      status: 200,
      body: JSON.stringify(didDocumentOf(market, marketKeys)).replace(
        "{",
        `{"id":${JSON.stringify(market)},`,
      ),
    },
    "did of the shop": json(didDocumentOf(shop, [keys.shop])),
    "status of the shop": json(statusList(shop, keys.shop, null)),
    "did of localhost": json(didDocumentOf(local, [keys.local])),
    "status of localhost": json(statusList(local, keys.local, null)),
    "a redirect": { status: 302, headers: { location: "https://market.example/did.json" }, body: "" },
    "nothing there": { status: 404, body: "" },
  };
}

/** Returns the pages of a valid issuer. */
export function addressesOf(issuer: string): Addresses {
  const { did, jwks, status } = placesOf(issuer);
  if (issuer === shop) return { [did]: "did of the shop", [status]: "status of the shop" };
  if (issuer === local) return { [did]: "did of localhost", [status]: "status of localhost" };
  if (issuer === foreign) return { [did]: "did of another" };
  return { [did]: "did", [jwks]: "jwks", [status]: "status" };
}
