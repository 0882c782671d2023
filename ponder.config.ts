import { createConfig } from "ponder";
import { zeroAddress } from "viem";
import { anchorsAbi } from "./abis/anchors.ts";
import { escrowAbi } from "./abis/escrow.ts";
import { identityRegistryAbi, reputationRegistryAbi } from "./abis/registries.ts";
import { readConfig } from "./config/config.ts";
import { endWithParent } from "./tools/indexer/end-with-parent.ts";

const { chains, databaseDirectUrl } = readConfig();

endWithParent();

/** Names the settings of each chain `chain_<id>`, as Ponder requires names. The chains are known only at start. */
const named = <T>(settingsOf: (chain: (typeof chains)[number]) => T): Record<string, T> =>
  Object.fromEntries(chains.map((chain) => [`chain_${chain.chain_id}`, settingsOf(chain)]));

export default createConfig({
  database: {
    kind: "postgres",
    connectionString: databaseDirectUrl,
    // Without a timeout, the pool waits for ever for a connection that is cut during its handshake.
    poolConfig: { connectionTimeoutMillis: 5000 },
  },
  chains: named((chain) => ({
    id: chain.chain_id,
    rpc: chain.rpc_url,
    ...(chain.ws_url ? { ws: chain.ws_url } : {}),
    pollingInterval: chain.polling_interval,
  })),
  contracts: {
    Escrow: {
      abi: escrowAbi,
      chain: named((chain) => ({ address: chain.escrow_contract, startBlock: chain.deployment_block })),
    },
    // The index starts with our deployment. Handlers need a contract, so chains without registries or anchors use the
    // zero address, which emits no events.
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
