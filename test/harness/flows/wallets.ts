import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  type Hex,
  type LocalAccount,
  numberToHex,
  pad,
  parseAbi,
  parseEther,
  serializeErc6492Signature,
} from "viem";
import type { TestChain } from "../fixtures/chain-clients.ts";
import { compile } from "../solidity.ts";
import { factoryOwner, walletFactory } from "./wallet-factory.ts";

/** A signer: the part of an account that x402's client uses. */
export type Signing = Pick<LocalAccount, "address" | "signTypedData">;

const factoryAbi = parseAbi([
  "function createWallet(address owner, bytes32 salt) returns (address)",
  "function createCostlyWallet(address owner, bytes32 salt, uint256 gas) returns (address)",
]);
const constructorAbi = parseAbi(["constructor(address owner)"]);
const costlyAbi = parseAbi(["constructor(address owner, uint256 gas)"]);

/** The form of an owner's signature for a wallet: 65 bytes, or with the signer's address before them. */
export type Form = "plain" | "named";

const code = (await compile(new URL("./wallets.sol", import.meta.url))) as Record<
  "Wallet" | "CostlyWallet" | "WalletFactory" | "Vault" | "SigningDelegate",
  Hex
>;

async function deploy(chain: TestChain, data: Hex): Promise<Address> {
  const hash = await (await chain.newWallet()).sendTransaction({ data });
  const { contractAddress } = await chain.publicClient.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error("The contract was not deployed.");
  return getAddress(contractAddress);
}

export const deployFactory = (chain: TestChain) => deploy(chain, code.WalletFactory);
/** Deploys the factory that the shared stack allows, at its known address. */
export async function placeFactory(chain: TestChain): Promise<void> {
  await chain.node.setBalance({ address: factoryOwner.address, value: parseEther("1") });
  const hash = await chain.wallet(factoryOwner).sendTransaction({ data: code.WalletFactory, nonce: 0 });
  const { contractAddress } = await chain.publicClient.waitForTransactionReceipt({ hash });
  if (getAddress(contractAddress ?? "0x") !== walletFactory)
    throw new Error(`The factory does not stand at ${walletFactory}.`);
}
export const deployVault = (chain: TestChain) => deploy(chain, code.Vault);
export const deployDelegate = (chain: TestChain) => deploy(chain, code.SigningDelegate);
export const deployWallet = (chain: TestChain, owner: Address) =>
  deploy(chain, encodeDeployData({ abi: constructorAbi, bytecode: code.Wallet, args: [owner] }));
/** A wallet that burns this much gas for each signature. */
export const deployCostlyWallet = (chain: TestChain, owner: Address, gas: bigint) =>
  deploy(chain, encodeDeployData({ abi: costlyAbi, bytecode: code.CostlyWallet, args: [owner, gas] }));

/** Signs as a contract wallet, by its owner's key. */
export function signAs(wallet: Address, owner: LocalAccount, form: Form): Signing {
  return {
    address: wallet,
    signTypedData: async (data) => {
      const signature = await owner.signTypedData(data as never);
      return form === "plain"
        ? signature
        : encodeAbiParameters([{ type: "address" }, { type: "bytes" }], [owner.address, signature]);
    },
  };
}

const walletAbi = parseAbi(["function execute(address to, bytes data)"]);

/** The call data by which an owner makes the wallet call this. */
export function executeCall(wallet: Address, { to, data }: { to: Address; data: Hex }) {
  return {
    to: wallet,
    data: encodeFunctionData({ abi: walletAbi, functionName: "execute", args: [to, data] }),
  };
}

let salts = 0n;

/**
 * A wallet that the factory has yet to deploy, signing with its deployment along (ERC-6492).
 *
 * @param options.gas burnt in the deployment
 */
export function foreseeWallet(
  factory: Address,
  owner: LocalAccount,
  form: Form,
  options: { gas?: bigint } = {},
) {
  const salt = pad(numberToHex(++salts));
  const address = getContractAddress({
    opcode: "CREATE2",
    from: factory,
    salt,
    bytecode: encodeDeployData({ abi: constructorAbi, bytecode: code.Wallet, args: [owner.address] }),
  });
  const deployment = {
    to: factory,
    data:
      options.gas === undefined
        ? encodeFunctionData({ abi: factoryAbi, functionName: "createWallet", args: [owner.address, salt] })
        : encodeFunctionData({
            abi: factoryAbi,
            functionName: "createCostlyWallet",
            args: [owner.address, salt, options.gas],
          }),
  };
  const inner = signAs(address, owner, form);
  const signing: Signing = {
    address,
    signTypedData: async (data) =>
      serializeErc6492Signature({
        address: factory,
        data: deployment.data,
        signature: await inner.signTypedData(data as never),
      }),
  };
  return { address, deployment, signing };
}

/** The code of a key's account that delegates to a contract (EIP-7702). */
export const delegationTo = (delegate: Address): Hex => concat(["0xef0100", delegate]);
