import { generateKeyPairSync } from "node:crypto";
import { base64urlnopad } from "@scure/base";
import * as z from "zod";
import { timeSchema } from "./document.ts";
import { keyLogPath, keyLogService, locateIssuer, statusPath, statusService } from "./issuer.ts";
import { findCurrentKey, type KeyWindow, kidSchema } from "./key-window.ts";
import { encodeMultikey } from "./multikey.ts";

/** An Ed25519 key that signs receipts, with its validity. */
export const signingKeySchema = z.strictObject({
  /** The fragment of its method ids, such as `key-1`; the Multikey form adds `-mb`. */
  kid: kidSchema,
  created: timeSchema,
  /** Earlier signatures are invalid. */
  not_before: timeSchema,
  /** Later signatures are invalid; null while the key is in use. */
  retired_at: timeSchema.nullable(),
  /** The time since which others may have the private key; null if unknown. */
  compromised_since: timeSchema.nullable().default(null),
  /** RFC 8037. */
  jwk: z.strictObject({
    kty: z.literal("OKP"),
    crv: z.literal("Ed25519"),
    x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
    d: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  }),
});

export type SigningKey = z.infer<typeof signingKeySchema>;
/** The public part of a key. */
export type PublicKey = Pick<SigningKey, "kid" | "not_before" | "retired_at" | "compromised_since"> & {
  jwk: { x: string };
};

/** Creates a key that is valid from the second of `at` on, because a JWS has times in whole seconds. */
export function createSigningKey(kid = "key-1", at = new Date()): SigningKey {
  const { x, d } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const time = new Date(Math.floor(at.getTime() / 1000) * 1000).toISOString();
  return signingKeySchema.parse({
    kid,
    created: time,
    not_before: time,
    retired_at: null,
    compromised_since: null,
    jwk: { kty: "OKP", crv: "Ed25519", x, d },
  });
}

/** Returns the newest key that may sign at a time. Throws if there is none. */
export function currentKey<T extends KeyWindow>(keys: readonly T[], at = new Date()): T {
  const newest = findCurrentKey(keys, at);
  if (!newest)
    throw new Error(`No signing key is valid at ${at.toISOString()}. See \`npm run keys -- list\`.`);
  return newest;
}

/** Returns the DID URL of a key's JWK method: the `kid` of a JWS. */
export function jwkMethodId(issuer: string, key: Pick<PublicKey, "kid">): string {
  return `${issuer}#${key.kid}`;
}

/** Returns the DID URL of a key's Multikey method, which a settlement document's proof names. */
export function multikeyMethodId(issuer: string, key: Pick<PublicKey, "kid">): string {
  return `${issuer}#${key.kid}-mb`;
}

/**
 * Builds the JWKS (RFC 7517) of all keys, including retired ones. A key's `kid` is its DID URL, as in a JWS. `nbf`
 * and `exp` are its validity in Unix seconds; `revoked` is the time of its compromise (OpenID Federation's historical
 * keys). Compromised keys are in a separate set, so that clients that ignore `revoked` do not find them.
 */
export function jwksOf(issuer: string, keys: readonly PublicKey[]) {
  const sound = keys.filter((key) => key.compromised_since === null);
  const compromised = keys.filter((key) => key.compromised_since !== null);
  return {
    keys: sound.map((key) => jwkOf(issuer, key)),
    ...(compromised.length === 0 ? {} : { compromised_keys: compromised.map((key) => jwkOf(issuer, key)) }),
  };
}

/** Writes the public part of a key as a JWK (RFC 8037) with its validity. */
export function publicJwkOf<Name extends { kid: string; alg?: "EdDSA" }>(key: PublicKey, name: Name) {
  return {
    kty: "OKP" as const,
    crv: "Ed25519" as const,
    x: key.jwk.x,
    ...name,
    use: "sig" as const,
    nbf: Math.floor(Date.parse(key.not_before) / 1000),
    ...(key.retired_at === null ? {} : { exp: Math.ceil(Date.parse(key.retired_at) / 1000) }),
  };
}

function jwkOf(issuer: string, key: PublicKey) {
  return {
    ...publicJwkOf(key, { kid: jwkMethodId(issuer, key), alg: "EdDSA" }),
    ...(key.compromised_since === null
      ? {}
      : {
          revoked: {
            revoked_at: Math.floor(Date.parse(key.compromised_since) / 1000),
            reason: "compromised" as const,
          },
        }),
  };
}

/**
 * Builds the issuer's DID document (did:web). Each key has a JsonWebKey method and a Multikey method, both for
 * assertions. The JsonWebKey also authenticates the service's requests. Retired keys stay, with `validUntil`, so that
 * their signatures can be checked. A compromised key stays as a Multikey with `revoked` and without a purpose, so
 * that other verifiers find no key.
 */
export function didDocumentOf(issuer: string, keys: readonly PublicKey[]) {
  const base = locateIssuer(issuer)?.baseUrl;
  if (base === undefined) throw new TypeError(`${issuer} is not a did:web name in its normal form.`);
  const methods = keys.flatMap((key) => methodsOf(issuer, key));
  return {
    "@context": [
      "https://www.w3.org/ns/did/v1",
      "https://w3id.org/security/multikey/v1",
      "https://w3id.org/security/jwk/v1",
      // `expires` and `revoked` of the contexts above would also void a retired key's earlier receipts.
      { validFrom: credentialTime("validFrom"), validUntil: credentialTime("validUntil") },
    ],
    id: issuer,
    verificationMethod: methods,
    assertionMethod: methods.filter((method) => !("revoked" in method)).map((method) => method.id),
    // Execution requests are signed under the JWK's id.
    authentication: methods.filter(({ type }) => type === "JsonWebKey").map((method) => method.id),
    service: [
      { id: `${issuer}#earnest-key-log`, type: keyLogService, serviceEndpoint: `${base}${keyLogPath}` },
      { id: `${issuer}#earnest-status`, type: statusService, serviceEndpoint: `${base}${statusPath}` },
    ],
  };
}

function methodsOf(issuer: string, key: PublicKey) {
  const window = {
    validFrom: key.not_before,
    ...(key.retired_at === null ? {} : { validUntil: key.retired_at }),
  };
  const multikey = {
    id: multikeyMethodId(issuer, key),
    type: "Multikey" as const,
    controller: issuer,
    publicKeyMultibase: encodeMultikey(base64urlnopad.decode(key.jwk.x)),
    ...window,
  };
  if (key.compromised_since !== null) return [{ ...multikey, revoked: key.compromised_since }];
  const jwk = {
    id: jwkMethodId(issuer, key),
    type: "JsonWebKey" as const,
    controller: issuer,
    publicKeyJwk: { kty: "OKP" as const, crv: "Ed25519" as const, x: key.jwk.x, alg: "EdDSA" as const },
    ...window,
  };
  return [jwk, multikey];
}

function credentialTime(term: string) {
  return {
    "@id": `https://www.w3.org/2018/credentials#${term}`,
    "@type": "http://www.w3.org/2001/XMLSchema#dateTime",
  };
}
