import { type Chain, defineChain } from "viem";
import {
  type Connector,
  createConfig,
  createStorage,
  injected,
  unstable_connector,
  useConnection,
  useConnectors,
} from "wagmi";
import { reconnect } from "wagmi/actions";
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
/** Milliseconds that a wallet has to restore the connection of an earlier page. */
const reconnectTimeoutMs = 3_000;

/** Ends once the connection of an earlier page is restored, or cannot be in time. */
export const walletReconnected: Promise<unknown> = Promise.race([
  reconnect(walletConfig).catch(() => {}),
  new Promise((resolve) => setTimeout(resolve, reconnectTimeoutMs)),
]);

/**
 * Returns the connection to a wallet, and renders again when it changes. Pages have no provider of wagmi, because a page
 * that signs nothing does not load wagmi.
 */
export const useWallet = () => useConnection({ config: walletConfig });

/** Returns the wallets that announced themselves in this browser. */
export const useWallets = (): readonly Connector[] => useConnectors({ config: walletConfig });
