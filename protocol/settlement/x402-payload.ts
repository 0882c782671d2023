import { type Address, getAddress, type Hex, maxUint256 } from "viem";
import * as z from "zod";
import { addressPattern, bytes32Pattern, bytesPattern } from "./shapes.ts";
import type { TypedData } from "./signatures.ts";
import type { PaymentMethod, TokenMethod } from "./vocabulary.ts";
import { authorizationToSign, type Payable, type PaymentRequirements, permitToSign } from "./x402.ts";

const address = z
  .string()
  .refine((text) => addressPattern.test(text), "must be a 20-byte 0x address")
  .transform((text): Address => getAddress(text as Hex));
const uint256 = z
  .string()
  .regex(/^\d{1,78}$/, "must be a decimal string")
  .refine((text) => !/^\d{1,78}$/.test(text) || BigInt(text) <= maxUint256, "must fit uint256");
const signature = z
  .string()
  .regex(bytesPattern, "must be 0x-hex of whole bytes")
  .transform((text) => text.toLowerCase() as Hex);
const bytes32 = z
  .string()
  .regex(bytes32Pattern, "must be 32 bytes of 0x-hex")
  .transform((text) => text.toLowerCase() as Hex);

/** A signed EIP-3009 authorization in x402's form. */
export const signedAuthorization = z.object({
  signature,
  authorization: z.object({
    from: address,
    to: address,
    value: uint256,
    validAfter: uint256,
    validBefore: uint256,
    nonce: bytes32,
  }),
});

/** A signed EIP-3009 authorization to the escrow contract. x402 has no such payment, so it has a field of its own. */
export const signedReceiveAuthorization = z.object({
  signature,
  receiveAuthorization: z.object({
    from: address,
    to: address,
    value: uint256,
    validAfter: z.literal("0", "must be 0, because the escrow contract always passes 0 to the token"),
    validBefore: uint256,
    nonce: bytes32,
  }),
});

/** Signed calls of a passkey account that pay an order. The service builds the calls from the order. */
export const signedAccountCalls = z.object({
  signature,
  accountCalls: z.object({ account: address, nonce: uint256, deadline: uint256 }),
});

/** A signed Permit2 transfer through x402's proxy, in x402's form. Only a witness of scheme `upto` has a facilitator. */
export const signedPermit = z.object({
  signature,
  permit2Authorization: z.object({
    from: address,
    permitted: z.object({ token: address, amount: uint256 }),
    spender: address,
    nonce: uint256,
    deadline: uint256,
    witness: z.object({ to: address, facilitator: address.optional(), validAfter: uint256 }),
  }),
});

/** x402's extension by which a payer names a purchase, and the form of the name. */
export const paymentIdentifier = "payment-identifier";
export const identifierPattern = /^[A-Za-z0-9_-]{16,128}$/;

/** The fields of x402's `PaymentPayload` (v2) that identify a payment; clients send further ones. */
export const paymentPayload = z.object({
  x402Version: z.literal(2, "must be 2: version 1 names chains by words"),
  accepted: z.object({
    scheme: z.string(),
    network: z.string(),
    amount: z.string(),
    asset: z.string(),
    payTo: z.string(),
    extra: z.record(z.string(), z.unknown()).optional(),
  }),
  payload: z.union([signedAuthorization, signedPermit]),
  extensions: z
    .looseObject({
      [paymentIdentifier]: z.object({
        info: z.object({ id: z.string().regex(identifierPattern).optional() }),
      }),
    })
    .partial()
    .optional(),
});

export type SignedAuthorization = z.output<typeof signedAuthorization>;
export type SignedReceiveAuthorization = z.output<typeof signedReceiveAuthorization>;
export type SignedAccountCalls = z.output<typeof signedAccountCalls>;
export type SignedPermit = z.output<typeof signedPermit>;
export type SignedPayment = SignedAuthorization | SignedPermit;

/** The key of a payment, which does not depend on the bytes of its signature. */
type PaymentKey<Method> = { method: Method; payer: Address; nonce: string };

/** Returns the key that identifies a payment of an order. */
export function paymentKeyOf(signed: SignedPayment | SignedReceiveAuthorization): PaymentKey<TokenMethod>;
export function paymentKeyOf(
  signed: SignedPayment | SignedReceiveAuthorization | SignedAccountCalls,
): PaymentKey<PaymentMethod>;
export function paymentKeyOf(
  signed: SignedPayment | SignedReceiveAuthorization | SignedAccountCalls,
): PaymentKey<PaymentMethod> {
  if ("accountCalls" in signed) {
    const { account, nonce } = signed.accountCalls;
    return { method: "account_calls", payer: account, nonce: BigInt(nonce).toString() };
  }
  if ("receiveAuthorization" in signed) {
    // The token accepts one of two authorizations with one nonce, whatever their recipients.
    const { from, nonce } = signed.receiveAuthorization;
    return { method: "eip3009", payer: from, nonce };
  }
  return "authorization" in signed
    ? { method: "eip3009", payer: signed.authorization.from, nonce: signed.authorization.nonce }
    : {
        method: "permit2",
        payer: signed.permit2Authorization.from,
        nonce: BigInt(signed.permit2Authorization.nonce).toString(),
      };
}

/** Returns the address that a payment pays. */
export function recipientOf(signed: SignedPayment): Address {
  return "authorization" in signed ? signed.authorization.to : signed.permit2Authorization.witness.to;
}

/** Returns the scheme of x402 by which a payment is signed. */
export function schemeOf(signed: SignedPayment): PaymentRequirements["scheme"] {
  return "permit2Authorization" in signed && signed.permit2Authorization.witness.facilitator
    ? "upto"
    : "exact";
}

/** Returns where Permit2 stores a nonce: the word of its owner's `nonceBitmap`, and the bit. */
export function nonceBit(nonce: string | bigint): { word: bigint; mask: bigint } {
  return { word: BigInt(nonce) >> 8n, mask: 1n << (BigInt(nonce) & 255n) };
}

/** Writes a signature's `v` as 27 or 28, which tokens require. Some hardware wallets write 0 or 1. */
export function withV27or28(bytes: Hex): Hex {
  if (bytes.length !== 2 + 2 * 65) return bytes;
  const v = Number.parseInt(bytes.slice(-2), 16);
  return v > 1 ? bytes : `0x${bytes.slice(2, -2)}${(v + 27).toString(16)}`;
}

/** Builds the typed data that a payer signed, to verify the signer. */
export function signedPaymentData(
  { chainId, token }: Pick<Payable, "chainId" | "token">,
  signed: SignedPayment,
): TypedData {
  if ("authorization" in signed) return authorizationToSign({ chainId, token }, signed.authorization);
  const { from: _, ...message } = signed.permit2Authorization;
  return permitToSign(chainId, message, schemeOf(signed));
}
