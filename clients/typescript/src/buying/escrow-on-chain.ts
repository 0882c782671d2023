// Reads an order's escrow and payment from the buyer's own node. Without a node, nothing is known.

import { erc20Abi, type Hex, parseAbi } from "viem";
import { isContractAnswer } from "../../../../protocol/settlement/contract-answers.ts";
import type { AgreedOrder } from "./agreement-check.ts";
import type { Signer } from "./wallet.ts";

const chainAbi = parseAbi([
  "function getEscrow(bytes32 escrowId) view returns ((uint8 status, uint32 deliveryCount, uint48 fundedAt, uint48 deliveredAt, uint48 disputedAt, uint128 paid, uint128 earned))",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
]);

/** Tells whether the order's escrow was created. It is false without a node. */
export async function hasEscrow(agreed: AgreedOrder, signer: Signer): Promise<boolean> {
  return (await readEscrowStatus(agreed, signer)) !== 0;
}

/** Tells whether the money has left the escrow: released, refunded or split. */
export async function isOver(agreed: AgreedOrder, signer: Signer): Promise<boolean> {
  return (await readEscrowStatus(agreed, signer)) >= firstEnd;
}

/** An escrow on the chain: whether its money has left, and what parts have paid. `fundedAt` is in unix seconds. */
export type EscrowState = { isOver: boolean; paid: bigint; fundedAt: number };

/** Reads an escrow from the chain; null without a node. */
export async function readEscrowState(
  { escrowContract: address, escrowId }: Pick<AgreedOrder, "escrowContract" | "escrowId">,
  { node }: Pick<Signer, "node">,
): Promise<EscrowState | null> {
  if (!node) return null;
  const args = [escrowId] as const;
  const call = { address, abi: chainAbi, functionName: "getEscrow", args } as const;
  const { status, paid, fundedAt } = await node.readContract(call);
  return { isOver: status >= firstEnd, paid, fundedAt };
}

/** The least number of the contract's `Status` whose money has left: released, refunded or split. */
const firstEnd = 4;

/** Reads the number of the contract's `Status`. It is 0 (none) without a node. */
async function readEscrowStatus({ escrowContract: address, escrowId }: AgreedOrder, { node }: Signer) {
  if (!node) return 0;
  const args = [escrowId] as const;
  const call = { address, abi: chainAbi, functionName: "getEscrow", args } as const;
  const { status } = await node.readContract(call);
  return status;
}

/** Tells whether the wallet's authorization with a nonce was used. It is false without a node. */
export async function isNonceUsed(
  { terms }: AgreedOrder,
  nonce: Hex,
  { node, address }: Signer,
): Promise<boolean> {
  if (!node) return false;
  const args = [address, nonce] as const;
  const call = { address: terms.token, abi: chainAbi, functionName: "authorizationState", args } as const;
  return await node.readContract(call).catch((error: unknown) => {
    // A token without EIP-3009 has no used authorization.
    if (isContractAnswer(error)) return false;
    throw error;
  });
}

/** Tells whether the wallet has allowed the escrow contract to take the amount. */
export async function hasAllowed(
  { terms, escrowContract }: AgreedOrder,
  { node, address }: Signer,
): Promise<boolean> {
  if (!node) return false;
  const args = [address, escrowContract] as const;
  const call = { address: terms.token, abi: erc20Abi, functionName: "allowance", args } as const;
  const allowed = await node.readContract(call);
  return allowed >= terms.amount;
}

/** Returns Unix seconds by the later of both clocks, because a local chain's clock may be ahead. */
export async function nowOf({ node }: Pick<Signer, "node">): Promise<bigint> {
  const here = BigInt(Math.floor(Date.now() / 1000));
  const timestamp = node ? (await node.getBlock()).timestamp : 0n;
  return timestamp > here ? timestamp : here;
}
