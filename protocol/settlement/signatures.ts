import { type Address, type Hex, hashTypedData, recoverAddress, zeroHash } from "viem";

/** What a party may sign so that anyone can submit the call for it (the contract's type hashes). */
const signedTypes = {
  RecordDelivery: [
    { name: "escrowId", type: "bytes32" },
    { name: "outputHash", type: "bytes32" },
    { name: "number", type: "uint32" },
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

/** The fields of an EIP-712 domain as wallets want them spelled out. */
export const domainType = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const;

/** The messages by their primary type; times are unix seconds, amounts base units. */
export type SignedMessages = {
  /** `number` is the delivery's own, one more than were recorded, so that an old signature cannot come back */
  RecordDelivery: { escrowId: Hex; outputHash: Hex; number: number; deadline: bigint };
  Release: { escrowId: Hex; deadline: bigint };
  Refund: { escrowId: Hex; deadline: bigint };
  Dispute: { escrowId: Hex; reasonHash: Hex; deadline: bigint };
  DecideDispute: { escrowId: Hex; providerAmount: bigint; rulingHash: Hex; deadline: bigint };
};

/** EIP-712 typed data as JSON: wallets sign it as it stands (`eth_signTypedData_v4`). Integers wider than 53 bits are decimal strings. */
export type TypedData = {
  domain: { name: string; version?: string; chainId: number; verifyingContract: Address };
  types: Record<string, { name: string; type: string }[]>;
  primaryType: string;
  message: Record<string, string | number | Record<string, string | number>>;
};

/** The EIP-712 domain of an escrow contract. */
export const escrowDomain = (escrow: {
  chainId: number;
  escrowContract: Address;
}): Required<TypedData["domain"]> => ({
  name: "Earnest Escrow",
  version: "1",
  chainId: escrow.chainId,
  verifyingContract: escrow.escrowContract,
});

/** Writes the typed data of a message to an escrow contract, with its `EIP712Domain` spelled out as wallets want it. */
export function typedDataOf<Type extends keyof SignedMessages>(
  escrow: { chainId: number; escrowContract: Address },
  primaryType: Type,
  message: SignedMessages[Type],
): TypedData {
  const fields: [string, string | number | bigint][] = Object.entries(message);
  return {
    domain: escrowDomain(escrow),
    types: { EIP712Domain: [...domainType], [primaryType]: [...signedTypes[primaryType]] },
    primaryType,
    message: Object.fromEntries(
      fields.map(([name, value]) => [name, typeof value === "bigint" ? value.toString() : value]),
    ),
  };
}

/** How long a signature given instead of a call stays good, in seconds. */
const signatureSeconds = 86_400n;

/** What a party may do by a signature that somebody else sends, besides the record of a delivery. */
export type SignedAct = "release" | "refund" | "dispute";

export type EscrowName = { chainId: number; escrowContract: Address; escrowId: Hex };

/** What a party signs for an act. `deadline` is unix seconds; the reason's hash is a dispute's alone. */
export function signedActData(
  act: SignedAct,
  escrow: EscrowName,
  { deadline, reasonHash = zeroHash }: { deadline: bigint; reasonHash?: Hex },
): TypedData {
  const { escrowId } = escrow;
  if (act === "dispute") return typedDataOf(escrow, "Dispute", { escrowId, reasonHash, deadline });
  return typedDataOf(escrow, act === "release" ? "Release" : "Refund", { escrowId, deadline });
}

/** What the arbiter signs to decide a dispute: the provider's share in base units; the rest is the buyer's. */
export function decisionData(
  escrow: EscrowName,
  decision: { providerAmount: bigint; rulingHash: Hex; deadline: bigint },
): TypedData {
  return typedDataOf(escrow, "DecideDispute", { escrowId: escrow.escrowId, ...decision });
}

/** Until when a signature given now is asked to be good, in unix seconds. */
export function signatureDeadline(now: bigint): bigint {
  return now + signatureSeconds;
}

/** What the provider signs to have a delivery recorded: good until the delivery deadline and for this number only. */
export function recordDeliveryData({
  chainId,
  escrowContract,
  escrowId,
  escrow,
  outputHash,
}: EscrowName & {
  escrow: { deliveryCount: number; deliveryDeadline: bigint } | null;
  outputHash: Hex | null;
}): TypedData | null {
  if (!escrow || !outputHash) return null;
  return typedDataOf({ chainId, escrowContract }, "RecordDelivery", {
    escrowId,
    outputHash,
    number: escrow.deliveryCount + 1,
    deadline: escrow.deliveryDeadline,
  });
}

/** The digest that is signed (EIP-712). */
export function digestToSign(data: TypedData): Hex {
  return hashTypedData(data);
}

/** Half the order of secp256k1: the contract refuses signatures whose s is above it (EIP-2). */
const highestS = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";
/** The 65 bytes of a key's signature. */
const keySignature = /^0x[0-9a-fA-F]{130}$/;

/**
 * Checks a key's own signature, without a chain.
 *
 * @param recover tells whose key signed a digest, by 65 bytes; viem's unless told
 * @returns the signature as the contract takes it (65 bytes, v of 27 or 28), or null when it is not this address's;
 *   a contract wallet's may still be good by ERC-1271
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
