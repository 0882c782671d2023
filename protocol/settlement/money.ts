/** Digits with an optional fraction, as in `12.50`; no sign, exponent or grouping. */
export const amountPattern = /^(0|[1-9][0-9]{0,59})(?:\.([0-9]{1,60}))?$/;

/**
 * Parses an exact decimal amount into base units.
 *
 * @param text an amount by `amountPattern`
 * @param decimals the token's decimals
 * @returns base units, or null if the text is no such number or is finer than the token
 */
export function parseAmount(text: string, decimals: number): bigint | null {
  const match = amountPattern.exec(text);
  if (!match) return null;
  const fraction = (match[2] ?? "").replace(/0+$/, "");
  if (fraction.length > decimals) return null;
  return BigInt((match[1] ?? "0") + fraction.padEnd(decimals, "0"));
}

/** Formats base units as an exact decimal with all of the token's decimals, as in `12.500000`. */
export function formatAmount(baseUnits: bigint, decimals: number): string {
  if (decimals === 0) return baseUnits.toString();
  const sign = baseUnits < 0n ? "-" : "";
  const digits = baseUnits
    .toString()
    .slice(sign.length)
    .padStart(decimals + 1, "0");
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Writes an exact amount with separators and at least two decimals: `1250.500000` becomes `1,250.50`. */
export function shortAmount(amount: string, group = ",", point = "."): string {
  const [whole = "0", fraction = ""] = amount.split(".");
  return `${whole.replace(/\B(?=(\d{3})+$)/g, group)}${point}${fraction.replace(/0+$/, "").padEnd(2, "0")}`;
}
