import { getAddress, isAddress } from "viem";
import * as z from "zod";
import { issuerSchema } from "./issuer.ts";

function isChecksummed(value: string): boolean {
  return isAddress(value) && getAddress(value) === value;
}

/** An EVM address with its EIP-55 checksum. */
export const addressSchema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .refine(isChecksummed, "must carry its EIP-55 checksum");
export const hashSchema = z.string().regex(/^0x[0-9a-f]{64}$/);
/** CAIP-2 name of an EVM chain. */
export const chainSchema = z.string().regex(/^eip155:[1-9][0-9]{0,15}$/);
const uint128Limit = (2n ** 128n).toString();
/** Base units of a token, as an exact decimal string that fits the contract's uint128. */
export const amountSchema = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,38})$/)
  // Both have 39 digits, so text order is number order.
  .refine(
    (value) =>
      value.length < uint128Limit.length || (value.length === uint128Limit.length && value < uint128Limit),
    "must fit in 128 bits",
  );
/** The beginning of URLs that every parser accepts: a host that is neither a number nor punycode, and a short port. */
const PLAIN_URL = /^https?:\/\/[a-z][a-z0-9]*(?:[.-][a-z][a-z0-9]*)*(?::[0-9]{1,4})?\//;
/** An http(s) URL with only the characters of RFC 3986, because parsers differ on others. */
export const urlSchema = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/)
  // Not z.url(), which trims white space: the signed text would differ from the given one.
  .refine((url) => PLAIN_URL.test(url) || URL.canParse(url), "must be a URL")
  .meta({ format: "uri" });
/** RFC 3339. */
export const timeSchema = z.iso.datetime({ offset: true });

const seconds = z.int().nonnegative().max(0xffff_ffff);

/** The fields of every version. The descriptions are those of the published JSON Schema. */
const commonFields = {
  id: urlSchema.describe("The receipt's own URL."),
  type: z.literal("SettlementDocument"),
  issuer: issuerSchema.meta({
    description: "The did:web name of the service that signed.",
    pattern: "^did:web:[a-z0-9][A-Za-z0-9.%-]*(:[A-Za-z0-9_-][A-Za-z0-9._-]*)*$",
  }),
  issued_at: timeSchema.describe("The time of signing, RFC 3339."),
  order_id: z.string().regex(/^ord_[0-9a-z]{1,64}$/),
  agreement_hash: hashSchema.describe(
    "SHA-256 of the order's agreement over JCS (RFC 8785): the `orderHash` that the escrow commits to.",
  ),
  claim: z
    .enum(["funded", "released", "refunded"])
    .describe("The movement of the order's money: into the escrow, to the provider, or back to the buyer."),
  chain: chainSchema.describe("CAIP-2 name of the chain."),
  contract: addressSchema.describe("The escrow contract."),
  escrow_id: hashSchema,
  transaction: hashSchema,
  block_number: z.int().nonnegative(),
  block_hash: hashSchema,
  log_index: z.int().nonnegative().describe("The log's index in its block."),
  buyer: addressSchema,
  provider: addressSchema,
  token: addressSchema,
  amount: amountSchema.describe(
    "Base units of the token that the event moved; in a split, the party's share.",
  ),
  output_hash: hashSchema
    .nullable()
    .describe("SHA-256 of the delivered output over JCS; null without a delivery."),
};

/** Version 1 is verified but not signed. */
const version1 = z.strictObject({ ...commonFields, version: z.literal(1) });

const version2 = z.strictObject({
  $schema: urlSchema.describe("The URL of the JSON Schema of this version."),
  ...commonFields,
  claim: z
    .enum(["funded", "part_released", "released", "refunded"])
    .describe(
      "The movement of the order's money: into the escrow, a part to the provider, to the provider, or back to the buyer. `released` counts all parts again, so it is the sum, and no addition to them.",
    ),
  version: z.literal(2),
  released_so_far: amountSchema
    .nullable()
    .describe("Base units that all parts up to this one paid; null for claims other than `part_released`."),
  terms: z
    .strictObject({
      amount: amountSchema.describe("Base units of the token: the whole escrow."),
      fund_by: z.int().nonnegative().max(0xffff_ffff_ffff).describe("Unix seconds."),
      delivery_window: seconds.describe("Seconds, as the windows after it."),
      acceptance_window: seconds,
      dispute_window: seconds,
      appeal_window: seconds,
      arbiter: addressSchema,
    })
    .describe(
      "The contract's terms besides buyer, provider, token and agreement hash. The escrow id is the hash of all of them.",
    ),
});

/**
 * A settlement document. It states that a log of a chain has this movement of an order's money. Parsed members have
 * the order in which they are signed.
 */
export const settlementDocumentSchema = z.discriminatedUnion("version", [
  z.strictObject(inOrder(version1.shape)),
  z
    .strictObject(inOrder({ ...version2.shape, terms: z.strictObject(inOrder(version2.shape.terms.shape)) }))
    .refine(hasSumOfParts, "released_so_far belongs to the claim part_released"),
]);

/** A receipt of a part has the sum of the parts, and no other receipt has one. */
function hasSumOfParts({
  claim,
  released_so_far,
}: {
  claim: string;
  released_so_far: string | null;
}): boolean {
  return (claim === "part_released") === (released_so_far !== null);
}

/** Sorts members as JCS does. */
function inOrder<T extends z.core.$ZodLooseShape>(shape: T): T {
  return Object.fromEntries(Object.entries(shape).sort(([a], [b]) => (a < b ? -1 : 1))) as T;
}

/** A W3C Data Integrity proof of the accepted form, without other members. */
export const proofSchema = z.strictObject({
  type: z.literal("DataIntegrityProof"),
  cryptosuite: z.literal("eddsa-jcs-2022"),
  created: timeSchema,
  verificationMethod: z.string().max(640),
  proofPurpose: z.literal("assertionMethod"),
  proofValue: z.string().max(128),
});

/** The published form of each version, with its proof. */
export const documentVersions = {
  1: version1.extend({ proof: proofSchema }),
  2: version2.extend({ proof: proofSchema }),
};
export const signedSettlementDocumentSchema = z.discriminatedUnion("version", [
  documentVersions[1],
  documentVersions[2].refine(hasSumOfParts),
]);

export type SettlementDocument = z.infer<typeof settlementDocumentSchema>;
export type SignedSettlementDocument = z.infer<typeof signedSettlementDocumentSchema>;
export type SettlementClaim = SettlementDocument["claim"];
