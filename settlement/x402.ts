import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBigInt,
  isAddress,
  maxUint256,
  parseAbi,
  parseErc6492Signature,
  size,
  sliceHex,
} from "viem";
import { z } from "zod";
import { createEscrowFromDepositCall, createEscrowWithAuthorizationCall } from "./calls.ts";
import { domainType, type TypedData } from "./signatures.ts";
import type { Terms } from "./terms.ts";

/** How money comes to a deposit address: a token's own authorization (EIP-3009), or Uniswap's Permit2. */
export type PaymentMethod = "eip3009" | "permit2";

/** One of the ways to pay that a 402 answer offers (x402 v2, scheme `exact`). */
export type PaymentRequirements = {
  scheme: "exact";
  network: `eip155:${number}`;
  /** base units */
  amount: string;
  asset: Address;
  /** the order's own deposit address, from which only the escrow contract can take money, for exactly its terms */
  payTo: Address;
  maxTimeoutSeconds: number;
  /** name and version of the token's EIP-712 domain */
  extra: { name: string; version: string; assetTransferMethod?: "permit2" };
};

/** What is to be paid, as the order froze it, with the token's EIP-712 domain. */
export type Payable = {
  chainId: number;
  token: { address: Address; name: string; version: string };
  /** base units */
  amount: bigint;
  depositAddress: Address;
  /** unix seconds */
  fundBy: number;
};

/** Permit2, at the same address on every chain. */
export const permit2Address: Address = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
/** x402's proxy for `exact` payments by Permit2, at the same address on every chain that has it. */
export const permit2ProxyAddress: Address = "0x402085c248EeA27D92E8b30b2C58ed07f9E20001";

/** Multicall3, at the same address on every public chain; x402's verification asks it. */
export const multicall3Address: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";

/** The longest that a payer's signature stays good, in seconds: one not used by then cannot surprise its payer. */
const longestSeconds = 600;

/** What a payer may choose from, the simplest first. It never reaches beyond the order's funding deadline. */
export function requirementsOf(
  payable: Payable,
  methods: readonly PaymentMethod[],
  now: bigint,
): PaymentRequirements[] {
  const { name, version } = payable.token;
  return methods.map((method) => ({
    scheme: "exact",
    network: `eip155:${payable.chainId}`,
    amount: payable.amount.toString(),
    asset: getAddress(payable.token.address),
    payTo: getAddress(payable.depositAddress),
    maxTimeoutSeconds: secondsLeft(payable, now),
    extra: method === "permit2" ? { name, version, assetTransferMethod: "permit2" } : { name, version },
  }));
}

function secondsLeft({ fundBy }: Payable, now: bigint): number {
  return Math.max(1, Math.min(longestSeconds, fundBy - Number(now)));
}

const transferTypes = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
];

/**
 * The EIP-3009 authorization that a payer signs as it stands; `message` with the signature is a payment.
 *
 * @param nonce 32 random bytes; any will do
 */
export function authorizationData(payable: Payable, payer: Address, nonce: Hex, now: bigint): TypedData {
  const { name, version, address } = payable.token;
  return {
    domain: { name, version, chainId: payable.chainId, verifyingContract: getAddress(address) },
    types: { EIP712Domain: [...domainType], TransferWithAuthorization: transferTypes },
    primaryType: "TransferWithAuthorization",
    message: {
      from: getAddress(payer),
      to: getAddress(payable.depositAddress),
      value: payable.amount.toString(),
      validAfter: "0",
      validBefore: (now + BigInt(secondsLeft(payable, now))).toString(),
      nonce,
    },
  };
}

const permitTypes = {
  PermitWitnessTransferFrom: [
    { name: "permitted", type: "TokenPermissions" },
    { name: "spender", type: "address" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint256" },
    { name: "witness", type: "Witness" },
  ],
  TokenPermissions: [
    { name: "token", type: "address" },
    { name: "amount", type: "uint256" },
  ],
  Witness: [
    { name: "to", type: "address" },
    { name: "validAfter", type: "uint256" },
  ],
};

/**
 * The permit that a payer signs as it stands, for Permit2 to move the money through x402's proxy to nowhere but the
 * order's deposit address; `message` with `from`, the payer, and the signature is a payment.
 *
 * @param nonce one that the payer has not used; any will do
 */
export function permitData(payable: Payable, nonce: bigint, now: bigint): TypedData {
  return {
    // Permit2's domain has no version.
    domain: { name: "Permit2", chainId: payable.chainId, verifyingContract: permit2Address },
    types: { EIP712Domain: domainType.filter(({ name }) => name !== "version"), ...permitTypes },
    primaryType: "PermitWitnessTransferFrom",
    message: {
      permitted: { token: getAddress(payable.token.address), amount: payable.amount.toString() },
      spender: permit2ProxyAddress,
      nonce: nonce.toString(),
      deadline: (now + BigInt(secondsLeft(payable, now))).toString(),
      witness: { to: getAddress(payable.depositAddress), validAfter: "0" },
    },
  };
}

const address = z
  .string()
  .refine((text) => isAddress(text, { strict: false }), "must be a 20-byte 0x address")
  .transform((text) => getAddress(text));
const uint256 = z
  .string()
  .regex(/^\d{1,78}$/, "must be a decimal string")
  .refine((text) => !/^\d{1,78}$/.test(text) || BigInt(text) <= maxUint256, "must fit uint256");
const signature = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})+$/, "must be 0x-hex of whole bytes")
  .transform((text) => text.toLowerCase() as Hex);
