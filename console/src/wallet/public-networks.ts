import type { AddEthereumChainParameter } from "viem";

type Described = Required<
  Pick<AddEthereumChainParameter, "rpcUrls" | "blockExplorerUrls" | "nativeCurrency">
>;

const ether = { name: "ETH", symbol: "ETH", decimals: 18 };

/**
 * Public nodes and explorers by chain id, as each network's own documents name them, for a wallet that does not know the network.
 * This page reads from none of them.
 */
export const publicNetworks: Record<number, Described | undefined> = {
  1: {
    rpcUrls: ["https://ethereum-rpc.publicnode.com"],
    blockExplorerUrls: ["https://etherscan.io"],
    nativeCurrency: ether,
  },
  10: {
    rpcUrls: ["https://mainnet.optimism.io"],
    blockExplorerUrls: ["https://optimistic.etherscan.io"],
    nativeCurrency: ether,
  },
  137: {
    rpcUrls: ["https://polygon-rpc.com"],
    blockExplorerUrls: ["https://polygonscan.com"],
    nativeCurrency: { name: "POL", symbol: "POL", decimals: 18 },
  },
  8453: {
    rpcUrls: ["https://mainnet.base.org"],
    blockExplorerUrls: ["https://basescan.org"],
    nativeCurrency: ether,
  },
  42161: {
    rpcUrls: ["https://arb1.arbitrum.io/rpc"],
    blockExplorerUrls: ["https://arbiscan.io"],
    nativeCurrency: ether,
  },
  84532: {
    rpcUrls: ["https://sepolia.base.org"],
    blockExplorerUrls: ["https://sepolia.basescan.org"],
    nativeCurrency: ether,
  },
};
