import { base64urlnopad } from "@scure/base";
import * as z from "zod";
import {
  type FetchLimits,
  fetchText,
  type Kept,
  type Memo,
  readDidDocument,
  resolveOnce,
  reuseForText,
} from "./did-resolution.ts";
import { timeSchema } from "./document.ts";
import { Rejection } from "./errors.ts";
import { type IssuerLocation, locateIssuer } from "./issuer.ts";
import { decodeMultikey } from "./multikey.ts";
import { decodeOrNull } from "./proof-check.ts";

const keySetSchema = z.object({
  verificationMethod: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      controller: z.string(),
      publicKeyJwk: z
        .object({ kty: z.string(), crv: z.string().optional(), x: z.string().optional() })
        .optional(),
      publicKeyMultibase: z.string().optional(),
      validFrom: timeSchema.optional(),
      validUntil: timeSchema.optional(),
      revoked: timeSchema.optional(),
    }),
  ),
  assertionMethod: z.array(z.unknown()),
  authentication: z.array(z.unknown()).optional(),
  service: z
    .array(
      z
        .object({ type: z.union([z.string(), z.array(z.string())]), serviceEndpoint: z.string() })
        .or(z.unknown().transform(() => null)),
    )
    .optional()
    .catch(undefined),
});

export type Method = z.infer<typeof keySetSchema>["verificationMethod"][number];

/** The keys and the service URLs of an issuer's DID document. */
export interface KeySet {
  issuer: string;
  methods: Method[];
  assertionMethod: unknown[];
  /** The methods that sign the issuer's requests. */
  authentication: unknown[];
  services: { type: string | string[]; serviceEndpoint: string }[];
}

/** A public key of the issuer with its validity. */
export interface IssuerKey {
  id: string;
  bytes: Uint8Array;
  validFrom: Date | null;
  validUntil: Date | null;
  /** The time since which others may have the key. */
  compromisedSince: Date | null;
}

/** Throws unless a method id belongs to the issuer, so that nothing is fetched for another's. */
export function assertOwnMethod(issuer: string, methodId: string): void {
  if (!methodId.startsWith(`${issuer}#`)) throw new Rejection("foreign_key", `The key is ${methodId}.`);
}

/** Fetches the expected issuer's DID document. */
export function fetchKeySet(issuer: string, limits: FetchLimits, memo?: Memo): Promise<KeySet> {
  return resolveOnce(memo, `keys of ${issuer}`, () => readKeySet(issuer, limits));
}

/** Parsed DID documents, by issuer and text. */
const keySets: Kept<KeySet>[] = [];

async function readKeySet(issuer: string, limits: FetchLimits): Promise<KeySet> {
  const { didDocumentUrl } = expectedLocation(issuer);
  const text = await fetchText(didDocumentUrl, limits).catch((error: Error) => {
    throw new Rejection("keys_unavailable", error.message);
  });
  return reuseForText(keySets, issuer, text, () => parseKeySet(issuer, text));
}

function expectedLocation(issuer: string): IssuerLocation {
  const location = locateIssuer(issuer);
  if (!location)
    throw new Rejection("keys_unavailable", `${issuer} is not a did:web name in its normal form.`);
  return location;
}

function parseKeySet(issuer: string, text: string): KeySet {
  let didDocument: object;
  try {
    didDocument = readDidDocument(issuer, text);
  } catch (error) {
    throw new Rejection("invalid_key_document", (error as Error).message);
  }
  const keySet = keySetSchema.safeParse(didDocument);
  if (!keySet.success) throw new Rejection("invalid_key_document", "The document lists no valid methods.");
  const { verificationMethod: methods, assertionMethod, authentication = [], service = [] } = keySet.data;
  const services = service.filter((one) => one !== null);
  return { issuer, methods, assertionMethod, authentication, services };
}

/**
 * Finds a key of the issuer by its method id. The id may come from a receipt: it only selects one of the issuer's
 * keys. Each kind of receipt uses one form of key. Keys of requests have the purpose `authentication`.
 */
export function findKey(
  keySet: KeySet,
  methodId: string,
  form: "JsonWebKey" | "Multikey",
  purpose: "assertionMethod" | "authentication" = "assertionMethod",
): IssuerKey {
  const found = foundKeys[form][purpose];
  const known = found.get(keySet)?.get(methodId);
  if (known) return known;
  const key = readKey(keySet, methodId, form, purpose);
  // The cache holds only keys of the document, so the document's size bounds it.
  found.set(keySet, (found.get(keySet) ?? new Map()).set(methodId, key));
  return key;
}

