import { type Address, getAddress, isAddressEqual } from "viem";
import type { Chain, Config, Token } from "../../config/config.ts";
import type { service } from "../../db/schema.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { Refusal, refuseField } from "../refusal.ts";

/** A token on a chain, in which an order is paid. */
export type PaymentToken = { chain: Chain; token: Token };

/** The name of a payment token. Members have the API's names. */
export type TokenName = { chain_id: number; token: Address };

/** The settings that have the tokens. */
export type TokenSettings = Pick<Config, "chains" | "defaultChain">;

type Accepting = Pick<typeof service.$inferSelect, "accepts" | "priceCurrency">;

/**
 * Returns the default chain with its default token. The decimals of this token are those of every price.
 *
 * @throws Refusal `dependency_unavailable` if no chain is configured
 */
export function defaultToken({ defaultChain }: Pick<Config, "defaultChain">): PaymentToken {
  if (defaultChain) return { chain: defaultChain, token: defaultChain.token };
  throw new Refusal("dependency_unavailable", "No chain is configured, so there is no token for prices.");
}

/** Finds an offered token by its name. */
export function findToken({ chains }: Pick<Config, "chains">, name: TokenName): PaymentToken | undefined {
  const chain = chains.find(({ chain_id }) => chain_id === name.chain_id);
  const token = chain && findTokenOn(chain, name.token);
  return token && { chain, token };
}

/** Finds an offered token of a chain by its address. */
export function findTokenOn({ tokens }: Pick<Chain, "tokens">, address: Address): Token | undefined {
  return tokens.find((token) => isAddressEqual(token.address, address));
}

/** Returns all tokens of a chain's orders. A retired token pays orders that were placed before. */
export function orderTokens({ tokens, retired_tokens }: Pick<Chain, "tokens" | "retired_tokens">): Token[] {
  return [...tokens, ...retired_tokens];
}

/** Finds a token in which an order of a chain may be paid. */
export function findOrderToken(
  chain: Pick<Chain, "tokens" | "retired_tokens">,
  address: Address,
): Token | undefined {
  return findTokenOn({ tokens: orderTokens(chain) }, address);
}

/** Finds a token in which orders were paid, also a retired one, by its name. */
export function findPaidToken({ chains }: Pick<Config, "chains">, name: TokenName): PaymentToken | undefined {
  const chain = chains.find(({ chain_id }) => chain_id === name.chain_id);
  const token = chain && findOrderToken(chain, name.token);
  return token && { chain, token };
}

/** Returns the tokens that a service accepts and this installation serves, in the provider's order. */
export function acceptedTokens(
  config: TokenSettings,
  { accepts }: Pick<Accepting, "accepts">,
): PaymentToken[] {
  if (!accepts) return config.defaultChain ? [defaultToken(config)] : [];
  return accepts.flatMap((name) => findToken(config, name) ?? []);
}

/**
 * Returns the token in which an order of a service is paid.
 *
 * @param payWith the buyer's choice; the service's first token by default
 * @throws Refusal `invalid_request` for a token that the service does not accept, `dependency_unavailable` if it accepts
 *   none that is served
 */
export function chooseToken(
  config: TokenSettings,
  offered: Pick<Accepting, "accepts">,
  payWith: TokenName | undefined,
): PaymentToken {
  const accepted = acceptedTokens(config, offered);
  const chosen = payWith ? accepted.find((one) => isNamed(one, payWith)) : accepted[0];
  if (chosen) return chosen;
  if (accepted.length === 0) {
    defaultToken(config);
    throw new Refusal("dependency_unavailable", "None of the service's tokens is served at the moment.");
  }
  const names = accepted.map(
    ({ chain, token }) => `${token.symbol} (${token.address}) on chain ${chain.chain_id}`,
  );
  throw refuseField("pay_with", "enum", `Field pay_with: this service accepts ${names.join(", ")}.`);
}

/** Tells whether a token has this name. */
function isNamed({ chain, token }: PaymentToken, name: TokenName): boolean {
  return chain.chain_id === name.chain_id && isAddressEqual(token.address, name.token);
}

