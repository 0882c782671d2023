import { arbitrum, base, baseSepolia, type Chain, mainnet, optimism, polygon } from "viem/chains";

/** Public networks with nodes that anybody may use, for a wallet that does not know a network. */
export const publicNetworks: readonly Chain[] = [base, baseSepolia, mainnet, optimism, arbitrum, polygon];
