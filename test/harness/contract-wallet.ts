import {
  type Address,
  concatHex,
  getAddress,
  getContractAddress,
  type Hex,
  numberToHex,
  serializeErc6492Signature,
  size,
  zeroHash,
} from "viem";
import type { TestChain } from "./chain.ts";

/** The smallest ERC-1271 wallet: `isValidSignature` accepts the signature of its owner, by ecrecover. */
export function walletCode(owner: Address): Hex {
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

/** An ERC-1271 wallet that accepts any signature of this length. */
export const lengthWalletCode = (bytes: number): Hex =>
  `0x60443561${bytes.toString(16).padStart(4, "0")}14631626ba7e60e01b025f5260205ff3`;

/** Creation code for this runtime code: it copies the code after these nine bytes, and returns it. */
function creationCode(runtime: Hex): Hex {
  return concatHex(["0x60", numberToHex(size(runtime), { size: 1 }), "0x8060095f395ff3", runtime]);
}

/** The CREATE2 factory at this address on most chains, anvil's included: salt and creation code. */
const factory = "0x4e59b44847b379578588920cA78FbF26c0B4956C";

/** A contract wallet that is not deployed yet, and its owner's ERC-6492 signature. */
export function foreseeWallet(owner: Address) {
  const bytecode = creationCode(walletCode(owner));
  const salt = zeroHash;
  return {
    address: getContractAddress({ opcode: "CREATE2", from: factory, salt, bytecode }),
    wrap: (signature: Hex) =>
      serializeErc6492Signature({ address: factory, data: concatHex([salt, bytecode]), signature }),
  };
}

/** Deploys a contract wallet of this owner. */
export const deployWallet = (chain: TestChain, owner: Address) => deployCode(chain, walletCode(owner));

/** Deploys a contract wallet of this code. */
export async function deployCode(chain: TestChain, code: Hex): Promise<Address> {
  const hash = await (await chain.newWallet()).sendTransaction({ data: creationCode(code) });
  const { contractAddress } = await chain.publicClient.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error("The contract wallet was not deployed.");
  return getAddress(contractAddress);
}
