import { isAddress, isAddressEqual } from "viem";
import type { Config, Token } from "../../config/config.ts";
import { refuseField } from "../refusal.ts";
import { orderTokens, type PaymentToken } from "./payment-token.ts";

type Chains = Pick<Config, "chains" | "defaultChain">;

/** Returns the tokens whose symbols are names of prices. A service may still have a price in a retired one. */
const tokensOf = ({ chains }: Pick<Config, "chains">) => chains.flatMap(orderTokens);

/**
 * Returns the currency in which a price is compared with others. A price in a token's symbol is in the currency that all tokens
 * of this symbol are redeemed for. Without such a currency, the symbol is a currency of its own.
 */
export function comparedCurrency(config: Pick<Config, "chains">, priceCurrency: string): string {
  const [first, ...others] = tokensOf(config).filter(({ symbol }) => symbol === priceCurrency);
  const currency = first?.currency;
  return currency && others.every((other) => other.currency === currency) ? currency : priceCurrency;
}

/** Returns the names in `price_currency` of all prices that are compared with prices in this currency. */
export function namesOfCurrency(config: Pick<Config, "chains">, currency: string): string[] {
  const own = comparedCurrency(config, currency);
  const symbols = tokensOf(config).map(({ symbol }) => symbol);
  return [...new Set([own, ...symbols.filter((symbol) => comparedCurrency(config, symbol) === own)])];
}

/** Returns the currency of prices in the default token; null if no chain is configured. */
export function defaultCurrency(config: Chains): string | null {
  return config.defaultChain ? comparedCurrency(config, config.defaultChain.token.symbol) : null;
}

/**
 * Checks a currency that a request names: a token must pay prices in it.
 *
 * @throws Refusal `invalid_request` for a currency of no offered token
 */
export function requireCurrency(config: Pick<Config, "chains">, field: string, name: string): string {
  const known = config.chains.flatMap(({ tokens }) =>
    tokens.flatMap(({ symbol, currency }) => (currency ? [currency, symbol] : [symbol])),
  );
  if (known.includes(name)) return name;
  const names = [...new Set(known)].toSorted().join(", ");
  throw refuseField(field, "enum", `Field ${field}: use the currency of a token, one of ${names}.`);
}

/** Tells whether an amount covers a price; null if they are in different currencies. Both have the decimals of prices. */
export function coversPrice(
  config: Pick<Config, "chains">,
  budget: { amount: bigint; currency: string },
  price: { amount: bigint; currency: string },
): boolean | null {
  const isComparable = comparedCurrency(config, budget.currency) === comparedCurrency(config, price.currency);
  return isComparable ? price.amount <= budget.amount : null;
}

/** The name of the default token in `offer.accepts`, for a service that lists no token. */
export const defaultAccepted = "default";

/** Returns the names in `offer.accepts` of services that accept a token. */
export function acceptedNamesOf(
  { defaultChain }: Pick<Config, "defaultChain">,
  { chain, token }: PaymentToken,
): string[] {
  const isDefault =
    chain.chain_id === defaultChain?.chain_id && isAddressEqual(token.address, defaultChain.token.address);
  const name = `${chain.chain_id}:${token.address.toLowerCase()}`;
  return isDefault ? [defaultAccepted, name] : [name];
}

/**
 * Returns the names of tokens in `offer.accepts`, of which a service must accept one; null without a demand.
 *
 * @param token an address or a symbol
 * @throws Refusal `invalid_request` for a chain or a token that is not configured
 */
export function acceptedNames(
  config: Chains,
  { chain_id, token: wanted }: { chain_id?: number | undefined; token?: string | undefined },
): string[] | null {
  if (chain_id === undefined && wanted === undefined) return null;
  const served = config.chains.filter((chain) => chain_id === undefined || chain.chain_id === chain_id);
  if (served.length === 0) {
    const known = config.chains.map((chain) => chain.chain_id).join(", ") || "none";
    throw refuseField(
      "chain_id",
      "enum",
      `Field chain_id: chain ${chain_id} is not served. Use one of: ${known}.`,
    );
  }
  const names = served.flatMap((chain) =>
    chain.tokens
      .filter((token) => wanted === undefined || isNamed(token, wanted))
      .flatMap((token) => acceptedNamesOf(config, { chain, token })),
  );
  if (names.length > 0) return names;
  throw refuseField(
    "token",
    "enum",
    "Field token: use the address or the symbol of a token of `GET /chains`.",
  );
}

function isNamed({ address, symbol }: Token, name: string): boolean {
  return isAddress(name, { strict: false }) ? isAddressEqual(address, name) : symbol === name;
}
