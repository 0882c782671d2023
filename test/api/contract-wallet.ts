import { type Address, concatHex, getAddress, type Hex, numberToHex, size } from "viem";
import { localAccounts } from "../../scripts/stack/anvil.ts";
import type { TestChain } from "../harness/chain.ts";

/** The smallest wallet of ERC-1271: `isValidSignature` says yes to what ecrecover says is its owner's. */
function walletCode(owner: Address): Hex {
  return `0x${[
    "6004355f52", // the hash
    "60853560ff16602052", // v
    "606435604052", // r
    "608435606052", // s
    "6020608060805f60015afa50", // ecrecover
    `60805173${owner.slice(2)}14`, // is it the owner?
    "631626ba7e60e01b025f5260205ff3", // the magic value, or zero
  ].join("")}`;
}

/** Creation code that leaves this runtime code: copies what follows these nine bytes, and returns it. */
function creationCode(runtime: Hex): Hex {
  return concatHex(["0x60", numberToHex(size(runtime), { size: 1 }), "0x8060095f395ff3", runtime]);
}

/** Deploys a contract wallet of this owner. */
export async function deployWallet(chain: TestChain, owner: Address): Promise<Address> {
  const hash = await chain
    .wallet(localAccounts.deployer)
    .sendTransaction({ data: creationCode(walletCode(owner)) });
  const { contractAddress } = await chain.publicClient.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error("The contract wallet was not deployed.");
  return getAddress(contractAddress);
}
