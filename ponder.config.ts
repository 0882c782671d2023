import { createRequire } from "node:module";
import type { PoolConfig } from "pg";
import type * as ponder from "ponder";
import { zeroAddress } from "viem";
import type * as anchors from "./abis/anchors.ts";
import type * as escrow from "./abis/escrow.ts";
import type * as registries from "./abis/registries.ts";
import type * as settings from "./config.ts";
import type * as connection from "./db/indexer-connection.ts";
import type * as heads from "./indexer/heads.ts";
import type * as lease from "./indexer/lease.ts";

// By Node itself: Ponder's own loader takes a second for them, and Node has most of them already.
const load = createRequire(import.meta.url);
const { anchorsAbi } = load("./abis/anchors.ts") as typeof anchors;
const { escrowAbi } = load("./abis/escrow.ts") as typeof escrow;
const { identityRegistryAbi, reputationRegistryAbi } = load("./abis/registries.ts") as typeof registries;
const { readConfig } = load("./config.ts") as typeof settings;
const { createConfig } = load("./node_modules/ponder/dist/esm/config/index.js") as typeof ponder;
const { IndexerConnection } = load("./db/indexer-connection.ts") as typeof connection;
const { headsUrl } = load("./indexer/heads.ts") as typeof heads;
const { heldLease } = load("./indexer/lease.ts") as typeof lease;

const { chains, databaseDirectUrl } = readConfig();

/**
 * Ponder asks a node 20 times a second at first, which is seconds of waiting after a restart. A node on this machine
 * limits nobody: named ten times, it is asked 200 times a second.
 */
function nodesOf(rpcUrl: string): string[] {
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(new URL(rpcUrl).hostname);
  return Array<string>(isHere ? 10 : 1).fill(rpcUrl);
}

/** Ponder wants names; `chain_<id>` tells them apart. Which chains there are is known only when it starts. */
const named = <T>(settingsOf: (chain: (typeof chains)[number]) => T): Record<string, T> =>
  Object.fromEntries(chains.map((chain) => [`chain_${chain.chain_id}`, settingsOf(chain)]));

export default createConfig({
  // `Client` is a setting of the pool that its types leave out; the pool passes the others on to it.
  database: {
    kind: "postgres",
    connectionString: databaseDirectUrl,
    poolConfig: { Client: IndexerConnection, lease: heldLease() } as PoolConfig,
  },
  chains: named((chain) => ({
    id: chain.chain_id,
    rpc: nodesOf(chain.rpc_url),
    ws: headsUrl(chain.chain_id),
    pollingInterval: chain.polling_interval,
  })),
  contracts: {
    Escrow: {
      abi: escrowAbi,
      chain: named((chain) => ({ address: chain.escrow_contract, startBlock: chain.deployment_block })),
    },
    // Nothing of before our deployment concerns us. Where there are no registries, or no anchors, nobody's events are
    // asked for, since handlers without a contract are refused.
    IdentityRegistry: {
      abi: identityRegistryAbi,
      chain: named((chain) => ({
        address: chain.erc8004?.identity_registry ?? zeroAddress,
        startBlock: chain.deployment_block,
      })),
    },
    ReputationRegistry: {
      abi: reputationRegistryAbi,
      chain: named((chain) => ({
        address: chain.erc8004?.reputation_registry ?? zeroAddress,
        startBlock: chain.deployment_block,
      })),
    },
    Anchors: {
      abi: anchorsAbi,
      chain: named((chain) => ({
        address: chain.anchors?.contract ?? zeroAddress,
        startBlock: chain.anchors?.deployment_block ?? chain.deployment_block,
      })),
    },
  },
});