/** A cache of parsed keys, by form, purpose and method id. */
type FoundKeys = WeakMap<KeySet, Map<string, IssuerKey>>;
const foundKeys = {
  JsonWebKey: { assertionMethod: new WeakMap() as FoundKeys, authentication: new WeakMap() as FoundKeys },
  Multikey: { assertionMethod: new WeakMap() as FoundKeys, authentication: new WeakMap() as FoundKeys },
};

function readKey(
  keySet: KeySet,
  methodId: string,
  form: "JsonWebKey" | "Multikey",
  purpose: "assertionMethod" | "authentication",
): IssuerKey {
  assertOwnMethod(keySet.issuer, methodId);
  const method = findMethod(keySet, methodId);
  if (method && keySet[purpose].includes(methodId)) return readMethod(keySet, method, form);
  // A compromised key has no purpose, and only the Multikey form.
  for (const revoked of [method, findMethod(keySet, `${methodId}-mb`)]) {
    if (revoked?.revoked === undefined) continue;
    const found = readMethod(keySet, revoked, revoked === method ? form : "Multikey");
    return { ...found, id: methodId };
  }
  throw new Rejection("unknown_key", `The key is ${methodId}.`);
}

/** Returns the URL of an issuer's service; null if the document names none on the issuer's own host. */
export function findService(keySet: KeySet, type: string): string | null {
  const base = locateIssuer(keySet.issuer)?.baseUrl;
  const service = keySet.services.find(
    (one) => one.type === type || (Array.isArray(one.type) && one.type.includes(type)),
  );
  return service?.serviceEndpoint.startsWith(`${base}/`) ? service.serviceEndpoint : null;
}

/** Throws unless the key was valid at a time. */
export function assertKeyValidAt(key: IssuerKey, at: Date): void {
  if (key.validFrom && at < key.validFrom) {
    throw new Rejection("key_not_yet_valid", `${key.id} is valid from ${key.validFrom.toISOString()}.`);
  }
  if (key.validUntil && at > key.validUntil) {
    throw new Rejection("key_retired", `${key.id} was retired at ${key.validUntil.toISOString()}.`);
  }
}

/** Throws for a compromised key, whose signatures prove nothing by themselves. */
export function assertUncompromised(key: IssuerKey): void {
  if (!key.compromisedSince) return;
  throw new Rejection(
    "key_compromised",
    `${key.id} is compromised since ${key.compromisedSince.toISOString()}.`,
  );
}

function findMethod(keySet: KeySet, methodId: string): Method | undefined {
  const methods = keySet.methods.filter((method) => method.id === methodId);
  if (methods.length > 1)
    throw new Rejection("invalid_key_document", `The document lists ${methodId} twice.`);
  return methods[0];
}

function readMethod({ issuer }: KeySet, method: Method, form: "JsonWebKey" | "Multikey"): IssuerKey {
  if (method.type !== form || method.controller !== issuer) {
    throw new Rejection("unknown_key", `${method.id} is not a ${form} of the issuer's own.`);
  }
  const time = (text: string | undefined) => (text === undefined ? null : new Date(text));
  return {
    id: method.id,
    bytes: form === "Multikey" ? readMultikey(method) : readJwk(method),
    validFrom: time(method.validFrom),
    validUntil: time(method.validUntil),
    compromisedSince: time(method.revoked),
  };
}

function readMultikey(method: Method): Uint8Array {
  const bytes = decodeMultikey(method.publicKeyMultibase ?? "");
  if (!bytes) throw new Rejection("invalid_key_document", `${method.id} is not an Ed25519 Multikey.`);
  return bytes;
}

function readJwk(method: Method): Uint8Array {
  const { kty, crv, x } = method.publicKeyJwk ?? {};
  const bytes = decodeOrNull(() => base64urlnopad.decode(x ?? ""));
  if (kty !== "OKP" || crv !== "Ed25519" || bytes?.length !== 32) {
    throw new Rejection("invalid_key_document", `${method.id} is not an Ed25519 JWK.`);
  }
  return bytes;
}
