import type { Address } from "viem";

/** A known chain, with its defaults, which the environment can override. */
export type Network = {
  /** the name, as in `npm run deploy -- --chain base` */
  name: string;
  chain_id: number;
  network_name: string;
  /** symbol of the native coin, which pays for gas */
  native_symbol: string;
  /** the token of orders, with its EIP-712 domain's name and version; null: TestUSD is deployed */
  token: {
    address: Address;
    symbol: string;
    decimals: number;
    name: string;
    version: string;
    /** the currency that the token is redeemed for */
    currency: string;
  } | null;
  /** the blocks, including its own, that confirm an event */
  confirmations: number;
  /** milliseconds between two polls of the chain's head */
  polling_interval: number;
  /** ERC-8004's registries; null: development registries are deployed */
  erc8004: Registries | null;
};

/** ERC-8004's Identity Registry, an ERC-721 contract of agents, and the Reputation Registry of feedback to them. */
export type Registries = { identity_registry: Address; reputation_registry: Address };

/** Circle's own USDC on a chain, not a bridged token: only Circle's has EIP-3009. */
const usdc = (address: Address, name: string): Network["token"] => ({
  address,
  symbol: "USDC",
  decimals: 6,
  name,
  version: "2",
  currency: "USD",
});

/** The registries of all main networks, as listed at github.com/erc-8004/erc-8004-contracts. */
const mainRegistries: Registries = {
  identity_registry: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
  reputation_registry: "0x8004BAa17C55a88189AE136b182e5fdA19dE9b63",
};
const testRegistries: Registries = {
  identity_registry: "0x8004A818BFB912233c491871b3d84c89A494BD9e",
  reputation_registry: "0x8004B663056A597Dffe9eCcC1965A193B7388713",
};

/** The chain of a developer's machine, the only one where TestUSD is deployed. */
export const localNetwork: Network = {
  name: "local",
  chain_id: 31_337,
  network_name: "Local chain",
  native_symbol: "ETH",
  token: null,
  // Only this machine writes blocks.
  confirmations: 1,
  // Its WebSocket announces new blocks.
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
    // 24 seconds of 2-second blocks. One sequencer orders them: only its failover can revert the newest ones.
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
    // The same as Base, so that tests take as long as there.
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
    // 2.4 minutes of 12-second slots. Sometimes the newest one or two blocks are replaced; 64 would wait for finality.
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
    // The same as Base: the same software, 2-second blocks, one sequencer.
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
    // 10 seconds of quarter-second blocks from one sequencer: twelve blocks would be too short a time.
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
    // A minute of 2-second blocks. Milestones finalise them within seconds, but have stalled, and reorganisations were
    // deep.
    confirmations: 32,
    polling_interval: 1000,
    erc8004: mainRegistries,
  },
  localNetwork,
];

/** Finds a known chain by its id; undefined if the chain is unknown. */
export function findNetwork(chainId: number): Network | undefined {
  return networks.find((network) => network.chain_id === chainId);
}
