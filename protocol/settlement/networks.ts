import type { Address } from "viem";

/** A chain that Earnest knows by name, with what holds there unless the environment says otherwise. */
export type Network = {
  /** as in `npm run deploy -- --chain base` */
  name: string;
  chain_id: number;
  network_name: string;
  /** symbol of the coin that gas is paid in */
  native_symbol: string;
  /** The token that orders are paid in, with its EIP-712 domain's name and version; null: TestUSD is deployed. */
  token: { address: Address; symbol: string; decimals: number; name: string; version: string } | null;
  /** how many blocks, its own included, make an event count */
  confirmations: number;
  /** milliseconds between two looks at the chain's head */
  polling_interval: number;
  /** ERC-8004's registries; null: development registries are deployed. */
  erc8004: Registries | null;
};

/** ERC-8004's Identity Registry, an ERC-721 contract of agents, and the Reputation Registry of the feedback to them. */
export type Registries = { identity_registry: Address; reputation_registry: Address };

/** Circle's own USDC of a chain, not one that a bridge made: only that one has EIP-3009. */
const usdc = (address: Address, name: string): Network["token"] => ({
  address,
  symbol: "USDC",
  decimals: 6,
  name,
  version: "2",
});

/** The same on every main network, by the addresses that github.com/erc-8004/erc-8004-contracts lists. */
const mainRegistries: Registries = {
  identity_registry: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
  reputation_registry: "0x8004BAa17C55a88189AE136b182e5fdA19dE9b63",
};
const testRegistries: Registries = {
  identity_registry: "0x8004A818BFB912233c491871b3d84c89A494BD9e",
  reputation_registry: "0x8004B663056A597Dffe9eCcC1965A193B7388713",
};

/** The chain on one's own machine, the only one where TestUSD is deployed. */
export const localNetwork: Network = {
  name: "local",
  chain_id: 31_337,
  network_name: "Local chain",
  native_symbol: "ETH",
  token: null,
  // Nobody else writes blocks there.
  confirmations: 1,
  // New blocks come by its WebSocket.
  polling_interval: 500,
  erc8004: null,
};

export const networks: readonly Network[] = [
  {
    name: "base",
    chain_id: 8453,
    network_name: "Base",
    native_symbol: "ETH",
    token: usdc("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin"),
    // 24 seconds of 2-second blocks. One sequencer orders them: only its failover can take newest ones back.
    confirmations: 12,
    polling_interval: 1000,
    erc8004: mainRegistries,
  },
  {
    name: "base-sepolia",
    chain_id: 84_532,
    network_name: "Base Sepolia",
    native_symbol: "ETH",
    token: usdc("0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC"),
    // As Base, so that what is tried here takes as long there.
    confirmations: 12,
    polling_interval: 1000,
    erc8004: testRegistries,
  },
  {
    name: "ethereum",
    chain_id: 1,
    network_name: "Ethereum",
    native_symbol: "ETH",
    token: usdc("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USD Coin"),
    // 2.4 minutes of 12-second slots. Newest blocks are replaced one or two deep now and then; 64 would wait for finality.
    confirmations: 12,
    polling_interval: 4000,
    erc8004: mainRegistries,
  },
  {
    name: "optimism",
    chain_id: 10,
    network_name: "Optimism",
    native_symbol: "ETH",
    token: usdc("0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", "USD Coin"),
    // As Base: the same software, 2-second blocks, one sequencer.
    confirmations: 12,
    polling_interval: 1000,
    erc8004: mainRegistries,
  },
  {
    name: "arbitrum",
    chain_id: 42_161,
    network_name: "Arbitrum One",
    native_symbol: "ETH",
    token: usdc("0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "USD Coin"),
    // 10 seconds of quarter-second blocks, and one sequencer: as many blocks as elsewhere would be no time at all.
    confirmations: 40,
    polling_interval: 1000,
    erc8004: mainRegistries,
  },
  {
    name: "polygon",
    chain_id: 137,
    network_name: "Polygon PoS",
    native_symbol: "POL",
    token: usdc("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USD Coin"),
    // A minute of 2-second blocks. Milestones make them final within seconds, but have stalled; reorganisations were deep.
    confirmations: 32,
    polling_interval: 1000,
    erc8004: mainRegistries,
  },
  localNetwork,
];

/** What is known of a chain by its id; undefined if nothing is. */
export function findNetwork(chainId: number): Network | undefined {
  return networks.find((network) => network.chain_id === chainId);
}