const bytes32 = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "must be 32 bytes of 0x-hex")
  .transform((text) => text.toLowerCase() as Hex);

/** A signed EIP-3009 authorization, as x402 carries it. */
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

/** A signed Permit2 transfer through x402's proxy, as x402 carries it. */
export const signedPermit = z.object({
  signature,
  permit2Authorization: z.object({
    from: address,
    permitted: z.object({ token: address, amount: uint256 }),
    spender: address,
    nonce: uint256,
    deadline: uint256,
    witness: z.object({ to: address, validAfter: uint256 }),
  }),
});

/** As much of x402's `PaymentPayload` (v2) as a payment is judged by; clients send more along. */
export const paymentPayload = z.object({
  x402Version: z.literal(2, "must be 2: earlier versions name no chain but a few well-known ones"),
  accepted: z.object({
    scheme: z.string(),
    network: z.string(),
    amount: z.string(),
    asset: z.string(),
    payTo: z.string(),
    extra: z.record(z.string(), z.unknown()).optional(),
  }),
  payload: z.union([signedAuthorization, signedPermit]),
});

export type SignedAuthorization = z.output<typeof signedAuthorization>;
export type SignedPermit = z.output<typeof signedPermit>;
export type SignedPayment = SignedAuthorization | SignedPermit;

/** What tells one payment of an order from another, whatever bytes sign it. */
export function identify(signed: SignedPayment): { method: PaymentMethod; payer: Address; nonce: string } {
  return "authorization" in signed
    ? { method: "eip3009", payer: signed.authorization.from, nonce: signed.authorization.nonce }
    : {
        method: "permit2",
        payer: signed.permit2Authorization.from,
        nonce: BigInt(signed.permit2Authorization.nonce).toString(),
      };
}

/** Where Permit2 has a nonce down: the word of its owner's `nonceBitmap`, and its bit there. */
export function nonceBit(nonce: string | bigint): { word: bigint; mask: bigint } {
  return { word: BigInt(nonce) >> 8n, mask: 1n << (BigInt(nonce) & 255n) };
}

const proxyAbi = parseAbi([
  "function settle(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, address owner, (address to, uint256 validAfter) witness, bytes signature)",
]);
const tokenAbi = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
]);

/**
 * The calls that bring a signed payment into the escrow, each open to anyone, to be sent one after the other.
 *
 * @param options.deploys the payer's wallet does not stand yet: the deployment that came with the signature goes first
 *   (ERC-6492)
 * @param options.asBytes the token is to take the signature as bytes, though it has 65: a contract wallet's own. The
 *   escrow contract would hand those on as a key's, so the token itself is called first
 */
export function paymentCalls(
  signed: SignedPayment,
  escrow: { escrowContract: Address; terms: Terms },
  options: { deploys?: boolean; asBytes?: boolean } = {},
): { to: Address; data: Hex }[] {
  const { signature, address: factory, data } = parseErc6492Signature(signed.signature);
  const create = createEscrowFromDepositCall(escrow);
  const last = { to: create.to, data: create.data };
  if ("permit2Authorization" in signed) {
    const { from, permitted, nonce, deadline, witness } = signed.permit2Authorization;
    const transfer = encodeFunctionData({
      abi: proxyAbi,
      functionName: "settle",
      args: [
        {
          permitted: { token: permitted.token, amount: BigInt(permitted.amount) },
          nonce: BigInt(nonce),
          deadline: BigInt(deadline),
        },
        from,
        { to: witness.to, validAfter: BigInt(witness.validAfter) },
        signature,
      ],
    });
    return [{ to: permit2ProxyAddress, data: transfer }, last];
  }
  const first = options.deploys && factory && data ? [{ to: getAddress(factory), data }] : [];
  const { from, to, value, validAfter, validBefore, nonce } = signed.authorization;
  if (options.asBytes) {
    const transfer = encodeFunctionData({
      abi: tokenAbi,
      functionName: "transferWithAuthorization",
      args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
    });
    return [...first, { to: escrow.terms.token, data: transfer }, last];
  }
  const whole = createEscrowWithAuthorizationCall(escrow, {
    from,
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce,
    signature,
  });
  return [...first, { to: whole.to, data: whole.data }];
}

/** Tokens want 27 or 28 where some hardware wallets give the bare parity. */
export function standardSignature(bytes: Hex): Hex {
  if (size(bytes) !== 65) return bytes;
  const v = hexToBigInt(sliceHex(bytes, 64));
  return v > 1n ? bytes : `${sliceHex(bytes, 0, 64)}${(v + 27n).toString(16)}`;
}
