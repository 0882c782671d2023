import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { formatEther } from "viem";
import { z } from "zod";
import { findNetwork, localNetwork } from "../protocol/settlement/networks.ts";
import { hashPattern } from "../protocol/settlement/shapes.ts";
import { address, ConfigError, decimal, type Environment, wholeNumber } from "./environment.ts";
import { checkTokens, listedTokenShape, type Token, tokenShape, tokensOf } from "./payment-tokens.ts";
import { ofChain } from "./settings.ts";

const hash = z.string().regex(hashPattern, "must be a 32-byte 0x hash in lower case");
/** One chain's deployment, as `npm run deploy` writes it to `<DEPLOYMENTS_DIR>/<chain_id>.json`. */
export const deploymentManifest = z.strictObject({
  chain_id: z.int().positive(),
  network_name: z.string().min(1),
  escrow_contract: address,
  deposit_implementation: address,
  deployment_block: z.int().nonnegative(),
  /** Null if another contract created the escrow within its own transaction. */
  deployment_transaction: z.string().nullable(),
  /** The token of services that name none. */
  token: tokenShape,
  /** Further tokens that services may accept. A retired token pays no new order. */
  other_tokens: z.array(listedTokenShape).max(31).optional(),
  /** The arbiter of services that list none; null means that only time decides. */
  arbiter: address.nullable(),
  /** ERC-8004's registries on this chain; absent on a chain without them. */
  erc8004: z.strictObject({ identity_registry: address, reputation_registry: address }).optional(),
  /** The contract of anchors and its block. Without it, the log is not anchored. */
  anchors: z.strictObject({ contract: address, deployment_block: z.int().nonnegative() }).optional(),
  /** The factory of passkey accounts. Without it, no passkey can sign in or pay on this chain. */
  passkey_factory: address.optional(),
  /** The sources of the contract. */
  build: z
    .strictObject({
      /** keccak256 of the code at `escrow_contract` */
      code_hash: hash,
      /** keccak256 of the creation code that the CREATE2 deployer got with `salt` */
      creation_code_hash: hash,
      salt: hash,
      compiler: z.strictObject({
        solc: z.string(),
        optimizer_runs: z.int(),
        via_ir: z.boolean(),
        evm_version: z.string(),
        metadata_hash: z.string(),
        metadata_appended: z.boolean(),
      }),
    })
    .optional(),
});
export type DeploymentManifest = z.infer<typeof deploymentManifest>;

/** A chain that Earnest serves: its deployment, and how this process reaches it. */
export type Chain = DeploymentManifest & {
  /** The tokens that pay for new orders, the default one first. */
  tokens: readonly Token[];
  /** The tokens that pay only for orders placed before. */
  retired_tokens: readonly Token[];
  rpc_url: string;
  /** The node's WebSocket, which announces new blocks; null if the head is only polled. */
  ws_url: string | null;
  /** A chain fact counts once this many blocks, its own included, hold it. */
  confirmations: number;
  /** Milliseconds between two polls of the chain's head. */
  polling_interval: number;
  /** The most wei for one unit of gas, tip included, at which the relayer sends. */
  max_fee_per_gas: bigint;
  /** Base units of the default token from which an order's calls are relayed at our cost; as many whole tokens of any other. */
  min_relay_amount: bigint;
  /** The most gas an hour for relays of all accounts. */
  relay_gas_per_hour: number;
  /** Calls that the relayer makes in one transaction at most; 1 sends each alone. */
  relay_batch: number;
  /** Hours that a buyer has at least, from a recorded delivery on, before anyone can release. */
  min_acceptance_hours: number;
  /** Wei of the relayer below which the operator is alerted. */
  relayer_low_balance: bigint;
};

/**
 * The chains that have a manifest in a directory, by their ids.
 *
 * @throws ConfigError if a file is not a manifest, a chain has no node, or tokens could be taken for each other
 */
export function readChains(directory: string, env: Environment): Chain[] {
  const manifests = readManifests(directory);
  const chains = manifests.map(({ path, manifest }) => {
    const rpcUrl = readRpcUrl(manifest.chain_id, env);
    if (!rpcUrl) {
      throw new ConfigError(
        `${path} names chain ${manifest.chain_id}: set ${ofChain("RPC_URL", manifest.chain_id)}.`,
      );
    }
    return {
      ...manifest,
      ...tokensOf(manifest),
      rpc_url: rpcUrl,
      ws_url: readWsUrl(manifest.chain_id, env),
      ...readPace(manifest.chain_id, env),
      ...readRelayRules(manifest, env),
      min_acceptance_hours: readMinAcceptance(manifest.chain_id, env),
    };
  });
  checkTokens(chains);
  return chains.sort((a, b) => a.chain_id - b.chain_id);
}

