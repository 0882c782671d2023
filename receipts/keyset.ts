import { base58, base64urlnopad } from "@scure/base";
import { Resolver } from "did-resolver";
import * as z from "zod";
import { timeSchema } from "./document.ts";
import { Rejection } from "./errors.ts";
import { didWebMethod, type FetchLimits } from "./resolve.ts";

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
    }),
  ),
  assertionMethod: z.array(z.unknown()),
});

type Method = z.infer<typeof keySetSchema>["verificationMethod"][number];

/** A public key of the issuer, and when its signatures are good. */
export interface IssuerKey {
  id: string;
  bytes: Uint8Array;
  validFrom: Date | null;
  validUntil: Date | null;
}

/**
 * Fetches the expected issuer's DID document and takes the named method from it. The name may come from a receipt:
 * it only chooses among the issuer's own keys, and each kind of receipt uses one form of key.
 */
export async function fetchKey(
  issuer: string,
  methodId: string,
  form: "JsonWebKey" | "Multikey",
  limits: FetchLimits,
): Promise<IssuerKey> {
  if (!methodId.startsWith(`${issuer}#`)) throw new Rejection("foreign_key", `It is ${methodId}.`);
  const { didDocument, didResolutionMetadata } = await new Resolver(didWebMethod(limits)).resolve(issuer);
  if (!didDocument) {
    const unread =
      didResolutionMetadata.error === "invalidDidDocument" ? "invalid_key_document" : "keys_unavailable";
    throw new Rejection(unread, String(didResolutionMetadata.message ?? didResolutionMetadata.error));
  }
  const keySet = keySetSchema.safeParse(didDocument);
  if (!keySet.success) throw new Rejection("invalid_key_document", "It lists no methods that can be read.");
  const methods = keySet.data.verificationMethod.filter((method) => method.id === methodId);
  if (methods.length > 1) throw new Rejection("invalid_key_document", `It lists ${methodId} twice.`);
  const [method] = methods;
  if (!method || !keySet.data.assertionMethod.includes(methodId)) {
    throw new Rejection("unknown_key", `It is ${methodId}.`);
  }
  if (method.type !== form || method.controller !== issuer) {
    throw new Rejection("unknown_key", `${methodId} is not a ${form} of the issuer's own.`);
  }
  return {
    id: methodId,
    bytes: form === "Multikey" ? readMultikey(method) : readJwk(method),
    validFrom: method.validFrom === undefined ? null : new Date(method.validFrom),
    validUntil: method.validUntil === undefined ? null : new Date(method.validUntil),
  };
}

/** Throws unless a signature made with the key at that time is good. */
export function assertKeyValidAt(key: IssuerKey, at: Date): void {
  if (key.validFrom && at < key.validFrom) {
    throw new Rejection("key_not_yet_valid", `${key.id} is valid from ${key.validFrom.toISOString()}.`);
  }
  if (key.validUntil && at > key.validUntil) {
    throw new Rejection("key_retired", `${key.id} was retired at ${key.validUntil.toISOString()}.`);
  }
}

function readMultikey(method: Method): Uint8Array {
  const text = method.publicKeyMultibase ?? "";
  const bytes = decodeOrNull(() => base58.decode(text.slice(1)));
  if (!text.startsWith("z") || bytes?.length !== 34 || bytes[0] !== 0xed || bytes[1] !== 0x01) {
    throw new Rejection("invalid_key_document", `${method.id} is not an Ed25519 Multikey.`);
  }
  return bytes.slice(2);
}

function readJwk(method: Method): Uint8Array {
  const { kty, crv, x } = method.publicKeyJwk ?? {};
  const bytes = decodeOrNull(() => base64urlnopad.decode(x ?? ""));
  if (kty !== "OKP" || crv !== "Ed25519" || bytes?.length !== 32) {
    throw new Rejection("invalid_key_document", `${method.id} is not an Ed25519 JWK.`);
  }
  return bytes;
}

function decodeOrNull(decode: () => Uint8Array): Uint8Array | null {
  try {
    return decode();
  } catch {
    return null;
  }
}
