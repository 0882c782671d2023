import type { Address } from "viem";

/** A token that a new manifest lists beside the network's USDC. Symbol, decimals and domain are read from the chain. */
export type KnownToken = { address: Address; currency: string };

const usd = (address: Address): KnownToken => ({ address, currency: "USD" });
const eur = (address: Address): KnownToken => ({ address, currency: "EUR" });

/** DAI's bridges on OP Mainnet and Arbitrum gave it one address. */
const bridgedDai = usd("0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1");

/** The known tokens by chain id, each after its source. */
const known: Record<number, readonly KnownToken[]> = {
  // Ethereum
  1: [
    // EURC: developers.circle.com/stablecoins/eurc-contract-addresses
    eur("0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c"),
    // USDT: github.com/ethereum-optimism/ethereum-optimism.github.io, data/USDT/data.json
    usd("0xdAC17F958D2ee523a2206206994597C13D831ec7"),
    // DAI: github.com/ethereum-optimism/ethereum-optimism.github.io, data/DAI/data.json
    usd("0x6B175474E89094C44Da98b954EedeAC495271d0F"),
  ],
  // OP Mainnet: the same files of that repository
  10: [usd("0x94b008aA00579c1307B0EF2c499aD98a8ce58e58"), bridgedDai],
  // Polygon PoS
  137: [
    // USDT: docs.iron.xyz/stablecoins-and-blockchains
    usd("0xc2132D05D31c914a87C6611C10748AEb04B58e8F"),
    // DAI: github.com/0xPolygon/polygon-token-list
    usd("0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063"),
  ],
  // Base
  8453: [
    // EURC: developers.circle.com/stablecoins/eurc-contract-addresses
    eur("0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42"),
    // DAI: github.com/ethereum-optimism/ethereum-optimism.github.io, data/DAI/data.json
    usd("0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb"),
  ],
  // Arbitrum One: docs.range.org/faraday-api/product-info/supported-tokens
  42161: [usd("0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9"), bridgedDai],
};

/** The tokens that a new manifest of a chain lists beside its default one. */
export function knownTokens(chainId: number): readonly KnownToken[] {
  return known[chainId] ?? [];
}