/** Reads the manifests of a directory. @throws ConfigError if a file is not a manifest */
export function readManifests(directory: string): { path: string; manifest: DeploymentManifest }[] {
  let files: string[];
  try {
    files = readdirSync(directory).filter((file) => file.endsWith(".json"));
  } catch {
    return [];
  }
  return files.map((file) => {
    const path = join(directory, file);
    return { path, manifest: readManifest(path) };
  });
}

/** Reads one manifest. @throws ConfigError if the file is not a manifest */
export function readManifest(path: string): DeploymentManifest {
  const parsed = deploymentManifest.safeParse(parseJson(path));
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${path} is not a deployment manifest:\n${z.prettifyError(parsed.error)}`);
}

/** The node of a chain, where one is named. */
export function readRpcUrl(chainId: number, env: Environment): string | undefined {
  const local = chainId === localNetwork.chain_id;
  return env[ofChain("RPC_URL", chainId)] || (local ? "http://127.0.0.1:8545" : undefined);
}

const wsUrl = z.url({ protocol: /^wss?$/ });

/** Reads the URL of the node's WebSocket, null by default. With it, Ponder sees earlier blocks only when the next block comes. */
function readWsUrl(chainId: number, env: Environment): string | null {
  const name = ofChain("WS_URL", chainId);
  const value = env[name];
  if (!value || value === "none") return null;
  if (wsUrl.safeParse(value).success) return value;
  throw new ConfigError(`${name} is not a URL that begins with ws:// or wss://. It may also be none.`);
}

/** The confirmations of a chain, and the milliseconds between two polls of its head. */
export function readPace(
  chainId: number,
  env: Environment = process.env,
): Pick<Chain, "confirmations" | "polling_interval"> {
  // An unknown chain gets the values of chains with a sequencer and 2-second blocks.
  const known = findNetwork(chainId) ?? { confirmations: 12, polling_interval: 1000 };
  return {
    confirmations: wholeNumber(env, ofChain("CONFIRMATIONS", chainId), known.confirmations),
    polling_interval: wholeNumber(env, ofChain("POLLING_INTERVAL", chainId), known.polling_interval),
  };
}

/** The smallest acceptance window of new orders, in hours. A day lets people sleep; a local chain needs less. */
function readMinAcceptance(chainId: number, env: Environment): number {
  return wholeNumber(
    env,
    ofChain("MIN_ACCEPTANCE_HOURS", chainId),
    chainId === localNetwork.chain_id ? 1 : 24,
  );
}

/** The relayer's bounds on a chain: prices, amounts, gas, batches, and the balance that is low. */
function readRelayRules(
  { chain_id, token }: DeploymentManifest,
  env: Environment,
): Pick<
  Chain,
  "max_fee_per_gas" | "min_relay_amount" | "relay_gas_per_hour" | "relay_batch" | "relayer_low_balance"
> {
  const local = chain_id === localNetwork.chain_id;
  const maxFee = decimal(env, ofChain("MAX_FEE_GWEI", chain_id), {
    decimals: 9,
    least: 1n,
    otherwise: mostGwei[chain_id] ?? "100",
  });
  return {
    max_fee_per_gas: maxFee,
    min_relay_amount: decimal(env, ofChain("MIN_RELAY_AMOUNT", chain_id), {
      decimals: token.decimals,
      least: 0n,
      // A token without decimals has no tenth.
      otherwise: local ? "0" : token.decimals > 0 ? "0.1" : "1",
    }),
    relay_gas_per_hour: wholeNumber(env, ofChain("RELAY_GAS_PER_HOUR", chain_id), 300_000_000),
    relay_batch: Math.max(1, wholeNumber(env, ofChain("RELAY_BATCH", chain_id), 20)),
    relayer_low_balance: decimal(env, ofChain("RELAYER_LOW_BALANCE", chain_id), {
      decimals: 18,
      least: 0n,
      // Ten relays at the highest fee.
      otherwise: formatEther(10n * 300_000n * maxFee),
    }),
  };
}

/** The most that gas may cost on chains where it is far cheaper than on Ethereum, or paid in a cheaper coin. */
const mostGwei: Record<number, string | undefined> = {
  10: "5",
  8453: "5",
  42161: "5",
  84532: "5",
  137: "2000",
  [localNetwork.chain_id]: "1000",
};

function parseJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new ConfigError(`${path} cannot be read as JSON: ${(cause as Error).message}`);
  }
}
