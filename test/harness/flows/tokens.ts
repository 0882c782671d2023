import {
  type Abi,
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeDeployData,
  getAddress,
  type Hex,
  http,
  parseAbi,
  parseEther,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { compile } from "../solidity.ts";

const named = parseAbi(["constructor(string name, string symbol, uint8 decimals)"]);

/** The functions of the tokens of tokens.sol that a test calls. */
export const tokenAbi = parseAbi([
  "function mint(address to, uint256 value)",
  "function approve(address spender, uint256 value)",
  "function setFee(uint256 value)",
  "function setRate(uint256 value)",
  "function setCall(address target, bytes data)",
  "function calls() view returns (uint256)",
  "function successes() view returns (uint256)",
  "function nonces(address holder) view returns (uint256)",
  "function permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)",
]);

/** Deploys tokens of tokens.sol on an anvil. */
export async function tokenDeployer(rpcUrl: string) {
  const contracts = await compile(new URL("./tokens.sol", import.meta.url));
  const account = privateKeyToAccount(generatePrivateKey());
  const transport = http(rpcUrl);
  const node = createTestClient({ mode: "anvil", transport });
  await node.setBalance({ address: account.address, value: parseEther("10") });
  const reader = createPublicClient({ transport, pollingInterval: 50, cacheTime: 0 });
  const writer = createWalletClient({ account, transport });

  async function confirm(hash: Hex) {
    const receipt = await reader.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success") throw new Error(`The transaction ${hash} of a test token reverted.`);
    return receipt;
  }
  async function deploy(contract: string, abi: Abi = [], args: unknown[] = []): Promise<Address> {
    const bytecode = contracts[contract] as Hex;
    const data = args.length > 0 ? encodeDeployData({ abi, bytecode, args }) : bytecode;
    const { contractAddress } = await confirm(await writer.sendTransaction({ data, chain: null }));
    return getAddress(contractAddress as Address);
  }
  return {
    /** Deploys a contract without arguments. */
    deploy: (contract: string) => deploy(contract),
    /** Deploys a plain token. */
    deploySimple: (symbol: string, decimals: number) =>
      deploy("SimpleToken", named, [`${symbol} token`, symbol, decimals]),
    /** Calls a function of a token. */
    async call(address: Address, functionName: "mint" | "setFee" | "setRate" | "setCall", args: unknown[]) {
      const request = { abi: tokenAbi as Abi, address, functionName, args, chain: null };
      await confirm(await writer.writeContract(request));
    },
  };
}
