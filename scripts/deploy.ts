// npm run deploy: puts the escrow contract on a chain and writes the manifest that every process reads.

import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Account,
  type Address,
  createPublicClient,
  createWalletClient,
  getAddress,
  type Hex,
  http,
  type PublicClient,
  parseAbi,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { escrowBytecode, testUsdBytecode } from "../abis/bytecode.ts";
import { escrowAbi } from "../abis/escrow.ts";
import { ConfigError, type DeploymentManifest, deploymentManifest, readDeployConfig } from "../config.ts";

/**
 * Deploys the escrow contract, and TestUSD where no token is named.
 *
 * @param options.account who pays for it; it gets no rights
 * @param options.token the ERC-20 that orders are paid in
 * @param options.arbiter who decides disputes where the buyer names nobody; left out or null: only time does
 * @returns the manifest, which `writeManifest` puts where `config.ts` looks
 */
export async function deployContracts(options: {
  rpcUrl: string;
  account: Account;
  token?: Address | undefined;
  arbiter?: Address | null;
  networkName?: string | undefined;
  /** milliseconds between two looks for the receipts */
  pollingInterval?: number;
}): Promise<DeploymentManifest> {
  const { rpcUrl, account, pollingInterval = 1000 } = options;
  const transport = http(rpcUrl);
  const reader = createPublicClient({ transport, pollingInterval });
  const writer = createWalletClient({ account, transport });

  const send = (bytecode: Hex) => writer.sendTransaction({ data: bytecode, chain: null });
  const mined = async (hash: Hex) => {
    const receipt = await reader.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success" || !receipt.contractAddress) {
      throw new Error(`The deployment ${hash} reverted.`);
    }
    return { ...receipt, address: getAddress(receipt.contractAddress) };
  };

  const chainId = await reader.getChainId();
  // Named tokens are looked at before anything is paid for.
  const named = options.token ? await describeToken(reader, options.token) : null;
  const tokenSent = named ? null : await send(testUsdBytecode);
  const escrow = await mined(await send(escrowBytecode));
  const token = tokenSent ? await describeToken(reader, (await mined(tokenSent)).address) : named;
  const depositImplementation = await reader.readContract({
    address: escrow.address,
    abi: escrowAbi,
    functionName: "DEPOSIT_IMPLEMENTATION",
  });
  return deploymentManifest.parse({
    chain_id: chainId,
    network_name: options.networkName ?? (chainId === 31_337 ? "Local chain" : `Chain ${chainId}`),
    escrow_contract: escrow.address,
    deposit_implementation: depositImplementation,
    deployment_block: Number(escrow.blockNumber),
    deployment_transaction: escrow.transactionHash,
    token,
    arbiter: options.arbiter ?? null,
  });
}

/** Writes a manifest to `<directory>/<chain id>.json`, whole or not at all. Returns the file. */
export function writeManifest(directory: string, manifest: DeploymentManifest): string {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, `${manifest.chain_id}.json`);
  writeFileSync(`${file}.new`, `${JSON.stringify(manifest, null, 2)}\n`);
  renameSync(`${file}.new`, file);
  return file;
}

const tokenAbi = parseAbi([
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
  "function name() view returns (string)",
  "function version() view returns (string)",
  "function eip712Domain() view returns (bytes1, string, string, uint256, address, bytes32, uint256[])",
]);

/** What a token says of itself. The name and version of its EIP-712 domain come by ERC-5267, else as USDC has them. */
async function describeToken(reader: PublicClient, address: Address): Promise<DeploymentManifest["token"]> {
  if (!(await reader.getCode({ address }))) {
    throw new ConfigError(
      `There is no contract at ${address} on this chain: name the token's address there.`,
    );
  }
  const read = <T extends "symbol" | "decimals" | "name" | "version" | "eip712Domain">(functionName: T) =>
    reader.readContract({ address, abi: tokenAbi, functionName });
  const [symbol, decimals] = await Promise.all([read("symbol"), read("decimals")]);
  const domain = (await read("eip712Domain").catch(() => null)) as readonly unknown[] | null;
  const name = (domain?.[1] ?? (await read("name"))) as string;
  const version = (domain?.[2] ?? (await read("version").catch(() => "1"))) as string;
  return { address, symbol: symbol as string, decimals: decimals as number, name, version };
}

async function main(): Promise<void> {
  const config = readDeployConfig();
  const account = privateKeyToAccount(config.deployerPrivateKey);
  const chainId = await createPublicClient({ transport: http(config.rpcUrl) }).getChainId();
  const standing = join(config.deploymentsDir, `${chainId}.json`);
  if (existsSync(standing)) {
    throw new ConfigError(
      `${standing} already names a deployment on chain ${chainId}. Orders point to it: move the file away only if you mean to leave that contract.`,
    );
  }
  if (!config.token && chainId !== 31_337) {
    throw new ConfigError(
      `DEPLOY_TOKEN must name the token of chain ${chainId}: the test token is for local chains.`,
    );
  }
  console.log(`deploying on chain ${chainId} from ${account.address}`);
  const manifest = await deployContracts({ ...config, account });
  console.log(`escrow ${manifest.escrow_contract}, block ${manifest.deployment_block}`);
  console.log(`token  ${manifest.token.address} (${manifest.token.symbol})`);
  console.log(`wrote  ${writeManifest(config.deploymentsDir, manifest)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
