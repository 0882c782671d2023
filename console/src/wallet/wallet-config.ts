import { type Chain, defineChain } from "viem";
import { createConfig, createStorage, injected, unstable_connector } from "wagmi";
import { findNetwork, localNetwork } from "../../../protocol/settlement/networks.ts";
import { settings } from "../settings.ts";

/** A chain as wallets are asked for it. It has no address of a node: the wallet's own node is asked, and no other. */
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

/** The chains of the service; a service without any still shows its market. */
const chains = (settings.chains.length > 0 ? settings.chains : [localNetwork]).map(chainOf) as [
  Chain,
  ...Chain[],
];

/** The chain that is signed in with. */
export const homeChainId = settings.chain_id ?? chains[0].id;

/** Wallets that announce themselves to the page (EIP-6963), and nothing else: no service in between. */
export const walletConfig = createConfig({
  chains,
  connectors: [],
  multiInjectedProviderDiscovery: true,
  // A wallet is connected for as long as the session lasts, in this tab.
  storage: createStorage({ storage: sessionStorage, key: "earnest.wallet" }),
  transports: Object.fromEntries(
    chains.map(({ id }) => [id, unstable_connector(injected, { retryCount: 0 })]),
  ),
  pollingInterval: 1_000,
});
