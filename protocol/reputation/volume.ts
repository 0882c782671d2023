import * as z from "zod";

/** The most currencies of one volume. */
const mostCurrencies = 64;

export const currencySchema = z
  .string()
  .min(1)
  .max(40)
  .describe("the currency of the price: as in USD, or the token's own symbol if nothing redeems it");

/** Amounts of several currencies, which are never added to each other. */
export const volumeSchema = z
  .array(
    z.strictObject({
      currency: currencySchema,
      amount: z
        .string()
        .regex(/^(0|[1-9][0-9]{0,59})(\.[0-9]{0,35}[1-9])?$/)
        .describe("an exact decimal without trailing zeros"),
    }),
  )
  .max(mostCurrencies)
  .describe("the money released to the provider by currency, sorted by the currency's code units");
export type Volume = z.infer<typeof volumeSchema>;

/** Base units of a token that counts as a currency. */
type Part = { currency: string; decimals: number; released: bigint };

/** The most decimals of a token. */
const scale = 36;

/** Sums amounts by currency, exactly. Currencies without an amount are omitted. */
export function sumVolume(parts: readonly Part[]): Volume {
  const sums = new Map<string, bigint>();
  for (const { currency, decimals, released } of parts) {
    sums.set(currency, (sums.get(currency) ?? 0n) + released * 10n ** BigInt(scale - decimals));
  }
  return [...sums]
    .filter(([, sum]) => sum > 0n)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, sum]) => ({ currency, amount: formatExact(sum) }));
}

/** Sums the money that outcomes released to the provider. */
export function releasedVolume(
  outcomes: readonly { currency: string; token_decimals: number; released: string }[],
): Volume {
  return sumVolume(
    outcomes.map(({ currency, token_decimals, released }) => ({
      currency,
      decimals: token_decimals,
      released: BigInt(released),
    })),
  );
}

function formatExact(sum: bigint): string {
  const digits = sum.toString().padStart(scale + 1, "0");
  const fraction = digits.slice(-scale).replace(/0+$/, "");
  return digits.slice(0, -scale) + (fraction === "" ? "" : `.${fraction}`);
}
