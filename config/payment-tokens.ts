import { z } from "zod";
import { address, ConfigError } from "./environment.ts";

/** A text without hidden characters, which would make it look like another token's. */
const visible = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]*$/u, "must have no hidden characters");
/** Letters of other scripts look like Latin ones. Tether has a currency sign in symbols, as in USD₮0. */
const symbol = visible(40)
  .min(1)
  .regex(
    /^[\x21-\x7e\p{Sc}]+$/u,
    "must have only ASCII letters, digits and signs, and currency signs, so that it looks like no other symbol",
  )
  .refine((text) => text.normalize("NFKC") === text, "must have no full-width or small forms");
export const tokenShape = z.strictObject({
  address,
  symbol,
  decimals: z.int().min(0).max(36),
  /** EIP-712 name and version of the token's own domain, which EIP-3009 signatures need. */
  name: visible(200),
  version: visible(40),
  /** The currency that the token is redeemed for, as in USD. A token without one has a price of its own. */
  currency: z
    .string()
    .regex(/^[A-Z]{3,12}$/, "must be a currency, as in USD")
    .optional(),
});
/** A token that pays for orders. */
export type Token = z.infer<typeof tokenShape>;

/** A token of a manifest. A retired token pays no new order. */
export const listedTokenShape = z.strictObject({ ...tokenShape.shape, retired: z.boolean().optional() });

/** The token lists of a manifest. */
type TokenLists = {
  chain_id: number;
  token: Token;
  other_tokens?: z.infer<typeof listedTokenShape>[] | undefined;
};

/** Returns the tokens of a manifest that pay for new orders, the default one first, and the retired ones. */
export function tokensOf({ token, other_tokens = [] }: Omit<TokenLists, "chain_id">): {
  tokens: readonly Token[];
  retired_tokens: readonly Token[];
} {
  return {
    tokens: [token, ...other_tokens.filter(({ retired }) => !retired)],
    retired_tokens: other_tokens.filter(({ retired }) => retired),
  };
}

/**
 * Refuses tokens that could be taken for each other. A price is in a symbol or in a currency, so a symbol has one meaning
 * on all chains.
 *
 * @throws ConfigError for a token that is named twice, or for a symbol that another token has or is redeemed for, with
 *   another currency
 */
export function checkTokens(manifests: readonly TokenLists[]): void {
  for (const { chain_id, token, other_tokens = [] } of manifests) {
    const addresses = [token, ...other_tokens].map(({ address: one }) => one);
    const twice = addresses.find((one, at) => addresses.indexOf(one) !== at);
    if (twice)
      throw new ConfigError(
        `The manifest of chain ${chain_id} already lists the token ${twice}: name it once.`,
      );
  }
  // A retired token pays no price.
  const paying = manifests.flatMap((manifest) =>
    tokensOf(manifest).tokens.map((token) => ({ ...token, chain_id: manifest.chain_id })),
  );
  for (const [at, token] of paying.entries())
    for (const other of paying.slice(0, at)) {
      if (token.currency === other.currency) continue;
      const word = (["symbol", "currency"] as const).find(
        (kind) => isSame(token.symbol, other[kind]) || isSame(other.symbol, token[kind]),
      );
      if (word)
        throw new ConfigError(
          `${textOf(token)} and ${textOf(other)} could be taken for each other: a symbol of one is the ${word} of the other. Give both the same currency, or retire one.`,
        );
    }
}

/** Symbols that differ in the case of letters look the same to a buyer. */
const isSame = (one: string, other: string | undefined) => one.toUpperCase() === other?.toUpperCase();

const textOf = ({ symbol, address, chain_id, currency }: Token & { chain_id: number }) =>
  `The token ${symbol} (${address}) of chain ${chain_id}, ${currency ? `for prices in ${currency}` : "without a currency"},`;
