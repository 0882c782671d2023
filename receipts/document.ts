import { getAddress, isAddress } from "viem";
import * as z from "zod";
import { issuerSchema } from "./issuer.ts";

export const addressSchema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .refine((value) => isAddress(value) && getAddress(value) === value, "must carry its EIP-55 checksum");
export const hashSchema = z.string().regex(/^0x[0-9a-f]{64}$/);
/** CAIP-2 name of an EVM chain. */
export const chainSchema = z.string().regex(/^eip155:[1-9]\d{0,15}$/);
/** Base units of a token, as an exact decimal string that fits the contract's uint128. */
export const amountSchema = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,38})$/)
  .refine((value) => /^\d{1,39}$/.test(value) && BigInt(value) < 2n ** 128n, "must fit in 128 bits");
export const urlSchema = z.url({ protocol: /^https?$/ }).max(2048);
/** RFC 3339. */
export const timeSchema = z.iso.datetime({ offset: true });

/** What a settlement document says: that this step of this order's money is in this log of this chain. */
export const settlementDocumentSchema = z.strictObject({
  /** The receipt's own URL. */
  id: urlSchema,
  type: z.literal("SettlementDocument"),
  version: z.literal(1),
  issuer: issuerSchema,
  issued_at: timeSchema,
  order_id: z.string().regex(/^ord_[0-9a-z]{1,64}$/),
  /** SHA-256 of the order's agreement over JCS (RFC 8785): the `orderHash` the escrow commits to. */
  agreement_hash: hashSchema,
  claim: z.enum(["funded", "released", "refunded"]),
  chain: chainSchema,
  contract: addressSchema,
  escrow_id: hashSchema,
  transaction: hashSchema,
  block_number: z.int().nonnegative(),
  block_hash: hashSchema,
  /** The log's index in its block. */
  log_index: z.int().nonnegative(),
  buyer: addressSchema,
  provider: addressSchema,
  token: addressSchema,
  /** What this claim's event moved: in a split, the share of its party. */
  amount: amountSchema,
  /** SHA-256 of the delivered output over JCS, or null where nothing was delivered. */
  output_hash: hashSchema.nullable(),
});

/** A W3C Data Integrity proof as ours are made: these members and no others. */
export const proofSchema = z.strictObject({
  type: z.literal("DataIntegrityProof"),
  cryptosuite: z.literal("eddsa-jcs-2022"),
  created: timeSchema,
  verificationMethod: z.string().max(640),
  proofPurpose: z.literal("assertionMethod"),
  proofValue: z.string().max(128),
});

export const signedSettlementDocumentSchema = settlementDocumentSchema.extend({ proof: proofSchema });

export type SettlementDocument = z.infer<typeof settlementDocumentSchema>;
export type SignedSettlementDocument = z.infer<typeof signedSettlementDocumentSchema>;
export type SettlementClaim = SettlementDocument["claim"];
