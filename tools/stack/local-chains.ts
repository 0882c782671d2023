/** A token of a local chain, which anyone may mint. */
export type TestToken = { name: string; symbol: string; decimals: number };

/** The id of the chain that `npm start` always has. */
export const localChainId = 31_337;

/** A chain of `npm start`. */
export type LocalChain = {
  chainId: number;
  networkName: string;
  /** Seconds between two blocks. */
  blockTime: number;
  /** The file of the state folder in which anvil saves the chain. */
  place: "chain" | "secondChain";
  /** The tokens to deploy, the default one first. Without any, TestUSD is the only token. */
  tokens: readonly TestToken[];
};

/** The chain that `npm start` always has. */
export const firstChain: LocalChain = {
  chainId: localChainId,
  networkName: "Local chain",
  blockTime: 1,
  place: "chain",
  tokens: [],
};

/** The chain of `npm start -- --second-chain`, whose blocks, confirmations and tokens differ from those of the first chain. */
export const secondChain: LocalChain = {
  chainId: 31_338,
  networkName: "Second local chain",
  blockTime: 2,
  place: "secondChain",
  tokens: [
    { name: "Test Tether", symbol: "TUSDT", decimals: 6 },
    { name: "Test Dai", symbol: "TDAI", decimals: 18 },
    { name: "Test Gemini", symbol: "TGUSD", decimals: 2 },
  ],
};

/** The settings of the second chain. An unknown chain has the values of a public chain by default. */
export const secondChainSettings = {
  [`CONFIRMATIONS_${secondChain.chainId}`]: "3",
  [`POLLING_INTERVAL_${secondChain.chainId}`]: "500",
  [`MIN_ACCEPTANCE_HOURS_${secondChain.chainId}`]: "1",
  [`MIN_RELAY_AMOUNT_${secondChain.chainId}`]: "0",
  [`MAX_FEE_GWEI_${secondChain.chainId}`]: "1000",
};
