import { localNetwork } from "../../protocol/settlement/networks.ts";
import { i18n } from "./text/i18n.ts";

/** The settings that the service writes into the page. */
type Settings = {
  /** whether visitors may try orders with a sample wallet: the chain and the service run on one machine */
  demo: boolean;
  /** the trusted issuer of receipts, such as `did:web:market.example` */
  issuer: string;
  /** the default settlement chain; null if none is set up */
  chain_id: number | null;
  chains: ServedChain[];
};

/** A chain of the service, as its deployment manifest describes the chain. */
type ServedChain = {
  chain_id: number;
  network_name: string;
  escrow_contract: string;
  /** the tokens that pay for new orders, the chain's default token first */
  tokens: ServedToken[];
  /** the tokens that pay only for orders placed before */
  retired_tokens: ServedToken[];
  /** the factory of passkey accounts; null if passkeys cannot sign in and pay on this chain */
  passkey_factory: string | null;
  /** the node of a chain of this machine, for a wallet that does not know the chain; null for other chains */
  rpc_url: string | null;
};

export type ServedToken = {
  address: string;
  symbol: string;
  decimals: number;
  /** the name and the version of the token's EIP-712 domain */
  name: string;
  version: string;
  /** the currency whose prices the token pays; null if only its own */
  currency: string | null;
};

/** A token on its chain. */
export type ChainToken = { chain: ServedChain; token: ServedToken };

const written = document.querySelector<HTMLMetaElement>('meta[name="earnest"]')?.content ?? "{}";
export const settings: Settings = {
  demo: false,
  issuer: "",
  chain_id: null,
  chains: [],
  ...JSON.parse(written),
};

/** The chain of the sign-in message. A service without a chain has the local one. */
export const homeChainId = settings.chain_id ?? settings.chains[0]?.chain_id ?? localNetwork.chain_id;

/** The service's URL without a trailing slash. */
export const serviceUrl = document.baseURI.replace(/\/$/, "");

/** The path prefix of every page of the console. */
export const basePath = new URL(document.baseURI).pathname;

/** Returns the display name of a chain. */
export function nameOfChain(chainId: number): string {
  return (
    settings.chains.find(({ chain_id }) => chain_id === chainId)?.network_name ??
    i18n.t("chain {chainId}", { chainId: String(chainId) })
  );
}

/** Returns the settings of a chain. */
export const findChain = (chainId: number): ServedChain | undefined =>
  settings.chains.find(({ chain_id }) => chain_id === chainId);

/** All tokens that pay for new orders, those of the default chain first. */
export const servedTokens: readonly ChainToken[] = [...settings.chains]
  .sort((a, b) => Number(b.chain_id === settings.chain_id) - Number(a.chain_id === settings.chain_id))
  .flatMap((chain) => chain.tokens.map((token) => ({ chain, token })));

/** The token of services that name none, whose decimals a price has. */
export const defaultToken: ServedToken | undefined = findChain(homeChainId)?.tokens[0];

/** Returns all tokens of a chain, the retired ones last. */
export function tokensOn(chainId: number): ServedToken[] {
  const { tokens = [], retired_tokens = [] } = findChain(chainId) ?? {};
  return [...tokens, ...retired_tokens];
}

/** Finds a token of a chain by its address. */
export const findToken = (chainId: number, address: string): ServedToken | undefined =>
  tokensOn(chainId).find((token) => token.address.toLowerCase() === address.toLowerCase());

/** Whether a token pays prices in a currency one for one. */
export const paysIn = ({ symbol, currency }: ServedToken, price: string): boolean =>
  symbol === price || currency === price;

/** Names a token with its network, such as `USDC · Base`. The network is left out if the service has only one. */
export const tokenText = (symbol: string, chainId: number): string =>
  settings.chains.length > 1 ? `${symbol} · ${nameOfChain(chainId)}` : symbol;
