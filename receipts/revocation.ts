import * as z from "zod";
import {
  type FetchLimits,
  fetchText,
  type Kept,
  type Memo,
  resolveOnce,
  reuseForText,
} from "./did-resolution.ts";
import { hashSchema, proofSchema, timeSchema, urlSchema } from "./document.ts";
import { type CheckSignature, checkPortably } from "./ed25519.ts";
import { type ReceiptErrorCode, Rejection, receiptErrors } from "./errors.ts";
import { issuerSchema, statusService } from "./issuer.ts";
import {
  assertKeyValidAt,
  assertUncompromised,
  findKey,
  findService,
  type IssuerKey,
  type KeySet,
} from "./issuer-key-set.ts";
import { assertPast, assertProof, parseShape, readProof, readTyped } from "./proof-check.ts";

/** The size limit of a list: about 5000 revocations. */
const MAX_LIST_BYTES = 1_048_576;

/** The issuer's list of revoked receipts, whose events left the chain. */
export const statusListSchema = z.strictObject({
  type: z.literal("ReceiptStatusList"),
  version: z.literal(1),
  issuer: issuerSchema,
  issued_at: timeSchema,
  /** The time at which the list expires. */
  valid_until: timeSchema,
  revoked: z.array(
    z.strictObject({
      /** The `id` of the settlement document. */
      id: urlSchema,
      revoked_at: timeSchema,
      /** SHA-256 of the x402 receipt's compact JWS; null without one. */
      x402_sha256: hashSchema.nullable(),
    }),
  ),
});

export const signedStatusListSchema = statusListSchema.extend({ proof: proofSchema });

export type StatusList = z.infer<typeof statusListSchema>;
export type SignedStatusList = z.infer<typeof signedStatusListSchema>;

export interface StatusOptions extends FetchLimits {
  /**
   * Whether to read the issuer's list of revoked receipts. `ask` (the default) reports an unavailable list, `require`
   * fails for it, and `skip` does not read the list.
   */
  status?: "ask" | "require" | "skip";
  /** The time of the check; now by default. */
  now?: Date;
  /** Checks the signatures of documents and lists; `@noble/ed25519` by default. `jose` checks a JWS. */
  checkSignature?: CheckSignature;
}

/** The revocation status of a receipt. A revoked receipt is a failure instead. */
export type StatusAnswer =
  | { status: "good"; statusReason: null }
  | { status: "unknown"; statusReason: { code: ReceiptErrorCode; message: string } };

/**
 * Looks a receipt up in the list that its issuer's DID document names. Throws `receipt_revoked` if the list contains
 * it. With `require`, throws the reason why the list is unavailable.
 */
export async function askStatus(
  keySet: KeySet,
  receipt: { id: string } | { x402_sha256: string },
  options: StatusOptions,
  memo?: Memo,
): Promise<StatusAnswer> {
  if (options.status === "skip") return unknown("status_not_asked", receiptErrors.status_not_asked);
  let list: StatusList;
  try {
    list = await resolveOnce(memo, `status list of ${keySet.issuer}`, () => fetchStatusList(keySet, options));
  } catch (error) {
    const { code, message } =
      error instanceof Rejection ? error : new Rejection("status_invalid", String(error));
    if (options.status === "require") throw new Rejection(code, message);
    return unknown(code, message);
  }
  const found = list.revoked.find((one) =>
    "id" in receipt ? one.id === receipt.id : one.x402_sha256 === receipt.x402_sha256,
  );
  if (found) throw new Rejection("receipt_revoked", `The time of the revocation is ${found.revoked_at}.`);
  return { status: "good", statusReason: null };
}

async function fetchStatusList(keySet: KeySet, options: StatusOptions): Promise<StatusList> {
  const url = findService(keySet, statusService);
  if (url === null) throw new Rejection("status_not_published");
  let text: string;
  try {
    text = await fetchText(url, { ...options, maxBytes: options.maxBytes ?? MAX_LIST_BYTES });
  } catch (error) {
    throw new Rejection("status_unavailable", error instanceof Error ? error.message : String(error));
  }
  try {
    return await readStatusList(keySet, text, options);
  } catch (error) {
    if (!(error instanceof Rejection) || error.code === "status_expired") throw error;
    throw new Rejection("status_invalid", `${error.code}: ${error.message}`);
  }
}

async function readStatusList(keySet: KeySet, text: string, options: StatusOptions): Promise<StatusList> {
  const { now = new Date(), checkSignature = checkPortably } = options;
  const read = reuseForText(statusLists, keySet.issuer, text, () => parseStatusList(text));
  const { list, proof, good } = read;
  if (list.issuer !== keySet.issuer) throw new Rejection("foreign_issuer", `The list names ${list.issuer}.`);
  const key = findKey(keySet, proof.verificationMethod, "Multikey");
  if (!good.get(checkSignature)?.has(key)) {
    await assertProof(list, proof, key, checkSignature);
    good.set(checkSignature, (good.get(checkSignature) ?? new WeakSet()).add(key));
  }
  assertUncompromised(key);
  for (const time of read.signedAt) {
    assertKeyValidAt(key, time);
    assertPast(time, now);
  }
  if (now > read.validUntil) {
    throw new Rejection("status_expired", `The list was valid until ${list.valid_until}.`);
  }
  return list;
}

/** A parsed list. `good` has the keys for which its signature is valid, for each `checkSignature`. */
type ReadList = {
  list: StatusList;
  proof: ReturnType<typeof readProof>;
  /** The times of signing of the list and of its proof. */
  signedAt: Date[];
  validUntil: Date;
  good: WeakMap<CheckSignature, WeakSet<IssuerKey>>;
};
const statusLists: Kept<ReadList>[] = [];

function parseStatusList(text: string): ReadList {
  const { proof: signedProof, ...statement } = readTyped(text, "ReceiptStatusList", MAX_LIST_BYTES);
  const list = parseShape(statusListSchema, statement);
  const proof = readProof(signedProof);
  const signedAt = [list.issued_at, proof.created].map((time) => new Date(time));
  return { list, proof, signedAt, validUntil: new Date(list.valid_until), good: new WeakMap() };
}

function unknown(code: ReceiptErrorCode, message: string): StatusAnswer {
  return { status: "unknown", statusReason: { code, message } };
}
