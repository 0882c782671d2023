import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { base58, base64urlnopad } from "@scure/base";
import * as z from "zod";
import { timeSchema } from "./document.ts";

/** An Ed25519 key that signs receipts, with the time it is good for. */
export const signingKeySchema = z.strictObject({
  /** The fragment of its method ids, such as `key-1`; the Multikey form adds `-mb`. */
  kid: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
    .refine((kid) => !kid.endsWith("-mb"), "must not end in -mb"),
  created: timeSchema,
  /** Nothing signed before this time is good. */
  not_before: timeSchema,
  /** Nothing signed after this time is good; null while the key is in use. */
  retired_at: timeSchema.nullable(),
  /** RFC 8037. */
  jwk: z.strictObject({
    kty: z.literal("OKP"),
    crv: z.literal("Ed25519"),
    x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
    d: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  }),
});

const keyFileSchema = z.strictObject({
  version: z.literal(1),
  keys: z
    .array(signingKeySchema)
    .min(1)
    .refine((keys) => new Set(keys.map((key) => key.kid)).size === keys.length, "must not repeat a kid"),
});

export type SigningKey = z.infer<typeof signingKeySchema>;
/** What is published of a key. */
export type PublicKey = Pick<SigningKey, "kid" | "not_before" | "retired_at"> & { jwk: { x: string } };

/** Makes a fresh key that is good from the second of `at` on: a JWS tells time in whole seconds. */
export function createSigningKey(kid = "key-1", at = new Date()): SigningKey {
  const { x, d } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const time = new Date(Math.floor(at.getTime() / 1000) * 1000).toISOString();
  return signingKeySchema.parse({
    kid,
    created: time,
    not_before: time,
    retired_at: null,
    jwk: { kty: "OKP", crv: "Ed25519", x, d },
  });
}

/** Reads a key file's text. Throws without repeating any of its content, which is secret. */
export function parseKeyFile(text: string): SigningKey[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error("The key file is not JSON. Restore it from a copy; a new key cannot replace it.");
  }
  const file = keyFileSchema.safeParse(json);
  if (!file.success) {
    const where = file.error.issues
      .map((issue) => `${issue.path.join(".") || "file"} (${issue.code})`)
      .join(", ");
    throw new Error(`The key file is not valid at ${where}. Restore it from a copy.`);
  }
  for (const { kid, jwk } of file.data.keys) {
    const publicHalf = createPublicKey(createPrivateKey({ key: jwk, format: "jwk" })).export({
      format: "jwk",
    });
    if (publicHalf.x !== jwk.x)
      throw new Error(`The key file's ${kid} has halves that do not belong together.`);
  }
  return file.data.keys;
}

/** Writes a key file's text; it holds private keys, so give the file mode 0600. */
export function serializeKeyFile(keys: readonly SigningKey[]): string {
  return `${JSON.stringify(keyFileSchema.parse({ version: 1, keys }), null, 2)}\n`;
}

/** The newest key that may sign at a time. Throws when there is none. */
export function currentKey(keys: readonly SigningKey[], at = new Date()): SigningKey {
  const usable = keys.filter((key) => isValidAt(key, at));
  const newest = usable.sort((a, b) => Date.parse(a.not_before) - Date.parse(b.not_before)).at(-1);
  if (!newest) throw new Error(`No signing key is valid at ${at.toISOString()}. Add one to the key file.`);
  return newest;
}

/** Whether a signature made by the key at that time is good. */
export function isValidAt(key: PublicKey, at: Date): boolean {
  const retired = key.retired_at === null ? Number.POSITIVE_INFINITY : Date.parse(key.retired_at);
  return Date.parse(key.not_before) <= at.getTime() && at.getTime() <= retired;
}

/** The DID URL of a key's JWK method, which is the `kid` of a JWS. */
export function jwkMethodId(issuer: string, key: Pick<PublicKey, "kid">): string {
  return `${issuer}#${key.kid}`;
}

/** The DID URL of a key's Multikey method, which a settlement document's proof names. */
export function multikeyMethodId(issuer: string, key: Pick<PublicKey, "kid">): string {
  return `${issuer}#${key.kid}-mb`;
}

/**
 * The JWKS (RFC 7517) of all keys, retired ones too. A key's `kid` is the DID URL a JWS names, so that a JWKS client
 * finds it; `nbf` and `exp` give its window in Unix seconds (members of OpenID Federation's historical keys).
 */
export function jwksOf(issuer: string, keys: readonly PublicKey[]) {
  return {
    keys: keys.map((key) => ({
      kty: "OKP" as const,
      crv: "Ed25519" as const,
      x: key.jwk.x,
      kid: jwkMethodId(issuer, key),
      alg: "EdDSA" as const,
      use: "sig" as const,
      nbf: Math.floor(Date.parse(key.not_before) / 1000),
      ...(key.retired_at === null ? {} : { exp: Math.ceil(Date.parse(key.retired_at) / 1000) }),
    })),
  };
}

/**
 * The issuer's DID document (did:web): for each key a JsonWebKey method and a Multikey method, all of them for
 * assertions. Retired keys stay, with `validUntil`, so that what they signed in their time can still be checked.
 */
export function didDocumentOf(issuer: string, keys: readonly PublicKey[]) {
  const methods = keys.flatMap((key) => {
    const window = {
      validFrom: key.not_before,
      ...(key.retired_at === null ? {} : { validUntil: key.retired_at }),
    };
    return [
      {
        id: jwkMethodId(issuer, key),
        type: "JsonWebKey" as const,
        controller: issuer,
        publicKeyJwk: { kty: "OKP" as const, crv: "Ed25519" as const, x: key.jwk.x, alg: "EdDSA" as const },
        ...window,
      },
      {
        id: multikeyMethodId(issuer, key),
        type: "Multikey" as const,
        controller: issuer,
        publicKeyMultibase: multibaseOf(key.jwk.x),
        ...window,
      },
    ];
  });
  return {
    "@context": [
      "https://www.w3.org/ns/did/v1",
      "https://w3id.org/security/multikey/v1",
      "https://w3id.org/security/jwk/v1",
      // `expires` and `revoked`, which the contexts above define, would void a retired key's old receipts as well.
      { validFrom: credentialTime("validFrom"), validUntil: credentialTime("validUntil") },
    ],
    id: issuer,
    verificationMethod: methods,
    assertionMethod: methods.map((method) => method.id),
  };
}

/** Multikey's text form: base58btc of the multicodec prefix ed25519-pub (0xed01) and the key. */
function multibaseOf(x: string): string {
  return `z${base58.encode(Uint8Array.of(0xed, 0x01, ...base64urlnopad.decode(x)))}`;
}

function credentialTime(term: string) {
  return {
    "@id": `https://www.w3.org/2018/credentials#${term}`,
    "@type": "http://www.w3.org/2001/XMLSchema#dateTime",
  };
}
