import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Account,
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  http,
  parseEther,
  parseUnits,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { testUsdBytecode } from "../../abis/bytecode.ts";
import { type Chain, readConfig } from "../../config/config.ts";
import { deployContracts, writeManifest } from "../../tools/deploy/deployment.ts";
import { localAccounts, startAnvil } from "../../tools/stack/anvil.ts";
import { getFixture } from "./fixtures/fixture.ts";

export type TestChain = Awaited<ReturnType<typeof forkChain>>;

/**
 * A test's own chain: an anvil forked from the base chain or another network. It has the escrow contract and
 * that network's token, and mines each transaction at once.
 *
 * @param options.blockTime seconds between blocks, instead
 * @param options.fork the other network, as `readForkConfig` reads it from FORK_URL
 * @param options.ownToken gives the chain a token at a new address, for which a process has no cached values
 */
export async function forkChain(
  options: { blockTime?: number; fork?: { url: string; token: Address } | null; ownToken?: boolean } = {},
) {
  const { blockTime, fork, ownToken } = options;
  const base = await getFixture("baseChain");
  const folder = mkdtempSync(join(tmpdir(), "earnest-chain-"));
  const { child, rpcUrl } = await startAnvil({
    port: 0,
    logFile: join(folder, "anvil.log"),
    args: [
      "--fork-url",
      fork?.url ?? base.rpcUrl,
      "--no-storage-caching",
      ...(blockTime ? ["--block-time", String(blockTime)] : []),
    ],
  });
  const node = createTestClient({ mode: "anvil", transport: http(rpcUrl) });
  // A fork's clock continues from its last block, which may be old. A signature that is valid from ten
  // minutes ago would not be valid yet.
  const { timestamp } = await createPublicClient({ transport: http(rpcUrl) }).getBlock();
  const now = BigInt(Math.floor(Date.now() / 1000));
  if (timestamp < now) {
    await node.setNextBlockTimestamp({ timestamp: now });
    await node.mine({ blocks: 1 });
  }

  let deploymentsDir = base.deployments;
  const token = fork?.token ?? (ownToken ? await deployToken(rpcUrl) : null);
  if (token) {
    await node.setBalance({ address: localAccounts.deployer.address, value: parseEther("100") });
    const manifest = await deployContracts({
      rpcUrl,
      account: localAccounts.deployer,
      token,
      arbiter: localAccounts.arbiter.address,
      pollingInterval: 50,
    });
    deploymentsDir = join(folder, "deployments");
    writeManifest(deploymentsDir, manifest);
  }
  const chainId = await createPublicClient({ transport: http(rpcUrl) }).getChainId();
  /** The settings by which the processes of Earnest serve this chain. */
  const env: Record<string, string> = {
    DEPLOYMENTS_DIR: deploymentsDir,
    [`RPC_URL_${chainId}`]: rpcUrl,
    [`CONFIRMATIONS_${chainId}`]: "1",
    [`POLLING_INTERVAL_${chainId}`]: "200",
    [`MIN_RELAY_AMOUNT_${chainId}`]: "0",
  };
  const chain = readConfig(env).defaultChain as Chain;
  const viemChain = defineChain({
    id: chain.chain_id,
    name: chain.network_name,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const transport = http(rpcUrl);

  return {
    rpcUrl,
    chain,
    env,
    /** The methods of anvil: time, mining, balances, reorganisations. */
    node,
    publicClient: createPublicClient({ chain: viemChain, transport, pollingInterval: 50, cacheTime: 0 }),
    /** Returns a wallet client that sends from this account. */
    wallet: <T extends Account>(account: T) =>
      createWalletClient({ account, chain: viemChain, transport, pollingInterval: 50 }),
    /** Gives an account 10 native coins and 10,000 tokens. */
    async fund(account: { address: Address }): Promise<void> {
      await node.setBalance({ address: account.address, value: parseEther("10") });
      await node.request({
        method: "anvil_dealERC20",
        params: [
          account.address,
          chain.token.address,
          `0x${parseUnits("10000", chain.token.decimals).toString(16)}`,
        ],
      } as never);
    },
    async close(): Promise<void> {
      await child.stop(5000);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Deploys TestUSD from a new account, so at a new address. */
async function deployToken(rpcUrl: string): Promise<Address> {
  const account = privateKeyToAccount(generatePrivateKey());
  const transport = http(rpcUrl);
  const node = createTestClient({ mode: "anvil", transport });
  await node.setBalance({ address: account.address, value: parseEther("1") });
  const hash = await createWalletClient({ account, transport }).sendTransaction({
    data: testUsdBytecode,
    chain: null,
  });
  const reader = createPublicClient({ transport, pollingInterval: 50 });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error("The token was not deployed.");
  return contractAddress;
}
