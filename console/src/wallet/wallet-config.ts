import { type Chain, defineChain } from "viem";
import { createConfig, createStorage, injected, unstable_connector } from "wagmi";
import { findNetwork, localNetwork } from "../../../protocol/settlement/networks.ts";
import { settings } from "../settings.ts";

/** Describes a chain for wagmi. It has no RPC URL, so that only the wallet's own node is used. */
function chainOf({ chain_id, network_name }: { chain_id: number; network_name: string }): Chain {
  return defineChain({
    id: chain_id,
    name: network_name,
    nativeCurrency: {
      name: "native coin",
      symbol: findNetwork(chain_id)?.native_symbol ?? "ETH",
      decimals: 18,
    },
    rpcUrls: { default: { http: [] } },
  });
}

/** The chains of the service, or the local chain: wagmi needs one, and the market works without any. */
const chains = (settings.chains.length > 0 ? settings.chains : [localNetwork]).map(chainOf) as [
  Chain,
  ...Chain[],
];

/** The chain of the sign-in message. */
export const homeChainId = settings.chain_id ?? chains[0].id;

/** wagmi with wallets that announce themselves (EIP-6963) only, so no third-party service is involved. */
export const walletConfig = createConfig({
  chains,
  connectors: [],
  multiInjectedProviderDiscovery: true,
  // Like the session, the connection lasts over tabs and restarts.
  storage: createStorage({ storage: localStorage, key: "earnest.wallet" }),
  transports: Object.fromEntries(
    chains.map(({ id }) => [id, unstable_connector(injected, { retryCount: 0 })]),
  ),
  pollingInterval: 1_000,
});
