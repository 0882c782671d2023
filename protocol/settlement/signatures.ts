import { type Address, type Hex, hashTypedData, recoverAddress, zeroHash } from "viem";

/** The messages that a party may sign so that anyone can submit the call (the contract's type hashes). */
const signedTypes = {
  RecordDelivery: [
    { name: "escrowId", type: "bytes32" },
    { name: "outputHash", type: "bytes32" },
    { name: "number", type: "uint32" },
    { name: "deadline", type: "uint256" },
  ],
  RecordPart: [
    { name: "escrowId", type: "bytes32" },
    { name: "earned", type: "uint256" },
    { name: "workHash", type: "bytes32" },
    { name: "isFinal", type: "bool" },
    { name: "number", type: "uint32" },
    { name: "deadline", type: "uint256" },
  ],
  Voucher: [
    { name: "escrowId", type: "bytes32" },
    { name: "cumulativeAmount", type: "uint256" },
    { name: "workHash", type: "bytes32" },
  ],
  Close: [
    { name: "escrowId", type: "bytes32" },
    { name: "providerAmount", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
  Release: [
    { name: "escrowId", type: "bytes32" },
    { name: "deadline", type: "uint256" },
  ],
  Refund: [
    { name: "escrowId", type: "bytes32" },
    { name: "deadline", type: "uint256" },
  ],
  Dispute: [
    { name: "escrowId", type: "bytes32" },
    { name: "reasonHash", type: "bytes32" },
    { name: "deadline", type: "uint256" },
  ],
  DecideDispute: [
    { name: "escrowId", type: "bytes32" },
    { name: "providerAmount", type: "uint256" },
    { name: "rulingHash", type: "bytes32" },
    { name: "deadline", type: "uint256" },
  ],
} as const;

/** The fields of an EIP-712 domain, which wallets require in full. */
export const domainType = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const;

/** The messages by their primary type; times are unix seconds, amounts base units. */
export type SignedMessages = {
  /** `number` is the delivery's own, one more than were recorded, so that an old signature cannot be used again */
  RecordDelivery: { escrowId: Hex; outputHash: Hex; number: number; deadline: bigint };
  /** `earned` is the provider's amount up to this part; `number` as in `RecordDelivery` */
  RecordPart: {
    escrowId: Hex;
    earned: bigint;
    workHash: Hex;
    isFinal: boolean;
    number: number;
    deadline: bigint;
  };
  /** has no deadline: it is valid until the escrow ends, and the amount only rises */
  Voucher: { escrowId: Hex; cumulativeAmount: bigint; workHash: Hex };
  /** `providerAmount` includes the paid parts */
  Close: { escrowId: Hex; providerAmount: bigint; deadline: bigint };
  Release: { escrowId: Hex; deadline: bigint };
  Refund: { escrowId: Hex; deadline: bigint };
  Dispute: { escrowId: Hex; reasonHash: Hex; deadline: bigint };
  DecideDispute: { escrowId: Hex; providerAmount: bigint; rulingHash: Hex; deadline: bigint };
};

/**
 * EIP-712 typed data as JSON, which wallets sign unchanged (`eth_signTypedData_v4`). Integers wider than 53 bits are
 * decimal strings.
 */
export type TypedData = {
  domain: { name: string; version?: string; chainId: number; verifyingContract: Address };
  types: Record<string, { name: string; type: string }[]>;
  primaryType: string;
  message: Record<string, string | number | boolean | Record<string, string | number>>;
};

/** Builds the EIP-712 domain of an escrow contract. */
export const escrowDomain = (escrow: {
  chainId: number;
  escrowContract: Address;
}): Required<TypedData["domain"]> => ({
  name: "Earnest Escrow",
  version: "1",
  chainId: escrow.chainId,
  verifyingContract: escrow.escrowContract,
});

/** Builds the typed data of a message to an escrow contract, including its `EIP712Domain`. */
export function typedDataOf<Type extends keyof SignedMessages>(
  escrow: { chainId: number; escrowContract: Address },
  primaryType: Type,
  message: SignedMessages[Type],
): TypedData {
  const fields: [string, string | number | bigint | boolean][] = Object.entries(message);
  return {
    domain: escrowDomain(escrow),
    types: { EIP712Domain: [...domainType], [primaryType]: [...signedTypes[primaryType]] },
    primaryType,
    message: Object.fromEntries(
      fields.map(([name, value]) => [name, typeof value === "bigint" ? value.toString() : value]),
    ),
  };
}

/** Seconds for which a signature instead of a call is valid. */
const signatureSeconds = 86_400n;

/** The acts of a party by a signature that others submit, except the delivery record. */
export type SignedAct = "release" | "refund" | "dispute";

export type EscrowName = { chainId: number; escrowContract: Address; escrowId: Hex };

/** Builds the typed data of a party's act. `deadline` is unix seconds; only a dispute has a reason's hash. */
export function signedActData(
  act: SignedAct,
  escrow: EscrowName,
  { deadline, reasonHash = zeroHash }: { deadline: bigint; reasonHash?: Hex },
): TypedData {
  const { escrowId } = escrow;
  if (act === "dispute") return typedDataOf(escrow, "Dispute", { escrowId, reasonHash, deadline });
  return typedDataOf(escrow, act === "release" ? "Release" : "Refund", { escrowId, deadline });
}

/** Builds the typed data of the arbiter's decision: the provider's share in base units; the rest is the buyer's. */
export function decisionData(
  escrow: EscrowName,
  decision: { providerAmount: bigint; rulingHash: Hex; deadline: bigint },
): TypedData {
  return typedDataOf(escrow, "DecideDispute", { escrowId: escrow.escrowId, ...decision });
}

/** Returns the deadline of a signature made now, in unix seconds. */
export function signatureDeadline(now: bigint): bigint {
  return now + signatureSeconds;
}

/**
 * Builds the typed data of a delivery record, valid until the delivery deadline and for this number only.
 *
 * @param charge the sum in base units that the record claims as a part; null for a delivery that claims the whole amount. A
 *   metered order claims the price of its units, an order in stages that of all stages so far.
 * @param isFinal whether the provider claims no more than this part
 */
export function recordDeliveryData({
  chainId,
  escrowContract,
  escrowId,
  escrow,
  outputHash,
  charge = null,
  isFinal = true,
}: EscrowName & {
  escrow: { deliveryCount: number; deliveryDeadline: bigint } | null;
  outputHash: Hex | null;
  charge?: bigint | null;
  isFinal?: boolean;
}): TypedData | null {
  if (!escrow || !outputHash) return null;
  const numbered = { number: escrow.deliveryCount + 1, deadline: escrow.deliveryDeadline };
  const contract = { chainId, escrowContract };
  if (charge === null) return typedDataOf(contract, "RecordDelivery", { escrowId, outputHash, ...numbered });
  const part = { earned: charge, workHash: outputHash, isFinal };
  return typedDataOf(contract, "RecordPart", { escrowId, ...part, ...numbered });
}

/**
 * Builds the typed data by which the buyer pays a part: the provider's amount so far in base units, for the work of this
 * hash. It is valid until the escrow ends.
 */
export function voucherData(
  escrow: EscrowName,
  voucher: { cumulativeAmount: bigint; workHash: Hex },
): TypedData {
  return typedDataOf(escrow, "Voucher", { escrowId: escrow.escrowId, ...voucher });
}

/** Builds the typed data by which buyer and provider end the escrow together. `deadline` is unix seconds. */
export function closeData(
  escrow: EscrowName,
  close: { providerAmount: bigint; deadline: bigint },
): TypedData {
  return typedDataOf(escrow, "Close", { escrowId: escrow.escrowId, ...close });
}

/** Computes the digest to sign (EIP-712). */
export function digestToSign(data: TypedData): Hex {
  return hashTypedData(data);
}

/** Half the order of secp256k1: the contract refuses signatures with an s above it (EIP-2). */
const highestS = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";
/** The 65 bytes of a key's signature. */
const keySignature = /^0x[0-9a-fA-F]{130}$/;

/**
 * Checks a key's own signature, without a chain.
 *
 * @param recover finds whose key signed a digest, by 65 bytes; viem's by default
 * @returns the signature in the contract's form (65 bytes, v of 27 or 28), or null if it is not this address's. A
 * contract wallet's may still be valid by ERC-1271
 */
export async function readKeySignature(
  digest: Hex,
  signature: Hex,
  signer: Address,
  recover: (digest: Hex, signature: Hex) => Address | Promise<Address> = (hash, signature) =>
    recoverAddress({ hash, signature }),
): Promise<Hex | null> {
  if (!keySignature.test(signature) || signature.slice(66, 130).toLowerCase() > highestS) return null;
  const lastByte = Number.parseInt(signature.slice(-2), 16);
  // Some hardware wallets give the bare parity.
  const v = lastByte < 27 ? lastByte + 27 : lastByte;
  if (v !== 27 && v !== 28) return null;
  const standard: Hex = `0x${signature.slice(2, 130)}${v.toString(16)}`;
  try {
    const recovered = await recover(digest, standard);
    return recovered.toLowerCase() === signer.toLowerCase() ? standard : null;
  } catch {
    return null;
  }
}
