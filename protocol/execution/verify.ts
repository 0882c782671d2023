import { utf8ToBytes } from "@noble/hashes/utils.js";
import { base64 } from "@scure/base";
import { LRUCache } from "lru-cache";
import type { CheckSignature } from "../../receipts/ed25519.ts";
import { type ReceiptErrorCode, Rejection } from "../../receipts/errors.ts";
import { expectedIssuer } from "../../receipts/issuer.ts";
import {
  assertKeyValidAt,
  assertOwnMethod,
  assertUncompromised,
  fetchKeySet,
  findKey,
  type KeySet,
} from "../../receipts/keyset.ts";
import type { FetchLimits } from "../../receipts/resolve.ts";
import { assertSignature } from "../../receipts/signed.ts";
import { parseJson } from "../json/parse.ts";
import {
  ComponentError,
  components,
  contentDigest,
  goodFor,
  label,
  signatureBase,
  tag,
} from "./signature.ts";

/** Why a request is not taken. Codes of keys and signatures are those of receipts. */
export type ExecutionErrorCode =
  | ReceiptErrorCode
  /** there is no signature of the service's on it */
  | "missing_signature"
  /** the signature does not cover what it has to, or is for another purpose */
  | "wrong_signature"
  /** the body is not the one that was signed */
  | "wrong_digest"
  /** the order is of another's agent, who named this endpoint to have the work done for another price */
  | "foreign_agent"
  /** it was signed too long ago, or is of a time to come */
  | "expired";

/** As a `Request` has them, or as Node gives them. */
export type ExecutionHeaders = Headers | Record<string, string | string[] | undefined>;

export interface ExecutionRequest {
  method: string;
  headers: ExecutionHeaders;
  /** The bytes as they came: JSON that was parsed and written again has another digest. */
  body: string | Uint8Array | ArrayBuffer;
}

export interface ExecutionOptions extends FetchLimits {
  /** The did:web name of the service, as in `did:web:market.example`. It is yours to know. */
  issuer: string;
  /** The endpoint exactly as the service shows it to you: what a proxy made of its path does not count. */
  endpoint: string;
  /** The id of your agent, or of all whose orders are executed here. Anybody can name your endpoint for a service of their own. */
  agent: string | readonly string[];
  /** Unix seconds, for tests. */
  now?: number;
  checkSignature?: CheckSignature;
}

/** An order that is to be executed. */
export interface ExecutionOrder {
  execution_id: string;
  /** counts the tries, from 1 */
  attempt: number;
  order_id: string;
  reference: string;
  agent_id: string;
  service_id: string;
  quantity: number;
  input_payload: Record<string, unknown> | null;
  order_hash: string;
  chain_id: number;
  escrow_contract: string;
  escrow_id: string;
  /** RFC 3339 */
  deliver_by: string | null;
  answer_by: string;
  /** set where the buyer asked for changes of what was delivered */
  revision: { reason: string | null } | null;
  /** to be signed by the payout wallet once `outputHash` is added; null where nothing can be recorded */
  delivery_record: {
    domain: Record<string, unknown>;
    types: Record<string, { name: string; type: string }[]>;
    primaryType: string;
    message: Record<string, unknown>;
  } | null;
}

export interface VerifiedExecution {
  valid: true;
  order: ExecutionOrder;
  /** The same for each try of this execution: do the work once, and answer the same again. */
  idempotencyKey: string;
  /** Differs between the tries. */
  nonce: string;
  /** The DID URL of the key that signed. */
  keyId: string;
}

export interface ExecutionFailure {
  valid: false;
  code: ExecutionErrorCode;
  message: string;
}

/**
 * Checks that a request to a provider's endpoint comes from the service (RFC 9421). Never throws.
 *
 * The signature must cover method, endpoint, body and `Idempotency-Key`, and must have the service's tag. A key that the
 * issuer's DID document lists for `authentication` must have made it within the last five minutes. The request must be for
 * an order of your own agent.
 *
 * The issuer's keys are cached for five minutes.
 *
 * @example
 * const checked = await verifyExecution({ method, headers, body }, { issuer: "did:web:market.example", endpoint, agent: "agt_..." });
 * if (!checked.valid) return new Response(null, { status: 401 });
 */
export async function verifyExecution(
  request: ExecutionRequest,
  options: ExecutionOptions,
): Promise<VerifiedExecution | ExecutionFailure> {
  try {
    return await check(request, options);
  } catch (error) {
    if (error instanceof Refused || error instanceof Rejection) {
      return { valid: false, code: error.code, message: error.message };
    }
    return { valid: false, code: "malformed", message: String(error) };
  }
}

