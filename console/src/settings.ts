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
  token: { address: string; decimals: number };
  /** the factory of passkey accounts; null if passkeys cannot sign in and pay on this chain */
  passkey_factory: string | null;
};

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
