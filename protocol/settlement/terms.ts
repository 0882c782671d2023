import {
  type Address,
  concatHex,
  encodeAbiParameters,
  getAbiItem,
  getContractAddress,
  type Hex,
  keccak256,
} from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import { bytes32Pattern } from "./shapes.ts";

export { digestOf } from "./digest.ts";

/** An escrow's terms, field by field as the contract's `Terms`. */
export type Terms = {
  buyer: Address;
  provider: Address;
  token: Address;
  /** base units */
  amount: bigint;
  /** unix seconds */
  fundBy: number;
  /** seconds, like the next three */
  deliveryWindow: number;
  acceptanceWindow: number;
  disputeWindow: number;
  appealWindow: number;
  arbiter: Address;
  orderHash: Hex;
};

/** The largest `amount` of an escrow's terms, which is a uint128. */
export const largestAmount = 2n ** 128n - 1n;

/** The latest `fundBy` of an escrow's terms, which is a uint48. */
export const latestTime = 2 ** 48 - 1;

/**
 * The acceptance window of an escrow that the buyer's vouchers alone pay, in seconds: the contract's `VOUCHERS_ONLY`. The
 * contract then takes no record of work and no dispute.
 */
export const vouchersOnly = 2 ** 32 - 1;

const [termsType] = getAbiItem({ abi: escrowAbi, name: "createEscrow" }).inputs;
const escrowIdTypes = [{ type: "uint256" }, { type: "address" }, termsType] as const;

/** Computes the escrow's id: keccak256(abi.encode(chain id, escrow contract, terms)). */
export function escrowIdOf(chainId: number, escrowContract: Address, terms: Terms): Hex {
  // viem would pad a hash that is half a byte short.
  if (!bytes32Pattern.test(terms.orderHash)) throw new TypeError(`${terms.orderHash} is not a 32-byte hash.`);
  return keccak256(encodeAbiParameters(escrowIdTypes, [BigInt(chainId), escrowContract, terms]));
}

/**
 * Computes the address of the contract that all deposit addresses of an escrow contract clone. Its constructor creates
 * it (CREATE, nonce 1).
 */
export function depositImplementationOf(escrowContract: Address): Address {
  return getContractAddress({ from: escrowContract, nonce: 1n });
}

/**
 * Computes the order's own deposit address: the EIP-1167 clone that the escrow contract deploys with CREATE2
 * (EIP-1014), salt = escrow id.
 */
export function depositAddressOf(escrowContract: Address, implementation: Address, escrowId: Hex): Address {
  const bytecode = concatHex([
    "0x3d602d80600a3d3981f3363d3d373d3d3d363d73",
    implementation,
    "0x5af43d82803e903d91602b57fd5bf3",
  ]);
  return getContractAddress({ opcode: "CREATE2", from: escrowContract, salt: escrowId, bytecode });
}

/** Reads the terms of an order from its row; they are frozen when the order is placed. */
export function termsOf(
  order: Omit<Terms, "buyer" | "provider"> & { buyerAddress: Address; providerAddress: Address },
): Terms {
  return {
    buyer: order.buyerAddress,
    provider: order.providerAddress,
    token: order.token,
    amount: order.amount,
    fundBy: order.fundBy,
    deliveryWindow: order.deliveryWindow,
    acceptanceWindow: order.acceptanceWindow,
    disputeWindow: order.disputeWindow,
    appealWindow: order.appealWindow,
    arbiter: order.arbiter,
    orderHash: order.orderHash,
  };
}
