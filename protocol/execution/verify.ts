import { utf8ToBytes } from "@noble/hashes/utils.js";
import { base64 } from "@scure/base";
import { LRUCache } from "lru-cache";
import type { FetchLimits } from "../../receipts/did-resolution.ts";
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
} from "../../receipts/issuer-key-set.ts";
import { assertSignature } from "../../receipts/proof-check.ts";
import { parseJson } from "../json/parse.ts";
import {
  ComponentError,
  components,
  contentDigest,
  label,
  signatureBase,
  tag,
  validSeconds,
} from "./signature.ts";

/** The reason for which a request is refused. Codes of keys and signatures are those of receipts. */
export type ExecutionErrorCode =
  | ReceiptErrorCode
  /** the request has no signature of the service */
  | "missing_signature"
  /** the signature does not cover the required components, or has another purpose */
  | "wrong_signature"
  /** the body is not the one that was signed */
  | "wrong_digest"
  /** the order is of another agent, whose owner may have named this endpoint to get the work for another price */
  | "foreign_agent"
  /** the time of signing is more than five minutes away */
  | "expired";

/** The headers of a `Request`, or of Node's `IncomingMessage`. */
export type ExecutionHeaders = Headers | Record<string, string | string[] | undefined>;

export interface ExecutionRequest {
  method: string;
  headers: ExecutionHeaders;
  /** The raw body. JSON that was parsed and serialised again has another digest. */
  body: string | Uint8Array | ArrayBuffer;
}

export interface ExecutionOptions extends FetchLimits {
  /** The did:web name of the service, as in `did:web:market.example`. The caller must know it. */
  issuer: string;
  /** The endpoint's URL exactly as the service has it, without the changes of a proxy. */
  endpoint: string;
  /** The ids of the agents whose orders are executed here. Anybody can name your endpoint for a service of their own. */
  agent: string | readonly string[];
  /** Unix seconds, for tests. */
  now?: number;
  checkSignature?: CheckSignature;
}

/** An order that is to be executed. */
export interface ExecutionOrder {
  execution_id: string;
  /** the number of this attempt, from 1 */
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
  /** the buyer's request for changes of a delivery; null for the first execution */
  revision: { reason: string | null } | null;
  /** the typed data that the payout wallet signs after `outputHash` is added; null if no delivery can be recorded */
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
  /** The same for each attempt of an execution: do the work once, and return the same result again. */
  idempotencyKey: string;
  /** Different for each attempt. */
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
  // In whole seconds, like `created`.
  const now = Math.floor(options.now ?? Date.now() / 1000);
  if (Math.abs(now - signed.created) > validSeconds || signed.expires < signed.created) {
    throw new Refused("expired", "The request was not signed within the last five minutes.");
  }
  const bytes = typeof body === "string" ? utf8ToBytes(body) : bytesOf(body);
  if (header("content-digest") !== contentDigest(bytes)) {
    throw new Refused("wrong_digest", "The body does not match Content-Digest.");
  }
  const base = baseOf(signed.params, { method, url: options.endpoint, header });
  const key = await findIssuerKey(issuer, signed.keyid, options);
  assertUncompromised(key);
  assertKeyValidAt(key, new Date(signed.created * 1000));
  await assertSignature(signature, utf8ToBytes(base), key, options.checkSignature);
  const order = parseJson(new TextDecoder().decode(bytes)) as ExecutionOrder;
  if (![options.agent].flat().includes(order.agent_id)) {
    throw new Refused(
      "foreign_agent",
      `The order is of the agent ${order.agent_id}, which is not in \`agent\`.`,
    );
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
/** The service's member of `Signature-Input`. Its quotation marks are unescaped, so it cannot be inside another member's text. */
const inputMember = new RegExp(
  `(?:^|,)[ \\t]*${label}=(\\(([a-z"@ -]*)\\)((?:;[a-z]+=(?:[0-9]{1,15}|"[!#-\\[\\]-~ ]{0,512}"))*))[ \\t]*(?=,|$)`,
  "g",
);
const signatureMember = new RegExp(`(?:^|,)[ \\t]*${label}=:([A-Za-z0-9+/=]{88}):[ \\t]*(?=,|$)`, "g");

function readInput(text: string | null) {
  if (text === null) throw new Refused("missing_signature", "The request has no Signature-Input.");
  const [found, second] = [...text.slice(0, 8192).matchAll(inputMember)];
  if (!found || second)
    throw new Refused("missing_signature", `The request must have exactly one signature named ${label}.`);
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
    throw new Refused("wrong_signature", "The signature does not have the form of an execution's signature.");
  }
  return { params, created, expires, nonce, keyid };
}

function readSignature(text: string | null): Uint8Array {
  const [found, second] = [...(text ?? "").slice(0, 8192).matchAll(signatureMember)];
  if (!found?.[1] || second)
    throw new Refused("missing_signature", `The request must have exactly one Signature named ${label}.`);
  return base64.decode(found[1]);
}

/** Milliseconds for which an issuer's keys are cached, and after which an unknown key may cause another fetch. */
const keptFor = 300_000;
const refetchAfter = 10_000;
const mostIssuers = 16;
const keySets = new LRUCache<string, Promise<KeySet>>({ max: mostIssuers, ttl: keptFor });

async function findIssuerKey(issuer: string, keyid: string, options: ExecutionOptions) {
  const keySet = await keysOf(issuer, options, keptFor);
  try {
    return findKey(keySet, keyid, "JsonWebKey", "authentication");
  } catch (error) {
    if (!(error instanceof Rejection) || error.code !== "unknown_key") throw error;
    // The key may be new. Requests with invented key ids cause at most one fetch in `askedAgainAfter`.
    return findKey(await keysOf(issuer, options, refetchAfter), keyid, "JsonWebKey", "authentication");
  }
}

function keysOf(issuer: string, options: ExecutionOptions, mostAge: number): Promise<KeySet> {
  const known = keySets.get(issuer);
  if (known && keptFor - keySets.getRemainingTTL(issuer) < mostAge) return known;
  const keySet = fetchKeySet(issuer, options);
  keySets.set(issuer, keySet);
  // A failed read is not cached: the next request reads the keys again.
  keySet.catch(() => keySets.delete(issuer));
  return keySet;
}

function bytesOf(body: Uint8Array | ArrayBuffer): Uint8Array {
  return ArrayBuffer.isView(body)
    ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    : new Uint8Array(body);
}

/** Returns a field's value, by its name in any case. Repeated fields are one list (RFC 9421, 2.1). */
function headerOf(headers: ExecutionHeaders, name: string): string | null {
  if (typeof headers.get === "function") return (headers as Headers).get(name);
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  return values.length > 0 ? values.join(", ") : null;
}
