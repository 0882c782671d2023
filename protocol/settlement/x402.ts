import { type Address, getAddress, type Hex } from "viem";
import { digestOf } from "./digest.ts";
import { domainType, type TypedData } from "./signatures.ts";
import type { TokenMethod } from "./vocabulary.ts";

/**
 * One payment option of a 402 answer (x402 v2). `upto` is for metered orders: the whole amount goes into the escrow, and
 * the escrow returns what the delivery does not use.
 */
export type PaymentRequirements = {
  scheme: "exact" | "upto";
  network: `eip155:${number}`;
  /** base units */
  amount: string;
  asset: Address;
  /** the order's own deposit address, from which only the escrow contract can take money, for exactly its terms */
  payTo: Address;
  maxTimeoutSeconds: number;
  /** name and version of the token's EIP-712 domain; for an order that is not yet placed, the seal of its terms */
  extra: {
    name: string;
    version: string;
    assetTransferMethod?: "permit2";
    /** of `upto`: the only sender that x402's proxy lets use the permit */
    facilitatorAddress?: Address;
    terms?: string;
  };
};

/** The amount to pay, as frozen with the order, and the token's EIP-712 domain. */
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
/** x402's proxy for `exact` payments by Permit2, at the same address on every chain. */
export const permit2ProxyAddress: Address = "0x402085c248EeA27D92E8b30b2C58ed07f9E20001";
/** x402's proxy for `upto` payments by Permit2, at the same address on every chain. */
export const uptoProxyAddress: Address = "0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002";

/** Multicall3, at the same address on every public chain; x402's verification calls it. */
export const multicall3Address: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";

/**
 * Returns the one nonce of all authorizations that a client signs for an order, in every language: the escrow's id. The
 * token accepts a nonce once, so no crash, second process or dishonest service makes a wallet pay twice. The
 * authorization may be to the deposit address, or to the escrow contract, which accepts no other nonce.
 */
export function paymentNonceOf(escrowId: Hex): Hex {
  return escrowId;
}

/**
 * Returns the one nonce of all signatures for a purchase without an account, in every language. Each answer of the service has
 * an escrow of its own, so the escrow's id cannot be the nonce. The token accepts the nonce once, whatever terms were signed.
 *
 * @param purchase the caller's name of the purchase, or the digest of its request
 * @param number counts equal purchases, from 1
 */
export function purchaseNonceOf(serviceId: string, purchase: string, number: number): Hex {
  return digestOf({ service_id: serviceId, purchase, number });
}

/** Seconds for which a payer's signature is valid at most, so that an unused one cannot surprise its payer. */
const longestSeconds = 600;

/**
 * Builds the payment options, the simplest first. None is valid after the order's funding deadline.
 *
 * @param facilitator the sender of payments of scheme `upto`; null if the scheme is not offered
 */
export function requirementsOf(
  payable: Payable,
  methods: readonly TokenMethod[],
  now: bigint,
  facilitator: Address | null = null,
): PaymentRequirements[] {
  const { name, version } = payable.token;
  const payment = {
    network: `eip155:${payable.chainId}`,
    amount: payable.amount.toString(),
    asset: getAddress(payable.token.address),
    payTo: getAddress(payable.depositAddress),
    maxTimeoutSeconds: secondsLeft(payable, now),
  } as const;
  const options: PaymentRequirements[] = methods.map((method) => ({
    scheme: "exact",
    ...payment,
    extra: method === "permit2" ? { name, version, assetTransferMethod: "permit2" } : { name, version },
  }));
  if (facilitator === null) return options;
  const extra = { name, version, assetTransferMethod: "permit2", facilitatorAddress: facilitator } as const;
  return [...options, { scheme: "upto", ...payment, extra }];
}

function secondsLeft({ fundBy }: Pick<Payable, "fundBy">, now: bigint): number {
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
 * Builds the EIP-3009 authorization that a payer signs; `message` with the signature is a payment.
 *
 * @param nonce 32 random bytes
 */
export function authorizationData(payable: Payable, payer: Address, nonce: Hex, now: bigint): TypedData {
  return authorizationToSign(payable, {
    from: getAddress(payer),
    to: getAddress(payable.depositAddress),
    value: payable.amount.toString(),
    validAfter: "0",
    validBefore: (now + BigInt(secondsLeft(payable, now))).toString(),
    nonce,
  });
}

/**
 * Builds the EIP-3009 authorization to the escrow contract itself, for `createEscrowWithReceiveAuthorization`. Its
 * nonce is the escrow's id, so it is valid for these terms alone. For clients that set the nonce; `message` with the
 * signature is a payment.
 */
export function receiveAuthorizationData(
  payable: Omit<Payable, "depositAddress">,
  { escrowContract, escrowId }: { escrowContract: Address; escrowId: Hex },
  payer: Address,
  now: bigint,
): TypedData {
  return receiveAuthorizationToSign(payable, {
    from: getAddress(payer),
    to: getAddress(escrowContract),
    value: payable.amount.toString(),
    validAfter: "0",
    validBefore: (now + BigInt(secondsLeft(payable, now))).toString(),
    nonce: escrowId,
  });
}

/** Builds the typed data of an authorization to the escrow contract (EIP-3009). */
export function receiveAuthorizationToSign(
  payable: Pick<Payable, "chainId" | "token">,
  message: TypedData["message"],
): TypedData {
  const { types, ...data } = authorizationToSign(payable, message);
  const { TransferWithAuthorization: members = [], ...domain } = types;
  return {
    ...data,
    types: { ...domain, ReceiveWithAuthorization: members },
    primaryType: "ReceiveWithAuthorization",
  };
}

/** Builds the typed data of an authorization (EIP-3009). */
export function authorizationToSign(
  { chainId, token: { name, version, address } }: Pick<Payable, "chainId" | "token">,
  message: TypedData["message"],
): TypedData {
  return {
    domain: { name, version, chainId, verifyingContract: getAddress(address) },
    types: { EIP712Domain: [...domainType], TransferWithAuthorization: transferTypes },
    primaryType: "TransferWithAuthorization",
    message,
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
const uptoPermitTypes = {
  ...permitTypes,
  Witness: [
    { name: "to", type: "address" },
    { name: "facilitator", type: "address" },
    { name: "validAfter", type: "uint256" },
  ],
};

/**
 * Builds the permit that a payer signs, with which Permit2 moves the money through x402's proxy to the order's deposit
 * address only. `message` with `from`, the payer, and the signature is a payment.
 *
 * @param nonce any nonce that the payer has not used
 */
export function permitData(payable: Payable, nonce: bigint, now: bigint): TypedData {
  return permitToSign(payable.chainId, {
    permitted: { token: getAddress(payable.token.address), amount: payable.amount.toString() },
    spender: permit2ProxyAddress,
    nonce: nonce.toString(),
    deadline: (now + BigInt(secondsLeft(payable, now))).toString(),
    witness: { to: getAddress(payable.depositAddress), validAfter: "0" },
  });
}

/** Builds the typed data of a permit (Permit2, with x402's witness). @param scheme x402's scheme, whose witness differs */
export function permitToSign(
  chainId: number,
  message: TypedData["message"],
  scheme: PaymentRequirements["scheme"] = "exact",
): TypedData {
  const types = scheme === "upto" ? uptoPermitTypes : permitTypes;
  return {
    // Permit2's domain has no version.
    domain: { name: "Permit2", chainId, verifyingContract: permit2Address },
    types: { EIP712Domain: domainType.filter(({ name }) => name !== "version"), ...types },
    primaryType: "PermitWitnessTransferFrom",
    message,
  };
}
