import * as z from "zod";
import { addressSchema, amountSchema, chainSchema, hashSchema, urlSchema } from "./document.ts";

const unixSeconds = z.int().positive().max(253_402_300_799);

/**
 * The payload of an x402 receipt, by x402's offer-and-receipt extension, version 1. `transaction` is optional there
 * and required here.
 */
export const x402ReceiptSchema = z.strictObject({
  version: z.literal(1),
  network: chainSchema,
  /** The order's own URL. */
  resourceUrl: urlSchema,
  payer: addressSchema,
  /** Unix seconds. */
  issuedAt: unixSeconds,
  transaction: hashSchema,
});

/** The payload of an x402 offer: the payment that a 402 response requires, by the same extension. */
export const x402OfferSchema = z.strictObject({
  version: z.literal(1),
  resourceUrl: urlSchema,
  scheme: z.string().regex(/^[a-z0-9-]{1,32}$/),
  network: chainSchema,
  asset: addressSchema,
  payTo: addressSchema,
  amount: amountSchema,
  /** Unix seconds. */
  validUntil: unixSeconds,
});

/** The JWS header of x402, without other members: no embedded key, no `typ`, no `crit`. */
export const jwsHeaderSchema = z.strictObject({ alg: z.literal("EdDSA"), kid: z.string().max(640) });

/** x402's envelope of a JWS. An offer's envelope may have `acceptIndex`, which is not signed. */
export const receiptEnvelopeSchema = z.strictObject({ format: z.literal("jws"), signature: z.string() });
export const offerEnvelopeSchema = receiptEnvelopeSchema.extend({
  acceptIndex: z.int().nonnegative().optional(),
});

export type X402Receipt = z.infer<typeof x402ReceiptSchema>;
export type X402Offer = z.infer<typeof x402OfferSchema>;