class Refused extends Error {
  readonly code: ExecutionErrorCode;
  constructor(code: ExecutionErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

async function check(
  { method, headers, body }: ExecutionRequest,
  options: ExecutionOptions,
): Promise<VerifiedExecution> {
  const issuer = expectedIssuer(options.issuer).name;
  const header = (name: string) => headerOf(headers, name);
  const signed = readInput(header("signature-input"));
  const signature = readSignature(header("signature"));
  assertOwnMethod(issuer, signed.keyid);
  // The clock counts in whole seconds, as `created` does.
  const now = Math.floor(options.now ?? Date.now() / 1000);
  if (Math.abs(now - signed.created) > goodFor || signed.expires < signed.created) {
    throw new Refused("expired", "The request was not signed within the last five minutes.");
  }
  const bytes = typeof body === "string" ? utf8ToBytes(body) : bytesOf(body);
  if (header("content-digest") !== contentDigest(bytes)) {
    throw new Refused("wrong_digest", "The body is not the one that Content-Digest names.");
  }
  const base = baseOf(signed.params, { method, url: options.endpoint, header });
  const key = await findIssuerKey(issuer, signed.keyid, options);
  assertUncompromised(key);
  assertKeyValidAt(key, new Date(signed.created * 1000));
  await assertSignature(signature, utf8ToBytes(base), key, options.checkSignature);
  const order = parseJson(new TextDecoder().decode(bytes)) as ExecutionOrder;
  if (![options.agent].flat().includes(order.agent_id)) {
    throw new Refused("foreign_agent", `The order is of the agent ${order.agent_id}, which is not yours.`);
  }
  return {
    valid: true,
    order,
    idempotencyKey: header("idempotency-key") ?? "",
    nonce: signed.nonce,
    keyId: key.id,
  };
}

function baseOf(params: string, message: Parameters<typeof signatureBase>[2]): string {
  try {
    return signatureBase(components, params, message);
  } catch (error) {
    if (error instanceof ComponentError) throw new Refused("wrong_signature", error.message);
    throw error;
  }
}

const covered = components.map((name) => `"${name}"`).join(" ");
/** Our member of `Signature-Input`: its quotation marks are plain, so it is no part of another member's text. */
const inputMember = new RegExp(
  `(?:^|,)[ \\t]*${label}=(\\(([a-z"@ -]*)\\)((?:;[a-z]+=(?:[0-9]{1,15}|"[!#-\\[\\]-~ ]{0,512}"))*))[ \\t]*(?=,|$)`,
  "g",
);
const signatureMember = new RegExp(`(?:^|,)[ \\t]*${label}=:([A-Za-z0-9+/=]{88}):[ \\t]*(?=,|$)`, "g");

function readInput(text: string | null) {
  if (text === null) throw new Refused("missing_signature", "The request has no Signature-Input.");
  const [found, second] = [...text.slice(0, 8192).matchAll(inputMember)];
  if (!found || second) throw new Refused("missing_signature", `It has no one signature named ${label}.`);
  const [, params = "", names, list = ""] = found;
  const values = new Map(
    [...list.matchAll(/;([a-z]+)=(?:([0-9]+)|"([^"]*)")/g)].map(([, name, number, value]) => [
      name,
      number === undefined ? value : Number(number),
    ]),
  );
  const [created, expires, nonce, keyid] = ["created", "expires", "nonce", "keyid"].map((name) =>
    values.get(name),
  );
  if (
    names !== covered ||
    values.get("alg") !== "ed25519" ||
    values.get("tag") !== tag ||
    typeof created !== "number" ||
    typeof expires !== "number" ||
    typeof nonce !== "string" ||
    typeof keyid !== "string"
  ) {
    throw new Refused("wrong_signature", "The signature is not of the form that executions have.");
  }
  return { params, created, expires, nonce, keyid };
}

function readSignature(text: string | null): Uint8Array {
  const [found, second] = [...(text ?? "").slice(0, 8192).matchAll(signatureMember)];
  if (!found?.[1] || second) throw new Refused("missing_signature", "The request has no Signature of ours.");
  return base64.decode(found[1]);
}

/** Milliseconds for which an issuer's keys are kept, and after which they may be fetched again for a key that is not there. */
const keptFor = 300_000;
const askedAgainAfter = 10_000;
const mostIssuers = 16;
const kept = new LRUCache<string, Promise<KeySet>>({ max: mostIssuers, ttl: keptFor });

async function findIssuerKey(issuer: string, keyid: string, options: ExecutionOptions) {
  const keySet = await keysOf(issuer, options, keptFor);
  try {
    return findKey(keySet, keyid, "JsonWebKey", "authentication");
  } catch (error) {
    if (!(error instanceof Rejection) || error.code !== "unknown_key") throw error;
    // A key may have been added since. Requests with made-up names cause few of these.
    return findKey(await keysOf(issuer, options, askedAgainAfter), keyid, "JsonWebKey", "authentication");
  }
}

function keysOf(issuer: string, options: ExecutionOptions, mostAge: number): Promise<KeySet> {
  const known = kept.get(issuer);
  if (known && keptFor - kept.getRemainingTTL(issuer) < mostAge) return known;
  const keySet = fetchKeySet(issuer, options);
  kept.set(issuer, keySet);
  // A failed read is not cached: the next request reads the keys again.
  keySet.catch(() => kept.delete(issuer));
  return keySet;
}

function bytesOf(body: Uint8Array | ArrayBuffer): Uint8Array {
  return ArrayBuffer.isView(body)
    ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    : new Uint8Array(body);
}

/** A field's value, in any case of its name; what came several times is one list (RFC 9421, 2.1). */
function headerOf(headers: ExecutionHeaders, name: string): string | null {
  if (typeof headers.get === "function") return (headers as Headers).get(name);
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  return values.length > 0 ? values.join(", ") : null;
}
