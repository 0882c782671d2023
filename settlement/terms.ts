import { type Address, concatHex, getContractAddress, type Hex } from "viem";
import { checksumAddress, keccak256 } from "./primitives.ts";
import { wordWriterOf } from "./words.ts";

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

/** The members of `Terms` in the contract's order. */
const termTypes: [keyof Terms, string][] = [
  ["buyer", "address"],
  ["provider", "address"],
  ["token", "address"],
  ["amount", "uint128"],
  ["fundBy", "uint48"],
  ["deliveryWindow", "uint32"],
  ["acceptanceWindow", "uint32"],
  ["disputeWindow", "uint32"],
  ["appealWindow", "uint32"],
  ["arbiter", "address"],
  ["orderHash", "bytes32"],
];

/** The escrow's id: keccak256(abi.encode(chain id, escrow contract, terms)). */
export function escrowIdOf(chainId: number, escrowContract: Address, terms: Terms): Hex {
  // Word by word: viem's coder of any type takes several times as long as the hash.
  const words = termTypes.map(([name, type]) => wordOf(type, terms[name]));
  return keccak256(`0x${wordOf("uint256", chainId)}${wordOf("address", escrowContract)}${words.join("")}`);
}

/** @throws TypeError for what is not plainly of the type */
function wordOf(type: string, value: unknown): string {
  const word = wordWriterOf(type)?.(value) ?? null;
  if (word === null) throw new TypeError(`${value} is no ${type}.`);
  return word;
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
