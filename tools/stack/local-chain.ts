import { createPublicClient, createTestClient, http, toHex } from "viem";
import { escrowBytecode } from "../../abis/bytecode.ts";
import { readManifest } from "../../config/chains.ts";
import { ConfigError, type DeploymentManifest } from "../../config/config.ts";
import { viewsSchema } from "../../db/chain-index.ts";
import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { addressOf } from "../deploy/create2.ts";
import { deployContracts, manifestFile, writeManifest } from "../deploy/deployment.ts";
import { type Anvil, localAccounts, placeMulticall3, startAnvil } from "./anvil.ts";
import { type LocalChain, localChainId } from "./local-chains.ts";
import { type StateFolder, stateAdvice } from "./state-folder.ts";
import { deployTestTokens } from "./test-tokens.ts";

/** The number of blocks that Ponder reads again at each start. Earlier blocks are final to Ponder. */
const ponderDepth = 30n;

/** Seconds between two saves of the chain: fewer than those blocks, so that a crash loses no final block. */
const saveEvery = 10;

/** Starts a local chain from its saved state. It saves its state regularly and at its end. */
export async function startLocalChain(
  state: StateFolder,
  chain: LocalChain,
  options: { port: number; logFile: string },
): Promise<Anvil> {
  const anvil = await startAnvil({
    ...options,
    name: chain.place === "chain" ? "anvil" : "the second anvil",
    args: [
      ...["--chain-id", String(chain.chainId)],
      ...["--block-time", String(chain.blockTime)],
      ...["--state", state[chain.place]],
      ...["--state-interval", String(saveEvery)],
      // Old states of accounts are of no use here. With a number after it, anvil 1.7 keeps 0.3 GB for each 1000 blocks.
      "--prune-history",
    ],
  });
  await placeMulticall3(anvil.rpcUrl);
  return anvil;
}

/**
 * Deploys the contracts on a local chain and writes their manifest.
 *
 * @param standing the manifest of deployed contracts, which is completed; undefined on an empty chain
 */
export async function deployLocally(
  state: StateFolder,
  { networkName, tokens }: LocalChain,
  rpcUrl: string,
  standing?: DeploymentManifest,
): Promise<DeploymentManifest> {
  const [token, ...others] = standing ? [] : await deployTestTokens(rpcUrl, tokens);
  const made = await deployContracts({
    rpcUrl,
    manifest: standing,
    token: token?.address ?? standing?.token.address,
    account: localAccounts.deployer,
    arbiter: localAccounts.arbiter.address,
    networkName,
    pollingInterval: 50,
  });
  const manifest = token ? { ...made, token, other_tokens: others } : made;
  writeManifest(state.deployments, manifest);
  return manifest;
}

/**
 * Reads the manifest of the contracts and checks that they are on the chain. Missing ERC-8004 registries, anchors and passkey
 * accounts are deployed.
 *
 * @throws ConfigError if a contract of the manifest is not on the chain
 */
export async function readLocalDeployment(
  state: StateFolder,
  chain: LocalChain,
  rpcUrl: string,
): Promise<DeploymentManifest> {
  const file = manifestFile(state.deployments, chain.chainId);
  const manifest = readManifest(file);
  const reader = createPublicClient({ transport: http(rpcUrl) });
  const others = [
    ...Object.values(manifest.erc8004 ?? {}),
    ...(manifest.anchors ? [manifest.anchors.contract] : []),
    ...(manifest.passkey_factory ? [manifest.passkey_factory] : []),
  ];
  const tokens = [manifest.token, ...(manifest.other_tokens ?? [])].map(({ address }) => address);
  for (const address of [manifest.escrow_contract, ...tokens, ...others]) {
    if (await reader.getCode({ address })) continue;
    throw new ConfigError(
      `${file} names a contract at ${address}, but the chain saved in ${state[chain.place]} has none there. ${stateAdvice}`,
    );
  }
  const isThisBuilds = manifest.escrow_contract === addressOf(escrowBytecode);
  const hasRegistries = manifest.erc8004 || chain.chainId !== localChainId;
  const isWhole = hasRegistries && manifest.anchors && manifest.passkey_factory;
  if (!isWhole && isThisBuilds) return deployLocally(state, chain, rpcUrl, manifest);
  return manifest;
}

/**
 * Refuses a chain that is not the index's: another chain, or one that lost final blocks. The loss of newer, unsaved blocks is
 * a reorganisation, which the indexer and the ledger follow.
 *
 * @throws ConfigError naming the block
 */
export async function fitChainToIndex(
  state: StateFolder,
  chain: LocalChain,
  rpcUrl: string,
  db: Database,
): Promise<void> {
  const views = sql.identifier(viewsSchema);
  const {
    rows: [index],
  } = await db
    .execute<{ final: string; number: string | null; hash: string | null }>(sql`
      select final, event.block_number as number, event.block_hash as hash
      from (
        select substr(finalized_checkpoint, 27, 16)::numeric as final
        from ${views}._ponder_checkpoint where chain_id = ${chain.chainId}
      ) as checkpoint
      left join lateral (
        select block_number, block_hash from ${views}.escrow_event
        where chain_id = ${chain.chainId} and block_number <= final order by block_number desc limit 1
      ) as event on true`)
    .catch(() => ({ rows: [] }));
  // Without views the indexer never ran on this database.
  if (!index) return;
  const reader = createPublicClient({ transport: http(rpcUrl) });
  const head = await reader.getBlockNumber();
  const broken = (what: string) =>
    new ConfigError(
      `${what} The chain saved in ${state[chain.place]} is not the one of this database. ${stateAdvice}`,
    );
  if (head < BigInt(index.final)) {
    throw broken(`The index knows block ${index.final} as final, but the chain ends at block ${head}.`);
  }
  if (index.number !== null) {
    const block = await reader.getBlock({ blockNumber: BigInt(index.number) });
    if (block.hash !== index.hash) {
      throw broken(`Block ${index.number} is ${block.hash} on the chain, but ${index.hash} in the index.`);
    }
  }
  // Ponder treats the 30th block from the head as final, and stops if the final block moves back.
  const missing = BigInt(index.final) + ponderDepth - head;
  if (missing > 0n) {
    const node = createTestClient({ mode: "anvil", transport: http(rpcUrl) });
    await node.mine({ blocks: Number(missing) });
  }
}

/** The relayer's key on the local chain; everybody knows it. */
export const localRelayerKey = toHex(localAccounts.relayer.getHdKey().privateKey as Uint8Array);
