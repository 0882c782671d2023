import type { Service } from "earnest-client";
import { type ChainToken, defaultToken, homeChainId, paysIn, servedTokens } from "../settings.ts";

/** The key of a token in the form: its chain and its address. */
export const keyOf = ({ chain, token }: ChainToken): string =>
  `${chain.chain_id} ${token.address.toLowerCase()}`;

/** Whether a provider has a choice. Without one, the form shows nothing of tokens. */
export const hasTokenChoice = servedTokens.length > 1;

/** The currencies of prices: those that tokens are redeemed for, and the symbols of tokens without one. */
export const currencies: readonly string[] = [
  ...new Set(servedTokens.map(({ token }) => token.currency ?? token.symbol)),
];

/** The tokens that pay a price in a currency. */
export const tokensOf = (currency: string): ChainToken[] =>
  servedTokens.filter(({ token }) => paysIn(token, currency));

const defaultKey = defaultToken ? `${homeChainId} ${defaultToken.address.toLowerCase()}` : "";

/** The part of a service's draft that concerns tokens. */
export type TokenDraft = {
  price_currency: string;
  /** keys of tokens, the preferred one first */
  accepts: string[];
};

/** The currency of a new service. Without a choice it is the one that the service takes by itself. */
const newCurrency = (hasTokenChoice && defaultToken?.currency) || defaultToken?.symbol || "";

export const tokenDraftOf = (service: Service | null): TokenDraft => ({
  price_currency: service?.price_currency ?? newCurrency,
  accepts: service
    ? service.accepts.map(({ chain_id, token }) => `${chain_id} ${token.toLowerCase()}`)
    : [defaultKey].filter(Boolean),
});

/** Keeps the accepted tokens that pay a currency, or else takes the first that does. */
export function acceptedIn(currency: string, accepts: readonly string[]): string[] {
  const keys = tokensOf(currency).map(keyOf);
  const kept = accepts.filter((key) => keys.includes(key));
  return kept.length > 0 ? kept : keys.slice(0, 1);
}

/**
 * Converts the draft to members of the API's request. A list that did not change is left out, because it may be the service's
 * default, which follows the installation.
 */
export function tokenChangeOf(draft: TokenDraft, service: Service | null) {
  if (!hasTokenChoice) return {};
  const before = tokenDraftOf(service);
  const isSame = String(draft.accepts) === String(before.accepts);
  return {
    price_currency: draft.price_currency,
    ...(isSame ? {} : { accepts: draft.accepts.map(nameOf) }),
  };
}

function nameOf(key: string): { chain_id: number; token: string } {
  const [chainId = "", token = ""] = key.split(" ");
  return { chain_id: Number(chainId), token };
}