/**
 * Converts a price into base units of a token of its currency. The result is exact.
 *
 * @param price with the decimals of the default token
 * @returns null if the token has too few decimals for the price
 */
export function amountIn(
  config: Pick<Config, "defaultChain">,
  price: bigint,
  { token }: Pick<PaymentToken, "token">,
): bigint | null {
  const surplus = token.decimals - defaultToken(config).token.decimals;
  if (surplus >= 0) return price * 10n ** BigInt(surplus);
  const divisor = 10n ** BigInt(-surplus);
  return price % divisor === 0n ? price / divisor : null;
}

/** Converts a price as `amountIn` does. @throws Refusal `invalid_state` if the token has too few decimals */
export function requireAmountIn(
  config: Pick<Config, "defaultChain">,
  price: bigint,
  paid: Pick<PaymentToken, "token">,
): bigint {
  const amount = amountIn(config, price, paid);
  if (amount !== null) return amount;
  const { symbol, decimals } = paid.token;
  const shown = formatAmount(price, defaultToken(config).token.decimals);
  throw new Refusal(
    "invalid_state",
    `${symbol} has ${decimals} decimals, so it cannot pay ${shown} exactly.`,
  );
}

/** The chain's minimum, which is in base units of its default token. */
type RelayRules = Pick<Chain, "min_relay_amount" | "token">;

/** Returns the least amount, in base units of a token, from which the service pays the gas of calls. The minimum is the same number of tokens. */
export function leastRelayed(chain: RelayRules, { decimals }: Pick<Token, "decimals">): bigint {
  const unit = 10n ** BigInt(chain.token.decimals);
  return (chain.min_relay_amount * 10n ** BigInt(decimals) + unit - 1n) / unit;
}

/** Tells whether the service pays the gas of calls for this amount. */
export function isRelayedFree(
  { chain, token }: { chain: RelayRules; token: Pick<Token, "decimals"> },
  amount: bigint,
): boolean {
  return amount >= leastRelayed(chain, token);
}

/** Tells whether a token pays prices in a currency one for one. */
function pays({ token }: PaymentToken, currency: string): boolean {
  return token.symbol === currency || token.currency === currency;
}

/**
 * Checks the tokens of a service against its price. A service without a list follows the default token.
 *
 * @throws Refusal `invalid_request` for an unknown token, a token of another currency, or one with too few decimals
 */
export function checkAccepts(
  config: TokenSettings,
  { accepts, currency, price }: { accepts: TokenName[] | null; currency: string | undefined; price: bigint },
): Accepting {
  const names = accepts ?? [tokenNameOf(defaultToken(config))];
  const named = names.map((name, at) => {
    const found = findToken(config, name);
    if (found) return { found, at };
    throw refuseField(
      `accepts/${at}`,
      "enum",
      `Field accepts/${at}: chain ${name.chain_id} has no token ${name.token} here. \`GET /chains\` lists the tokens.`,
    );
  });
  const priceCurrency = currency ?? named[0]?.found.token.symbol ?? defaultToken(config).token.symbol;
  for (const { found, at } of named) {
    const { symbol, decimals, address } = found.token;
    if (!pays(found, priceCurrency)) {
      throw accepts
        ? refuseField(
            `accepts/${at}`,
            "currency",
            `Field accepts/${at}: ${symbol} (${address}) does not pay a price in ${priceCurrency}.`,
          )
        : refuseField(
            "price_currency",
            "enum",
            `Field price_currency: use ${found.token.currency ?? symbol}, or list the tokens that pay ${priceCurrency} in accepts.`,
          );
    }
    if (amountIn(config, price, found) === null) {
      throw refuseField("price", "decimals", `Field price: ${symbol} has only ${decimals} decimals.`);
    }
  }
  return {
    accepts: accepts ? named.map(({ found }) => tokenNameOf(found)) : null,
    priceCurrency,
  };
}

/** Returns the name of a payment token. */
export function tokenNameOf({ chain, token }: PaymentToken): TokenName {
  return { chain_id: chain.chain_id, token: getAddress(token.address) };
}
