/** What the service wrote into the page for it. */
type Settings = {
  /** whose receipts are believed, as in `did:web:market.example` */
  issuer: string;
  /** the chain that orders settle on unless told otherwise; null where none is set up */
  chain_id: number | null;
  chains: { chain_id: number; network_name: string }[];
};

const written = document.querySelector<HTMLMetaElement>('meta[name="earnest"]')?.content ?? "{}";
export const settings: Settings = { issuer: "", chain_id: null, chains: [], ...JSON.parse(written) };

/** Where the service is, without a slash at the end. */
export const serviceUrl = document.baseURI.replace(/\/$/, "");

/** The path that every page of the console begins with. */
export const basePath = new URL(document.baseURI).pathname;

/** A chain's name for people. */
export function nameOfChain(chainId: number): string {
  return settings.chains.find(({ chain_id }) => chain_id === chainId)?.network_name ?? `chain ${chainId}`;
}
