import { type Address, concatHex, encodeAbiParameters, getContractAddress, type Hex } from "viem";
import { checksumAddress, keccak256 } from "./primitives.ts";

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
  /** seconds, as the three after it */
  deliveryWindow: number;
  acceptanceWindow: number;
  disputeWindow: number;
  appealWindow: number;
  arbiter: Address;
  orderHash: Hex;
};

/** The most that `amount` holds in an escrow's terms, which is a uint128. */
export const largestAmount = 2n ** 128n - 1n;

const termsParameter = {
  type: "tuple",
  name: "terms",
  components: [
    { name: "buyer", type: "address" },
    { name: "provider", type: "address" },
    { name: "token", type: "address" },
    { name: "amount", type: "uint128" },
    { name: "fundBy", type: "uint48" },
    { name: "deliveryWindow", type: "uint32" },
    { name: "acceptanceWindow", type: "uint32" },
    { name: "disputeWindow", type: "uint32" },
    { name: "appealWindow", type: "uint32" },
    { name: "arbiter", type: "address" },
    { name: "orderHash", type: "bytes32" },
  ],
} as const;

/** The escrow's id: keccak256(abi.encode(chain id, escrow contract, terms)). */
export function escrowIdOf(chainId: number, escrowContract: Address, terms: Terms): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: "uint256" }, { type: "address" }, termsParameter],
      [BigInt(chainId), escrowContract, terms],
    ),
  );
}

/** What an escrow contract's deposit addresses are clones of: the contract that it made in its constructor (CREATE, nonce 1). */
export function depositImplementationOf(escrowContract: Address): Address {
  return getContractAddress({ from: escrowContract, nonce: 1n });
}

/** The order's own deposit address: the EIP-1167 clone that the escrow contract deploys with CREATE2 (EIP-1014), salt = escrow id. */
export function depositAddressOf(escrowContract: Address, implementation: Address, escrowId: Hex): Address {
  const creation = concatHex([
    "0x3d602d80600a3d3981f3363d3d373d3d3d363d73",
    implementation,
    "0x5af43d82803e903d91602b57fd5bf3",
  ]);
  const hash = keccak256(concatHex(["0xff", escrowContract, escrowId, keccak256(creation)]));
  return checksumAddress(`0x${hash.slice(-40)}`);
}

/** The terms of an order as its row holds them; they are frozen when the order is placed. */
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
