import { createConfig } from "ponder";
import { escrowAbi } from "./abis/escrow.ts";
import { readConfig } from "./config.ts";

const { chains, databaseUrl } = readConfig();

/** Ponder wants names; `chain_<id>` tells them apart. Which chains there are is known only when it starts. */
const named = <T>(settingsOf: (chain: (typeof chains)[number]) => T): Record<string, T> =>
  Object.fromEntries(chains.map((chain) => [`chain_${chain.chain_id}`, settingsOf(chain)]));

export default createConfig({
  database: { kind: "postgres", connectionString: databaseUrl },
  chains: named((chain) => ({
    id: chain.chain_id,
    rpc: chain.rpc_url,
    pollingInterval: chain.polling_interval,
  })),
  contracts: {
    Escrow: {
      abi: escrowAbi,
      chain: named((chain) => ({ address: chain.escrow_contract, startBlock: chain.deployment_block })),
    },
  },
});
