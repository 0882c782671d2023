import { type Address, getAddress, isAddressEqual } from "viem";
import { findNetwork, parseAmount } from "../../../../protocol/settlement/index.ts";
import type { AcceptedToken, Service, TokenName } from "../generated/types.ts";
import { UntrustedOrderError } from "./errors.ts";

/** A payment token that the caller trusts, on its chain. */
export interface KnownToken {
  chainId: number;
  /** The address of the token. */
  token: string;
  /** Default: the answer of your node. */
  decimals?: number;
}

/** A token that the buyer holds. */
export interface HeldToken extends KnownToken {
  /** The most to pay in this token. Default: the purchase's `maxAmount`, if you hold one token only. */
  maxAmount?: string;
}

/** The tokens that the buyer holds, the preferred one first. */
export type PayWith = HeldToken | readonly HeldToken[];

/**
 * Reads the held tokens. Without `payWith`, they are undefined.
 *
 * @throws TypeError for an empty list, or for several tokens without a maximum of their own: one number cannot limit
 *   several tokens
 */
export function readHeld(payWith: PayWith | undefined): readonly HeldToken[] | undefined {
  if (payWith === undefined) return undefined;
  const held = isList(payWith) ? payWith : [payWith];
  if (held.length === 0) throw new TypeError("payWith is empty: name a token that you hold.");
  if (held.length > 1 && held.some(({ maxAmount }) => maxAmount === undefined)) {
    throw new TypeError("Give each token of payWith a maxAmount of its own.");
  }
  return held;
}

const isList = (payWith: PayWith): payWith is readonly HeldToken[] => Array.isArray(payWith);

/** Writes the names of tokens as a request has them. */
export const namesOf = (tokens: readonly KnownToken[]): TokenName[] =>
  tokens.map(({ chainId, token }) => ({ chain_id: chainId, token: getAddress(token) }));

/** The part of an agreed order that names its token. */
type PaidOrder = { orderId: string; chainId: number; terms: { token: Address } };

const textOf = ({ chain_id, token }: TokenName) => `${token} on chain ${chain_id}`;

const isSame = (one: TokenName, other: TokenName) =>
  one.chain_id === other.chain_id && isAddressEqual(one.token as Address, other.token as Address);

/**
 * Chooses the first held token that the service accepts. The choice does not depend on balances, so that a repeated purchase
 * chooses the same token.
 *
 * @throws UntrustedOrderError if the service accepts none of them
 */
export function chooseToken(service: Service, held: readonly HeldToken[]): TokenName {
  const names = namesOf(held);
  const chosen = names.find((name) => service.accepts.some((accepted) => isSame(accepted, name)));
  if (chosen) return chosen;
  const accepted = service.accepts.map(textOf).join(", ");
  throw new UntrustedOrderError(
    null,
    "service.accepts",
    names.map(textOf).join(" or "),
    accepted || "nothing",
  );
}

/**
 * Finds an order's token among those that its service accepts.
 *
 * @throws UntrustedOrderError if the service does not accept it, or the token is of another currency than the price
 */
export function findAccepted({ orderId, chainId, terms }: PaidOrder, service: Service): AcceptedToken {
  const name = { chain_id: chainId, token: terms.token };
  const accepted = service.accepts.find((one) => isSame(one, name));
  if (!accepted) {
    const expected = service.accepts.map(textOf).join(" or ");
    throw new UntrustedOrderError(orderId, "agreement.token", expected, textOf(name));
  }
  const known = findNetwork(chainId)?.token;
  const currencies = [known?.currency, known?.symbol];
  if (known?.address === terms.token && !currencies.includes(service.price_currency)) {
    throw new UntrustedOrderError(orderId, "service.price_currency", known.currency, service.price_currency);
  }
  return accepted;
}

/**
 * Converts a service's price exactly into base units of an order's token.
 *
 * @param decimals the token's decimals, by the caller's knowledge
 * @param quoted the price of a quote, in place of the service's
 * @throws UntrustedOrderError if the service does not accept the token, shows other decimals or another price of it, or the
 *   token is too coarse for the price
 */
export function priceIn(agreed: PaidOrder, service: Service, decimals: number, quoted?: string): bigint {
  const { orderId } = agreed;
  const accepted = findAccepted(agreed, service);
  if (accepted.decimals !== decimals) {
    throw new UntrustedOrderError(orderId, "service.accepts.decimals", decimals, accepted.decimals);
  }
  const read = (field: string, price: string | null) => {
    const units = parseAmount(price ?? "0", decimals);
    if (units !== null) return units;
    throw new UntrustedOrderError(orderId, field, `a price with at most ${decimals} decimals`, price);
  };
  if (quoted !== undefined) return read("quote.price", quoted);
  const price = read("service.price", service.price);
  if (read("service.accepts.price", accepted.price) === price) return price;
  throw new UntrustedOrderError(orderId, "service.accepts.price", service.price, accepted.price);
}

/** Returns the whole units of a price that an amount pays. Both are exact decimals. */
export function unitsWithin(amount: string, price: string | null): number {
  const decimals = Math.max(...[amount, price ?? ""].map((text) => (text.split(".")[1] ?? "").length));
  const [most, one] = [amount, price ?? ""].map((text) => parseAmount(text, decimals));
  return most && one ? Number(most / one) : 0;
}
