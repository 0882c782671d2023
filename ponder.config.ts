import { createConfig } from "ponder";
import { zeroAddress } from "viem";
import { anchorsAbi } from "./abis/anchors.ts";
import { escrowAbi } from "./abis/escrow.ts";
import { identityRegistryAbi, reputationRegistryAbi } from "./abis/registries.ts";
import { readConfig } from "./config/config.ts";
import { endWithParent } from "./tools/indexer/end-with-parent.ts";

const { chains, databaseDirectUrl } = readConfig();

endWithParent();

/** Ponder wants names; `chain_<id>` tells them apart. Which chains there are is known only when it starts. */
const named = <T>(settingsOf: (chain: (typeof chains)[number]) => T): Record<string, T> =>
  Object.fromEntries(chains.map((chain) => [`chain_${chain.chain_id}`, settingsOf(chain)]));

export default createConfig({
  database: {
    kind: "postgres",
    connectionString: databaseDirectUrl,
    // The pool would wait for ever for a connection that is cut while it is made.
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
